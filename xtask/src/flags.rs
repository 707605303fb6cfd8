//! The whole command line. Doc comments are the help text.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cuzk_contract::symbols::Program;

use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  cargo xtask measure --single-proof            build, verify the program, prove winning-32g once, show where the time went
  cargo xtask measure --single-proof --proof bench:16:0.9
  cargo xtask verify-binary --json              every marker and symbol with section and offset
  cargo xtask test                              all tests; --slow adds the long ones
  cargo xtask tidy                              house rules

Exit codes: 0 ok, 1 check failed, 2 usage, 3 tool missing, 4 unverifiable, 5 ambiguous, 10 stale, 11 marker or symbol
missing, 12 wrong archive, 13 GPU architecture missing, 20 regression, 21 inconclusive, 22 measurement invalid,
23 proof did not verify, 70 bug, 101 cargo failed, 124 timeout, 130 and 143 by signal.";

/// Builds cuzk, proves what a program holds, and measures it.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = EXAMPLES)]
pub struct Xtask {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Build(Build),
    VerifyBinary(VerifyBinary),
    Measure(Measure),
    Test(Test),
    Tidy(Tidy),
    Doctor(Doctor),
}

impl Command {
    pub fn format(&self) -> Format {
        let json = match self {
            Self::Build(flags) => flags.json,
            Self::VerifyBinary(flags) => flags.json,
            Self::Measure(flags) => flags.json,
            Self::Test(_) => false,
            Self::Tidy(flags) => flags.json,
            Self::Doctor(flags) => flags.json,
        };
        if json { Format::Json } else { Format::Human }
    }
}

/// Builds the daemon and the bench program and records what was built.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  cargo xtask build\n  cargo xtask build --profile checked --json")]
pub struct Build {
    #[command(flatten)]
    pub selection: Selection,
    /// One JSON document on standard output.
    #[arg(long)]
    pub json: bool,
}

/// Which build a command speaks of.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Cargo profile of the programs.
    #[arg(long, default_value = "release", value_name = "NAME")]
    pub profile: String,
}

/// Proves from the linked program that it holds the timing markers, the symbols and the build token that it should.
///
/// Without PATH the program of the last `cargo xtask build` is checked. The token is computed again from the sources as
/// they are now, so a program older than its sources is found (exit 10). A marker or symbol that is missing is named
/// (exit 11). What cannot be judged is unverifiable (exit 4), never passed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  cargo xtask verify-binary
  cargo xtask verify-binary --json | jq '.findings[] | select(.verdict != \"proved\")'
  cargo xtask verify-binary ./copy-of-cuzk")]
pub struct VerifyBinary {
    /// Program file to check.
    pub path: Option<PathBuf>,
    /// Which program the file is meant to be.
    #[arg(long, value_enum, default_value = "cuzk")]
    pub program: ProgramName,
    #[command(flatten)]
    pub selection: Selection,
    /// One JSON document on standard output.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProgramName {
    Cuzk,
    CuzkBench,
}

impl From<ProgramName> for Program {
    fn from(name: ProgramName) -> Self {
        match name {
            ProgramName::Cuzk => Self::Daemon,
            ProgramName::CuzkBench => Self::Bench,
        }
    }
}

/// Builds, verifies, then measures: a figure only ever comes from the program that was checked.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  cargo xtask measure --single-proof
  cargo xtask measure --single-proof --proof bench:18:0.9 --seed 7 --json

One proof is a sanity check, not a comparison: two runs differ by more than most optimisations bring.")]
pub struct Measure {
    /// Measure one proof.
    #[arg(long, required = true)]
    pub single_proof: bool,
    /// Proof kind: winning-32g, or bench:K:F for a domain of 2^K rows (K from 4 to 27) and boolean share F (0 to 1).
    #[arg(long, default_value = "winning-32g", value_name = "KIND")]
    pub proof: String,
    /// Seed of the synthetic input.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Directory for parameters [default: $XDG_CACHE_HOME/cuzk or ~/.cache/cuzk].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Give up when the proof takes longer, in seconds.
    #[arg(long, default_value_t = 1800, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub timeout_s: u64,
    #[command(flatten)]
    pub selection: Selection,
    /// One JSON document on standard output.
    #[arg(long)]
    pub json: bool,
}

/// Runs all tests in the `checked` profile: release code with debug assertions and overflow checks.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  cargo xtask test\n  cargo xtask test --slow\n  cargo xtask test -- -p cuzk-srs")]
pub struct Test {
    /// Also run the long tests (whole measurements, rebuilt programs): some ten minutes more on two cores.
    #[arg(long)]
    pub slow: bool,
    /// Arguments passed on to `cargo test`.
    #[arg(last = true)]
    pub cargo_args: Vec<String>,
}

/// Checks the house rules: dependency graph, module headers, unsafe code, requested packages, file lengths.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  cargo xtask tidy\n  cargo xtask tidy --json")]
pub struct Tidy {
    /// One JSON document on standard output.
    #[arg(long)]
    pub json: bool,
}

/// Shows what this machine has and lacks for building and measuring.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  cargo xtask doctor\n  cargo xtask doctor --json")]
pub struct Doctor {
    /// One JSON document on standard output.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Xtask::command().debug_assert();
    }

    #[test]
    fn the_help_names_every_exit_code() {
        for (code, _) in cuzk_contract::exit::TABLE {
            assert!(
                EXAMPLES.contains(&code.code().to_string()),
                "{code} is missing from the help"
            );
        }
    }
}
