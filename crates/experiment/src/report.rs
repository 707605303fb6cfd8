//! The result of a measurement as data, for `--json` and for the record of a run.
//!
//! Times are in milliseconds with the microsecond as smallest step, shares are of 1. A field is added without a new version;
//! a field that changes its meaning or goes makes one.

use std::time::Duration;

use serde::Serialize;

use crate::capture::Stream;
use crate::fault::Fault;
use crate::overlap::Overlap;
use crate::phases::{InvalidMeasurement, Measurement, Note, PhaseTable, Seen};
use cuzk_contract::phase::Accounting;

/// Version of [`MeasurementReport`] and what it holds.
pub const SCHEMA_VERSION: u32 = 1;

/// A measurement, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasurementReport {
    pub schema_version: u32,
    pub valid: bool,
    /// Empty where the measurement is not valid.
    pub partitions: Vec<PartitionReport>,
    pub notes: Vec<NoteReport>,
    /// Empty where the measurement is valid.
    pub faults: Vec<FaultReport>,
}

/// One partition of one job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartitionReport {
    pub job: String,
    pub partition: u32,
    /// Since the start of the process.
    pub total_start_ms: f64,
    pub total_ms: f64,
    pub accounted_ms: f64,
    pub unaccounted_ms: f64,
    pub unaccounted_share: f64,
    /// In the order in which they began.
    pub phases: Vec<PhaseReport>,
}

/// One phase of a partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseReport {
    pub key: String,
    pub title: String,
    /// Since the start of the process.
    pub start_ms: f64,
    pub duration_ms: f64,
    /// `null` for what is not part of the total. Phases may overlap, so shares may add up to more than 1.
    pub share_of_total: Option<f64>,
    /// Line of standard error, from 1.
    pub line: usize,
}

/// A remark that the measured program made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteReport {
    pub line: usize,
    pub text: String,
}

/// One reason why there is no measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultReport {
    pub code: String,
    pub message: String,
    /// Where it shows, if it shows in a line.
    pub place: Option<PlaceReport>,
}

/// A line that shows a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceReport {
    pub stream: Stream,
    pub line: usize,
    pub raw: String,
}

/// How far two jobs ran side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OverlapReport {
    pub synthesis_of_later_ms: f64,
    pub proving_of_earlier_ms: f64,
    pub common_ms: f64,
    pub share_of_shorter: f64,
    pub is_half_of_shorter: bool,
}

impl MeasurementReport {
    pub fn of(result: &Result<Measurement, InvalidMeasurement>) -> Self {
        result.as_ref().map_or_else(Self::invalid, Self::valid)
    }

    pub fn valid(measurement: &Measurement) -> Self {
        let partitions = measurement.partitions.iter().map(PartitionReport::from).collect();
        let notes = measurement.notes.iter().map(NoteReport::from).collect();
        Self {
            schema_version: SCHEMA_VERSION,
            valid: true,
            partitions,
            notes,
            faults: Vec::new(),
        }
    }

    pub fn invalid(invalid: &InvalidMeasurement) -> Self {
        let faults = invalid.faults.iter().map(FaultReport::from).collect();
        let (partitions, notes) = (Vec::new(), Vec::new());
        Self {
            schema_version: SCHEMA_VERSION,
            valid: false,
            partitions,
            notes,
            faults,
        }
    }
}

impl From<&PhaseTable> for PartitionReport {
    fn from(table: &PhaseTable) -> Self {
        let total = table.total().length;
        let inside = table
            .seen()
            .iter()
            .filter(|seen| seen.phase.accounting != Accounting::Total);
        let mut phases: Vec<_> = inside.map(|seen| PhaseReport::new(seen, total)).collect();
        phases.sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms));
        Self {
            job: table.of.job.to_string(),
            partition: table.of.partition.0,
            total_start_ms: milliseconds(table.total().start),
            total_ms: milliseconds(total),
            accounted_ms: milliseconds(table.accounted()),
            unaccounted_ms: milliseconds(table.unaccounted()),
            unaccounted_share: share(table.unaccounted(), total),
            phases,
        }
    }
}

impl PhaseReport {
    fn new(seen: &Seen, total: Duration) -> Self {
        let phase = seen.phase;
        Self {
            key: phase.marker.key().to_owned(),
            title: phase.title.to_owned(),
            start_ms: milliseconds(seen.span.start),
            duration_ms: milliseconds(seen.span.length),
            share_of_total: (phase.accounting == Accounting::Part).then(|| share(seen.span.length, total)),
            line: seen.line,
        }
    }
}

impl From<&Note> for NoteReport {
    fn from(note: &Note) -> Self {
        Self {
            line: note.line,
            text: note.text.clone(),
        }
    }
}

impl From<&Fault> for FaultReport {
    fn from(fault: &Fault) -> Self {
        let place = fault.place().map(|(stream, line)| PlaceReport {
            stream,
            line: line.number,
            raw: line.text.clone(),
        });
        Self {
            code: fault.code().to_owned(),
            message: fault.to_string(),
            place,
        }
    }
}

impl From<&Overlap> for OverlapReport {
    fn from(overlap: &Overlap) -> Self {
        Self {
            synthesis_of_later_ms: milliseconds(overlap.synthesis),
            proving_of_earlier_ms: milliseconds(overlap.proving),
            common_ms: milliseconds(overlap.common),
            share_of_shorter: share(overlap.common, overlap.shorter()),
            is_half_of_shorter: overlap.is_half_of_shorter(),
        }
    }
}

/// Exact for every time below some thousand years.
fn milliseconds(span: Duration) -> f64 {
    span.as_micros() as f64 / 1e3
}

/// Of an empty whole, nothing.
fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() {
        0.0
    } else {
        part.as_secs_f64() / whole.as_secs_f64()
    }
}
