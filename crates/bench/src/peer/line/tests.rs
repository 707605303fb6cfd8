//! Lines that are accepted, and the many that are not.

use super::*;
use serde_json::{Value, json};

fn value() -> Value {
    json!({
        "schema_version": 1, "peer": "bellperson-cpu", "circuit": "bench:5:0.5", "seed": 7, "threads": 2,
        "synthesis_s": 0.25, "prove_s": 0.5, "total_s": 0.75, "peak_memory_kib": 4096,
        "proof": "00ff", "verified": true, "debug_assertions": false,
    })
}

fn with(field: &str, to: Value) -> Vec<u8> {
    let mut value = value();
    value[field] = to;
    text(&value)
}

fn text(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn refusal(stdout: &[u8]) -> String {
    format!("{:#}", anyhow::Error::from(Line::parse(stdout).unwrap_err()))
}

#[test]
fn a_line_is_read_and_written_alike() {
    let line = Line::parse(&text(&value())).unwrap();
    assert_eq!(
        (line.proof.as_slice(), line.prove_s, line.seed),
        ([0, 255].as_slice(), 0.5, 7)
    );
    assert_eq!(serde_json::to_value(&line).unwrap(), value());
}

#[test]
fn what_is_not_one_line_of_a_result_is_refused() {
    let twice = [text(&value()), text(&value())].concat();
    for (stdout, reason) in [
        (&b""[..], "0 lines"),
        (&twice, "2 lines"),
        (b"proved!\n", "not the JSON"),
        (b"{\"schema_version\": 1", "not the JSON"),
        (b"\xff\n", "no text"),
        (b"{\"schema_version\":2,\"new\":true}", "schema_version is 2"),
        (&with("prove_s", Value::Null), "not the JSON"),
        (&with("proof", "0".into()), "not the JSON"),
        (&with("note", "hello".into()), "unknown field"),
        (&vec![b' '; 1 << 17], "more than 65536 bytes"),
    ] {
        let refusal = refusal(stdout);
        assert!(refusal.contains(reason), "{reason}: {refusal}");
    }
}

#[test]
fn costs_that_nothing_can_have_are_refused() {
    for field in ["synthesis_s", "prove_s", "total_s", "peak_memory_kib"] {
        assert!(refusal(&with(field, 0.into())).contains(field));
    }
    assert!(refusal(&with("prove_s", json!(-1.0))).contains("prove_s is -1"));
    assert!(refusal(&with("total_s", json!(0.7))).contains("more than total_s"));
}

#[test]
fn a_result_about_something_else_is_refused() {
    let line = Line::parse(&text(&value())).unwrap();
    let expected = || Expected {
        peer: "bellperson-cpu",
        circuit: "bench:5:0.5",
        seed: 7,
        threads: 2,
    };
    assert!(line.check(&expected()).is_ok());
    let others = [
        Expected {
            peer: "cuzk-cpu",
            ..expected()
        },
        Expected {
            circuit: "bench:5:0",
            ..expected()
        },
        Expected { seed: 8, ..expected() },
        Expected {
            threads: 1,
            ..expected()
        },
    ];
    for (other, field) in others.iter().zip(["peer", "circuit", "seed", "threads"]) {
        let refusal = line.check(other).unwrap_err().to_string();
        assert!(refusal.starts_with(field), "{refusal}");
    }
}
