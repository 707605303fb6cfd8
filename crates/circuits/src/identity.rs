//! What a proof kind's circuit is, without running it where that is known: digest and shape.
//!
//! Recording `winning-32g` takes a second or two, the PoRep circuits longer, and digests are asked for at every start of every
//! program. They are pinned here and held against the recorder by tests; the bench circuits are recorded when asked.

use std::str::FromStr as _;

use cuzk_groth16::r1cs::{CircuitDigest, RecordError, RecordedCircuit, Shape};

use crate::kind::ProofKind;
use crate::porep::PorepKind;
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
const WINNING_32G: Pin = Pin {
    digest: "88940f5447a1c5ec086b21a4492b0cced14fee61459bd231c3ac7977b42e7673",
    shape: Shape {
        inputs: 133,
        aux: 375_210,
        constraints: 370_590,
    },
};

/// StackedDrg of storage-proofs-porep 19.1 with 2 KiB sectors.
const POREP_2K: Pin = Pin {
    digest: "2b27cb37c0d7ae02b30b34e60d2ad86740255d566aa76fb42f8bbb89e099c586",
    shape: Shape {
        inputs: 40,
        aux: 2_685_673,
        constraints: 2_687_921,
    },
};

/// StackedDrg of storage-proofs-porep 19.1 with 32 GiB sectors and one challenge.
const POREP_32G_ONE_CHALLENGE: Pin = Pin {
    digest: "e95e7792d1c9b54610dd2e54d98b0a8b76b27422c94a5aecfae83ffa8f5ac1ab",
    shape: Shape {
        inputs: 22,
        aux: 7_232_200,
        constraints: 7_238_236,
    },
};

struct Pin {
    digest: &'static str,
    shape: Shape,
}

/// The identity of the circuit of `kind`.
///
/// `porep-32g` is not pinned, and recording it takes minutes and many gigabytes.
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
    let Pin { digest, shape } = match kind {
        ProofKind::Winning32G => WINNING_32G,
        ProofKind::Porep(PorepKind::TwoKiB) => POREP_2K,
        ProofKind::Porep(PorepKind::ThirtyTwoGiBOneChallenge) => POREP_32G_ONE_CHALLENGE,
        ProofKind::Porep(PorepKind::ThirtyTwoGiB) | ProofKind::Bench(_) => return None,
    };
    let digest = CircuitDigest::from_str(digest).ok()?;
    Some(CircuitIdentity { digest, shape })
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

    #[test]
    fn every_pin_is_a_digest() {
        for id in ["winning-32g", "porep-2k", "porep-32g:1"] {
            assert!(pinned(&id.parse().unwrap()).is_some(), "{id}");
        }
    }
}
