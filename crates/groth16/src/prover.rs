//! From an assignment to a proof: check, multiply, blind, assemble.
//!
//! Groth, "On the Size of Pairing-Based Non-interactive Arguments", <https://eprint.iacr.org/2016/260>, section 3.2.

use blstrs::Scalar;
use cuzk_contract::{Timeline, phase};
use cuzk_srs::{Parameters, VerifyingKey};
use ff::Field;
use rand_core::CryptoRngCore;

use crate::assignment::ProvingAssignment;
use crate::backend::{Backend, BackendError, ProofSums};
use crate::proof::Proof;
use crate::requirements::{SrsMismatch, check_parameters};

/// The two scalars that hide the witness. Each pair is for one proof only, and is overwritten when it is dropped.
pub struct Blinding {
    pub r: Scalar,
    pub s: Scalar,
}

impl Blinding {
    /// Uniform scalars from the random source passed in.
    pub fn random(source: &mut impl CryptoRngCore) -> Self {
        Self {
            r: Scalar::random(&mut *source),
            s: Scalar::random(&mut *source),
        }
    }
}

impl Drop for Blinding {
    fn drop(&mut self) {
        (self.r, self.s) = (Scalar::ZERO, Scalar::ZERO);
        // Something that may read them keeps the stores from being left out.
        std::hint::black_box(&mut *self);
    }
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    #[error(transparent)]
    Srs(#[from] SrsMismatch),
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// Makes one proof. That it verifies is for the caller to check: an assignment that does not satisfy its circuit gives a
/// proof that no verifier accepts.
///
/// # Errors
/// Parameters that do not fit the assignment, before any work; failures of the backend.
#[inline(never)] // A checked symbol: the program that proves must define it.
pub fn prove(
    backend: &dyn Backend,
    srs: &Parameters,
    assignment: &ProvingAssignment,
    blinding: &Blinding,
    timeline: &Timeline,
) -> Result<Proof, ProveError> {
    check_parameters(srs, assignment)?;
    let sums = backend.multiply(srs, assignment, timeline)?;
    Ok(timeline.measure(phase::ASSEMBLE, || assemble(&srs.vk, &sums, blinding)))
}

/// `A = alpha + a + r delta`, `B = beta + b + s delta`, `C = h + l + s A + r B - r s delta` (the last B in G1).
fn assemble(vk: &VerifyingKey, sums: &ProofSums, blinding: &Blinding) -> Proof {
    let &Blinding { r, s } = blinding;
    let a = sums.a + vk.alpha_g1 + vk.delta_g1 * r;
    let b_g1 = sums.b_g1 + vk.beta_g1 + vk.delta_g1 * s;
    let b_g2 = sums.b_g2 + vk.beta_g2 + vk.delta_g2 * s;
    let c = sums.h + sums.l + a * s + b_g1 * r - vk.delta_g1 * (r * s);
    Proof {
        a: a.into(),
        b: b_g2.into(),
        c: c.into(),
    }
}
