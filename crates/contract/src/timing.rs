//! Printing of timing lines: a span per phase, one write per line.
//!
//! A line reads `CUZK_TIMING: synth_ms=12.345 start_ms=0.678 job=J partition=0`, more `key=value` pairs may follow.
//! `start_ms` counts from the process clock's origin. Where the bytes go is decided by the [`TimingSink`] that the program
//! passes in; the clock is passed in as well. Left out: parsing (`cuzk-experiment`).

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::phase::PhaseMarker;

/// Where timing lines go. An implementation writes each line with a single write and flushes it.
pub trait TimingSink: Send + Sync {
    /// `line` ends in a newline and holds no other.
    fn write_line(&self, line: &str);
}

/// Name of a job in timing lines: at most 64 characters of `[A-Za-z0-9._:-]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(String);

impl JobId {
    /// Longest accepted name, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// `None` where the name is empty, too long, or has a character that would break a timing line.
    pub fn new(name: impl Into<String>) -> Option<Self> {
        let name = name.into();
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        let ok = !name.is_empty() && name.len() <= Self::MAX_BYTES && name.bytes().all(valid);
        ok.then_some(Self(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Index of a partition within its job, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartitionIndex(pub u32);

impl fmt::Display for PartitionIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The origin that every `start_ms` counts from: taken once, at the start of the program.
#[derive(Clone, Copy, Debug)]
pub struct ProcessClock {
    origin: Instant,
}

impl ProcessClock {
    pub fn starting_at(origin: Instant) -> Self {
        Self { origin }
    }

    fn since_origin(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.origin)
    }
}

/// The timing lines of one partition of one job.
#[derive(Clone)]
pub struct Timeline {
    clock: ProcessClock,
    sink: Arc<dyn TimingSink>,
    job: JobId,
    partition: PartitionIndex,
}

impl Timeline {
    pub fn new(clock: ProcessClock, sink: Arc<dyn TimingSink>, job: JobId, partition: PartitionIndex) -> Self {
        Self {
            clock,
            sink,
            job,
            partition,
        }
    }

    /// A timeline whose lines go nowhere, for callers that do not measure.
    pub fn silent() -> Self {
        struct Nowhere;
        impl TimingSink for Nowhere {
            fn write_line(&self, _: &str) {}
        }
        let job = JobId("silent".into());
        Self::new(
            ProcessClock::starting_at(Instant::now()),
            Arc::new(Nowhere),
            job,
            PartitionIndex(0),
        )
    }

    pub fn job(&self) -> &JobId {
        &self.job
    }

    pub fn partition(&self) -> PartitionIndex {
        self.partition
    }

    /// Runs `work` and prints its span under `marker`.
    pub fn measure<T>(&self, marker: PhaseMarker, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.print(marker, start, start.elapsed(), &[]);
        result
    }

    /// As [`Timeline::measure`], with counts that are read off the result.
    pub fn measure_counting<T, const N: usize>(
        &self,
        marker: PhaseMarker,
        work: impl FnOnce() -> T,
        counts: impl FnOnce(&T) -> [(&'static str, u64); N],
    ) -> T {
        let start = Instant::now();
        let result = work();
        let span = start.elapsed();
        self.print(marker, start, span, &counts(&result));
        result
    }

    /// Prints a span that the caller has measured, with facts (`key`, `value`) that belong to it.
    ///
    /// Not inlined: the marker reaches this function by address, so its literal stays whole in the caller's crate.
    #[inline(never)]
    pub fn print(&self, marker: PhaseMarker, start: Instant, span: Duration, facts: &[(&str, u64)]) {
        let mut line = String::with_capacity(128);
        line.push_str(marker.literal());
        // Writing to a String cannot fail.
        let _ = write!(
            line,
            "{:.3} start_ms={:.3} job={} partition={}",
            milliseconds(span),
            milliseconds(self.clock.since_origin(start)),
            self.job,
            self.partition,
        );
        for (key, value) in facts {
            let _ = write!(line, " {key}={value}");
        }
        line.push('\n');
        self.sink.write_line(&line);
    }
}

fn milliseconds(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Lines(Mutex<Vec<String>>);
    impl TimingSink for Lines {
        fn write_line(&self, line: &str) {
            self.0.lock().unwrap().push(line.to_owned());
        }
    }

    #[test]
    fn a_line_has_the_documented_form() {
        let origin = Instant::now();
        let lines = Arc::new(Lines::default());
        let job = JobId::new("job-1").unwrap();
        let timeline = Timeline::new(ProcessClock::starting_at(origin), lines.clone(), job, PartitionIndex(3));
        timeline.print(
            phase::SYNTH,
            origin + Duration::from_micros(1500),
            Duration::from_micros(12_345),
            &[("constraints", 7)],
        );
        let expected = "CUZK_TIMING: synth_ms=12.345 start_ms=1.500 job=job-1 partition=3 constraints=7\n";
        assert_eq!(*lines.0.lock().unwrap(), [expected]);
    }

    #[test]
    fn job_names_that_would_break_a_line_are_refused() {
        for name in ["", "a b", "a=b\n", "ä", &"x".repeat(65)] {
            assert_eq!(JobId::new(name), None, "{name:?}");
        }
        assert!(JobId::new("porep-1000-42").is_some());
    }
}
