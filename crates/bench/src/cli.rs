//! The command line.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand};
use cuzk_circuits::ProofKind;
use cuzk_groth16::contract::exit::ExitCode;

use crate::client::SocketAddress;
use crate::output::{Format, Output};
use crate::peer::Peer;

/// A year; more would overflow clocks and deadlines.
const MAX_SECONDS: u64 = 365 * 24 * 3600;
/// Values of every option in seconds.
const SECONDS: std::ops::RangeInclusive<u64> = 0..=MAX_SECONDS;

#[derive(Parser)]
#[command(name = "cuzk-bench", version = VERSION.as_str(), about = "Client, parameters and checks for the proving daemon cuzk")]
pub struct Cli {
    /// One JSON document on standard output, errors included
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Have a daemon prove a synthetic request, and verify the proof with bellperson
    #[command(after_help = "\
Examples:
  cuzk-bench prove --socket /tmp/cuzk/s --proof winning-32g --seed 1
  cuzk-bench prove --socket /tmp/cuzk/s --proof bench:16:0.9 --seed 7 --json

Exit codes: 0 proved and verified, 1 no proof, 2 usage, 23 the proof does not verify, 124 the daemon took too long.")]
    Prove(ProveArguments),

    /// Make development parameters, unless they are there already
    #[command(after_help = "\
Examples:
  cuzk-bench params --proof winning-32g
  cuzk-bench params --proof bench:10:0.9 --cache /tmp/cache --insecure-seed 1

Interrupted, it leaves nothing behind. Exit codes: 0 there, 1 failed, 2 usage, 130 SIGINT, 143 SIGTERM.")]
    Params(ParamsArguments),

    /// Write the vanilla proof of a synthetic request to a file
    #[command(after_help = "\
Example:
  cuzk-bench vanilla --proof winning-32g --seed 1 --out vanilla.bin --json

What a client needs besides the file, miner id and randomness, is printed.")]
    Vanilla(VanillaArguments),

    /// Ask a daemon which program it is
    #[command(after_help = "\
Examples:
  cuzk-bench identity --socket /tmp/cuzk/s
  cuzk-bench identity --socket /tmp/cuzk/s --wait-s 10 --json

Exit codes: 0 answered, 1 no daemon, 124 no daemon within --wait-s.")]
    Identity(IdentityArguments),

    /// Have a daemon read a circuit's parameters now
    #[command(after_help = "Example:\n  cuzk-bench preload --socket /tmp/cuzk/s --proof winning-32g")]
    Preload(PreloadArguments),

    /// Ask a daemon for its queues, parameters and counters
    #[command(after_help = "Example:\n  cuzk-bench status --socket /tmp/cuzk/s --json")]
    Status(StatusArguments),

    /// Check a synthetic request against the constraints, without proving it
    #[command(after_help = "\
Examples:
  cuzk-bench check --proof winning-32g --seed 1
  cuzk-bench check --proof porep-32g --seed 1 --partition 9

Exit codes: 0 every constraint holds, 1 one does not.")]
    Check(CheckArguments),

    /// Compare our prover with another one, process by process
    #[command(after_help = "\
Each pair is one process of either prover, in random ABBA order, with the same circuit, parameters, seed and threads. Every
proof of both is verified with bellperson. Printed are the medians of ours over the peer's and, from six pairs on, an
interval that holds the median with at least 95 % and assumes no distribution. Development parameters are made if there are none;
the peer is built from bench/peers/ with cargo if it was not.

Examples:
  cuzk-bench peer --peer bellperson-cpu --circuit bench:16:0
  cuzk-bench peer --peer bellperson-cpu --circuit winning-32g --pairs 11 --json

Exit codes: 0 compared, 1 failed, 2 usage, 3 no peer program, 22 a program did not print a result or changed meanwhile,
23 a proof does not verify, 101 the peer cannot be built, 124 a process took too long, 130 SIGINT, 143 SIGTERM.")]
    Peer(PeerArguments),

    /// Prove once in this process, on the CPU, and print one line of JSON: what `peer` runs as ours
    #[command(after_help = "\
Example:
  cuzk-bench prove-local --circuit bench:16:0.9 --seed 1 --params ~/.cache/cuzk/development/bench-16-0.9-0123456789abcdef.params

Exit codes: 0 proved and verified, 1 no proof, 2 usage, 23 the proof does not verify.")]
    ProveLocal(ProveLocalArguments),
}

#[derive(Args)]
pub struct ProveArguments {
    /// The daemon's socket, PATH or unix:///PATH
    #[arg(long, value_name = "SOCKET")]
    pub socket: SocketAddress,
    /// winning-32g or bench:K:F
    #[arg(long, value_name = "KIND")]
    pub proof: ProofKind,
    /// Decides every input
    #[arg(long, value_name = "N")]
    pub seed: u64,
    /// Directory whose development/ holds the verifying key [default: $XDG_CACHE_HOME/cuzk or ~/.cache/cuzk]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Name of the job [default: made from kind and seed]
    #[arg(long, value_name = "ID")]
    pub request_id: Option<String>,
    /// Seconds to wait for the proof
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(SECONDS))]
    pub timeout_s: u64,
}

#[derive(Args)]
pub struct ParamsArguments {
    /// winning-32g, porep-2k, porep-32g, porep-32g:1 or bench:K:F
    #[arg(long, value_name = "KIND")]
    pub proof: ProofKind,
    /// Directory in whose development/ the files are kept [default: $XDG_CACHE_HOME/cuzk or ~/.cache/cuzk]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Make the secret from a seed that anybody can know: for comparing files, never for a daemon, which does not look at them
    #[arg(long, value_name = "N")]
    pub insecure_seed: Option<u64>,
}

#[derive(Args)]
pub struct VanillaArguments {
    /// winning-32g
    #[arg(long, value_name = "KIND")]
    pub proof: ProofKind,
    /// Decides every byte
    #[arg(long, value_name = "N")]
    pub seed: u64,
    /// File to write, in the bincode form that requests carry
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct IdentityArguments {
    /// The daemon's socket, PATH or unix:///PATH
    #[arg(long, value_name = "SOCKET")]
    pub socket: SocketAddress,
    /// Seconds to wait for a daemon that is still starting
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(SECONDS))]
    pub wait_s: u64,
}

#[derive(Args)]
pub struct PreloadArguments {
    /// The daemon's socket, PATH or unix:///PATH
    #[arg(long, value_name = "SOCKET")]
    pub socket: SocketAddress,
    /// winning-32g or bench:K:F
    #[arg(long, value_name = "KIND")]
    pub proof: ProofKind,
}

#[derive(Args)]
pub struct StatusArguments {
    /// The daemon's socket, PATH or unix:///PATH
    #[arg(long, value_name = "SOCKET")]
    pub socket: SocketAddress,
}

#[derive(Args)]
pub struct CheckArguments {
    /// winning-32g, porep-2k, porep-32g, porep-32g:1 or bench:K:F
    #[arg(long, value_name = "KIND")]
    pub proof: ProofKind,
    /// Decides every input
    #[arg(long, value_name = "N")]
    pub seed: u64,
    /// Only this partition, counted from 0 [default: all of them, one after the other]
    #[arg(long, value_name = "K")]
    pub partition: Option<usize>,
}

#[derive(Args)]
pub struct PeerArguments {
    /// Whom to compare with
    #[arg(long, value_name = "PEER")]
    pub peer: Peer,
    /// winning-32g or bench:K:F
    #[arg(long, value_name = "CIRCUIT")]
    pub circuit: ProofKind,
    /// Decides every input
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Processes of each side; under 6 there is no interval
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=999))]
    pub pairs: u16,
    /// The peer's program [default: bench/peers/target/release/, built if it is not there]
    #[arg(long, value_name = "PATH")]
    pub peer_program: Option<PathBuf>,
    /// Directory in whose development/ the parameters are kept [default: $XDG_CACHE_HOME/cuzk or ~/.cache/cuzk]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Seconds that a process may take
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub timeout_s: u64,
}

#[derive(Args)]
pub struct ProveLocalArguments {
    /// winning-32g or bench:K:F
    #[arg(long, value_name = "CIRCUIT")]
    pub circuit: ProofKind,
    /// Decides every input
    #[arg(long, value_name = "N")]
    pub seed: u64,
    /// Parameter file of the circuit
    #[arg(long, value_name = "FILE")]
    pub params: PathBuf,
}

impl Cli {
    pub fn output(&self) -> Output {
        Output::new(if self.json { Format::Json } else { Format::Text })
    }
}

/// Reads the command line. Wrong usage is answered in JSON too, where that is asked for.
pub fn parse() -> Result<Cli, ExitCode> {
    Cli::try_parse().map_err(|error| {
        let wants_json = std::env::args().any(|argument| argument == "--json");
        if !error.use_stderr() || !wants_json {
            error.exit() // Help and version too, which are no errors.
        }
        let message = error.render().to_string();
        let message = message.trim().trim_start_matches("error: ").to_owned();
        Output::new(Format::Json).failure(ExitCode::Usage, &message);
        ExitCode::Usage
    })
}

include!(concat!(env!("OUT_DIR"), "/build_token.rs"));

/// With the build token, which names what the program was built from.
static VERSION: LazyLock<String> = LazyLock::new(|| format!("{} (build {})", env!("CARGO_PKG_VERSION"), build_token()));
