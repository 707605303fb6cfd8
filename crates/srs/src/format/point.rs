//! One point, to and from the file's bytes.

use blstrs::{G1Affine, G2Affine};
use group::prime::PrimeCurveAffine;

use super::SubgroupCheck;
use super::fault::PointFault;

pub(super) const G1_BYTES: usize = 96;
pub(super) const G2_BYTES: usize = 192;

/// The three highest bits of an encoding: compressed, infinity, and the sign that only a compressed point has.
const FLAGS: u8 = 0b1110_0000;
const INFINITY: u8 = 0b0100_0000;

/// A point that files hold.
pub(super) trait FilePoint: PrimeCurveAffine + Copy + Send + Sync {
    const BYTES: usize;

    /// Decodes coordinates without flags; `None` where they are not below the modulus or not on the curve.
    fn from_coordinates(bytes: &[u8]) -> Option<Self>;

    fn is_in_subgroup(&self) -> bool;

    /// Encodes into `BYTES` bytes.
    fn encode(&self, bytes: &mut [u8]);

    /// Decodes `BYTES` bytes, with every check.
    fn decode(bytes: &[u8], subgroup: SubgroupCheck) -> Result<Self, PointFault> {
        match bytes[0] & FLAGS {
            0 => {}
            INFINITY if bytes[0] == INFINITY && bytes[1..].iter().all(|&byte| byte == 0) => {
                return Err(PointFault::Infinity);
            }
            // blst would read half of a point with the compressed flag, and ignore the other half.
            _ => return Err(PointFault::Encoding),
        }
        let point = Self::from_coordinates(bytes).ok_or(PointFault::NotOnCurve)?;
        match subgroup {
            SubgroupCheck::EveryPoint if !point.is_in_subgroup() => Err(PointFault::NotInSubgroup),
            SubgroupCheck::EveryPoint | SubgroupCheck::Skip => Ok(point),
        }
    }
}

impl FilePoint for G1Affine {
    const BYTES: usize = G1_BYTES;

    fn from_coordinates(bytes: &[u8]) -> Option<Self> {
        Self::from_uncompressed_unchecked(bytes.try_into().ok()?).into()
    }

    fn is_in_subgroup(&self) -> bool {
        self.is_torsion_free().into()
    }

    fn encode(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_uncompressed());
    }
}

impl FilePoint for G2Affine {
    const BYTES: usize = G2_BYTES;

    fn from_coordinates(bytes: &[u8]) -> Option<Self> {
        Self::from_uncompressed_unchecked(bytes.try_into().ok()?).into()
    }

    fn is_in_subgroup(&self) -> bool {
        self.is_torsion_free().into()
    }

    fn encode(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_uncompressed());
    }
}
