//! The table and the JSON document, as a reader sees them.

use std::io::Cursor;
use std::time::{Duration, Instant};

use cuzk_contract::JobId;
use cuzk_contract::phase::PHASES;
use serde_json::{Value, json};

use super::*;
use crate::capture::{ByteLimit, Capture};
use crate::phases::{Expectation, measure};

const PROOF: &str = "\
CUZK_TIMING: queue_ms=7.000 start_ms=3.000 job=j partition=0
CUZK_TIMING: synth_ms=500.000 start_ms=10.000 job=j partition=0
CUZK_TIMING: verify_ms=480.500 start_ms=520.000 job=j partition=0
CUZK_TIMING: a remark
CUZK_TIMING: total_ms=1000.000 start_ms=10.000 job=j partition=0
";

fn report(stderr: &str) -> MeasurementReport {
    let stderr = Cursor::new(stderr.as_bytes().to_vec());
    let capture = Capture::start(std::io::empty(), stderr, Instant::now(), ByteLimit::default());
    let expectation = Expectation::new(&["cuzk-engine"]).with_job(JobId::new("j").unwrap(), 1);
    MeasurementReport::of(&measure(&capture.finish(Duration::from_secs(20)), &expectation))
}

#[test]
fn a_wide_terminal_shows_titles_and_bars() {
    let expected = "\
job j, partition 0
phase                                                        ms    share
queue_ms       waiting for synthesis to start             7.000        -
synth_ms       synthesis: witness and a, b, c           500.000   50.0 %  ##########
verify_ms      verification                             480.500   48.0 %            ##########
-              belonging to no phase                     19.500    1.9 %
total_ms       total                                   1000.000  100.0 %
note: a remark
";
    assert_eq!(report(PROOF).table(94), expected);
}

#[test]
fn a_narrow_terminal_shows_the_numbers() {
    let expected = "\
job j, partition 0
phase                    ms    share
queue_ms              7.000        -
synth_ms            500.000   50.0 %
verify_ms           480.500   48.0 %
-                    19.500    1.9 %
total_ms           1000.000  100.0 %
note: a remark
";
    assert_eq!(report(PROOF).table(40), expected);
    assert_eq!(report(PROOF).table(0), expected);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for columns in 40..200 {
        let table = report(PROOF).table(columns);
        assert!(table.lines().all(|line| line.len() <= columns), "{columns}:\n{table}");
    }
}

#[test]
fn every_key_and_title_of_the_catalogue_has_room() {
    for phase in PHASES {
        assert!(phase.marker.key().len() <= KEY_WIDTH, "{}", phase.marker.key());
        assert!(phase.title.len() + 2 <= TITLE_WIDTH, "{}", phase.title);
    }
}

#[test]
fn an_invalid_measurement_shows_its_faults_and_no_figures() {
    let report = report(&PROOF.replace("synth_ms=500.000", "synth_ms=inf"));
    let table = report.table(100);
    assert!(table.starts_with("invalid: stderr line 2: "), "{table}");
    assert!(table.lines().all(|line| line.starts_with("invalid: ")), "{table}");
    assert!(report.partitions.is_empty() && !report.valid);
}

#[test]
fn the_document_is_what_it_was() {
    let document = serde_json::to_value(report(PROOF)).unwrap();
    let phase = |key: &str, title: &str, start: f64, duration: f64, share: Value, line: u32| json!({ "key": key, "title": title, "start_ms": start, "duration_ms": duration, "share_of_total": share, "line": line });
    let expected = json!({
        "schema_version": 1,
        "valid": true,
        "partitions": [{
            "job": "j",
            "partition": 0,
            "total_start_ms": 10.0,
            "total_ms": 1000.0,
            "accounted_ms": 980.5,
            "unaccounted_ms": 19.5,
            "unaccounted_share": 0.0195,
            "phases": [
                phase("queue_ms", "waiting for synthesis to start", 3.0, 7.0, Value::Null, 1),
                phase("synth_ms", "synthesis: witness and a, b, c", 10.0, 500.0, json!(0.5), 2),
                phase("verify_ms", "verification", 520.0, 480.5, json!(0.4805), 3),
            ],
        }],
        "notes": [{ "line": 4, "text": "a remark" }],
        "faults": [],
    });
    assert_eq!(document, expected);
}

#[test]
fn the_document_of_faults_has_code_message_and_place() {
    let document = serde_json::to_value(report(&PROOF.replace("=1000.000", "=1000.0"))).unwrap();
    assert_eq!(document["valid"], json!(false));
    assert_eq!(document["faults"][0]["code"], "malformed-line");
    assert_eq!(document["faults"][0]["place"]["stream"], "stderr");
    assert_eq!(document["faults"][0]["place"]["line"], 5);
    assert_eq!(
        document["faults"][0]["place"]["raw"],
        PROOF.lines().last().unwrap().replace("=1000.000", "=1000.0")
    );
    assert_eq!(document["faults"][1]["code"], "missing-phase");
    assert_eq!(document["faults"][1]["place"], Value::Null);
}
