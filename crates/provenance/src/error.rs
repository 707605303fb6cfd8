//! What can go wrong while sources are read or a token is computed.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvenanceError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot walk {}: {source}", path.display())]
    Walk { path: PathBuf, source: walkdir::Error },
    #[error("symbolic link {} leads out of the workspace to {} (hint: copy the file into the workspace)", link.display(), target.display())]
    OutsideRoot { link: PathBuf, target: PathBuf },
    #[error("{} is neither a file nor a directory (hint: sources are regular files)", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} is not valid UTF-8 (hint: rename the file)", path.display())]
    NotUtf8 { path: PathBuf },
    #[error("no workspace above {} (hint: its Cargo.toml has a [workspace] section)", start.display())]
    NoWorkspace { start: PathBuf },
    #[error("environment variable {name} is not set (hint: this runs inside a cargo build script)")]
    MissingVariable { name: &'static str },
    #[error("{program} -vV failed: {detail}")]
    Rustc { program: String, detail: String },
    #[error("not a digest: expected 64 lowercase hexadecimal digits, got {text:?}")]
    NotADigest { text: String },
}
