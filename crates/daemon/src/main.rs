//! The program `cuzk`: serves proofs over a unix socket.
//!
//! This file is the table of contents. Left out: proving itself (`cuzk-engine`), and every client (`cuzk-bench`).
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a program: it reads its environment and passes what it finds to the libraries"
)]

// What the operator says.
mod cli;
mod config;
// The surroundings.
mod log;
mod serve;
mod signals;
mod socket;
// The services.
mod control;
mod identity;
mod jobs;
mod metrics;
mod proving;
mod reply;
mod request;

use std::process::ExitCode;

fn main() -> ExitCode {
    let clock = cuzk_groth16::contract::ProcessClock::starting_at(std::time::Instant::now());
    log::install_panic_hook();
    let cli::Command::Serve(arguments) = cli::parse();
    serve::run(&arguments, clock)
        .unwrap_or_else(|failure| failure.report())
        .into()
}
