//! Everything that makes a measurement invalid, each with the place where it shows.
//!
//! Left out: what to do about it. Any one of them is enough to report no figure.

use std::fmt;
use std::time::Duration;

use cuzk_contract::{JobId, PartitionIndex};

use crate::capture::{CaptureFault, Line, Stream};
use crate::phases::MAX_UNACCOUNTED_PERCENT;
use crate::timing::LineFault;

/// How much of a raw line a fault repeats. The whole line is in the captured bytes.
const MAX_RAW_CHARS: usize = 400;

/// A line as it was captured, for a person to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLine {
    /// From 1; of the tail after the last newline, the number it would have had.
    pub number: usize,
    /// What is not UTF-8 is replaced; cut after some hundred characters.
    pub text: String,
}

impl RawLine {
    pub fn new(number: usize, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self {
            number,
            text: text.chars().take(MAX_RAW_CHARS).collect(),
        }
    }
}

impl From<Line<'_>> for RawLine {
    fn from(line: Line<'_>) -> Self {
        Self::new(line.number, line.bytes)
    }
}

impl fmt::Display for RawLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.number, self.text)
    }
}

/// One partition of one job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionId {
    pub job: JobId,
    pub partition: PartitionIndex,
}

impl fmt::Display for PartitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job {} partition {}", self.job, self.partition)
    }
}

/// Why a phase of the catalogue should not have been printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unexpected {
    /// The catalogue says that nothing prints it yet.
    NotYet,
    /// What prints it is not part of this run.
    ForeignPrinter(&'static str),
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotYet => f.write_str("no backend prints it yet"),
            Self::ForeignPrinter(package) => write!(f, "{package} prints it, which is not part of this run"),
        }
    }
}

/// One reason why a run gives no measurement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    #[error("{0}")]
    Capture(CaptureFault),

    #[error("stderr line {line}: {fault}")]
    Line { line: RawLine, fault: LineFault },

    #[error("stdout line {line}: a timing line belongs on stderr")]
    OnStdout { line: RawLine },

    #[error("{stream} line {line}: it has no end (hint: was the process killed while it wrote?)")]
    UnterminatedTail { stream: Stream, line: RawLine },

    #[error("stderr line {line}: `{key}` of {of} is there already, in line {first}")]
    Duplicate {
        of: PartitionId,
        key: &'static str,
        line: RawLine,
        first: usize,
    },

    #[error("stderr line {line}: phase `{key}` is not expected: {why}")]
    UnexpectedPhase {
        key: &'static str,
        why: Unexpected,
        line: RawLine,
    },

    #[error("stderr line {line}: no proof was expected from {of}")]
    UnexpectedPartition { of: PartitionId, line: RawLine },

    #[error("`{key}` of {of} is missing")]
    Missing { of: PartitionId, key: &'static str },

    #[error("`{key}` of {of} took 0.000 ms: a phase that was not done is absent")]
    EmptyPhase { of: PartitionId, key: &'static str },

    #[error("`{key}` of {of} reaches out of the total that it is part of")]
    OutsideTotal { of: PartitionId, key: &'static str },

    #[error("the total of {of} is 0.000 ms, of which no share can be told")]
    EmptyTotal { of: PartitionId },

    #[error(
        "{:.3} ms of the total of {of}, {:.3} ms, belong to no phase: {:.1} % where {MAX_UNACCOUNTED_PERCENT} % are allowed \
         (hint: some work has no timing line)",
        milliseconds(*.unaccounted), milliseconds(*.total), 100.0 * unaccounted.as_secs_f64() / total.as_secs_f64()
    )]
    Unaccounted {
        of: PartitionId,
        total: Duration,
        unaccounted: Duration,
    },

    #[error("nothing was expected: a run without jobs or phases measures nothing")]
    NothingExpected,
}

impl Fault {
    /// A name that stays the same when the message changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Capture(CaptureFault::LimitExceeded { .. }) => "limit-exceeded",
            Self::Capture(CaptureFault::ReadFailed { .. }) => "read-failed",
            Self::Capture(CaptureFault::NotEnded { .. }) => "stream-not-ended",
            Self::Line { fault, .. } => line_code(fault),
            Self::OnStdout { .. } => "on-stdout",
            Self::UnterminatedTail { .. } => "unterminated-tail",
            Self::Duplicate { .. } => "duplicate-phase",
            Self::UnexpectedPhase { .. } => "unexpected-phase",
            Self::UnexpectedPartition { .. } => "unexpected-partition",
            Self::Missing { .. } => "missing-phase",
            Self::EmptyPhase { .. } => "empty-phase",
            Self::OutsideTotal { .. } => "outside-total",
            Self::EmptyTotal { .. } => "empty-total",
            Self::Unaccounted { .. } => "unaccounted",
            Self::NothingExpected => "nothing-expected",
        }
    }

    /// The stream and line where it shows, if it shows in one.
    pub fn place(&self) -> Option<(Stream, &RawLine)> {
        match self {
            Self::Line { line, .. }
            | Self::Duplicate { line, .. }
            | Self::UnexpectedPhase { line, .. }
            | Self::UnexpectedPartition { line, .. } => Some((Stream::Stderr, line)),
            Self::OnStdout { line } => Some((Stream::Stdout, line)),
            Self::UnterminatedTail { stream, line } => Some((*stream, line)),
            Self::Capture(_)
            | Self::Missing { .. }
            | Self::EmptyPhase { .. }
            | Self::OutsideTotal { .. }
            | Self::EmptyTotal { .. } => None,
            Self::Unaccounted { .. } | Self::NothingExpected => None,
        }
    }
}

fn line_code(fault: &LineFault) -> &'static str {
    match fault {
        LineFault::Torn(_) => "torn-line",
        LineFault::NotUtf8 { .. } => "not-utf8",
        LineFault::UnknownPhase { .. } => "unknown-phase",
        LineFault::MalformedPair { .. }
        | LineFault::RepeatedKey { .. }
        | LineFault::NoPhase
        | LineFault::SeveralPhases { .. }
        | LineFault::Missing { .. }
        | LineFault::BadTime { .. }
        | LineFault::BadJob { .. }
        | LineFault::BadPartition { .. } => "malformed-line",
    }
}

fn milliseconds(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}
