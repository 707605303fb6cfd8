//! Both output streams of a process, kept byte for byte from the first one, each with a reader of its own.
//!
//! A pipe holds 64 KiB. A program whose pipe is full stands still, and a program that is measured must not, so the readers
//! never wait for anybody: they keep reading when the limit is reached, and what was not kept is counted and reported.
//!
//! Left out: any interpretation of the bytes, and where they are stored in the end.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

#[cfg(test)]
mod tests;

const READ_BYTES: usize = 64 * 1024;

/// Which of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    Stdout,
    Stderr,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        })
    }
}

/// How many bytes of one stream are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLimit(pub usize);

impl ByteLimit {
    /// Far more than a daemon prints in a measurement, and far less than would hurt.
    pub const DEFAULT: Self = Self(64 << 20);
}

impl Default for ByteLimit {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why what was captured is not all that was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureFault {
    #[error("{stream} wrote more than is kept: {dropped} bytes after the first {} are lost", .limit.0)]
    LimitExceeded {
        stream: Stream,
        limit: ByteLimit,
        dropped: u64,
    },

    #[error("reading {stream} failed: {message}")]
    ReadFailed { stream: Stream, message: String },

    #[error("{stream} was not closed in time (hint: a descendant of the process still holds it)")]
    NotEnded { stream: Stream },
}

/// How a stream stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StreamEnd {
    /// More may come.
    #[default]
    Open,
    /// Every writer has closed it.
    Ended,
    Failed(String),
}

/// One stream, as far as it has arrived.
#[derive(Clone, Debug, Default)]
pub struct StreamRecord {
    bytes: Vec<u8>,
    lines: Vec<LineEnd>,
    dropped: u64,
    limit: ByteLimit,
    end: StreamEnd,
}

#[derive(Clone, Copy, Debug)]
struct LineEnd {
    /// Offset of the byte after the newline.
    offset: usize,
    arrived: Duration,
}

/// One complete line of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// Without the newline.
    pub bytes: &'a [u8],
    /// When the read that brought the newline returned, counted from the origin of the capture.
    pub arrived: Duration,
}

impl StreamRecord {
    fn new(limit: ByteLimit) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Everything that was kept, unchanged.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn end(&self) -> &StreamEnd {
        &self.end
    }

    /// Lines that ended with a newline.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> {
        self.lines_from(0)
    }

    /// Lines after the first `seen` ones, for a caller that looks again and again.
    pub fn lines_from(&self, seen: usize) -> impl ExactSizeIterator<Item = Line<'_>> {
        (seen.min(self.lines.len())..self.lines.len()).map(|idx| {
            let start = if idx == 0 { 0 } else { self.lines[idx - 1].offset };
            let LineEnd { offset, arrived } = self.lines[idx];
            Line {
                number: idx + 1,
                bytes: &self.bytes[start..offset - 1],
                arrived,
            }
        })
    }

    /// What follows the last newline; empty where the stream ends with one.
    pub fn tail(&self) -> &[u8] {
        &self.bytes[self.lines.last().map_or(0, |line| line.offset)..]
    }

    fn push(&mut self, chunk: &[u8], arrived: Duration) {
        let kept = chunk.len().min(self.limit.0 - self.bytes.len());
        let base = self.bytes.len();
        self.bytes.extend_from_slice(&chunk[..kept]);
        let newlines = chunk[..kept].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        self.lines.extend(newlines.map(|(idx, _)| LineEnd {
            offset: base + idx + 1,
            arrived,
        }));
        self.dropped += (chunk.len() - kept) as u64;
    }

    fn faults(&self, stream: Stream) -> impl Iterator<Item = CaptureFault> {
        let limit = self.limit;
        let exceeded = (self.dropped > 0).then_some(CaptureFault::LimitExceeded {
            stream,
            limit,
            dropped: self.dropped,
        });
        let end = match &self.end {
            StreamEnd::Ended => None,
            StreamEnd::Open => Some(CaptureFault::NotEnded { stream }),
            StreamEnd::Failed(message) => Some(CaptureFault::ReadFailed {
                stream,
                message: message.clone(),
            }),
        };
        exceeded.into_iter().chain(end)
    }
}

/// Both streams.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    pub stdout: StreamRecord,
    pub stderr: StreamRecord,
}

impl Captured {
    /// What keeps this from being the whole output.
    pub fn faults(&self) -> Vec<CaptureFault> {
        self.stdout
            .faults(Stream::Stdout)
            .chain(self.stderr.faults(Stream::Stderr))
            .collect()
    }

    fn record(&mut self, stream: Stream) -> &mut StreamRecord {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    fn has_ended(&self) -> bool {
        [&self.stdout, &self.stderr]
            .iter()
            .all(|record| record.end != StreamEnd::Open)
    }
}

/// How waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The condition holds.
    Met,
    /// It does not, and the time is over.
    TimedOut,
    /// It does not, and both streams have ended.
    Ended,
}

/// The readers of a process's two streams, at work until both have ended.
pub struct Capture {
    shared: Arc<Shared>,
}

struct Shared {
    captured: Mutex<Captured>,
    changed: Condvar,
}

impl Capture {
    /// Starts reading. Arrival times count from `origin`. A reader that cannot be started shows as a stream that failed.
    pub fn start(
        stdout: impl Read + Send + 'static,
        stderr: impl Read + Send + 'static,
        origin: Instant,
        limit: ByteLimit,
    ) -> Self {
        let captured = Captured {
            stdout: StreamRecord::new(limit),
            stderr: StreamRecord::new(limit),
        };
        let shared = Arc::new(Shared {
            captured: Mutex::new(captured),
            changed: Condvar::new(),
        });
        read_in_thread(&shared, Stream::Stdout, stdout, origin);
        read_in_thread(&shared, Stream::Stderr, stderr, origin);
        Self { shared }
    }

    /// Waits until `condition` holds for what has arrived. It is asked whenever something arrives, with the readers held
    /// back meanwhile, so it should look at new lines only.
    pub fn wait_until(&self, mut condition: impl FnMut(&Captured) -> bool, timeout: Duration) -> Waited {
        let deadline = Instant::now() + timeout;
        let mut captured = self.shared.lock();
        loop {
            if condition(&captured) {
                return Waited::Met;
            }
            if captured.has_ended() {
                return Waited::Ended;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Waited::TimedOut;
            }
            let waited = self.shared.changed.wait_timeout(captured, left);
            captured = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits up to `timeout` for the end of both streams and gives out what has arrived. A stream that has not ended by then
    /// is named by [`Captured::faults`].
    pub fn finish(self, timeout: Duration) -> Captured {
        self.wait_until(|_| false, timeout);
        std::mem::take(&mut *self.shared.lock())
    }
}

impl Shared {
    /// A condition that panicked leaves the bytes as whole as they were.
    fn lock(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, stream: Stream, change: impl FnOnce(&mut StreamRecord)) {
        change(self.lock().record(stream));
        self.changed.notify_all();
    }
}

/// The thread is not joined: it ends with its stream, and a stream can be held open by somebody whom nobody knows.
fn read_in_thread(shared: &Arc<Shared>, stream: Stream, from: impl Read + Send + 'static, origin: Instant) {
    let read = {
        let shared = Arc::clone(shared);
        move || read_to_end(&shared, stream, from, origin)
    };
    if let Err(error) = thread::Builder::new().name(format!("capture {stream}")).spawn(read) {
        shared.update(stream, |record| {
            record.end = StreamEnd::Failed(format!("no thread: {error}"))
        });
    }
}

fn read_to_end(shared: &Shared, stream: Stream, mut from: impl Read, origin: Instant) {
    let mut chunk = vec![0; READ_BYTES];
    let end = loop {
        match from.read(&mut chunk) {
            Ok(0) => break StreamEnd::Ended,
            Ok(len) => {
                let arrived = origin.elapsed();
                shared.update(stream, |record| record.push(&chunk[..len], arrived));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break StreamEnd::Failed(error.to_string()),
        }
    };
    shared.update(stream, |record| record.end = end);
}
