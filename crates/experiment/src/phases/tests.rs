//! Whole runs: a known answer, then each way in which a run can go wrong, with real pipes and processes at the end.
#![allow(
    clippy::disallowed_methods,
    reason = "these tests start the processes whose output they judge"
)]

use std::io::{Cursor, Write as _, pipe};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use cuzk_contract::phase;

use super::*;
use crate::capture::{ByteLimit, Capture, CaptureFault, Waited};
use crate::overlap::Overlap;
use crate::timing::{LineFault, Torn};

const PATIENCE: Duration = Duration::from_secs(20);
const PRINTERS: &[&str] = &["cuzk-engine", "cuzk-groth16", "cuzk-backend-cpu"];

/// One proof with a wait for the backend; 20 ms of 1000 belong to no phase. Two phases overlap by 50 ms.
const PROOF: &[(&str, &str, &str)] = &[
    ("queue_ms", "7.000", "3.000"),
    ("synth_ms", "400.000", "10.000"),
    ("backend_wait_ms", "0.250", "410.000"),
    ("prep_msm_ms", "9.750", "410.250"),
    ("ntt_msm_h_ms", "300.000", "420.000"),
    ("batch_add_ms", "100.000", "670.000"),
    ("tail_msm_ms", "100.000", "770.000"),
    ("b_g2_msm_ms", "100.000", "870.000"),
    ("assemble_ms", "10.000", "970.000"),
    ("verify_ms", "10.000", "990.000"),
    ("total_ms", "1000.000", "10.000"),
];

fn line(key: &str, length: &str, start: &str, job: &str, partition: u32) -> String {
    format!("CUZK_TIMING: {key}={length} start_ms={start} job={job} partition={partition}\n")
}

fn proof_of(job: &str, partition: u32) -> String {
    PROOF
        .iter()
        .map(|(key, length, start)| line(key, length, start, job, partition))
        .collect()
}

fn proof() -> String {
    format!("cuzk: listening\n{}CUZK_TIMING: a remark\n", proof_of("j", 0))
}

fn job(name: &str) -> JobId {
    JobId::new(name).unwrap()
}

fn one_job() -> Expectation {
    Expectation::new(PRINTERS).with_job(job("j"), 1)
}

fn captured(stdout: &str, stderr: &str) -> Captured {
    let cursor = |text: &str| Cursor::new(text.as_bytes().to_vec());
    let capture = Capture::start(cursor(stdout), cursor(stderr), Instant::now(), ByteLimit::default());
    capture.finish(PATIENCE)
}

fn judge(stderr: &str) -> Result<Measurement, InvalidMeasurement> {
    measure(&captured("", stderr), &one_job())
}

/// The only fault of a run.
#[track_caller]
fn only_fault(stderr: &str) -> Fault {
    let faults = judge(stderr).unwrap_err().faults;
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults.into_iter().next().unwrap()
}

fn codes(result: &Result<Measurement, InvalidMeasurement>) -> Vec<&'static str> {
    result
        .as_ref()
        .err()
        .map_or(Vec::new(), |invalid| invalid.faults.iter().map(Fault::code).collect())
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn a_whole_proof_is_a_measurement() {
    let measurement = judge(&proof()).unwrap();
    let [table] = measurement.partitions.as_slice() else {
        panic!("{measurement:#?}")
    };
    assert_eq!(
        table.of,
        PartitionId {
            job: job("j"),
            partition: PartitionIndex(0)
        }
    );
    assert_eq!(
        table.total(),
        Span {
            start: ms(10),
            length: ms(1000)
        }
    );
    // [10, 970) without a gap, [970, 980), [990, 1000): what is outside the total (the queue) does not count.
    assert_eq!(table.accounted(), ms(980));
    assert_eq!(table.unaccounted(), ms(20));
    assert_eq!(
        table.span(phase::SYNTH),
        Some(Span {
            start: ms(10),
            length: ms(400)
        })
    );
    assert_eq!(table.span(phase::SRS_LOAD), None);
    let keys: Vec<_> = table.seen().iter().map(|seen| seen.phase.marker.key()).collect();
    let catalogue: Vec<_> = PHASES
        .iter()
        .map(|phase| phase.marker.key())
        .filter(|key| keys.contains(key))
        .collect();
    assert_eq!(keys, catalogue);
    assert_eq!(table.seen()[1].line, 3);
    assert_eq!(
        measurement.notes,
        [Note {
            line: 13,
            text: "a remark".into()
        }]
    );
}

#[test]
fn parts_that_reach_out_of_the_total_are_faults() {
    let early = proof().replace("synth_ms=400.000 start_ms=10.000", "synth_ms=409.000 start_ms=1.000");
    let late = proof().replace("verify_ms=10.000", "verify_ms=99.000");
    for (run, key) in [(early, "synth_ms"), (late, "verify_ms")] {
        let fault = only_fault(&run);
        assert_eq!(
            fault.to_string(),
            format!("`{key}` of job j partition 0 reaches out of the total that it is part of")
        );
    }
}

#[test]
fn a_part_of_no_length_is_a_fault() {
    let run = proof()
        .replace("verify_ms=10.000", "verify_ms=0.000")
        .replace("total_ms=1000.000", "total_ms=990.000");
    assert_eq!(only_fault(&run).code(), "empty-phase");
}

#[test]
fn a_phase_that_a_count_says_was_not_needed_may_be_absent() {
    let (key, length, start) = PROOF.iter().find(|(key, ..)| *key == "b_g2_msm_ms").unwrap();
    let without = proof().replace(&line(key, length, start, "j", 0), "");
    let counted = |count: &str| {
        let add_count = |line: &str| {
            if line.contains("prep_msm_ms=") {
                format!("{line} b_tails={count}\n")
            } else {
                format!("{line}\n")
            }
        };
        judge(&without.lines().map(add_count).collect::<String>())
    };
    assert!(codes(&counted("3")).contains(&"missing-phase"));
    assert!(!codes(&counted("0")).contains(&"missing-phase"));
}

#[test]
fn every_phase_of_every_proof_is_required() {
    for (key, length, start) in PROOF {
        let run = proof().replace(&line(key, length, start, "j", 0), "");
        let is_required = !["queue_ms", "backend_wait_ms"].contains(key);
        let result = judge(&run);
        assert_eq!(
            codes(&result).contains(&"missing-phase"),
            is_required,
            "{key}: {result:?}"
        );
        if let Err(invalid) = result {
            let text = format!("`{key}` of job j partition 0 is missing");
            assert!(
                invalid.faults.iter().any(|fault| fault.to_string() == text),
                "{invalid:#?}"
            );
        }
    }
}

#[test]
fn a_phase_seen_twice_is_named_with_both_lines() {
    let run = format!("{}{}", proof(), line("synth_ms", "400.000", "10.000", "j", 0));
    let Fault::Duplicate {
        key: "synth_ms",
        line,
        first: 3,
        ..
    } = only_fault(&run)
    else {
        panic!()
    };
    assert_eq!(line.number, 14);
}

#[test]
fn phases_that_nothing_here_prints_are_unexpected() {
    let run = format!("{}{}", proof(), line("pin_abc_ms", "1.000", "20.000", "j", 0));
    let fault = only_fault(&run);
    assert!(
        matches!(
            fault,
            Fault::UnexpectedPhase {
                key: "pin_abc_ms",
                why: Unexpected::NotYet,
                ..
            }
        ),
        "{fault}"
    );

    let without_backend = Expectation::new(&["cuzk-engine", "cuzk-groth16"]).with_job(job("j"), 1);
    let result = measure(&captured("", &proof()), &without_backend);
    assert_eq!(codes(&result)[..5], ["unexpected-phase"; 5]);
    let text = result.unwrap_err().faults[0].to_string();
    assert!(
        text.ends_with("cuzk-backend-cpu prints it, which is not part of this run"),
        "{text}"
    );
}

#[test]
fn unknown_phases_and_unexpected_jobs_are_faults() {
    let unknown = format!("{}{}", proof(), line("mutex_wait_ms", "1.000", "20.000", "j", 0));
    assert_eq!(only_fault(&unknown).code(), "unknown-phase");
    for (job, partition) in [("k", 0), ("j", 1)] {
        let run = format!("{}{}", proof(), line("synth_ms", "1.000", "20.000", job, partition));
        assert_eq!(only_fault(&run).code(), "unexpected-partition");
    }
}

#[test]
fn three_percent_may_be_unaccounted_and_not_a_microsecond_more() {
    // 20 ms are missing anyway: let two phases end 10 ms earlier together, then 1 us more.
    let at_limit = proof()
        .replace("verify_ms=10.000", "verify_ms=0.001")
        .replace("assemble_ms=10.000", "assemble_ms=9.999");
    assert_eq!(judge(&at_limit).unwrap().partitions[0].unaccounted(), ms(30));
    let over = at_limit.replace("assemble_ms=9.999", "assemble_ms=9.998");
    let fault = only_fault(&over);
    let text = "30.001 ms of the total of job j partition 0, 1000.000 ms, belong to no phase: 3.0 % where 3 % are allowed \
                (hint: some work has no timing line)";
    assert_eq!(fault.to_string(), text);
}

#[test]
fn an_empty_total_is_a_fault() {
    assert_eq!(
        only_fault(&proof().replace("total_ms=1000.000", "total_ms=0.000")).code(),
        "empty-total"
    );
}

#[test]
fn a_malformed_line_is_repeated_in_the_fault() {
    let run = proof().replace("synth_ms=400.000", "synth_ms=-nan");
    let faults = judge(&run).unwrap_err().faults;
    let place = faults[0].place().unwrap();
    assert_eq!((place.0, place.1.number), (Stream::Stderr, 3));
    assert_eq!(
        place.1.text,
        "CUZK_TIMING: synth_ms=-nan start_ms=10.000 job=j partition=0"
    );
    let text = "stderr line 3: \"CUZK_TIMING: synth_ms=-nan start_ms=10.000 job=j partition=0\": `synth_ms=-nan` is no time in \
                milliseconds: it is not finite";
    assert_eq!(faults[0].to_string(), text);
    assert_eq!(faults[1].code(), "missing-phase");
}

#[test]
fn a_timing_line_on_stdout_is_a_fault() {
    let result = measure(
        &captured(&line("synth_ms", "1.000", "2.000", "j", 0), &proof()),
        &one_job(),
    );
    assert_eq!(codes(&result), ["on-stdout"]);
    let result = measure(&captured("CUZK_TIM", &proof()), &one_job());
    assert_eq!(codes(&result), ["unterminated-tail"]);
    assert!(
        measure(&captured("ready\nno newline", &proof()), &one_job()).is_ok(),
        "stdout belongs to others"
    );
}

#[test]
fn an_unfinished_line_is_a_fault_whatever_it_was() {
    for tail in ["CUZK_TIMING: x", "cuzk: stopp", "\u{1f980}"] {
        let fault = only_fault(&format!("{}{tail}", proof()));
        let Fault::UnterminatedTail {
            stream: Stream::Stderr,
            line,
        } = fault
        else {
            panic!("{fault}")
        };
        assert_eq!((line.number, line.text.as_str()), (14, tail));
    }
}

#[test]
fn lost_output_is_a_fault() {
    let limit = ByteLimit(proof().len());
    let stderr = Cursor::new(format!("{}x", proof()).into_bytes());
    let capture = Capture::start(std::io::empty(), stderr, Instant::now(), limit);
    let result = measure(&capture.finish(PATIENCE), &one_job());
    assert_eq!(codes(&result), ["limit-exceeded"]);
}

#[test]
fn nothing_expected_is_nothing_measured() {
    assert_eq!(
        codes(&measure(&captured("", ""), &Expectation::new(PRINTERS))),
        ["nothing-expected"]
    );
    let no_printers = Expectation::new(&["cuzk-engin"]).with_job(job("j"), 1);
    assert_eq!(codes(&measure(&captured("", ""), &no_printers)), ["nothing-expected"]);
    assert_eq!(codes(&measure(&captured("", ""), &one_job())).len(), 9);
}

#[test]
fn several_jobs_and_partitions_are_kept_apart() {
    let expectation = Expectation::new(PRINTERS).with_job(job("b"), 1).with_job(job("a"), 2);
    let mut lines: Vec<_> = [("a", 1), ("b", 0), ("a", 0)]
        .iter()
        .flat_map(|(job, partition)| {
            proof_of(job, *partition)
                .lines()
                .map(|line| format!("{line}\n"))
                .collect::<Vec<_>>()
        })
        .collect();
    // Order across threads is not fixed.
    lines.reverse();
    let measurement = measure(&captured("", &lines.concat()), &expectation).unwrap();
    let ids: Vec<_> = measurement
        .partitions
        .iter()
        .map(|table| table.of.to_string())
        .collect();
    assert_eq!(ids, ["job a partition 0", "job a partition 1", "job b partition 0"]);
}

#[test]
fn synthesis_beside_proving_is_measured() {
    // Proving of the earlier job: [410.25, 980) and [990, 1000) = 579.75 ms. Synthesis of the later one: 400 ms.
    let later = |start: u64| {
        let shifted = |at: &str| format!("{:.3}", at.parse::<f64>().unwrap() - 10.0 + start as f64);
        let lines = PROOF
            .iter()
            .map(|(key, length, at)| line(key, length, &shifted(at), "k", 0));
        format!("{}{}", proof(), lines.collect::<String>())
    };
    let expectation = one_job().with_job(job("k"), 1);
    for (start, common, is_half) in [
        (410, 399_750, true),
        (780, 210_000, true),
        (790, 200_000, true),
        (791, 199_000, false),
    ] {
        let measurement = measure(&captured("", &later(start)), &expectation).unwrap();
        let overlap = Overlap::between(&measurement, &job("j"), &job("k")).unwrap();
        assert_eq!(
            overlap,
            Overlap::between(&measurement, &job("k"), &job("j")).unwrap(),
            "the order is not the caller's"
        );
        assert_eq!(
            (overlap.synthesis, overlap.proving),
            (ms(400), Duration::from_micros(579_750))
        );
        assert_eq!(overlap.common, Duration::from_micros(common), "{start}");
        assert_eq!(overlap.is_half_of_shorter(), is_half, "{start}");
        assert_eq!(Overlap::between(&measurement, &job("j"), &job("x")), None);
    }
}

/// Two writers, two lines, each written in two pieces: every way to mix them that is not two whole lines is found.
#[test]
fn every_tear_of_two_lines_is_found() {
    let (one, other) = (
        line("synth_ms", "400.000", "10.000", "j", 0),
        line("total_ms", "1000.000", "10.000", "j", 0),
    );
    let rest = proof().replace(&one, "").replace(&other, "");
    assert!(judge(&format!("{rest}{one}{other}")).is_ok());
    for cut in 0..=one.len() {
        for other_cut in 0..=other.len() {
            let (a, b) = one.split_at(cut);
            let (c, d) = other.split_at(other_cut);
            for mixed in [[a, c, b, d], [a, c, d, b]] {
                let text = mixed.concat();
                let is_whole = text == format!("{one}{other}") || text == format!("{other}{one}");
                assert_eq!(judge_text(&format!("{rest}{text}")).is_ok(), is_whole, "{text:?}");
            }
        }
    }
}

/// As `judge`, without threads.
fn judge_text(stderr: &str) -> Result<Measurement, InvalidMeasurement> {
    let expectation = one_job();
    let mut run = Run::new(&expectation);
    let lines = stderr.strip_suffix('\n').unwrap().split('\n').enumerate();
    lines.for_each(|(idx, text)| {
        run.read(Line {
            number: idx + 1,
            bytes: text.as_bytes(),
            arrived: Duration::ZERO,
        })
    });
    run.finish()
}

/// Two threads that write their lines in pieces to one pipe, as a C library and Rust do on one descriptor.
#[test]
fn two_writers_that_tear_each_other_never_make_a_measurement_with_a_gap() {
    let (reader, writer) = pipe().unwrap();
    let capture = Capture::start(std::io::empty(), reader, Instant::now(), ByteLimit::default());
    let mut other = writer.try_clone().unwrap();
    let barrier = std::sync::Barrier::new(2);
    thread::scope(|scope| {
        for (mut writer, partition) in [(writer, 0), (other.try_clone().unwrap(), 1)] {
            let barrier = &barrier;
            scope.spawn(move || {
                for text in proof_of("j", partition).lines() {
                    // Together at the start of each line: pieces meet.
                    barrier.wait();
                    for piece in text.split_inclusive(' ').chain(["\n"]) {
                        writer.write_all(piece.as_bytes()).unwrap();
                        thread::yield_now();
                    }
                }
            });
        }
    });
    other.write_all(b"end\n").unwrap();
    drop(other);
    let captured = capture.finish(PATIENCE);
    // The bytes are all there, whatever their order.
    let written = proof_of("j", 0).len() + proof_of("j", 1).len() + 4;
    assert_eq!(captured.stderr.bytes().len(), written);
    let expectation = Expectation::new(PRINTERS).with_job(job("j"), 2);
    match measure(&captured, &expectation) {
        Ok(measurement) => assert!(
            measurement
                .partitions
                .iter()
                .all(|table| table.seen().len() == PROOF.len())
        ),
        Err(invalid) => assert!(
            invalid.faults.iter().any(|fault| fault.place().is_some()),
            "{invalid:#?}"
        ),
    }
}

fn shell(script: &str) -> (Capture, std::process::Child) {
    let mut command = Command::new("/bin/sh");
    let mut child = command
        .args(["-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    (
        Capture::start(stdout, stderr, Instant::now(), ByteLimit::default()),
        child,
    )
}

/// A script that prints `text` on standard error.
fn printing(text: &str) -> String {
    format!("printf '{}' >&2\n", text.replace('%', "%%").replace('\n', "\\n"))
}

#[test]
fn a_line_that_comes_after_the_answer_is_waited_for() {
    let last = line("total_ms", "1000.000", "10.000", "j", 0);
    let before = printing(&proof().replace(&last, ""));
    let (capture, mut child) = shell(&format!("{before}echo answer\nsleep 0.3\n{}", printing(&last)));
    let has_answered = |captured: &Captured| captured.stdout.bytes() == b"answer\n";
    assert_eq!(capture.wait_until(has_answered, PATIENCE), Waited::Met);
    let mut arrivals = one_job().arrivals();
    assert_eq!(
        capture.wait_until(&mut arrivals, Duration::from_millis(1)),
        Waited::TimedOut,
        "the last line is late"
    );
    assert_eq!(capture.wait_until(&mut arrivals, PATIENCE), Waited::Met);
    child.wait().unwrap();
    assert!(measure(&capture.finish(PATIENCE), &one_job()).is_ok());
}

#[test]
fn a_process_killed_in_the_middle_of_a_line_is_no_measurement() {
    let last = line("total_ms", "1000.000", "10.000", "j", 0);
    let before = printing(&proof().replace(&last, ""));
    let (capture, mut child) = shell(&format!(
        "{before}{}kill -9 $$\n",
        printing("CUZK_TIMING: total_ms=1000.0")
    ));
    assert!(!child.wait().unwrap().success());
    assert_eq!(capture.wait_until(one_job().arrivals(), PATIENCE), Waited::Ended);
    let result = measure(&capture.finish(PATIENCE), &one_job());
    assert_eq!(codes(&result), ["unterminated-tail", "missing-phase"]);
}

#[test]
fn a_stream_that_is_still_open_is_no_measurement() {
    let (reader, mut writer) = pipe().unwrap();
    let capture = Capture::start(std::io::empty(), reader, Instant::now(), ByteLimit::default());
    writer.write_all(proof().as_bytes()).unwrap();
    assert_eq!(capture.wait_until(one_job().arrivals(), PATIENCE), Waited::Met);
    let faults = measure(&capture.finish(ms(20)), &one_job()).unwrap_err().faults;
    assert_eq!(
        faults,
        [Fault::Capture(CaptureFault::NotEnded { stream: Stream::Stderr })]
    );
    drop(writer);
}

#[test]
fn a_torn_line_says_what_is_wrong() {
    let run = proof().replace("CUZK_TIMING: synth", "cuzk: helCUZK_TIMING: synth");
    let faults = judge(&run).unwrap_err().faults;
    let Fault::Line { fault, .. } = &faults[0] else {
        panic!("{faults:#?}")
    };
    assert_eq!(*fault, LineFault::Torn(Torn::PrefixInside { at: 9 }));
    assert_eq!(faults[0].code(), "torn-line");
}
