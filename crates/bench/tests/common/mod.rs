//! Runs the program and reads what it says.
#![allow(dead_code, reason = "each test program uses its part")]
#![allow(clippy::disallowed_methods, reason = "the tests start the program")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub const WAIT: Duration = Duration::from_secs(120);

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk-bench"));
    command.args(arguments).stdin(Stdio::null());
    // Neither the user's cache nor published parameters of the machine may decide what a test sees.
    command
        .env("XDG_CACHE_HOME", "/nonexistent")
        .env("FIL_PROOFS_PARAMETER_CACHE", "/nonexistent");
    command
}

/// Exit code and the one JSON document of a run with `--json`.
pub fn json(arguments: &[&str]) -> (i32, Value) {
    document(command(arguments).arg("--json").output().unwrap())
}

/// Exit code and the one JSON document of a run that has ended.
pub fn document(output: Output) -> (i32, Value) {
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let document: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    assert_eq!(document["schema_version"], 1);
    (output.status.code().unwrap(), document)
}

/// Waits for the program's own end.
pub fn wait(child: &mut Child) -> Option<i32> {
    let end = Instant::now() + WAIT;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        assert!(Instant::now() < end, "the program does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Names in a directory, sorted; empty where there is none.
pub fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return vec![];
    };
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
