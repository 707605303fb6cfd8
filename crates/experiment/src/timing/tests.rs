//! Known lines, each way to be wrong, everything that a printer prints, and noise.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use cuzk_contract::{ProcessClock, Timeline, TimingSink};
use proptest::prelude::*;

use super::*;

const GOOD: &str = "CUZK_TIMING: synth_ms=12.345 start_ms=0.678 job=job-1 partition=3 rows=7";

fn timed(line: &str) -> TimedPhase {
    match parse_line(line.as_bytes()) {
        Ok(TimingLine::Timed(timed)) => timed,
        other => panic!("{line:?}: {other:?}"),
    }
}

fn fault(line: &str) -> LineFault {
    parse_line(line.as_bytes()).expect_err(line)
}

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

#[test]
fn a_line_is_read_exactly() {
    let line = timed(GOOD);
    assert_eq!(line.phase.marker, cuzk_contract::phase::SYNTH);
    assert_eq!(
        line.span,
        Span {
            start: micros(678),
            length: micros(12_345)
        }
    );
    assert_eq!((line.job.as_str(), line.partition), ("job-1", PartitionIndex(3)));
}

#[test]
fn the_order_of_pairs_does_not_matter() {
    let line = timed("CUZK_TIMING: gpu=1 partition=3 job=job-1 start_ms=0.678 synth_ms=12.345");
    assert_eq!(line.span, timed(GOOD).span);
}

#[test]
fn other_lines_and_notes_are_told_apart() {
    for line in [
        "",
        "cuzk: listening",
        "timing",
        "a=b",
        "CUZK: x",
        "restart_msg=1",
        "synth_ms is a key",
    ] {
        assert!(matches!(parse_line(line.as_bytes()), Ok(TimingLine::Other)), "{line:?}");
    }
    assert!(
        matches!(parse_line(b"\xff\xfe"), Ok(TimingLine::Other)),
        "noise of others is not ours to judge"
    );
    let note = parse_line(b"CUZK_TIMING: d_a_cache allocated 512 MiB on gpu 0");
    assert!(matches!(
        note,
        Ok(TimingLine::Note("d_a_cache allocated 512 MiB on gpu 0"))
    ));
}

#[test]
fn what_a_tear_leaves_is_a_fault() {
    let inside = |at| LineFault::Torn(Torn::PrefixInside { at });
    assert_eq!(fault(&format!("cuzk: list{GOOD}")), inside(10));
    assert_eq!(fault(&format!("CUZK_{GOOD}")), inside(5));
    let twice = fault(&format!("CUZK_TIMING: syn{GOOD}"));
    assert_eq!(twice, LineFault::Torn(Torn::PrefixTwice { at: 16 }));
    for line in [
        "C",
        "CUZK_TIM",
        "CUZK_TIMING",
        "CUZK_TIMING:",
        "CUZK_TIMING: ",
        "CUZK_TIMING: synth_ms",
        "CUZK_TIMING: q",
    ] {
        assert_eq!(fault(line), LineFault::Torn(Torn::OnlyBeginning), "{line:?}");
    }
    let without = |key| LineFault::Torn(Torn::WithoutBeginning { key });
    assert_eq!(fault("ING: synth_ms=12.345 start_ms=0.678"), without("synth_ms"));
    assert_eq!(fault("5 start_ms=0.678 job=j partition=0"), without("start_ms"));
    assert_eq!(fault("start_ms start_ms=0.678"), without("start_ms"));
}

#[test]
fn bytes_that_are_no_text_are_a_fault_in_a_timing_line() {
    assert_eq!(
        parse_line(b"CUZK_TIMING: a=\xff").unwrap_err(),
        LineFault::NotUtf8 { valid_up_to: 15 }
    );
}

#[test]
fn each_malformed_pair_is_named() {
    for pair in ["rows", "=7", "rows=", "rows=7=8", "", "ro-ws=7", "ro\u{e4}s=7"] {
        let expected = LineFault::MalformedPair { pair: pair.into() };
        assert_eq!(fault(&GOOD.replace("rows=7", pair)), expected);
    }
    let carriage_return = LineFault::BadPartition { value: "3\r".into() };
    assert_eq!(fault(&GOOD.replace("3 rows=7", "3\r")), carriage_return);
}

#[test]
fn phases_are_counted() {
    assert_eq!(
        fault("CUZK_TIMING: start_ms=0.678 job=j partition=0"),
        LineFault::NoPhase
    );
    let several = fault(&GOOD.replace("rows=7", "total_ms=1.000"));
    assert_eq!(
        several,
        LineFault::SeveralPhases {
            first: "synth_ms".into(),
            second: "total_ms".into()
        }
    );
    let unknown = fault(&GOOD.replace("rows=7", "mutex_wait_ms=1.000"));
    assert_eq!(
        unknown,
        LineFault::UnknownPhase {
            key: "mutex_wait_ms".into()
        }
    );
}

#[test]
fn what_belongs_to_every_line_must_be_there_once() {
    for (pair, key) in [
        ("start_ms=0.678 ", "start_ms"),
        ("job=job-1 ", "job"),
        ("partition=3 ", "partition"),
    ] {
        assert_eq!(fault(&GOOD.replace(pair, "")), LineFault::Missing { key });
        let twice = fault(&GOOD.replace(pair, &pair.repeat(2)));
        assert_eq!(twice, LineFault::RepeatedKey { key: key.into() });
    }
    assert_eq!(
        fault(&GOOD.replace("job-1", "j/1")),
        LineFault::BadJob { value: "j/1".into() }
    );
    for value in ["-1", "03", "x", "4294967296", "+3"] {
        let expected = LineFault::BadPartition { value: value.into() };
        assert_eq!(
            fault(&GOOD.replace("partition=3", &format!("partition={value}"))),
            expected
        );
    }
}

#[test]
fn times_are_as_they_are_printed_and_nothing_else() {
    let cases = [
        ("-1.000", BadTime::Negative),
        ("-0.000", BadTime::Negative),
        ("NaN", BadTime::NotFinite),
        ("-nan", BadTime::NotFinite),
        ("inf", BadTime::NotFinite),
        ("-inf", BadTime::NotFinite),
        ("infinity", BadTime::NotFinite),
        ("12", BadTime::NotThreeDecimals),
        ("12.3", BadTime::NotThreeDecimals),
        ("12.34", BadTime::NotThreeDecimals),
        ("12.3456", BadTime::NotThreeDecimals),
        ("12.+45", BadTime::NotThreeDecimals),
        (".345", BadTime::NotThreeDecimals),
        ("+1.000", BadTime::NotThreeDecimals),
        ("012.345", BadTime::NotThreeDecimals),
        ("1e3.000", BadTime::NotThreeDecimals),
        ("1.000.000", BadTime::NotThreeDecimals),
        ("12,345", BadTime::NotThreeDecimals),
        ("18446744073709551.616", BadTime::TooLarge),
        ("99999999999999999999.000", BadTime::TooLarge),
    ];
    for (value, why) in cases {
        for (printed, key) in [("12.345", "synth_ms"), ("0.678", "start_ms")] {
            let expected = LineFault::BadTime {
                key: key.into(),
                value: value.into(),
                why,
            };
            assert_eq!(fault(&GOOD.replace(printed, value)), expected);
        }
    }
    assert_eq!(
        timed(&GOOD.replace("12.345", "18446744073709551.615")).span.length,
        micros(u64::MAX)
    );
    assert_eq!(timed(&GOOD.replace("12.345", "0.000")).span.length, Duration::ZERO);
}

/// A line of another writer that lands inside a timing line, at whatever place, is noticed in one of the two halves.
#[test]
fn a_foreign_line_inside_is_noticed_wherever_it_lands() {
    for at in 1..GOOD.len() {
        let first = format!("{}cuzk: hello", &GOOD[..at]);
        let is_noticed = [first.as_str(), &GOOD[at..]]
            .iter()
            .any(|half| parse_line(half.as_bytes()).is_err());
        assert!(is_noticed, "{first:?}, {:?}", &GOOD[at..]);
    }
}

#[derive(Default)]
struct Printed(Mutex<String>);

impl TimingSink for Printed {
    fn write_line(&self, line: &str) {
        self.0.lock().unwrap().push_str(line);
    }
}

/// Prints one phase as the measured programs do.
fn print(phase: &Phase, start: Duration, length: Duration, job: &JobId, partition: u32) -> String {
    let printed = Arc::new(Printed::default());
    let origin = Instant::now();
    let clock = ProcessClock::starting_at(origin);
    let timeline = Timeline::new(clock, printed.clone(), job.clone(), PartitionIndex(partition));
    timeline.print(
        phase.marker,
        origin + start,
        length,
        &[("rows", 7), ("bytes", u64::MAX)],
    );
    let text = printed.0.lock().unwrap().clone();
    text.strip_suffix('\n').unwrap().to_owned()
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(
        idx in 0..PHASES.len(),
        start in 0_u64..1 << 40,
        length in 0_u64..1 << 40,
        name in "[A-Za-z0-9._:-]{1,64}",
        partition: u32,
    ) {
        let job = JobId::new(name).unwrap();
        let line = timed(&print(&PHASES[idx], micros(start), micros(length), &job, partition));
        prop_assert_eq!(line.phase.marker, PHASES[idx].marker);
        prop_assert_eq!(line.span, Span { start: micros(start), length: micros(length) });
        prop_assert_eq!(line.job, job);
        prop_assert_eq!(line.partition, PartitionIndex(partition));
    }

    /// Nanoseconds are rounded in print, to the nearer microsecond.
    #[test]
    fn a_time_between_microseconds_is_off_by_half_of_one_at_most(nanos in 0_u64..1 << 45) {
        let length = Duration::from_nanos(nanos);
        let job = JobId::new("j").unwrap();
        let read = timed(&print(&PHASES[1], Duration::ZERO, length, &job, 0)).span.length;
        prop_assert!(read.abs_diff(length) <= Duration::from_nanos(501), "{:?} read as {:?}", length, read);
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_line(&bytes);
        let _ = parse_line(&[LINE_PREFIX.as_bytes(), &bytes].concat());
    }

    /// Noise made of the pieces that lines are made of goes deeper.
    #[test]
    fn pieces_of_lines_never_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "CUZK_TIMING", ": ", " ", "=", "synth_ms", "total_ms", "start_ms", "job", "partition", "x_ms", "12.345", "0", "-",
        ".", "999999999999999999999", "inf", "\u{1f980}", "\r", "\0",
    ]), 0..24)) {
        let _ = parse_line(pieces.concat().as_bytes());
    }

    #[test]
    fn one_changed_byte_never_panics(at in 0..GOOD.len(), byte: u8) {
        let mut line = GOOD.as_bytes().to_vec();
        line[at] = byte;
        let _ = parse_line(&line);
    }
}
