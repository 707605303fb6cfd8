//! `cargo xtask`: builds, checks and measures, so that a figure can be trusted.
//!
//! This file is the table of contents: one match from command line to command. Each command has a file of its own; what
//! they share is in `context` (where the workspace is) and `output` (how results and errors leave).
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "xtask is the program that reads the environment and starts processes"
)]

mod build;
mod context;
mod doctor;
mod flags;
mod measure;
mod output;
mod test;
mod tidy;
mod verify_binary;

use clap::Parser as _;
use cuzk_contract::exit::ExitCode;
use flags::Command;

fn main() -> std::process::ExitCode {
    let flags = flags::Xtask::parse();
    let format = flags.command.format();
    let command = || {
        context::Context::new().and_then(|context| match flags.command {
            Command::Build(flags) => build::run(&context, &flags),
            Command::VerifyBinary(flags) => verify_binary::run(&context, &flags),
            Command::Measure(flags) => measure::run(&context, &flags),
            Command::Test(flags) => test::run(&context, &flags),
            Command::Tidy(flags) => tidy::run(&context, &flags),
            Command::Doctor(flags) => doctor::run(&context, &flags),
        })
    };
    // A panic has printed its message; 101, which it would end with, means that cargo failed.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(command)) {
        Ok(result) => output::finish(result, format),
        Err(_) => ExitCode::Bug.into(),
    }
}
