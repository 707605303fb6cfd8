//! The timing lines of a run put together: what every proof must show, where its time went, and every fault.
//!
//! The phases of one partition may overlap each other, so the time that is accounted for is their union, clipped to the
//! total. What the union leaves over belongs to no phase; more than [`MAX_UNACCOUNTED_PERCENT`] of it means that something runs
//! which is not timed, and then the phases do not say where the time goes.
//!
//! Left out: reading a line (`timing`), comparing runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cuzk_contract::phase::{Accounting, PHASES, Phase, Presence};
use cuzk_contract::{JobId, PartitionIndex, PhaseMarker};

use crate::capture::{Captured, Line, Stream, StreamRecord};
use crate::fault::{Fault, PartitionId, RawLine, Unexpected};
use crate::span::{Span, SpanSet};
use crate::timing::{TimedPhase, TimingLine, parse_line};

#[cfg(test)]
mod tests;

/// How much of a total may belong to no phase, in percent.
pub const MAX_UNACCOUNTED_PERCENT: u32 = 3;

/// Less than this is no fault, however short the total: handing a job from one thread to another takes part of a millisecond
/// on a busy machine, which is more than 3 % of a proof of a few milliseconds.
pub const UNACCOUNTED_FLOOR: Duration = Duration::from_millis(1);

/// Start and length of a span are both rounded to a microsecond.
const ROUNDING: Duration = Duration::from_micros(2);

/// What a run has to show, no more and no less.
#[derive(Clone, Debug)]
pub struct Expectation {
    printers: BTreeSet<String>,
    partitions: BTreeSet<PartitionId>,
}

impl Expectation {
    /// `printers`: the packages with print sites that are part of the run, as the catalogue names them, for instance
    /// `cuzk-engine`, `cuzk-groth16` and the one backend in use.
    pub fn new(printers: &[&str]) -> Self {
        let printers = printers.iter().map(|printer| (*printer).to_owned()).collect();
        Self {
            printers,
            partitions: BTreeSet::new(),
        }
    }

    /// One more job; its partitions are counted from 0.
    #[must_use]
    pub fn with_job(mut self, job: JobId, n_partitions: u32) -> Self {
        let ids = (0..n_partitions).map(|idx| PartitionId {
            job: job.clone(),
            partition: PartitionIndex(idx),
        });
        self.partitions.extend(ids);
        self
    }

    /// A condition for [`crate::Capture::wait_until`]: every required phase of every partition has arrived. It reads each
    /// line once.
    pub fn arrivals(&self) -> impl FnMut(&Captured) -> bool + use<> {
        let mut awaited: BTreeSet<_> = self.required().map(|(of, phase)| (of, phase.marker.key())).collect();
        let mut n_seen = 0;
        move |captured| {
            let lines = captured.stderr.lines_from(n_seen);
            n_seen += lines.len();
            for line in lines {
                if let Ok(TimingLine::Timed(TimedPhase {
                    phase, job, partition, ..
                })) = parse_line(line.bytes)
                {
                    awaited.remove(&(PartitionId { job, partition }, phase.marker.key()));
                }
            }
            awaited.is_empty()
        }
    }

    /// Phases that every proof shows.
    fn required(&self) -> impl Iterator<Item = (PartitionId, &'static Phase)> {
        self.promised()
            .filter(|(_, phase)| phase.presence == Presence::EveryProof)
    }

    /// Phases that every proof shows, unless a count of the proof says that there was nothing to do.
    fn promised(&self) -> impl Iterator<Item = (PartitionId, &'static Phase)> {
        let is_promised = |phase: &&Phase| matches!(phase.presence, Presence::EveryProof | Presence::WhenCounted(_));
        let phases: Vec<_> = PHASES
            .iter()
            .filter(|phase| is_promised(phase) && self.printers.contains(phase.printed_by))
            .collect();
        self.partitions
            .iter()
            .flat_map(move |of| phases.clone().into_iter().map(move |phase| (of.clone(), phase)))
    }

    /// Why `phase` should not be seen, if it should not.
    fn refuses(&self, phase: &Phase) -> Option<Unexpected> {
        if phase.presence == Presence::NotYet {
            return Some(Unexpected::NotYet);
        }
        (!self.printers.contains(phase.printed_by)).then_some(Unexpected::ForeignPrinter(phase.printed_by))
    }
}

/// A phase that was seen, with the line that told it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub phase: &'static Phase,
    pub span: Span,
    /// Line of standard error, from 1.
    pub line: usize,
}

/// The phases of one partition of one job, in the order of the catalogue.
#[derive(Clone, Debug)]
pub struct PhaseTable {
    pub of: PartitionId,
    seen: Vec<Seen>,
    total: Span,
    accounted: Duration,
}

impl PhaseTable {
    /// `None` without a total.
    fn new(of: PartitionId, seen: BTreeMap<&'static str, Seen>) -> Option<Self> {
        let seen: Vec<_> = PHASES
            .iter()
            .filter_map(|phase| seen.get(phase.marker.key()).copied())
            .collect();
        let total = seen
            .iter()
            .find(|seen| seen.phase.accounting == Accounting::Total)?
            .span;
        let parts = seen
            .iter()
            .filter(|seen| seen.phase.accounting == Accounting::Part)
            .map(|seen| seen.span);
        let accounted = parts
            .collect::<SpanSet>()
            .intersection(&[total].into_iter().collect())
            .length();
        Some(Self {
            of,
            seen,
            total,
            accounted,
        })
    }

    /// Every phase that was seen, the total among them.
    pub fn seen(&self) -> &[Seen] {
        &self.seen
    }

    pub fn span(&self, marker: PhaseMarker) -> Option<Span> {
        self.seen
            .iter()
            .find(|seen| seen.phase.marker == marker)
            .map(|seen| seen.span)
    }

    /// From the start of synthesis to the verified proof.
    pub fn total(&self) -> Span {
        self.total
    }

    /// Time of the total in which at least one phase ran.
    pub fn accounted(&self) -> Duration {
        self.accounted
    }

    /// Time of the total that belongs to no phase.
    pub fn unaccounted(&self) -> Duration {
        self.total.length - self.accounted
    }

    /// Parts that cannot be: nothing was done in them, or they reach out of the total that they are part of.
    fn impossible_spans(&self) -> impl Iterator<Item = Fault> + '_ {
        let (start, end) = (self.total.start, self.total.start + self.total.length);
        let is_part = |seen: &&Seen| !self.total.length.is_zero() && seen.phase.accounting == Accounting::Part;
        let parts = self.seen.iter().filter(is_part);
        parts.filter_map(move |seen| {
            let (of, key, span) = (self.of.clone(), seen.phase.marker.key(), seen.span);
            if span.length.is_zero() {
                return Some(Fault::EmptyPhase { of, key });
            }
            let is_outside = span.start + ROUNDING < start || span.start + span.length > end + ROUNDING;
            is_outside.then_some(Fault::OutsideTotal { of, key })
        })
    }

    fn fault(&self) -> Option<Fault> {
        let (of, total, unaccounted) = (self.of.clone(), self.total.length, self.unaccounted());
        if total.is_zero() {
            return Some(Fault::EmptyTotal { of });
        }
        let is_too_much = unaccounted.as_micros() * 100 > total.as_micros() * u128::from(MAX_UNACCOUNTED_PERCENT);
        (is_too_much && unaccounted > UNACCOUNTED_FLOOR).then_some(Fault::Unaccounted { of, total, unaccounted })
    }
}

/// A note of the measured program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Line of standard error, from 1.
    pub line: usize,
    pub text: String,
}

/// A valid measurement: everything expected is there once, and nothing else.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Sorted by job and partition; never empty.
    pub partitions: Vec<PhaseTable>,
    pub notes: Vec<Note>,
}

/// No measurement, and why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the measurement is not valid: {} {}", .faults.len(), if .faults.len() == 1 { "fault" } else { "faults" })]
pub struct InvalidMeasurement {
    /// At least one.
    pub faults: Vec<Fault>,
}

/// Judges a finished run.
///
/// # Errors
/// Every fault that was found; a run with a fault has no figures.
pub fn measure(captured: &Captured, expectation: &Expectation) -> Result<Measurement, InvalidMeasurement> {
    let mut run = Run::new(expectation);
    run.faults.extend(captured.faults().into_iter().map(Fault::Capture));
    captured.stderr.lines().for_each(|line| run.read(line));
    run.faults.extend(stdout_faults(&captured.stdout));
    run.faults.extend(tail_fault(&captured.stderr));
    run.finish()
}

/// A run as it is read.
struct Run<'a> {
    expectation: &'a Expectation,
    seen: BTreeMap<PartitionId, BTreeMap<&'static str, Seen>>,
    counts: BTreeMap<(PartitionId, String), u64>,
    notes: Vec<Note>,
    faults: Vec<Fault>,
}

impl<'a> Run<'a> {
    fn new(expectation: &'a Expectation) -> Self {
        Self {
            expectation,
            seen: BTreeMap::new(),
            counts: BTreeMap::new(),
            notes: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn read(&mut self, line: Line<'_>) {
        match parse_line(line.bytes) {
            Ok(TimingLine::Other) => {}
            Ok(TimingLine::Note(text)) => self.notes.push(Note {
                line: line.number,
                text: text.to_owned(),
            }),
            Ok(TimingLine::Timed(timed)) => {
                if let Err(fault) = self.place(timed, line) {
                    self.faults.push(fault);
                }
            }
            Err(fault) => self.faults.push(Fault::Line {
                line: line.into(),
                fault,
            }),
        }
    }

    fn place(&mut self, timed: TimedPhase, line: Line<'_>) -> Result<(), Fault> {
        let TimedPhase {
            phase,
            span,
            job,
            partition,
            counts,
        } = timed;
        let (of, key) = (PartitionId { job, partition }, phase.marker.key());
        if let Some(why) = self.expectation.refuses(phase) {
            return Err(Fault::UnexpectedPhase {
                key,
                why,
                line: line.into(),
            });
        }
        if !self.expectation.partitions.contains(&of) {
            return Err(Fault::UnexpectedPartition { of, line: line.into() });
        }
        let seen = self.seen.entry(of.clone()).or_default();
        if let Some(first) = seen.get(key) {
            return Err(Fault::Duplicate {
                of,
                key,
                line: line.into(),
                first: first.line,
            });
        }
        self.counts
            .extend(counts.into_iter().map(|(name, count)| ((of.clone(), name), count)));
        seen.insert(
            key,
            Seen {
                phase,
                span,
                line: line.number,
            },
        );
        Ok(())
    }

    fn finish(mut self) -> Result<Measurement, InvalidMeasurement> {
        let mut n_required = 0;
        for (of, phase) in self.expectation.promised() {
            n_required += 1;
            if let Presence::WhenCounted(name) = phase.presence
                && self.counts.get(&(of.clone(), name.to_owned())) == Some(&0)
            {
                continue;
            }
            let key = phase.marker.key();
            if !self.seen.get(&of).is_some_and(|seen| seen.contains_key(key)) {
                self.faults.push(Fault::Missing { of, key });
            }
        }
        if n_required == 0 {
            self.faults.push(Fault::NothingExpected);
        }
        let tables = self.seen.into_iter().filter_map(|(of, seen)| PhaseTable::new(of, seen));
        let partitions: Vec<_> = tables.collect();
        self.faults.extend(partitions.iter().filter_map(PhaseTable::fault));
        self.faults
            .extend(partitions.iter().flat_map(PhaseTable::impossible_spans));
        if self.faults.is_empty() {
            Ok(Measurement {
                partitions,
                notes: self.notes,
            })
        } else {
            Err(InvalidMeasurement { faults: self.faults })
        }
    }
}

/// Standard output belongs to others; a timing line there is in the wrong place, where a C library buffers it.
fn stdout_faults(stdout: &StreamRecord) -> Vec<Fault> {
    let is_timing = |bytes: &[u8]| !matches!(parse_line(bytes), Ok(TimingLine::Other));
    let lines = stdout
        .lines()
        .filter(|line| is_timing(line.bytes))
        .map(|line| Fault::OnStdout { line: line.into() });
    let tail = Some(stdout.tail()).filter(|tail| is_timing(tail)).map(|tail| {
        let line = RawLine::new(stdout.lines().len() + 1, tail);
        Fault::UnterminatedTail {
            stream: Stream::Stdout,
            line,
        }
    });
    lines.chain(tail).collect()
}

/// Whatever an unfinished line of standard error was going to be.
fn tail_fault(stderr: &StreamRecord) -> Option<Fault> {
    let tail = stderr.tail();
    let line = RawLine::new(stderr.lines().len() + 1, tail);
    (!tail.is_empty()).then_some(Fault::UnterminatedTail {
        stream: Stream::Stderr,
        line,
    })
}
