//! What can go wrong with parameters, as one type with the file in it.

use std::io;
use std::path::{Path, PathBuf};

use cuzk_r1cs::Column;

use crate::format::FormatError;
use crate::progress::Cancelled;
use crate::trust::Refusal;

/// Any failure of this crate.
#[derive(Debug, thiserror::Error)]
pub enum SrsError {
    #[error("{path}: could not {action}: {source}{hint}", path = path.display(), hint = hint(source))]
    Io {
        path: PathBuf,
        action: &'static str,
        source: io::Error,
    },
    #[error("{path}: is not a regular file", path = path.display())]
    NotAFile { path: PathBuf },
    #[error("{path}: {source}", path = path.display())]
    Format { path: PathBuf, source: FormatError },
    #[error("{path}: sidecar is not usable: {problem} (hint: delete it together with its .params and .vk and generate again)", path = path.display())]
    Sidecar { path: PathBuf, problem: String },
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("`{id}` is no circuit id (hint: lowercase letters, digits, `.`, `-` and `:`, at most {max} of them)")]
    CircuitId { id: String, max: usize },
    #[error(
        "{lock}: another generator, {holder}, is making these parameters (hint: wait for it, or stop it)",
        lock = lock.display(), holder = holder_name(*holder)
    )]
    Busy { lock: PathBuf, holder: Option<u32> },
    #[error("{column:?} stands in no constraint, so parameters for this circuit cannot exist")]
    Unconstrained { column: Column },
    #[error("tau of the secret lies in the evaluation domain (hint: draw another secret)")]
    SecretInDomain,
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SrsError {
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            action,
            source,
        }
    }

    pub(crate) fn format(path: &Path, source: FormatError) -> Self {
        Self::Format {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn sidecar(path: &Path, problem: impl ToString) -> Self {
        Self::Sidecar {
            path: path.to_owned(),
            problem: problem.to_string(),
        }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => " (hint: free some space, or choose another cache directory)",
        io::ErrorKind::UnexpectedEof => " (hint: something else shortened the file while it was read)",
        _ => "",
    }
}

fn holder_name(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "which did not leave its process id".to_owned(),
        |pid| format!("process {pid}"),
    )
}
