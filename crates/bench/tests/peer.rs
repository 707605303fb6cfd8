//! `peer` against peers that are honest, mistaken and lying. The peer is a script that does what each test wants.

mod common;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use common::*;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

const CIRCUIT: &str = "bench:5:0.5";

/// A cache with parameters, and a peer.
struct Place {
    dir: TempDir,
    params: String,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().to_str().unwrap();
        let (code, report) = json(&["params", "--proof", CIRCUIT, "--cache", cache]);
        assert_eq!(code, 0, "{report}");
        let params = report["params"].as_str().unwrap().to_owned();
        Self { dir, params }
    }

    fn script(&self) -> PathBuf {
        self.dir.path().join("script")
    }

    /// What our own prover prints.
    fn line(&self, seed: &str) -> Value {
        let (code, line) = json(&[
            "prove-local",
            "--circuit",
            CIRCUIT,
            "--seed",
            seed,
            "--params",
            &self.params,
        ]);
        assert_eq!((code, &line["verified"]), (0, &true.into()), "{line}");
        line
    }

    /// An honest peer's line for seed 7.
    fn honest(&self) -> Value {
        let mut line = self.line("7");
        line["peer"] = "bellperson-cpu".into();
        line
    }

    fn command(&self, script: &str, more: &[&str]) -> std::process::Command {
        fs::write(self.script(), script).unwrap();
        let cache = self.dir.path().to_str().unwrap();
        let mut command = command(&["peer", "--peer", "bellperson-cpu", "--circuit", CIRCUIT, "--seed", "7"]);
        command.args(["--cache", cache, "--peer-program", STAND_IN]).args(more);
        command.env("STAND_IN", self.script());
        command
    }

    /// Compares with a peer that runs these lines of shell.
    fn run(&self, script: &str, more: &[&str]) -> (i32, Value) {
        document(self.command(script, more).arg("--json").output().unwrap())
    }

    /// Compares once with a peer that prints this.
    fn prints(&self, line: &Value) -> (i32, Value) {
        self.run(&echo(line), &["--pairs", "1"])
    }
}

const STAND_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand-in-peer.sh");

fn echo(line: &Value) -> String {
    format!("cat <<'END'\n{line}\nEND\n")
}

fn message(document: &Value) -> &str {
    document["error"]["message"].as_str().unwrap()
}

#[test]
fn an_honest_peer_is_compared_run_by_run() {
    let place = Place::new();
    let (code, report) = place.run(&echo(&place.honest()), &["--pairs", "6"]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(
        (&report["ok"], &report["evidence"], &report["verified_proofs"]),
        (&true.into(), &"UNVERIFIED".into(), &12.into())
    );
    let pairs = report["pairs"].as_array().unwrap();
    let firsts = |side: &str| pairs.iter().filter(|pair| pair["first"] == side).count();
    assert_eq!((pairs.len(), firsts("ours"), firsts("peer")), (6, 3, 3));
    for ratio in ["prove", "total", "peak_memory"] {
        let ratio = &report["ratios"][ratio];
        let (low, high) = (&ratio["interval"]["low"], &ratio["interval"]["high"]);
        let bounds = low.as_f64().unwrap()..=high.as_f64().unwrap();
        assert!(bounds.contains(&ratio["median"].as_f64().unwrap()), "{ratio}");
    }
    for side in ["ours", "peer"] {
        let sha256 = report["programs"][side]["sha256"].as_str().unwrap();
        assert_eq!(hex::decode(sha256).unwrap().len(), 32);
    }
}

#[test]
fn the_text_says_unverified_with_every_figure_and_too_few_pairs_under_six() {
    let place = Place::new();
    let output = place
        .command(&echo(&place.honest()), &["--pairs", "2"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let rows: Vec<_> = text
        .lines()
        .filter(|line| {
            ["prove time", "total time", "peak memory"]
                .iter()
                .any(|name| line.starts_with(name))
        })
        .collect();
    assert_eq!(rows.len(), 3, "{text}");
    assert!(
        rows.iter()
            .all(|row| row.contains("too few pairs") && row.ends_with("UNVERIFIED")),
        "{text}"
    );
    assert!(text.starts_with("UNVERIFIED"));
}

#[test]
fn proofs_that_bellperson_does_not_accept_end_in_23() {
    let place = Place::new();
    let mut of_another_statement = place.honest();
    of_another_statement["proof"] = place.line("8")["proof"].clone();
    let mut short = place.honest();
    short["proof"] = "00".into();
    let mut refused_by_itself = place.honest();
    refused_by_itself["verified"] = false.into();
    for line in [of_another_statement, short, refused_by_itself] {
        let (code, document) = place.prints(&line);
        assert_eq!((code, &document["error"]["code"]), (23, &23.into()), "{document}");
    }
    let (code, document) = place.run("exit 23", &[]);
    assert_eq!(code, 23, "{document}");
}

#[test]
fn a_peer_without_a_result_makes_the_measurement_invalid() {
    let place = Place::new();
    let honest = echo(&place.honest());
    for (script, reason) in [
        ("true", "0 lines"),
        ("echo proved", "not the JSON"),
        ("yes", "more than 65536 bytes"),
        ("exit 1", "ended without a result"),
        ("kill -9 $$", "signal"),
        (&format!("{honest}exit 1"), "ended without a result"),
        (&format!("{honest}{honest}"), "2 lines"),
    ] {
        let (code, document) = place.run(script, &[]);
        assert_eq!(code, 22, "{script}: {document}");
        assert!(message(&document).contains(reason), "{script}: {document}");
    }
}

#[test]
fn a_result_about_something_else_makes_the_measurement_invalid() {
    let place = Place::new();
    for (field, value) in [
        ("schema_version", 2.into()),
        ("peer", "cuzk-cpu".into()),
        ("circuit", "bench:5:0".into()),
        ("seed", 8.into()),
        ("threads", 1000.into()),
        ("prove_s", 0.into()),
        ("total_s", Value::Null),
    ] {
        let mut line = place.honest();
        line[field] = value;
        let (code, document) = place.prints(&line);
        assert_eq!(code, 22, "{field}: {document}");
    }
}

#[test]
fn one_bad_run_among_good_ones_ends_the_comparison() {
    let place = Place::new();
    let once = "[ -e \"$STAND_IN.ran\" ] && exit 1; touch \"$STAND_IN.ran\"\n";
    let (code, document) = place.run(&format!("{once}{}", echo(&place.honest())), &["--pairs", "3"]);
    assert_eq!(code, 22, "{document}");
}

#[test]
fn a_peer_that_does_not_end_is_ended() {
    let place = Place::new();
    let start = Instant::now();
    let (code, document) = place.run("exec sleep 600", &["--timeout-s", "1", "--pairs", "1"]);
    assert_eq!(code, 124, "{document}");
    assert!(start.elapsed() < WAIT);
}

#[test]
fn a_signal_ends_the_comparison_and_the_peer() {
    let place = Place::new();
    let script = "echo $$ > \"$STAND_IN.pid\"; exec sleep 600";
    let pid_file = place.dir.path().join("script.pid");
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut child = place.command(script, &["--pairs", "1"]).spawn().unwrap();
        let end = Instant::now() + WAIT;
        let pid = loop {
            match fs::read_to_string(&pid_file) {
                Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
                _ => assert!(Instant::now() < end, "the peer does not start"),
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(wait(&mut child), Some(code));
        assert!(!PathBuf::from(format!("/proc/{pid}")).exists(), "the peer goes on");
        fs::remove_file(&pid_file).unwrap();
    }
}

#[test]
fn wrong_usage_and_missing_programs_have_their_codes() {
    let arguments = |peer, circuit, program, pairs| {
        json(&[
            "peer",
            "--peer",
            peer,
            "--circuit",
            circuit,
            "--peer-program",
            program,
            "--pairs",
            pairs,
        ])
    };
    for (peer, circuit, program, pairs, expected, word) in [
        ("bellman", CIRCUIT, STAND_IN, "1", 2, "bellperson-cpu"),
        ("bellperson-cpu", "porep-7g", STAND_IN, "1", 2, "porep-7g"),
        ("bellperson-cpu", CIRCUIT, STAND_IN, "0", 2, "pairs"),
        (
            "bellperson-cpu",
            CIRCUIT,
            "/nonexistent/peer",
            "1",
            3,
            "/nonexistent/peer",
        ),
        ("bellperson-cpu", CIRCUIT, "/", "1", 3, "no peer program"),
    ] {
        let (code, document) = arguments(peer, circuit, program, pairs);
        assert_eq!(code, expected, "{document}");
        assert!(document.to_string().contains(word), "{word}: {document}");
    }
}

#[test]
fn a_program_that_cannot_be_run_is_a_missing_tool() {
    let place = Place::new();
    let not_executable = place.params.clone();
    let cache = place.dir.path().to_str().unwrap();
    let mut command = command(&[
        "peer",
        "--peer",
        "bellperson-cpu",
        "--circuit",
        CIRCUIT,
        "--pairs",
        "1",
        "--json",
    ]);
    command.args(["--cache", cache, "--peer-program", &not_executable]);
    assert_eq!(document(command.output().unwrap()).0, 3);
}

#[test]
fn without_a_program_the_source_tree_is_needed_and_cargo_is_asked() {
    let place = Place::new();
    let run = |command: &mut std::process::Command| {
        let arguments = ["peer", "--peer", "bellperson-cpu", "--circuit", CIRCUIT, "--json"];
        document(command.args(arguments).output().unwrap())
    };
    let (code, answer) = run(command(&[]).current_dir(place.dir.path()));
    assert_eq!(code, 3, "{answer}");
    assert!(message(&answer).contains("bench/peers"), "{answer}");

    // A source tree whose peer is not built, and a cargo that cannot build it.
    let peers = place.dir.path().join("bench/peers");
    fs::create_dir_all(&peers).unwrap();
    fs::write(peers.join("Cargo.toml"), "").unwrap();
    for (cargo, expected) in [("false", 101), ("/nonexistent/cargo", 3)] {
        let (code, answer) = run(command(&[]).current_dir(place.dir.path()).env("CARGO", cargo));
        assert_eq!(code, expected, "{answer}");
    }
    // One that says it has and has not.
    let (code, answer) = run(command(&[]).current_dir(place.dir.path()).env("CARGO", "true"));
    assert_eq!(code, 3, "{answer}");
}

#[test]
fn our_own_proof_in_one_process_needs_fitting_parameters() {
    let place = Place::new();
    let line = place.line("7");
    assert_eq!((&line["peer"], &line["circuit"]), (&"cuzk-cpu".into(), &CIRCUIT.into()));
    assert_eq!(line["proof"].as_str().unwrap().len(), 2 * 192);
    for (circuit, params) in [("bench:6:0.5", place.params.as_str()), (CIRCUIT, "/nonexistent/params")] {
        let (code, answer) = json(&["prove-local", "--circuit", circuit, "--seed", "7", "--params", params]);
        assert_eq!((code, &answer["ok"]), (1, &false.into()), "{answer}");
    }
}
