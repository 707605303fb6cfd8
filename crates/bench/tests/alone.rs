//! Commands that need no daemon: parameters, vanilla proofs, checks, and answers to wrong usage.

mod common;

use std::fs;
use std::time::{Duration, Instant};

use common::*;
use cuzk_circuits::winning::{MinerId, WIRE_BYTES, WinningRequest};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn parameters_are_generated_once_and_then_found() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().to_str().unwrap();
    let (code, first) = json(&["params", "--proof", "bench:6:0.9", "--cache", cache]);
    assert_eq!(
        (code, &first["ok"], &first["outcome"]),
        (0, &true.into(), &"generated".into())
    );
    let file = first["params"].as_str().unwrap();
    assert_eq!(
        fs::metadata(file).unwrap().len(),
        first["params_bytes"].as_u64().unwrap()
    );
    assert!(file.starts_with(&format!("{cache}/development/bench-6-0.9-")), "{file}");

    let (_, second) = json(&["params", "--proof", "bench:6:0.9", "--cache", cache]);
    assert_eq!(second["outcome"], "found");
    assert_eq!(second["params_sha256"], first["params_sha256"]);
}

#[test]
fn a_seeded_secret_is_marked_in_the_names_and_gives_the_same_bytes() {
    let seeded = |seed: &str| {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().to_str().unwrap();
        let (code, report) = json(&[
            "params",
            "--proof",
            "bench:5:0",
            "--cache",
            cache,
            "--insecure-seed",
            seed,
        ]);
        assert_eq!(code, 0);
        let marked = |name: &String| name.starts_with("insecure-") || name.ends_with(".lock");
        assert!(names(&dir.path().join("development")).iter().all(marked));
        report["params_sha256"].clone()
    };
    assert_eq!(seeded("1"), seeded("1"));
    assert_ne!(seeded("1"), seeded("2"));
}

#[test]
fn an_interrupted_generation_leaves_nothing_usable_and_the_next_one_succeeds() {
    const KIND: &str = "bench:15:0.5";
    let dir = tempfile::tempdir().unwrap();
    let (cache, store) = (dir.path().to_str().unwrap(), dir.path().join("development"));
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut child = command(&["params", "--proof", KIND, "--cache", cache]).spawn().unwrap();
        let end = Instant::now() + WAIT;
        while !names(&store).iter().any(|name| name.ends_with(".lock")) {
            assert!(Instant::now() < end, "the generator does not begin");
            std::thread::sleep(Duration::from_millis(1));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(wait(&mut child), Some(code));
        let left: Vec<_> = names(&store)
            .into_iter()
            .filter(|name| !name.ends_with(".lock"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
        fs::remove_dir_all(&store).unwrap();
    }
    let (code, report) = json(&["params", "--proof", KIND, "--cache", cache]);
    assert_eq!((code, &report["outcome"]), (0, &"generated".into()));
}

#[test]
fn a_vanilla_proof_can_be_sent_by_any_client() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("vanilla.bin");
    let arguments = [
        "vanilla",
        "--proof",
        "winning-32g",
        "--seed",
        "3",
        "--out",
        out.to_str().unwrap(),
    ];
    let (code, report) = json(&arguments);
    assert_eq!(code, 0);
    let vanilla_proof = fs::read(&out).unwrap();
    assert_eq!(vanilla_proof.len(), WIRE_BYTES);
    let mut randomness = [0; 32];
    hex::decode_to_slice(report["randomness"].as_str().unwrap(), &mut randomness).unwrap();
    let miner_id = MinerId(report["miner_id"].as_u64().unwrap());
    assert!(
        WinningRequest {
            miner_id,
            randomness,
            vanilla_proof
        }
        .decode()
        .is_ok()
    );

    let (_, again) = json(&arguments);
    assert_eq!(
        again["sha256"], report["sha256"],
        "a seed gives the same bytes each time"
    );
    let (code, refused) = json(&[
        "vanilla",
        "--proof",
        "bench:5:0",
        "--seed",
        "3",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!((code, &refused["ok"]), (2, &false.into()));
}

#[test]
fn a_synthetic_request_satisfies_its_circuit() {
    let (code, report) = json(&["check", "--proof", "bench:10:0.9", "--seed", "1"]);
    assert_eq!((code, &report["ok"]), (0, &true.into()));
    assert_eq!(report["partitions"][0]["constraints"], 1021);
}

#[test]
fn a_partition_is_checked_alone_and_one_that_is_not_there_is_wrong_usage() {
    let check = ["check", "--proof", "bench:10:0.9", "--seed", "1", "--partition"];
    let (code, report) = json(&[&check[..], &["0"]].concat());
    assert_eq!((code, &report["ok"]), (0, &true.into()));
    assert_eq!(report["partitions"][0]["index"], 0);
    let (code, refused) = json(&[&check[..], &["1"]].concat());
    assert_eq!((code, &refused["ok"]), (2, &false.into()));
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("no partition 1"),
        "{refused}"
    );
}

#[test]
fn wrong_usage_is_answered_in_the_form_that_was_asked_for() {
    let (code, document) = json(&["check", "--proof", "porep-7g", "--seed", "1"]);
    assert_eq!(
        (code, &document["ok"], &document["error"]["code"]),
        (2, &false.into(), &2.into())
    );
    assert!(
        document["error"]["message"].as_str().unwrap().contains("porep-7g"),
        "{document}"
    );

    let plain = command(&["check", "--proof", "porep-7g", "--seed", "1"])
        .output()
        .unwrap();
    assert_eq!((plain.status.code(), plain.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&plain.stderr).contains("winning-32g"));
}

#[test]
fn a_daemon_that_is_not_there_is_an_error_at_once_or_after_the_wait() {
    let socket = ["--socket", "/nonexistent/s"];
    let (code, document) = json(&["identity", socket[0], socket[1]]);
    assert_eq!(code, 1);
    assert!(
        document["error"]["message"]
            .as_str()
            .unwrap()
            .contains("/nonexistent/s"),
        "{document}"
    );
    let start = Instant::now();
    let (code, _) = json(&["identity", socket[0], socket[1], "--wait-s", "1"]);
    assert_eq!(code, 124);
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(json(&["status", socket[0], socket[1]]).0, 1);
}

#[test]
fn the_version_names_the_build() {
    let output = command(&["--version"]).output().unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    let token = version
        .trim_end()
        .rsplit_once("(build ")
        .unwrap()
        .1
        .trim_end_matches(')');
    assert_eq!(hex::decode(token).unwrap().len(), 32, "{version}");
}
