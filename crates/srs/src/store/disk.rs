//! Files that appear under their name whole, or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::Sha256;

use crate::digest::{FileHash, Sha256Digest};
use crate::error::SrsError;
use crate::progress::{CancelToken, Cancelled};

/// A new file, as far as writing it goes. A seam for tests: a disk that is full cannot be had otherwise.
pub(super) trait NewFile: Write {
    /// Returns when the contents are on the disk.
    fn synchronise(&self) -> io::Result<()>;
}

impl NewFile for File {
    fn synchronise(&self) -> io::Result<()> {
        self.sync_all()
    }
}

/// Creates a file that must not exist.
pub(super) type Create = fn(&Path) -> io::Result<Box<dyn NewFile>>;

pub(super) fn create(path: &Path) -> io::Result<Box<dyn NewFile>> {
    Ok(Box::new(File::create_new(path)?))
}

/// The temporary name of a file that will be `path`.
pub(super) fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// What was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) bytes: u64,
    pub(super) sha256: Sha256Digest,
}

/// A complete file under its temporary name. Removed on drop unless it was published.
pub(super) struct Partial {
    partial: PathBuf,
    path: PathBuf,
    written: Written,
    guard: RemoveOnDrop,
}

impl Partial {
    /// Writes and synchronises the contents of what will be `path`.
    pub(super) fn write(
        create: Create,
        path: &Path,
        cancel: &CancelToken,
        contents: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, SrsError> {
        let partial = partial_path(path);
        let file = create(&partial).map_err(|source| SrsError::io(&partial, "create", source))?;
        let guard = RemoveOnDrop(Some(partial.clone()));
        let mut writer = HashingWriter {
            file,
            hash: <Sha256 as FileHash>::new(),
            bytes: 0,
            cancel,
        };
        let result = contents(&mut writer).and_then(|()| writer.file.synchronise());
        // A cancel reaches this place as an error of the writer.
        cancel.check()?;
        result.map_err(|source| SrsError::io(&partial, "write", source))?;
        let written = Written {
            bytes: writer.bytes,
            sha256: writer.hash.finish(),
        };
        Ok(Self {
            partial,
            path: path.to_owned(),
            written,
            guard,
        })
    }

    pub(super) fn written(&self) -> &Written {
        &self.written
    }

    /// Gives the file its name, replacing what has it.
    pub(super) fn publish(mut self) -> Result<(), SrsError> {
        fs::rename(&self.partial, &self.path).map_err(|source| SrsError::io(&self.path, "rename to", source))?;
        self.guard.0 = None;
        Ok(())
    }
}

struct RemoveOnDrop(Option<PathBuf>);

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Best effort: a leftover is not usable, and the next generator removes it.
            let _ = fs::remove_file(path);
        }
    }
}

struct HashingWriter<'a> {
    file: Box<dyn NewFile>,
    hash: Sha256,
    bytes: u64,
    cancel: &'a CancelToken,
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cancel.check().map_err(|Cancelled| io::Error::other(Cancelled))?;
        let n_bytes = self.file.write(bytes)?;
        FileHash::update(&mut self.hash, &bytes[..n_bytes]);
        self.bytes += n_bytes as u64;
        Ok(n_bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Makes renames in a directory last.
/// Removes a file; that there is none is as good.
pub(super) fn remove_if_present(path: &Path) -> Result<(), SrsError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(SrsError::io(path, "remove", source)),
        _ => Ok(()),
    }
}

pub(super) fn sync_directory(path: &Path) -> Result<(), SrsError> {
    let sync = || File::open(path)?.sync_all();
    sync().map_err(|source| SrsError::io(path, "synchronise", source))
}
