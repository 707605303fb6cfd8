//! Synthesis of several sectors' partitions in one call: the multi-sector call site of the prover.
use std::ops::Range;

use cuzk_groth16::{ProvingAssignment, SynthesisCapacityHint, SynthesisFailure, synthesize_circuits_batch_with_hint};
use thiserror::Error;

use super::circuit::PorepCircuit;
use super::{PorepKind, SealedSector};

/// Partitions of each sector, counted from 0. An assignment of `porep-32g` takes 16.7 GB: a caller takes as many at once as
/// its memory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionRange(pub Range<usize>);

impl PartitionRange {
    /// Every partition of `kind`.
    pub fn all(kind: PorepKind) -> Self {
        Self(0..kind.partitions())
    }
}

/// Why a batch could not be synthesised.
#[derive(Debug, Error)]
pub enum BatchError {
    #[error("sector {position} of the batch is for {actual}, the first one for {expected}")]
    MixedKinds {
        /// Counted from 1.
        position: usize,
        expected: PorepKind,
        actual: PorepKind,
    },
    #[error("partitions {} to {} were asked for, {kind} has {}", range.start, range.end, kind.partitions())]
    Partitions { kind: PorepKind, range: Range<usize> },
    #[error(transparent)]
    Synthesis(#[from] SynthesisFailure),
}

/// Runs the chosen partitions of every sector, in parallel, with vectors of the hinted size.
///
/// The result has one entry per sector, and in it one assignment per chosen partition, in order.
///
/// # Errors
/// Sectors of different kinds, which share neither parameters nor a hint; partitions that the kind does not have; a circuit
/// that cannot be run.
pub fn synthesize_porep_c2_batch(
    sectors: &[SealedSector],
    partitions: PartitionRange,
    hint: SynthesisCapacityHint,
) -> Result<Vec<Vec<ProvingAssignment>>, BatchError> {
    let PartitionRange(range) = partitions;
    check(sectors, &range)?;
    let circuits = sectors
        .iter()
        .flat_map(|sector| {
            let partitions = range.clone();
            partitions.map(|partition| PorepCircuit::new(sector.clone(), partition))
        })
        .collect();
    let mut assignments = synthesize_circuits_batch_with_hint::<PorepCircuit>(circuits, hint)?.into_iter();
    let by_sector = |_| assignments.by_ref().take(range.len()).collect();
    Ok(sectors.iter().map(by_sector).collect())
}

fn check(sectors: &[SealedSector], range: &Range<usize>) -> Result<(), BatchError> {
    let Some(first) = sectors.first() else { return Ok(()) };
    let kind = first.kind();
    if range.end > kind.partitions() {
        let range = range.clone();
        return Err(BatchError::Partitions { kind, range });
    }
    match sectors.iter().position(|sector| sector.kind() != kind) {
        Some(index) => Err(BatchError::MixedKinds {
            position: index + 1,
            expected: kind,
            actual: sectors[index].kind(),
        }),
        None => Ok(()),
    }
}
