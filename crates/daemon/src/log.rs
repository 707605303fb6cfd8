//! Standard error: timing lines and the daemon's own lines, each in one write.
//!
//! Rust does not buffer standard error, and its lock is held for a whole line, so lines of several threads do not mix.
//! Left out: levels and formats. What is written here is meant to be read.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::panic;

use cuzk_groth16::contract::TimingSink;

/// Begins every line that is not a timing line.
const PREFIX: &str = "cuzk: ";

/// Writes timing lines as they are.
pub struct StandardError;

impl TimingSink for StandardError {
    fn write_line(&self, line: &str) {
        write(line);
    }
}

/// Writes a message as one line: a message from outside must not be able to look like a timing line.
pub fn line(message: impl Display) {
    let message = message.to_string().replace(['\n', '\r'], " ");
    write(&format!("{PREFIX}{message}\n"));
}

/// A reader that went away must not take the daemon with it, so errors are ignored.
fn write(line: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(line.as_bytes());
    let _ = stderr.flush();
}

/// Panics are reported like everything else; the standard hook writes in pieces, which could tear a timing line.
pub fn install_panic_hook() {
    panic::set_hook(Box::new(|info| {
        let thread = std::thread::current();
        line(format!("thread {} {info}", thread.name().unwrap_or("without name")));
    }));
}
