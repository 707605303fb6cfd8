//! Verification: `e(A, B) = e(alpha, beta) e(inputs, gamma) e(C, delta)`.

use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Prepared, Gt, Scalar};
use cuzk_srs::VerifyingKey;
use ff::PrimeField;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use pairing::{Engine, MillerLoopResult, MultiMillerLoop};
use rayon::prelude::*;

use crate::proof::Proof;

/// A verifying key with what does not depend on the proof computed once.
#[derive(Clone)]
pub struct PreparedVerifyingKey {
    alpha_beta: Gt,
    minus_gamma: G2Prepared,
    minus_delta: G2Prepared,
    ic: Vec<G1Affine>,
    has_identity: bool,
}

/// Why a proof is not valid. Anything but `Ok` means: do not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("the verifying key takes {expected} public inputs, {actual} were given")]
    InputCount { expected: usize, actual: usize },
    #[error("the verifying key has a point at infinity where anyone could forge proofs (hint: the key is damaged)")]
    DegenerateKey,
    #[error("the pairing equation does not hold (hint: wrong public inputs, wrong verifying key, or no valid proof)")]
    Invalid,
}

impl PreparedVerifyingKey {
    pub fn new(vk: &VerifyingKey) -> Self {
        let g1_identity = vk.alpha_g1.is_identity();
        let has_identity = [vk.beta_g2, vk.gamma_g2, vk.delta_g2]
            .iter()
            .fold(g1_identity, |any, point: &G2Affine| any | point.is_identity());
        Self {
            alpha_beta: Bls12::pairing(&vk.alpha_g1, &vk.beta_g2),
            minus_gamma: (-vk.gamma_g2).into(),
            minus_delta: (-vk.delta_g2).into(),
            ic: vk.ic.clone(),
            has_identity: has_identity.into(),
        }
    }

    /// Number of public inputs, ONE not counted.
    pub fn public_inputs(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }
}

/// Checks a proof.
///
/// # Errors
/// Every reason not to accept it: another number of public inputs, a degenerate key, the equation.
#[inline(never)] // A checked symbol: the program that returns proofs must define it.
pub fn verify(key: &PreparedVerifyingKey, proof: &Proof, public_inputs: &[Scalar]) -> Result<(), VerifyError> {
    let Some((constant, ic)) = key.ic.split_first().filter(|(_, ic)| ic.len() == public_inputs.len()) else {
        return Err(VerifyError::InputCount {
            expected: key.public_inputs(),
            actual: public_inputs.len(),
        });
    };
    if key.has_identity {
        return Err(VerifyError::DegenerateKey);
    }
    let inputs = (weighted_sum(ic, public_inputs) + constant).to_affine();
    // All on one side, so that one final exponentiation serves: e(A, B) e(inputs, -gamma) e(C, -delta) = e(alpha, beta).
    let terms = [
        (&proof.a, &proof.b.into()),
        (&inputs, &key.minus_gamma),
        (&proof.c, &key.minus_delta),
    ];
    let product = Bls12::multi_miller_loop(&terms).final_exponentiation();
    if product == key.alpha_beta {
        Ok(())
    } else {
        Err(VerifyError::Invalid)
    }
}

/// Bits per window: where the additions into buckets and those that sum the buckets cost the least together.
fn window_bits(points: usize) -> usize {
    (points.max(2).ilog2() as usize).saturating_sub(2).clamp(2, 12)
}

/// `sum of scalar * point`, by buckets: some circuits have tens of thousands of public inputs.
fn weighted_sum(points: &[G1Affine], scalars: &[Scalar]) -> G1Projective {
    let bits = window_bits(points.len());
    let scalars: Vec<_> = scalars.iter().map(PrimeField::to_repr).collect();
    let windows = (Scalar::NUM_BITS as usize).div_ceil(bits);
    let sums: Vec<G1Projective> = (0..windows)
        .into_par_iter()
        .map(|window| {
            window_sum(
                points,
                scalars.iter().map(|scalar| digit(scalar, window * bits, bits)),
                bits,
            )
        })
        .collect();
    sums.iter().rev().fold(G1Projective::identity(), |sum, window_sum| {
        (0..bits).fold(sum, |doubled, _| doubled.double()) + window_sum
    })
}

/// `bits` bits of a little-endian number, from bit `start` on.
fn digit(scalar: &[u8; 32], start: usize, bits: usize) -> usize {
    let bit = |at: usize| scalar.get(at / 8).map_or(0, |byte| usize::from(byte >> (at % 8) & 1));
    (0..bits).fold(0, |digit, offset| digit | bit(start + offset) << offset)
}

fn window_sum(points: &[G1Affine], digits: impl Iterator<Item = usize>, bits: usize) -> G1Projective {
    let mut buckets = vec![G1Projective::identity(); (1 << bits) - 1];
    for (point, digit) in points.iter().zip(digits) {
        if digit > 0 {
            buckets[digit - 1] += point;
        }
    }
    // Bucket i counts i + 1 times: running sums from the top add it that often.
    let mut running = G1Projective::identity();
    buckets.iter().rev().fold(G1Projective::identity(), |sum, bucket| {
        running += bucket;
        sum + running
    })
}

#[cfg(test)]
mod tests;
