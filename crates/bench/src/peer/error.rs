//! Why there is no comparison, and with which code the program ends then.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use cuzk_groth16::contract::exit::ExitCode;

use crate::output::Failure;
use crate::peer::Side;
use crate::peer::line::LineError;
use crate::verification::Rejected;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    #[error(
        "no peer program at {} (hint: leave --peer-program out to have it built, or build it in bench/peers/)",
        path.display()
    )]
    ProgramMissing { path: PathBuf },
    #[error(
        "no bench/peers/Cargo.toml in {} or above (hint: run this in the source tree, or give --peer-program PATH)",
        directory.display()
    )]
    NoSources { directory: PathBuf },
    #[error("cannot start {program}: {reason} (hint: is it there, and executable?)")]
    NotStarted { program: String, reason: io::Error },
    #[error("cargo could not build the peer: {status} (hint: its output is above)")]
    CargoFailed { status: ExitStatus },
    #[error("{program} ended without a result: {status} (hint: what it said is on standard error)")]
    Ended { program: String, status: ExitStatus },
    #[error("{program} did not end within {} s (hint: raise --timeout-s)", after.as_secs())]
    TimedOut { program: String, after: Duration },
    #[error("cannot wait for {program}")]
    Lost { program: String, source: io::Error },
    #[error("interrupted; nothing was compared (hint: run the command again)")]
    Interrupted,
    #[error("{program} did not print a result")]
    Line { program: String, source: LineError },
    #[error("a proof of side {side} is not valid")]
    Proof { side: Side, source: Rejected },
    #[error("side {side} says of its own proof that it is not valid, bellperson accepts it here")]
    OwnVerifier { side: Side },
    #[error("{} changed during the comparison: SHA-256 {before} before, {after} after", path.display())]
    ProgramChanged {
        path: PathBuf,
        before: String,
        after: String,
    },
    #[error("cannot read {}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl PeerError {
    fn code(&self) -> ExitCode {
        match self {
            Self::ProgramMissing { .. } | Self::NoSources { .. } | Self::NotStarted { .. } => ExitCode::ToolMissing,
            Self::CargoFailed { .. } => ExitCode::CargoFailed,
            Self::Ended { status, .. } if status.code() == Some(ExitCode::ProofInvalid.code().into()) => {
                ExitCode::ProofInvalid
            }
            Self::Ended { .. } | Self::Line { .. } | Self::ProgramChanged { .. } => ExitCode::MeasurementInvalid,
            Self::TimedOut { .. } => ExitCode::Timeout,
            Self::Interrupted => ExitCode::Interrupted,
            Self::Proof { .. } | Self::OwnVerifier { .. } => ExitCode::ProofInvalid,
            Self::Lost { .. } | Self::Io { .. } => ExitCode::CheckFailed,
        }
    }

    /// `ended`: the code of the signal, where one came.
    pub fn into_failure(self, ended: Option<ExitCode>) -> Failure {
        let code = match self {
            Self::Interrupted => ended.unwrap_or(self.code()),
            _ => self.code(),
        };
        Failure::new(code, self)
    }
}
