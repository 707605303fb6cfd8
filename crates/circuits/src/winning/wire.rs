//! Wire form of a WinningPoSt vanilla proof: one layout, checked byte by byte before it is decoded.
//!
//! Bincode writes fixed-width little-endian numbers and 8-byte lengths, and a 32 GiB proof has fixed counts throughout:
//!
//! ```text
//! sector id u64 · comm_r 32 · sectors u64 = 1 · inclusion proofs u64 = 66 · 66 x proof · comm_c 32 · comm_r_last 32
//! proof:   tree kind u32 = 1 · base length u64 = 9 · 9 x element · sub length u64 = 1 · 1 x element · root 32 · leaf 32
//! element: siblings u64 = 7 · 7 x 32 · index u64 < 8
//! ```
//!
//! Left out: whether the proof is true ([`super::vanilla`]).
use bincode::Options;
use blstrs::Scalar;
use ff::PrimeField;
use filecoin_proofs::constants::SectorShape32GiB;

use super::CHALLENGES;
use super::error::{Place, RequestError};

/// A vanilla proof of the only sector of a WinningPoSt.
pub(crate) type SectorProof = filecoin_proofs::types::FallbackPoStSectorProof<SectorShape32GiB>;

/// Children of a node, at every level of a 32 GiB sector's tree.
pub(crate) const ARITY: usize = 8;
/// Levels inside each of the eight sub-trees of 2^27 leaves.
pub(crate) const BASE_LEVELS: usize = 9;
/// Levels above the sub-trees.
pub(crate) const SUB_LEVELS: usize = 1;

/// Bincode's number of the variant for trees with sub-trees and no top level.
const SUB_TREE_KIND: u32 = 1;
const LENGTH: usize = size_of::<u64>();
const NODE: usize = 32;
const ELEMENT: usize = LENGTH + (ARITY - 1) * NODE + size_of::<u64>();
const PROOF: usize = size_of::<u32>() + LENGTH + BASE_LEVELS * ELEMENT + LENGTH + SUB_LEVELS * ELEMENT + NODE + NODE;

/// Length in bytes of every well-formed vanilla proof.
pub const WIRE_BYTES: usize = size_of::<u64>() + NODE + LENGTH + LENGTH + CHALLENGES * PROOF + NODE + NODE;

/// Decodes `bytes` if they have the layout of a 32 GiB proof.
///
/// # Errors
/// The first deviation from the layout. Nothing beyond [`WIRE_BYTES`] is looked at and nothing is allocated before the
/// whole layout is known to be right.
pub(crate) fn decode(bytes: &[u8]) -> Result<SectorProof, RequestError> {
    check_layout(bytes)?;
    bincode::DefaultOptions::new()
        .with_fixint_encoding()
        .with_limit(WIRE_BYTES as u64)
        .reject_trailing_bytes()
        .deserialize(bytes)
        .map_err(|error| RequestError::Codec {
            reason: error.to_string(),
        })
}

/// The wire form of `proof`, byte for byte what filecoin-proofs-api hands out.
///
/// # Errors
/// [`RequestError::Codec`], should the encoder fail.
pub(crate) fn encode(proof: &SectorProof) -> Result<Vec<u8>, RequestError> {
    bincode::serialize(proof).map_err(|error| RequestError::Codec {
        reason: error.to_string(),
    })
}

fn check_layout(bytes: &[u8]) -> Result<(), RequestError> {
    let mut cursor = Cursor { bytes, at: 0 };
    cursor.number(Place::SectorId)?;
    cursor.field_element(Place::CommR)?;
    cursor.expect(Place::SectorCount, 1)?;
    cursor.expect(Place::InclusionProofCount, CHALLENGES as u64)?;
    for proof in 0..CHALLENGES {
        cursor.inclusion_proof(proof)?;
    }
    cursor.field_element(Place::CommC)?;
    cursor.field_element(Place::CommRLast)?;
    if cursor.at == bytes.len() {
        Ok(())
    } else {
        Err(RequestError::TrailingBytes { actual: bytes.len() })
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn take<const N: usize>(&mut self, place: Place) -> Result<[u8; N], RequestError> {
        let taken = self.bytes[self.at..].first_chunk().copied();
        self.at += N;
        taken.ok_or(RequestError::Truncated {
            place,
            actual: self.bytes.len(),
        })
    }

    fn number(&mut self, place: Place) -> Result<u64, RequestError> {
        self.take(place).map(u64::from_le_bytes)
    }

    fn expect(&mut self, place: Place, expected: u64) -> Result<(), RequestError> {
        let actual = self.number(place)?;
        if actual == expected {
            Ok(())
        } else {
            Err(RequestError::Number {
                place,
                expected,
                actual,
            })
        }
    }

    fn field_element(&mut self, place: Place) -> Result<(), RequestError> {
        match Scalar::from_repr_vartime(self.take(place)?) {
            Some(_) => Ok(()),
            None => Err(RequestError::NotCanonical { place }),
        }
    }

    fn inclusion_proof(&mut self, proof: usize) -> Result<(), RequestError> {
        self.tree_kind(Place::TreeKind { proof })?;
        self.expect(Place::BasePathLength { proof }, BASE_LEVELS as u64)?;
        for level in 0..BASE_LEVELS {
            self.path_element(proof, level)?;
        }
        self.expect(Place::SubPathLength { proof }, SUB_LEVELS as u64)?;
        for level in BASE_LEVELS..BASE_LEVELS + SUB_LEVELS {
            self.path_element(proof, level)?;
        }
        self.field_element(Place::Root { proof })?;
        self.field_element(Place::Leaf { proof })
    }

    fn tree_kind(&mut self, place: Place) -> Result<(), RequestError> {
        let actual = u32::from_le_bytes(self.take(place)?);
        if actual == SUB_TREE_KIND {
            return Ok(());
        }
        Err(RequestError::Number {
            place,
            expected: SUB_TREE_KIND.into(),
            actual: actual.into(),
        })
    }

    fn path_element(&mut self, proof: usize, level: usize) -> Result<(), RequestError> {
        self.expect(Place::SiblingCount { proof, level }, ARITY as u64 - 1)?;
        for position in 0..ARITY - 1 {
            self.field_element(Place::Sibling { proof, level, position })?;
        }
        let place = Place::PathIndex { proof, level };
        let actual = self.number(place)?;
        if actual < ARITY as u64 {
            Ok(())
        } else {
            Err(RequestError::PathIndex { place, actual })
        }
    }
}
