//! The digest of a circuit, version 1: what parameter files, sidecars and records are keyed by.
//!
//! SHA-256 over `cuzk-r1cs-1\0`; the numbers of inputs, auxiliaries and rows (u64, little-endian; one row per input is
//! appended to the circuit's own); then for each row and for A, B, C: the number of terms (u32, little-endian), and per term
//! its column (u32, little-endian, top bit set for an auxiliary) and its coefficient (32 bytes, canonical, little-endian).

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::coefficients::Coefficients;
use crate::matrix::SparseMatrix;
use crate::shape::Shape;

const DOMAIN: &[u8] = b"cuzk-r1cs-1\0";

/// Bytes that are gathered before they are hashed: a call per term costs more than the hash.
const BUFFER_BYTES: usize = 1 << 16;

/// Names a circuit by its constraints: equal digests, equal circuits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CircuitDigest([u8; 32]);

impl CircuitDigest {
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for CircuitDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for CircuitDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CircuitDigest({self})")
    }
}

/// Text that is not a digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a circuit digest, which has 64 lowercase hexadecimal digits")]
pub struct ParseDigestError {
    text: String,
}

impl FromStr for CircuitDigest {
    type Err = ParseDigestError;

    /// Accepts what `Display` writes, and no second spelling of it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        let decoded =
            hex::decode_to_slice(text, &mut bytes).is_ok() && !text.bytes().any(|byte| byte.is_ascii_uppercase());
        // A message stays readable whatever it is given.
        decoded.then_some(Self(bytes)).ok_or_else(|| ParseDigestError {
            text: text.chars().take(80).collect(),
        })
    }
}

pub(crate) fn digest(shape: Shape, matrices: &[SparseMatrix; 3], coefficients: &Coefficients) -> CircuitDigest {
    let mut hash = BufferedHash::new();
    hash.update(DOMAIN);
    for count in [shape.inputs, shape.aux, shape.rows()] {
        hash.update(&(count as u64).to_le_bytes());
    }
    for row in 0..shape.rows() {
        for matrix in matrices {
            let terms = matrix.row(row);
            // The recorder refuses more columns than 2^31 of each kind, and a normal row has each at most once.
            hash.update(&(terms.len() as u32).to_le_bytes());
            for (column, coefficient) in terms {
                hash.update(&column.bits().to_le_bytes());
                hash.update(coefficients.encoding(coefficient));
            }
        }
    }
    hash.finish()
}

struct BufferedHash {
    hash: Sha256,
    buffer: Vec<u8>,
}

impl BufferedHash {
    fn new() -> Self {
        Self {
            hash: Sha256::new(),
            buffer: Vec::with_capacity(BUFFER_BYTES),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.hash.update(&self.buffer);
            self.buffer.clear();
        }
        self.buffer.extend_from_slice(bytes);
    }

    fn finish(mut self) -> CircuitDigest {
        self.hash.update(&self.buffer);
        CircuitDigest(self.hash.finalize().into())
    }
}

#[cfg(test)]
mod tests;
