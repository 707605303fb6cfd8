//! The socket file: made for this daemon alone, never taken from another one, removed at the end.
//!
//! A lock file beside it (`<socket>.lock`) decides between daemons that start together; it stays when the daemon ends,
//! because removing a lock file lets two processes lock two files of one name. Left out: TCP.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 128;

/// A listening socket of mode 0600, not blocking. Dropping it removes the socket file, unless somebody else has replaced that.
pub struct Socket {
    pub listener: UnixListener,
    path: PathBuf,
    /// Device and inode of our socket file.
    file: (u64, u64),
    _lock: File,
}

/// The daemon cannot listen there.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("socket {} is taken: {holder} (hint: stop it, or choose another path with --listen)", path.display())]
    Taken { path: PathBuf, holder: Holder },
    #[error("{} exists and is not a socket (hint: it is not removed; choose another path with --listen)", path.display())]
    NotASocket { path: PathBuf },
    #[error("cannot {action} {}: {source} (hint: the directory must exist and be writable for this user)", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

/// Who has the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Holder {
    #[error("process {pid} answers on it")]
    Answers { pid: i32 },
    #[error("a daemon holds its lock and does not answer yet")]
    Starting,
}

impl Socket {
    /// Listens on `path`. A socket file whose process is gone is replaced.
    pub fn bind(path: &Path) -> Result<Self, SocketError> {
        let lock = lock(path)?;
        clear_stale(path)?;
        let listener = listen(path).map_err(|source| io_error("listen on", path, source))?;
        let metadata = fs::symlink_metadata(path).map_err(|source| io_error("examine", path, source))?;
        Ok(Self {
            listener,
            path: path.into(),
            file: (metadata.dev(), metadata.ino()),
            _lock: lock,
        })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let ours = fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == self.file);
        if ours {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn lock(path: &Path) -> Result<File, SocketError> {
    let lock_path = with_suffix(path, ".lock");
    let open = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&lock_path);
    let file = open.map_err(|source| io_error("open", &lock_path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let holder = connect(path).map_or(Holder::Starting, |pid| Holder::Answers { pid });
            Err(SocketError::Taken {
                path: path.into(),
                holder,
            })
        }
        Err(TryLockError::Error(source)) => Err(io_error("lock", &lock_path, source)),
    }
}

/// Removes what a dead daemon has left, and nothing else.
fn clear_stale(path: &Path) -> Result<(), SocketError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(io_error("examine", path, source)),
    };
    if !metadata.file_type().is_socket() {
        return Err(SocketError::NotASocket { path: path.into() });
    }
    match connect(path) {
        Ok(pid) => Err(SocketError::Taken {
            path: path.into(),
            holder: Holder::Answers { pid },
        }),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|source| io_error("remove the stale socket", path, source))
        }
        Err(source) => Err(io_error("probe", path, source)),
    }
}

/// The process that answers on a socket.
fn connect(path: &Path) -> io::Result<i32> {
    let stream = UnixStream::connect(path)?;
    Ok(rustix::net::sockopt::socket_peercred(&stream)?
        .pid
        .as_raw_nonzero()
        .get())
}

/// Linux gives the file the mode that the socket has when it is bound, so nobody else can connect at any time. Changing the
/// mode of the file afterwards would leave a gap, and the process's mask is shared by its threads.
fn listen(path: &Path) -> io::Result<UnixListener> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::fs::fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> SocketError {
    SocketError::Io {
        action,
        path: path.into(),
        source,
    }
}

#[cfg(test)]
mod tests;
