//! Reading a program file once, whole, with a limit, and noticing when it changes meanwhile.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::{Elf, Sha256Hash, Unverifiable};

/// The most bytes that are read of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLimit(pub u64);

impl ByteLimit {
    /// Far above any program of ours, far below what would hurt the machine.
    pub const PROGRAM: Self = Self(2 << 30);
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not a regular file (hint: expected a program)", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} has {actual} bytes, more than {limit} (hint: is this the program?)", path.display())]
    TooLarge { path: PathBuf, actual: u64, limit: u64 },
    #[error("{} changed while it was read (hint: a build is running; wait for it and check again)", path.display())]
    Changed { path: PathBuf },
}

/// A program's bytes as they were at one moment.
pub struct ProgramFile {
    path: PathBuf,
    bytes: Vec<u8>,
    sha256: Sha256Hash,
}

impl ProgramFile {
    /// Reads at most [`ByteLimit::PROGRAM`].
    ///
    /// # Errors
    ///
    /// Also when the file is replaced or written to between start and end.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Self::read_bounded(path, ByteLimit::PROGRAM)
    }

    /// Like [`read`](Self::read), with a limit of the caller's.
    pub fn read_bounded(path: &Path, limit: ByteLimit) -> Result<Self, ReadError> {
        let bytes = read_unchanged(path, limit, || {})?;
        Ok(Self {
            path: path.to_path_buf(),
            sha256: Sha256Hash::of(&bytes),
            bytes,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn sha256(&self) -> Sha256Hash {
        self.sha256
    }

    /// The program's structure, checked by three readers.
    pub fn elf(&self) -> Result<Elf<'_>, Unverifiable> {
        Elf::parse(&self.bytes)
    }
}

/// What tells one state of a file from another: identity, size, and the times of last write and last change in
/// nanoseconds.
#[derive(PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// `meanwhile` runs between the last byte read and the second look: tests change the file there.
fn read_unchanged(path: &Path, limit: ByteLimit, meanwhile: impl FnOnce()) -> Result<Vec<u8>, ReadError> {
    let failed = |source| ReadError::Io {
        path: path.to_path_buf(),
        source,
    };
    // Before opening: to open a named pipe waits for a writer.
    let before = fs::metadata(path).map_err(failed)?;
    if !before.is_file() {
        return Err(ReadError::NotAFile {
            path: path.to_path_buf(),
        });
    }
    check_limit(path, before.len(), limit)?;
    let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or(0));
    let file = File::open(path).map_err(failed)?;
    // One byte more than the limit shows that a file has outgrown it.
    (&file)
        .take(limit.0.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    meanwhile();
    check_limit(path, bytes.len() as u64, limit)?;
    let same = |metadata: &Metadata| Stamp::from(metadata) == Stamp::from(&before);
    let unchanged = same(&file.metadata().map_err(failed)?) && same(&fs::metadata(path).map_err(failed)?);
    if !unchanged || bytes.len() as u64 != before.len() {
        return Err(ReadError::Changed {
            path: path.to_path_buf(),
        });
    }
    Ok(bytes)
}

fn check_limit(path: &Path, actual: u64, limit: ByteLimit) -> Result<(), ReadError> {
    if actual > limit.0 {
        return Err(ReadError::TooLarge {
            path: path.to_path_buf(),
            actual,
            limit: limit.0,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
