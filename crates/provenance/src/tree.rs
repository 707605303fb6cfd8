//! The files that make up the shipped programs, and one digest over all of them.
//!
//! Part of the tree are `Cargo.toml`, `Cargo.lock` and `.cargo/config.toml` of the workspace, everything in the packages
//! under `crates/` except what only tests use, and `cuda/` once the package that compiles it exists. `xtask` is no part: the
//! tool may change without making a program stale. A file that the sources include from elsewhere is not seen.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use walkdir::{DirEntry, WalkDir};

use crate::{ProvenanceError, SourceDigest};

/// Changes when the meaning of the digest does.
const DIGEST_TAG: &[u8] = b"cuzk-sources-1\0";

/// Files of the workspace root that decide what is built.
const ROOT_FILES: [&str; 3] = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"];

/// Directories of a package that never reach a shipped program.
const UNSHIPPED: [&str; 6] = ["tests", "benches", "examples", "fuzz", "target", "proptest-regressions"];

/// The package whose build script compiles `cuda/`.
const CUDA_PACKAGE: &str = "crates/cuda-sys/Cargo.toml";

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// Relative to the workspace root, with `/` between the parts.
    pub path: String,
    pub bytes: u64,
    pub sha256: [u8; 32],
}

/// How a file differs from an earlier state of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Added,
    Edited,
    Removed,
}

/// All source files of a workspace at one time.
#[derive(Clone, Debug)]
pub struct SourceTree {
    root: PathBuf,
    files: Vec<FileDigest>,
    has_cuda: bool,
}

impl SourceTree {
    /// Reads every source file under `root`.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, a symbolic link out of the workspace or into a loop, a name that is not UTF-8, and
    /// anything that is neither file nor directory.
    pub fn scan(root: &Path) -> Result<Self, ProvenanceError> {
        let root = canonicalize(root)?;
        let has_cuda = root.join(CUDA_PACKAGE).is_file();
        let mut files = Vec::new();
        for name in ROOT_FILES {
            // Cargo itself insists on the first two; a workspace without configuration is a workspace.
            if name != ".cargo/config.toml" || exists(&root.join(name))? {
                files.push(digest_file(&root, &root.join(name))?);
            }
        }
        for package in packages(&root)? {
            scan_dir(&root, &package, &UNSHIPPED, &mut files)?;
        }
        if has_cuda {
            scan_dir(&root, &root.join("cuda"), &[], &mut files)?;
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self { root, files, has_cuda })
    }

    /// The workspace root, absolute and without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Sorted by path.
    pub fn files(&self) -> &[FileDigest] {
        &self.files
    }

    /// SHA-256 over a version tag, the number of files, and each file's path length, path, size and SHA-256, with all
    /// numbers as 64-bit little-endian integers.
    pub fn digest(&self) -> SourceDigest {
        let mut hasher = Sha256::new();
        hasher.update(DIGEST_TAG);
        hasher.update(length(self.files.len()));
        for file in &self.files {
            hasher.update(length(file.path.len()));
            hasher.update(&file.path);
            hasher.update(file.bytes.to_le_bytes());
            hasher.update(file.sha256);
        }
        SourceDigest::from_bytes(hasher.finalize().into())
    }

    /// What cargo must watch so that every change of the digest re-runs a build script. Cargo looks into directories at
    /// every depth, and a missing path counts as changed.
    ///
    /// `crates` is watched as a whole, so that a new file or package is seen. An edited test therefore re-runs the script
    /// too: a build too many is cheaper than one that is missing.
    pub fn watched(&self) -> Vec<PathBuf> {
        let cuda = self.has_cuda.then_some("cuda");
        ROOT_FILES
            .into_iter()
            .chain(["crates"])
            .chain(cuda)
            .map(|name| self.root.join(name))
            .collect()
    }

    /// Path and SHA-256 of each file, in hexadecimal: what a receipt keeps so that a later check can name the files that
    /// changed.
    pub fn manifest(&self) -> BTreeMap<String, String> {
        self.files
            .iter()
            .map(|file| (file.path.clone(), hex::encode(file.sha256)))
            .collect()
    }

    /// The files that differ from an earlier [`manifest`](Self::manifest), by path.
    pub fn changes_since(&self, earlier: &BTreeMap<String, String>) -> Vec<(String, Change)> {
        let now = self.manifest();
        let changed = now.iter().filter_map(|(path, sha256)| match earlier.get(path) {
            None => Some((path.clone(), Change::Added)),
            Some(before) => (before != sha256).then(|| (path.clone(), Change::Edited)),
        });
        let removed = earlier.keys().filter(|path| !now.contains_key(*path));
        let mut changes: Vec<_> = changed
            .chain(removed.map(|path| (path.clone(), Change::Removed)))
            .collect();
        changes.sort_by(|one, other| one.0.cmp(&other.0));
        changes
    }
}

fn length(n: usize) -> [u8; 8] {
    (n as u64).to_le_bytes()
}

fn canonicalize(path: &Path) -> Result<PathBuf, ProvenanceError> {
    path.canonicalize().map_err(|source| ProvenanceError::Read {
        path: path.to_path_buf(),
        source,
    })
}

/// Unlike `Path::exists`, an unreadable directory is an error and not an absence.
fn exists(path: &Path) -> Result<bool, ProvenanceError> {
    path.try_exists().map_err(|source| ProvenanceError::Read {
        path: path.to_path_buf(),
        source,
    })
}

/// The directories under `crates/` that are packages: cargo ignores the others as well.
fn packages(root: &Path) -> Result<Vec<PathBuf>, ProvenanceError> {
    let dir = root.join("crates");
    let failed = |source: io::Error| ProvenanceError::Read {
        path: dir.clone(),
        source,
    };
    let mut packages = Vec::new();
    for entry in fs::read_dir(&dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if !is_ignored(&path) && path.is_dir() && exists(&path.join("Cargo.toml"))? {
            packages.push(path);
        }
    }
    Ok(packages)
}

fn scan_dir(root: &Path, dir: &Path, left_out: &[&str], files: &mut Vec<FileDigest>) -> Result<(), ProvenanceError> {
    let wanted = |entry: &DirEntry| !is_left_out(entry, left_out);
    for entry in WalkDir::new(dir).follow_links(true).into_iter().filter_entry(wanted) {
        let entry = match entry {
            Ok(entry) => entry,
            // An editor's lock is a link to nowhere, which the walk reports before the filter sees it.
            Err(error) if error.depth() > 0 && error.path().is_some_and(is_ignored) => continue,
            Err(source) => {
                return Err(ProvenanceError::Walk {
                    path: dir.to_path_buf(),
                    source,
                });
            }
        };
        if entry.path_is_symlink() {
            check_inside(root, entry.path())?;
        }
        if entry.file_type().is_file() {
            files.push(digest_file(root, entry.path())?);
        } else if !entry.file_type().is_dir() {
            return Err(ProvenanceError::NotAFile {
                path: entry.path().to_path_buf(),
            });
        }
    }
    Ok(())
}

fn is_left_out(entry: &DirEntry, left_out: &[&str]) -> bool {
    let unshipped = || left_out.iter().any(|name| entry.file_name() == *name);
    match entry.depth() {
        0 => false,
        1 if entry.file_type().is_dir() && unshipped() => true,
        _ => is_ignored(entry.path()),
    }
}

/// Hidden files and editors' backups: they come and go while the programs stay the same.
fn is_ignored(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.starts_with(b".") || name.ends_with(b"~")
}

fn check_inside(root: &Path, link: &Path) -> Result<(), ProvenanceError> {
    let target = canonicalize(link)?;
    if target.starts_with(root) {
        return Ok(());
    }
    Err(ProvenanceError::OutsideRoot {
        link: link.to_path_buf(),
        target,
    })
}

fn digest_file(root: &Path, path: &Path) -> Result<FileDigest, ProvenanceError> {
    let mut hasher = Sha256::new();
    let copied = File::open(path).and_then(|mut file| io::copy(&mut file, &mut hasher));
    let bytes = copied.map_err(|source| ProvenanceError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    Ok(FileDigest {
        path: relative(root, path)?,
        bytes,
        sha256: hasher.finalize().into(),
    })
}

fn relative(root: &Path, path: &Path) -> Result<String, ProvenanceError> {
    let not_utf8 = || ProvenanceError::NotUtf8 {
        path: path.to_path_buf(),
    };
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Option<Vec<_>> = inside.iter().map(|part| part.to_str()).collect();
    Ok(parts.ok_or_else(not_utf8)?.join("/"))
}

#[cfg(test)]
mod tests;
