//! A program held so that the bytes that were checked are the bytes that run.
//!
//! A program file can be replaced or overwritten between the check and the start. So it is copied once, made
//! unchangeable, hashed in that state, and started from there. The copy is a sealed memory file; where the kernel makes no
//! executable ones (`vm.memfd_noexec`, a security module) it is a file in a private directory, which its owner could still
//! change: [`running_program_sha256`] therefore hashes what is running, after the start.
//!
//! Left out: comparing hashes, which is the caller's, and programs that need an interpreter line.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, MemfdFlags, SealFlags};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::group::ProcessId;

#[cfg(test)]
mod tests;

/// Copying and hashing go through a buffer of this size.
const CHUNK_BYTES: usize = 256 * 1024;

/// SHA-256 of a program's bytes; prints as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProgramSha256([u8; 32]);

impl ProgramSha256 {
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn of(mut bytes: impl Read) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        each_chunk(&mut bytes, |chunk| {
            hasher.update(chunk);
            Ok(())
        })?;
        Ok(Self(hasher.finalize().into()))
    }
}

impl fmt::Display for ProgramSha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ProgramSha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProgramSha256({self})")
    }
}

/// Why a program could not be held or hashed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    #[error("cannot read the program {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("the program {} is not a regular file", .path.display())]
    NotAFile { path: PathBuf },

    #[error(
        "the program {} changed while it was copied: expected {expected} bytes, copied {actual} \
         (hint: is a build still running?)", .path.display()
    )]
    ChangedWhileCopied { path: PathBuf, expected: u64, actual: u64 },

    #[error("the kernel gives no executable sealed memory file: {step}: {source} (hint: sysctl vm.memfd_noexec)")]
    MemoryFile { step: &'static str, source: io::Error },

    #[error("cannot make a private copy in {}: {source}", .dir.display())]
    PrivateCopy { dir: PathBuf, source: io::Error },

    #[error("cannot hash the program that process {pid} runs: {source} (hint: has it ended?)")]
    Running { pid: ProcessId, source: io::Error },
}

/// Where the bytes of a [`SealedProgram`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// A memory file sealed against every change: the hash holds for as long as the program is held.
    MemoryFile,
    /// A read-only file in a directory of mode 0700: the running program must be hashed again.
    PrivateCopy,
}

/// A program that can be started and, as long as this value lives, not be changed.
#[derive(Debug)]
pub struct SealedProgram {
    sha256: ProgramSha256,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Memory(File),
    Private { path: PathBuf, _dir: TempDir },
}

impl SealedProgram {
    /// Holds a copy of `program` in a memory file, or, where the kernel gives none that may be run, in a new directory
    /// under `private_root`, which exists.
    ///
    /// # Errors
    /// The program is no readable regular file or changes during the copy; neither form of copy can be made.
    pub fn load(program: &Path, private_root: &Path) -> Result<Self, SealError> {
        match Self::load_as(program, private_root, Holding::MemoryFile) {
            Err(SealError::MemoryFile { .. }) => Self::load_as(program, private_root, Holding::PrivateCopy),
            result => result,
        }
    }

    /// As [`Self::load`], in the given form only. A security module may refuse a memory file at its start alone; a caller
    /// whose start fails for lack of permission asks for a private copy.
    ///
    /// # Errors
    /// As for [`Self::load`].
    pub fn load_as(program: &Path, private_root: &Path, holding: Holding) -> Result<Self, SealError> {
        let source = Source::open(program)?;
        match holding {
            Holding::MemoryFile => memory_file(source),
            Holding::PrivateCopy => private_copy(source, private_root),
        }
    }

    /// Hash of the held bytes, taken after they were made unchangeable.
    pub fn sha256(&self) -> ProgramSha256 {
        self.sha256
    }

    pub fn holding(&self) -> Holding {
        match self.body {
            Body::Memory(_) => Holding::MemoryFile,
            Body::Private { .. } => Holding::PrivateCopy,
        }
    }

    /// The path to start the program by, valid while this value lives. Set `arg0` beside it: the name means nothing.
    pub fn exec_path(&self) -> PathBuf {
        match &self.body {
            Body::Memory(file) => descriptor_path(file),
            Body::Private { path, .. } => path.clone(),
        }
    }
}

/// Hash of the program that a process runs, read through `/proc/PID/exe`, so that it is the file that was started, whatever
/// lies under its name now.
///
/// A bare process id may have been reused; [`crate::ProcessGroup::program_sha256`] asks while it cannot.
///
/// # Errors
/// The process has ended or belongs to somebody else.
pub fn running_program_sha256(pid: ProcessId) -> Result<ProgramSha256, SealError> {
    let hash = File::open(format!("/proc/{pid}/exe")).and_then(ProgramSha256::of);
    hash.map_err(|source| SealError::Running { pid, source })
}

/// The program file, opened once: everything later goes through this descriptor.
struct Source<'a> {
    path: &'a Path,
    file: File,
    bytes: u64,
}

impl<'a> Source<'a> {
    fn open(path: &'a Path) -> Result<Self, SealError> {
        let error = |source| SealError::Read {
            path: path.to_path_buf(),
            source,
        };
        // Looked at before it is opened, because opening a pipe would wait, and again after, because the name may move.
        let is_file = fs::metadata(path).map_err(error)?.is_file();
        let file = if is_file {
            Some(File::open(path).map_err(error)?)
        } else {
            None
        };
        match file
            .map(|file| file.metadata().map(|metadata| (file, metadata)))
            .transpose()
            .map_err(error)?
        {
            Some((file, metadata)) if metadata.is_file() => Ok(Self {
                path,
                file,
                bytes: metadata.len(),
            }),
            _ => Err(SealError::NotAFile {
                path: path.to_path_buf(),
            }),
        }
    }

    /// `to_error` says which side a failed write belongs to.
    fn copy_to(self, target: &mut File, to_error: impl Fn(io::Error) -> SealError) -> Result<(), SealError> {
        let mut actual = 0;
        let mut write_error = None;
        // One byte more than announced is enough to see that the file has grown.
        let copied = each_chunk(&mut self.file.take(self.bytes + 1), |chunk| {
            actual += chunk.len() as u64;
            target.write_all(chunk).map_err(|error| {
                write_error = Some(error);
                io::Error::other("write failed")
            })
        });
        let path = self.path.to_path_buf();
        match (write_error, copied) {
            (Some(error), _) => Err(to_error(error)),
            (None, Err(source)) => Err(SealError::Read { path, source }),
            (None, Ok(())) if actual != self.bytes => Err(SealError::ChangedWhileCopied {
                path,
                expected: self.bytes,
                actual,
            }),
            (None, Ok(())) => Ok(()),
        }
    }
}

fn each_chunk(from: &mut impl Read, mut visit: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(len) => visit(&chunk[..len])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn memory_file(source: Source<'_>) -> Result<SealedProgram, SealError> {
    let failed = |step| move |source: io::Error| SealError::MemoryFile { step, source };
    let mut writable = create_memory_file().map_err(failed("memfd_create"))?;
    source.copy_to(&mut writable, failed("copying into it"))?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&writable, seals).map_err(|errno| failed("sealing it")(errno.into()))?;

    // Kept by a descriptor that could not write even without the seals. It starts at offset 0.
    let path = descriptor_path(&writable);
    let file = File::open(&path).map_err(failed("opening it again"))?;
    drop(writable);
    let path = descriptor_path(&file);
    rustix::fs::access(&path, Access::EXEC_OK).map_err(|errno| failed("asking to execute it")(errno.into()))?;
    let sha256 = ProgramSha256::of(&file).map_err(failed("hashing it"))?;
    Ok(SealedProgram {
        sha256,
        body: Body::Memory(file),
    })
}

/// Asks for an executable file by name where the kernel knows the flag (6.3), because the default can be set to refuse.
fn create_memory_file() -> io::Result<File> {
    const NAME: &str = "cuzk-sealed-program";
    let flags = MemfdFlags::ALLOW_SEALING | MemfdFlags::CLOEXEC;
    let created = match rustix::fs::memfd_create(NAME, flags | MemfdFlags::EXEC) {
        Err(Errno::INVAL) => rustix::fs::memfd_create(NAME, flags),
        result => result,
    };
    Ok(File::from(created?))
}

/// Through this process's own number and not `self`: the path is resolved in the child, or handed to somebody else.
fn descriptor_path(file: &File) -> PathBuf {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into()
}

fn private_copy(source: Source<'_>, private_root: &Path) -> Result<SealedProgram, SealError> {
    let failed = |source: io::Error| SealError::PrivateCopy {
        dir: private_root.to_path_buf(),
        source,
    };
    let builder_permissions = fs::Permissions::from_mode(0o700);
    let dir = tempfile::Builder::new()
        .permissions(builder_permissions)
        .prefix("program-")
        .tempdir_in(private_root);
    let dir = dir.map_err(failed)?;
    let path = dir.path().join("program");
    let mut target = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o500)
        .open(&path)
        .map_err(failed)?;
    source.copy_to(&mut target, failed)?;
    // Closed before the start: a file that is open for writing cannot be executed.
    drop(target);
    let sha256 = File::open(&path).and_then(ProgramSha256::of).map_err(failed)?;
    Ok(SealedProgram {
        sha256,
        body: Body::Private { path, _dir: dir },
    })
}
