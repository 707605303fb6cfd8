//! Why a request cannot be proved, and where in the vanilla proof the reason lies.
//!
//! Left out: how a service reports it; the message is complete by itself.
use std::fmt;

use thiserror::Error;

use super::{CHALLENGES, WIRE_BYTES};

/// Why a WinningPoSt request is refused. Every reason is the sender's to mend.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RequestError {
    #[error("miner id {actual} is 2^63 or more (hint: an ID address holds 63 bits)")]
    MinerId { actual: u64 },
    #[error("randomness of {actual} bytes, expected 32")]
    RandomnessLength { actual: usize },
    #[error("{actual} vanilla proofs, expected 1 (hint: a WinningPoSt proof is about one sector)")]
    VanillaProofCount { actual: usize },
    #[error(
        "vanilla proof ends inside {place}: expected {WIRE_BYTES} bytes, actual {actual} {}",
        HINT
    )]
    Truncated { place: Place, actual: usize },
    #[error(
        "vanilla proof goes on after its end: expected {WIRE_BYTES} bytes, actual {actual} {}",
        HINT
    )]
    TrailingBytes { actual: usize },
    #[error("vanilla proof has the wrong {place}: expected {expected}, actual {actual} {}", HINT)]
    Number { place: Place, expected: u64, actual: u64 },
    #[error("vanilla proof has a {place} of {actual}, expected less than 8")]
    PathIndex { place: Place, actual: u64 },
    #[error(
        "vanilla proof has a {place} that is not a canonical field element (hint: the number must be below the order of the scalar field, little-endian)"
    )]
    NotCanonical { place: Place },
    #[error(
        "vanilla proof passed the layout check and was refused by the decoder: {reason} (hint: a defect of this program, please report it)"
    )]
    Codec { reason: String },
    #[error("root of inclusion proof {proof} is not comm_r_last of its sector")]
    Root { proof: usize },
    #[error("hash of comm_c and comm_r_last is not comm_r")]
    CommR,
    #[error(
        "inclusion proof {proof} is for leaf {actual}, challenged was leaf {expected} (hint: randomness and sector id decide the challenges; were they those of this proof?)"
    )]
    Challenge { proof: usize, expected: u64, actual: u64 },
    #[error("inclusion proof {proof} does not lead from its leaf to its root")]
    Inclusion { proof: usize },
    #[error("vanilla proof is refused by the FallbackPoSt verifier: {reason}")]
    Vanilla { reason: String },
}

const HINT: HintText = HintText;

/// Printed from one place, so that all layout errors end alike.
struct HintText;

impl fmt::Display for HintText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "(hint: bincode form of one FallbackPoStSectorProof of a 32 GiB sector with {CHALLENGES} challenges is expected)"
        )
    }
}

/// A field of the vanilla proof, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    SectorId,
    CommR,
    SectorCount,
    InclusionProofCount,
    TreeKind {
        proof: usize,
    },
    BasePathLength {
        proof: usize,
    },
    SubPathLength {
        proof: usize,
    },
    SiblingCount {
        proof: usize,
        level: usize,
    },
    Sibling {
        proof: usize,
        level: usize,
        position: usize,
    },
    PathIndex {
        proof: usize,
        level: usize,
    },
    Root {
        proof: usize,
    },
    Leaf {
        proof: usize,
    },
    CommC,
    CommRLast,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SectorId => f.write_str("sector id"),
            Self::CommR => f.write_str("comm_r"),
            Self::SectorCount => f.write_str("number of sectors"),
            Self::InclusionProofCount => f.write_str("number of inclusion proofs"),
            Self::TreeKind { proof } => write!(f, "tree kind of inclusion proof {proof} (0 single, 1 sub, 2 top)"),
            Self::BasePathLength { proof } => write!(f, "base path length of inclusion proof {proof}"),
            Self::SubPathLength { proof } => write!(f, "sub path length of inclusion proof {proof}"),
            Self::SiblingCount { proof, level } => {
                write!(f, "number of siblings at level {level} of inclusion proof {proof}")
            }
            Self::Sibling { proof, level, position } => {
                write!(f, "sibling {position} at level {level} of inclusion proof {proof}")
            }
            Self::PathIndex { proof, level } => write!(f, "path index at level {level} of inclusion proof {proof}"),
            Self::Root { proof } => write!(f, "root of inclusion proof {proof}"),
            Self::Leaf { proof } => write!(f, "leaf of inclusion proof {proof}"),
            Self::CommC => f.write_str("comm_c"),
            Self::CommRLast => f.write_str("comm_r_last"),
        }
    }
}
