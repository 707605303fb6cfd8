//! The two programs: where they are, how the peer's is built, and which bytes they are.

use std::env;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use cuzk_groth16::srs::CancelToken;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::peer::Peer;
use crate::peer::error::PeerError;
use crate::peer::line::LineError;
use crate::peer::process::{Limits, Running};

/// The workspace of the peers, below the root of the source tree.
const PEERS: &str = "bench/peers";
/// The program that runs now, whatever has become of its file: the same bytes in every run.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// bellperson and Filecoin's crates compile for minutes, on a small machine for many.
const BUILD_TIMEOUT: Duration = Duration::from_secs(3600);

/// How a program came to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The program that compares.
    This,
    /// Named by the caller.
    Given,
    /// Was there already, built some time ago.
    Found,
    /// Built for this comparison.
    Built,
}

/// A program and the bytes that it has.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    label: String,
    subcommand: Option<&'static str>,
    pub sha256: String,
    pub origin: Origin,
}

/// The program that is running.
pub fn ours() -> Result<Program, PeerError> {
    Program::new(
        THIS_PROGRAM.into(),
        "cuzk-bench".into(),
        Some("prove-local"),
        Origin::This,
    )
}

/// The peer's program: the one given, the one built earlier, or one that is built now.
pub fn peer(peer: Peer, given: Option<&Path>, cancel: &CancelToken) -> Result<Program, PeerError> {
    let (path, origin) = match given {
        Some(path) => (path.to_owned(), Origin::Given),
        None => find_or_build(peer, cancel)?,
    };
    if !path.is_file() {
        return Err(PeerError::ProgramMissing { path });
    }
    let path = path.canonicalize().map_err(|source| PeerError::Io {
        path: path.clone(),
        source,
    })?;
    let label = path.display().to_string();
    Program::new(path, label, None, origin)
}

fn find_or_build(peer: Peer, cancel: &CancelToken) -> Result<(PathBuf, Origin), PeerError> {
    let peers = peers_workspace()?;
    let path = peers.join("target/release").join(peer.program());
    if path.is_file() {
        return Ok((path, Origin::Found));
    }
    build(peer, &peers, cancel)?;
    Ok((path, Origin::Built))
}

/// The workspace of the peers in the source tree around the current directory.
fn peers_workspace() -> Result<PathBuf, PeerError> {
    let directory = env::current_dir().map_err(|source| PeerError::Io {
        path: ".".into(),
        source,
    })?;
    let mut candidates = directory.ancestors().map(|ancestor| ancestor.join(PEERS));
    let found = candidates.find(|peers| peers.join("Cargo.toml").is_file());
    found.ok_or(PeerError::NoSources { directory })
}

fn build(peer: Peer, peers: &Path, cancel: &CancelToken) -> Result<(), PeerError> {
    eprintln!(
        "building {} in {} (the first time takes minutes)",
        peer.program(),
        peers.display()
    );
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command
        .args([
            "build",
            "--release",
            "--locked",
            "--package",
            peer.program(),
            "--target-dir",
        ])
        .arg(peers.join("target"))
        .current_dir(peers)
        .stdout(Stdio::null()); // Standard output is for the result.
    let limits = Limits {
        timeout: BUILD_TIMEOUT,
        cancel: cancel.clone(),
    };
    let status = Running::start(&cargo.to_string_lossy(), &mut command)?.wait("cargo", &limits, || true)?;
    if status.success() {
        Ok(())
    } else {
        Err(PeerError::CargoFailed { status })
    }
}

impl Program {
    fn new(path: PathBuf, label: String, subcommand: Option<&'static str>, origin: Origin) -> Result<Self, PeerError> {
        let sha256 = hash(&path)?;
        Ok(Self {
            path,
            label,
            subcommand,
            sha256,
            origin,
        })
    }

    /// What messages call it.
    pub fn label(&self) -> &str {
        &self.label
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.arg0(&self.label).args(self.subcommand);
        command
    }

    pub fn bad_line(&self, source: LineError) -> PeerError {
        PeerError::Line {
            program: self.label.clone(),
            source,
        }
    }

    /// # Errors
    /// The file has other bytes than when it was looked at first.
    pub fn check_unchanged(&self) -> Result<(), PeerError> {
        let after = hash(&self.path)?;
        if after == self.sha256 {
            return Ok(());
        }
        Err(PeerError::ProgramChanged {
            path: self.path.clone(),
            before: self.sha256.clone(),
            after,
        })
    }
}

/// SHA-256 of a file, hexadecimal.
pub fn hash(path: &Path) -> Result<String, PeerError> {
    let mut hasher = Sha256::new();
    let read = File::open(path).and_then(|mut file| io::copy(&mut file, &mut hasher));
    read.map_err(|source| PeerError::Io {
        path: path.to_owned(),
        source,
    })?;
    Ok(hex::encode(hasher.finalize()))
}
