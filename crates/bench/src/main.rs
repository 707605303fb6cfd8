//! The program `cuzk-bench`: client of the daemon, maker of development parameters, checks, comparison with other provers.
//!
//! This file is the table of contents. Left out: building and measuring (`cargo xtask`), and trust in our own verifier: what
//! a daemon returns is verified with bellperson's.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a program: it reads its environment and passes what it finds to the libraries"
)]

// What the caller says, and how it is answered.
mod cli;
mod directories;
mod output;
// Talking to a daemon.
mod client;
mod identity;
mod preload;
mod prove;
mod status;
mod verification;
// Working alone.
mod check;
mod params;
mod progress;
mod signals;
mod vanilla;
// Against another prover.
mod peer;

use std::process::ExitCode;

use cli::Command;

fn main() -> ExitCode {
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(refused) => return refused.into(),
    };
    let output = cli.output();
    let result = match &cli.command {
        Command::Prove(arguments) => prove::run(arguments, output),
        Command::Params(arguments) => params::run(arguments, output),
        Command::Vanilla(arguments) => vanilla::run(arguments, output),
        Command::Identity(arguments) => identity::run(arguments, output),
        Command::Preload(arguments) => preload::run(arguments, output),
        Command::Status(arguments) => status::run(arguments, output),
        Command::Check(arguments) => check::run(arguments, output),
        Command::Peer(arguments) => peer::run(arguments, output),
        Command::ProveLocal(arguments) => peer::prove_local::run(arguments),
    };
    output.finish(result).into()
}
