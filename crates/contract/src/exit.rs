//! The exit codes of every program and command, one public table.

use std::fmt;

/// Why a program ended, as its exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitCode {
    Ok = 0,
    /// A check was made and failed, and no more precise code below applies.
    CheckFailed = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// A tool that the command needs is missing (nvcc, cargo, a GPU).
    ToolMissing = 3,
    /// The input cannot be judged: packed, truncated, without sections.
    Unverifiable = 4,
    /// More than one answer fits.
    Ambiguous = 5,
    /// Something built is older than what it was built from.
    Stale = 10,
    /// A marker or symbol is not in the program.
    MarkerMissing = 11,
    /// The program holds another archive than the selected one.
    WrongArchive = 12,
    /// No code for the GPU.
    ArchitectureMissing = 13,
    Regression = 20,
    /// With `--strict`: the data do not decide.
    Inconclusive = 21,
    /// The measurement is not valid: a timing line is missing, torn or unexpected.
    MeasurementInvalid = 22,
    /// A proof did not verify.
    ProofInvalid = 23,
    /// A defect of this program.
    Bug = 70,
    /// Cargo, started by a command, failed.
    CargoFailed = 101,
    Timeout = 124,
    Interrupted = 130,
    Terminated = 143,
}

/// Every code with its meaning, for `--help` and the documentation.
pub const TABLE: &[(ExitCode, &str)] = &[
    (ExitCode::Ok, "ok"),
    (ExitCode::CheckFailed, "check failed"),
    (ExitCode::Usage, "usage"),
    (ExitCode::ToolMissing, "tool missing"),
    (ExitCode::Unverifiable, "unverifiable"),
    (ExitCode::Ambiguous, "ambiguous"),
    (ExitCode::Stale, "stale"),
    (ExitCode::MarkerMissing, "marker or symbol missing"),
    (ExitCode::WrongArchive, "wrong archive linked"),
    (ExitCode::ArchitectureMissing, "GPU architecture missing"),
    (ExitCode::Regression, "regression"),
    (ExitCode::Inconclusive, "inconclusive (with --strict)"),
    (ExitCode::MeasurementInvalid, "measurement invalid"),
    (ExitCode::ProofInvalid, "proof did not verify"),
    (ExitCode::Bug, "bug"),
    (ExitCode::CargoFailed, "cargo failed"),
    (ExitCode::Timeout, "timeout"),
    (ExitCode::Interrupted, "interrupted (SIGINT)"),
    (ExitCode::Terminated, "terminated (SIGTERM)"),
];

impl ExitCode {
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.code())
    }
}

impl fmt::Display for ExitCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meaning = TABLE
            .iter()
            .find(|(code, _)| code == self)
            .map_or("", |(_, meaning)| meaning);
        write!(f, "{} ({meaning})", self.code())
    }
}
