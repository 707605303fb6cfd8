//! How far two jobs ran side by side: synthesis of the later one beside proving of the earlier one.
//!
//! Left out: why they did not. This only reads the spans of a valid measurement.

use std::time::Duration;

use cuzk_contract::JobId;
use cuzk_contract::phase::{self, Accounting, Phase};

use crate::phases::Measurement;
use crate::span::SpanSet;

/// The stages of two jobs and the time that they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Synthesis of the later job.
    pub synthesis: Duration,
    /// Proving of the earlier job: every part of its total but synthesis, loading and waiting.
    pub proving: Duration,
    /// Time in which both ran.
    pub common: Duration,
}

impl Overlap {
    /// Of two jobs in either order: the earlier one is the one whose synthesis began first. `None` where the measurement
    /// does not have both.
    pub fn between(measurement: &Measurement, one: &JobId, other: &JobId) -> Option<Self> {
        let one_is_earlier = synthesis(measurement, one)?.start() <= synthesis(measurement, other)?.start();
        let (earlier, later) = if one_is_earlier { (one, other) } else { (other, one) };
        let proving = stage(measurement, earlier, is_proving)?;
        let synthesis = synthesis(measurement, later)?;
        let common = proving.intersection(&synthesis).length();
        Some(Self {
            synthesis: synthesis.length(),
            proving: proving.length(),
            common,
        })
    }

    /// Of the stage that can overlap at most for its whole length.
    pub fn shorter(&self) -> Duration {
        self.synthesis.min(self.proving)
    }

    /// Whether at least half of the shorter stage ran beside the other. Two stages of which one is empty do not overlap.
    pub fn is_half_of_shorter(&self) -> bool {
        !self.shorter().is_zero() && self.common.saturating_mul(2) >= self.shorter()
    }
}

fn synthesis(measurement: &Measurement, job: &JobId) -> Option<SpanSet> {
    stage(measurement, job, |phase| phase.marker == phase::SYNTH)
}

fn is_proving(phase: &Phase) -> bool {
    let before_proving = [phase::SYNTH, phase::BACKEND_WAIT, phase::SRS_LOAD];
    phase.accounting == Accounting::Part && !before_proving.contains(&phase.marker)
}

fn stage(measurement: &Measurement, job: &JobId, belongs: impl Fn(&Phase) -> bool) -> Option<SpanSet> {
    let mut tables = measurement
        .partitions
        .iter()
        .filter(|table| table.of.job == *job)
        .peekable();
    tables.peek()?;
    let seen = tables.flat_map(|table| table.seen());
    Some(seen.filter(|seen| belongs(seen.phase)).map(|seen| seen.span).collect())
}
