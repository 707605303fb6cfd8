//! The chain from build to measurement on real programs: what it proves, and each way in which it must refuse.
//!
//! These tests build the programs in release mode, so they run with `cargo xtask test --slow` only.
#![allow(clippy::disallowed_methods, reason = "tests start the programs that they are about")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

/// One build at a time: the tests share the workspace's target directory.
static BUILD: Mutex<()> = Mutex::new(());

fn is_slow_run() -> bool {
    let slow = std::env::var_os("CUZK_SLOW_TESTS").is_some();
    if !slow {
        eprintln!("left out; run it with: cargo xtask test --slow -- -p xtask");
    }
    slow
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn xtask(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .args(args)
        .current_dir(root())
        .env("CARGO_MANIFEST_DIR", root().join("xtask"));
    command
}

fn run(args: &[&str]) -> Output {
    xtask(args).output().unwrap()
}

fn json(output: &Output) -> Value {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}\n{stderr}"))
}

/// Builds, and returns the daemon's path.
fn built_daemon() -> PathBuf {
    let output = run(&["build", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json(&output);
    let programs = document["build"]["programs"].as_array().unwrap();
    let daemon = programs.iter().find(|program| program["name"] == "cuzk").unwrap();
    daemon["path"].as_str().unwrap().into()
}

/// Findings of one kind with one verdict.
fn count(report: &Value, kind: &str, verdict: &str) -> usize {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["kind"] == kind && finding["verdict"] == verdict)
        .count()
}

#[test]
fn the_built_program_is_proved_and_its_damaged_copies_are_not() {
    if !is_slow_run() {
        return;
    }
    let _guard = BUILD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let daemon = built_daemon();
    let dir = tempfile::tempdir().unwrap();

    let output = run(&["verify-binary", "--json"]);
    let report = json(&output);
    assert_eq!(
        (output.status.code(), &report["verdict"]),
        (Some(0), &Value::from("proved")),
        "{report:#}"
    );
    let n_markers = count(&report, "marker", "proved");
    let n_symbols = count(&report, "symbol", "proved");
    assert!(
        n_markers >= 6 && n_symbols >= 4,
        "{n_markers} markers, {n_symbols} symbols"
    );
    for finding in report["findings"].as_array().unwrap() {
        assert!(
            finding["section"].is_string() && finding["file_offset"].is_u64(),
            "{finding}"
        );
    }

    // Without symbol table: symbols cannot be judged, strings can.
    let stripped = dir.path().join("stripped");
    assert!(
        Command::new("strip")
            .arg("-s")
            .arg("-o")
            .arg(&stripped)
            .arg(&daemon)
            .status()
            .unwrap()
            .success()
    );
    let output = run(&["verify-binary", "--json", stripped.to_str().unwrap()]);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(count(&report, "symbol", "unverifiable"), n_symbols);
    assert_eq!(count(&report, "marker", "proved"), n_markers);

    // One marker blanked.
    let mut bytes = std::fs::read(&daemon).unwrap();
    let marker = b"CUZK_TIMING: tail_msm_ms=";
    let at: Vec<_> = bytes
        .windows(marker.len())
        .enumerate()
        .filter(|(_, w)| w == marker)
        .map(|(at, _)| at)
        .collect();
    assert!(!at.is_empty());
    for at in at {
        bytes[at..at + marker.len()].fill(b' ');
    }
    let blanked = dir.path().join("blanked");
    std::fs::write(&blanked, bytes).unwrap();
    let output = run(&["verify-binary", "--json", blanked.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(11));
    assert!(failed_items(&json(&output)).contains("tail_msm_ms"));
}

/// Names of the items that failed.
fn failed_items(report: &Value) -> String {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["verdict"] == "failed")
        .map(|finding| finding["item"].to_string())
        .collect()
}

/// The same sources with one print site taken out: a whole copy of the workspace, built in a copy of its target directory.
#[test]
fn a_program_without_one_print_site_is_refused_by_name() {
    if !is_slow_run() {
        return;
    }
    let _guard = BUILD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    built_daemon();
    let dir = tempfile::tempdir_in(root().join("target")).unwrap();
    let copy = dir.path().join("workspace");
    copy_sources(&copy);
    remove_print_site(&copy.join("crates/backend-cpu/src/prover.rs"), "phase::TAIL_MSM");
    // A copy, so that dependencies need not be built again. No hard links: cargo writes its time stamps in place, and the
    // original would take old objects for new ones.
    let target = copy.join("target");
    std::fs::create_dir(&target).unwrap();
    let linked = Command::new("cp")
        .arg("-a")
        .arg(root().join("target/release"))
        .arg(&target)
        .status()
        .unwrap();
    assert!(linked.success());

    let in_copy = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(args)
            .current_dir(&copy)
            .env("CARGO_MANIFEST_DIR", copy.join("xtask"));
        command.env_remove("CARGO_TARGET_DIR").output().unwrap()
    };
    let output = in_copy(&["build"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = in_copy(&["verify-binary", "--json"]);
    assert_eq!(
        output.status.code(),
        Some(11),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert!(failed_items(&json(&output)).contains("tail_msm_ms"));
}

fn copy_sources(to: &Path) {
    let files = Command::new("git")
        .args(["ls-files", "-co", "--exclude-standard"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(files.status.success(), "the test copies what git lists");
    for file in String::from_utf8(files.stdout).unwrap().lines() {
        let target = to.join(file);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(root().join(file), target).unwrap();
    }
}

/// Turns `timeline.measure(MARKER, work)` into `(work)()`: the work is done and nothing is printed.
fn remove_print_site(file: &Path, marker: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    let call = format!("timeline.measure({marker}, ");
    assert_eq!(
        text.matches(&call).count(),
        1,
        "{} has another form now",
        file.display()
    );
    let edited = text.replace(&call, "run_unmeasured(")
        + "\nfn run_unmeasured<T>(work: impl FnOnce() -> T) -> T {\n    work()\n}\n";
    std::fs::write(file, edited).unwrap();
}

#[test]
fn a_measurement_is_complete_and_a_killed_daemon_makes_it_invalid() {
    if !is_slow_run() {
        return;
    }
    let _guard = BUILD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    built_daemon();
    let cache = tempfile::tempdir().unwrap();
    let cache = cache.path().to_str().unwrap();

    let output = run(&[
        "measure",
        "--single-proof",
        "--proof",
        "bench:12:0.9",
        "--cache",
        cache,
        "--json",
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json(&output);
    assert_eq!(document["ok"], true);
    assert_eq!(document["proof"].as_str().unwrap().len(), 384);
    let run_dir = Path::new(document["run"].as_str().unwrap());
    let raw = std::fs::read_to_string(run_dir.join("stderr")).unwrap();
    assert!(raw.contains("CUZK_TIMING: total_ms="));

    // A larger proof gives the time to find the daemon and kill it.
    let mut measure = xtask(&[
        "measure",
        "--single-proof",
        "--proof",
        "bench:16:0.5",
        "--cache",
        cache,
        "--json",
    ]);
    let child = measure.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let daemon = wait_for_daemon_of(child.id());
    assert!(
        Command::new("kill")
            .args(["-KILL", &daemon.to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(22),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        json(&output)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("ended by itself")
    );
}

/// The process that `parent` started from a memory file.
fn wait_for_daemon_of(parent: u32) -> u32 {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(300) {
        let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
        let is_daemon = |pid: &&str| {
            let arguments = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            arguments.split('\0').any(|argument| argument == "serve")
        };
        if let Some(pid) = children.split_whitespace().find(is_daemon) {
            return pid.parse().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("no daemon was started");
}
