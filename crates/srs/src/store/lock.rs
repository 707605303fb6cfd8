//! One generator at a time: a lock on a file, which the kernel releases with its holder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use crate::error::SrsError;
use crate::progress::CancelToken;

use super::IfBusy;

/// Between two looks at a lock that somebody else holds.
const POLL: Duration = Duration::from_millis(20);

/// Held while it lives. The file stays: removing it would let two generators lock two files of one name.
pub(super) struct GeneratorLock {
    _file: File,
}

impl GeneratorLock {
    pub(super) fn acquire(path: &Path, if_busy: IfBusy, cancel: &CancelToken) -> Result<Self, SrsError> {
        let open = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path);
        let mut file = open.map_err(|source| SrsError::io(path, "open", source))?;
        loop {
            cancel.check()?;
            match (file.try_lock(), if_busy) {
                (Ok(()), _) => break,
                (Err(TryLockError::WouldBlock), IfBusy::Wait) => std::thread::sleep(POLL),
                (Err(TryLockError::WouldBlock), IfBusy::Fail) => {
                    return Err(SrsError::Busy {
                        lock: path.to_owned(),
                        holder: read_holder(&mut file),
                    });
                }
                (Err(TryLockError::Error(source)), _) => return Err(SrsError::io(path, "lock", source)),
            }
        }
        leave_name(&mut file).map_err(|source| SrsError::io(path, "write", source))?;
        Ok(Self { _file: file })
    }
}

/// Leaves the process id for those who find the lock taken.
fn leave_name(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// `None` where the holder has not come to writing it yet. Only for a message.
fn read_holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
