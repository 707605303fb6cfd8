//! What a proof kind's circuit is, without running it where that is known: digest and shape.
//!
//! Recording `winning-32g` takes a second or two, and its digest is asked for at every start of every program. It is pinned
//! here and held against the recorder by a test; the bench circuits are recorded when asked.

use std::str::FromStr as _;

use cuzk_groth16::r1cs::{CircuitDigest, RecordError, RecordedCircuit, Shape};

use crate::kind::ProofKind;
use crate::task::record;

/// Digest and shape of a circuit: what its parameters are keyed by and must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitIdentity {
    pub digest: CircuitDigest,
    pub shape: Shape,
}

impl CircuitIdentity {
    pub fn of(circuit: &RecordedCircuit) -> Self {
        Self {
            digest: circuit.digest(),
            shape: circuit.shape(),
        }
    }
}

/// WinningPoSt of storage-proofs-post 19.1 with 32 GiB sectors and 66 challenges.
const WINNING_32G_DIGEST: &str = "88940f5447a1c5ec086b21a4492b0cced14fee61459bd231c3ac7977b42e7673";
const WINNING_32G_SHAPE: Shape = Shape {
    inputs: 133,
    aux: 375_210,
    constraints: 370_590,
};

/// The identity of the circuit of `kind`.
///
/// # Errors
/// Those of the recorder, where the kind is not pinned.
pub fn identity(kind: &ProofKind) -> Result<CircuitIdentity, RecordError> {
    match pinned(kind) {
        Some(identity) => Ok(identity),
        None => Ok(CircuitIdentity::of(&record(kind)?)),
    }
}

fn pinned(kind: &ProofKind) -> Option<CircuitIdentity> {
    let ProofKind::Winning32G = kind else { return None };
    let digest = CircuitDigest::from_str(WINNING_32G_DIGEST).ok()?;
    Some(CircuitIdentity {
        digest,
        shape: WINNING_32G_SHAPE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pinned_is_what_is_recorded() {
        let kind = ProofKind::Winning32G;
        let recorded = CircuitIdentity::of(&record(&kind).unwrap());
        assert_eq!(pinned(&kind), Some(recorded));
    }
}
