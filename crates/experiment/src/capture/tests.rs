//! Pipes and real processes: what is written arrives, whatever the writer does.
#![allow(
    clippy::disallowed_methods,
    reason = "these tests start the processes whose output they capture"
)]

use std::io::{PipeWriter, Write as _, pipe};
use std::process::{Child, Command, Stdio};

use proptest::prelude::*;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

/// A capture with both writing ends.
fn capture(limit: ByteLimit) -> (Capture, PipeWriter, PipeWriter) {
    let (stdout, stdout_writer) = pipe().unwrap();
    let (stderr, stderr_writer) = pipe().unwrap();
    (
        Capture::start(stdout, stderr, Instant::now(), limit),
        stdout_writer,
        stderr_writer,
    )
}

fn shell(script: &str) -> (Capture, Child) {
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

fn texts(record: &StreamRecord) -> Vec<&[u8]> {
    record.lines().map(|line| line.bytes).collect()
}

#[test]
fn bytes_stay_as_they_are() {
    let (capture, mut stdout, mut stderr) = capture(ByteLimit::default());
    stdout.write_all(b"\xff\0\r\n\n\nlast").unwrap();
    stderr.write_all(b"one\ntwo\n").unwrap();
    drop((stdout, stderr));
    let captured = capture.finish(PATIENCE);
    assert_eq!(captured.stdout.bytes(), b"\xff\0\r\n\n\nlast");
    assert_eq!(texts(&captured.stdout), [b"\xff\0\r".as_slice(), b"", b""]);
    assert_eq!(captured.stdout.tail(), b"last");
    assert_eq!(texts(&captured.stderr), [b"one", b"two"]);
    assert_eq!(captured.stderr.tail(), b"");
    let numbers: Vec<_> = captured.stdout.lines().map(|line| line.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(captured.faults(), []);
}

#[test]
fn arrival_is_when_the_newline_came() {
    let (capture, stdout, mut stderr) = capture(ByteLimit::default());
    stderr.write_all(b"first\nsec").unwrap();
    assert_eq!(
        capture.wait_until(|captured| captured.stderr.lines().len() == 1, PATIENCE),
        Waited::Met
    );
    thread::sleep(Duration::from_millis(60));
    stderr.write_all(b"ond\n").unwrap();
    drop((stdout, stderr));
    let captured = capture.finish(PATIENCE);
    let arrived: Vec<_> = captured.stderr.lines().map(|line| line.arrived).collect();
    assert!(arrived[1] >= arrived[0] + Duration::from_millis(60), "{arrived:?}");
}

#[test]
fn a_full_pipe_does_not_hold_the_writer_up() {
    // 200 times what a pipe holds, on both streams, one after the other: with one reader this would stand still.
    let script = "head -c 6553600 /dev/zero; head -c 6553600 /dev/zero >&2; echo; echo end >&2";
    let (capture, mut child) = shell(script);
    let captured = capture.finish(PATIENCE);
    assert!(child.wait().unwrap().success());
    assert_eq!(captured.faults(), []);
    assert_eq!(captured.stdout.bytes().len(), 6_553_601);
    assert_eq!(captured.stderr.bytes().len(), 6_553_604);
    assert!(captured.stderr.bytes()[..6_553_600].iter().all(|byte| *byte == 0));
}

#[test]
fn a_waiting_caller_does_not_hold_the_readers_up() {
    let (capture, stdout, mut stderr) = capture(ByteLimit::default());
    let writer = thread::spawn(move || (0..100_000).for_each(|idx| writeln!(stderr, "line {idx}").unwrap()));
    let all_lines = |captured: &Captured| captured.stderr.lines().len() == 100_000;
    assert_eq!(capture.wait_until(all_lines, PATIENCE), Waited::Met);
    writer.join().unwrap();
    drop(stdout);
    let captured = capture.finish(PATIENCE);
    assert!(
        captured
            .stderr
            .lines()
            .enumerate()
            .all(|(idx, line)| line.bytes == format!("line {idx}").as_bytes())
    );
}

#[test]
fn beyond_the_limit_is_counted_and_drained() {
    let (capture, mut stdout, mut stderr) = capture(ByteLimit(10));
    stdout.write_all(b"0123456789").unwrap();
    // More than a pipe holds: this returns only if somebody still reads.
    stderr.write_all(&[b'x'; 1 << 20]).unwrap();
    drop((stdout, stderr));
    let captured = capture.finish(PATIENCE);
    assert_eq!(captured.stderr.bytes(), b"xxxxxxxxxx");
    let dropped = (1 << 20) - 10;
    let expected = CaptureFault::LimitExceeded {
        stream: Stream::Stderr,
        limit: ByteLimit(10),
        dropped,
    };
    assert_eq!(captured.faults(), [expected]);
}

#[test]
fn waiting_ends_by_time_or_with_the_streams() {
    let (capture, stdout, stderr) = capture(ByteLimit::default());
    let start = Instant::now();
    assert_eq!(
        capture.wait_until(|_| false, Duration::from_millis(50)),
        Waited::TimedOut
    );
    assert!(start.elapsed() >= Duration::from_millis(50));
    drop((stdout, stderr));
    assert_eq!(capture.wait_until(|_| false, PATIENCE), Waited::Ended);
    assert_eq!(capture.wait_until(|_| true, PATIENCE), Waited::Met);
}

#[test]
fn what_comes_with_the_end_still_counts() {
    let (capture, mut stdout, stderr) = capture(ByteLimit::default());
    stdout.write_all(b"last words\n").unwrap();
    drop((stdout, stderr));
    assert_eq!(
        capture.wait_until(|captured| captured.stdout.lines().len() == 1, PATIENCE),
        Waited::Met
    );
}

#[test]
fn a_stream_that_somebody_keeps_open_is_named() {
    let (capture, stdout, mut stderr) = capture(ByteLimit::default());
    drop(stdout);
    stderr.write_all(b"so far").unwrap();
    assert_eq!(
        capture.wait_until(|captured| !captured.stderr.tail().is_empty(), PATIENCE),
        Waited::Met
    );
    let captured = capture.finish(Duration::from_millis(50));
    assert_eq!(captured.faults(), [CaptureFault::NotEnded { stream: Stream::Stderr }]);
    assert_eq!(captured.stderr.tail(), b"so far");
    assert_eq!(
        (captured.stdout.end(), captured.stderr.end()),
        (&StreamEnd::Ended, &StreamEnd::Open)
    );
}

#[test]
fn a_read_that_fails_is_told_apart_from_the_end() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
    let capture = Capture::start(io::empty(), Broken, Instant::now(), ByteLimit::default());
    let captured = capture.finish(PATIENCE);
    assert_eq!(
        captured.faults(),
        [CaptureFault::ReadFailed {
            stream: Stream::Stderr,
            message: "broken".into()
        }]
    );
}

#[test]
fn lines_can_be_read_on_from_where_one_was() {
    let (capture, mut stdout, stderr) = capture(ByteLimit::default());
    stdout.write_all(b"a\nb\nc\n").unwrap();
    drop((stdout, stderr));
    let captured = capture.finish(PATIENCE);
    let from = |seen| {
        captured
            .stdout
            .lines_from(seen)
            .map(|line| (line.number, line.bytes))
            .collect::<Vec<_>>()
    };
    assert_eq!(from(1), [(2, b"b".as_slice()), (3, b"c")]);
    assert_eq!(from(3), []);
    assert_eq!(from(9), []);
}

proptest! {
    /// However reads cut the bytes, the lines are those of splitting the whole.
    #[test]
    fn lines_do_not_depend_on_how_the_bytes_come(
        chunks in prop::collection::vec(prop::collection::vec(prop::sample::select(b"ab\n".to_vec()), 0..9), 0..9),
        limit in 0_usize..90,
    ) {
        let mut record = StreamRecord::new(ByteLimit(limit));
        chunks.iter().for_each(|chunk| record.push(chunk, Duration::ZERO));
        let whole = chunks.concat();
        let kept = &whole[..limit.min(whole.len())];
        prop_assert_eq!(record.bytes(), kept);
        let mut expected: Vec<_> = kept.split(|byte| *byte == b'\n').collect();
        prop_assert_eq!(record.tail(), expected.pop().unwrap());
        prop_assert_eq!(texts(&record), expected);
        prop_assert_eq!(record.dropped, (whole.len() - kept.len()) as u64);
    }
}
