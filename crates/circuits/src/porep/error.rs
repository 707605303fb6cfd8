//! Why a sector's vanilla proofs cannot be turned into circuits.
use thiserror::Error;

use super::PorepKind;

/// Why the vanilla proofs of a sector are refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PorepError {
    #[error("{kind} has {expected} partitions, actual {actual} (hint: is the sector of another size?)")]
    PartitionCount {
        kind: PorepKind,
        expected: usize,
        actual: usize,
    },
    #[error("partition {partition} of {kind} has {expected} challenges, actual {actual}")]
    ChallengeCount {
        kind: PorepKind,
        partition: usize,
        expected: usize,
        actual: usize,
    },
    #[error("vanilla proofs of {kind} are not true (hint: do replica id, seed, comm_d and comm_r belong to them?)")]
    Vanilla { kind: PorepKind },
    #[error("challenge {challenge} of partition {partition}: the path from its node to {tree} does not lead there")]
    Inclusion {
        partition: usize,
        challenge: usize,
        tree: &'static str,
    },
    #[error(
        "challenge {challenge} of partition {partition}: its label in layer {layer} does not follow from its parents' labels"
    )]
    Label {
        partition: usize,
        challenge: usize,
        layer: usize,
    },
    #[error("vanilla proofs are refused by StackedDrg: {reason}")]
    Refused { reason: String },
}

pub(crate) fn refused(error: impl std::fmt::Display) -> PorepError {
    PorepError::Refused {
        reason: error.to_string(),
    }
}
