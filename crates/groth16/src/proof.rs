//! A proof and its 192 bytes.

use std::fmt;

use blstrs::{G1Affine, G2Affine};
use group::prime::PrimeCurveAffine;

/// A Groth16 proof. Its points are in their prime-order subgroups: [`Proof::from_bytes`] checks that, [`crate::prove`] makes
/// no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    pub a: G1Affine,
    pub b: G2Affine,
    pub c: G1Affine,
}

/// One of a proof's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofElement {
    A,
    B,
    C,
}

impl fmt::Display for ProofElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Bytes that are not a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofDecodeError {
    #[error("a proof has {} bytes, these are {actual}", Proof::BYTES)]
    Length { actual: usize },
    #[error("point {element} of the proof is not the compressed form of a point of its group")]
    NotAPoint { element: ProofElement },
    #[error("point {element} of the proof is the point at infinity")]
    Infinity { element: ProofElement },
}

const G1_BYTES: usize = 48;
const G2_BYTES: usize = 96;

impl Proof {
    /// Length of the encoding.
    pub const BYTES: usize = 2 * G1_BYTES + G2_BYTES;

    /// A, B, C, each compressed as the IETF pairing-friendly-curves draft (and bellperson) has it.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..G1_BYTES].copy_from_slice(&self.a.to_compressed());
        bytes[G1_BYTES..G1_BYTES + G2_BYTES].copy_from_slice(&self.b.to_compressed());
        bytes[G1_BYTES + G2_BYTES..].copy_from_slice(&self.c.to_compressed());
        bytes
    }

    /// Reads what [`Proof::to_bytes`] wrote.
    ///
    /// # Errors
    /// Another length; a point that is not canonical, not on the curve, not in the subgroup, or at infinity.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProofDecodeError> {
        if bytes.len() != Self::BYTES {
            return Err(ProofDecodeError::Length { actual: bytes.len() });
        }
        let (a, rest) = bytes.split_at(G1_BYTES);
        let (b, c) = rest.split_at(G2_BYTES);
        Ok(Self {
            a: g1(ProofElement::A, a)?,
            b: g2(ProofElement::B, b)?,
            c: g1(ProofElement::C, c)?,
        })
    }
}

fn g1(element: ProofElement, bytes: &[u8]) -> Result<G1Affine, ProofDecodeError> {
    let bytes = bytes.try_into().map_err(|_| ProofDecodeError::NotAPoint { element })?;
    finite(element, Option::from(G1Affine::from_compressed(bytes)))
}

fn g2(element: ProofElement, bytes: &[u8]) -> Result<G2Affine, ProofDecodeError> {
    let bytes = bytes.try_into().map_err(|_| ProofDecodeError::NotAPoint { element })?;
    finite(element, Option::from(G2Affine::from_compressed(bytes)))
}

fn finite<P: PrimeCurveAffine>(element: ProofElement, point: Option<P>) -> Result<P, ProofDecodeError> {
    match point {
        None => Err(ProofDecodeError::NotAPoint { element }),
        Some(point) if bool::from(point.is_identity()) => Err(ProofDecodeError::Infinity { element }),
        Some(point) => Ok(point),
    }
}
