//! The CPU backend: oracle of every other backend, and what proves where there is no GPU.
//!
//! Scalars that are 0 cost nothing, points whose scalar is 1 are summed, the rest goes through blst's multi-scalar code. All
//! parallel work runs in the caller's rayon pool.
//!
//! Left out: transforms blocked for the cache hierarchy of large domains.
#![deny(unsafe_code)]

mod affine;
mod fixed_base;
mod msm;
mod ntt;
pub mod prover;
mod quotient;
#[allow(unsafe_code)] // The one module that calls blst.
mod raw;
mod split;

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use cuzk_groth16::contract::Timeline;
use cuzk_groth16::srs::generate::{FixedBase, Watch};
use cuzk_groth16::srs::{Cancelled, Parameters};
use cuzk_groth16::{Arithmetic, Backend, BackendError, ProofSums, ProvingAssignment};

use crate::raw::{G1, G2};

/// Proves on the processor.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuBackend;

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn multiply(
        &self,
        srs: &Parameters,
        assignment: &ProvingAssignment,
        timeline: &Timeline,
    ) -> Result<ProofSums, BackendError> {
        prover::multiply(srs, assignment, timeline)
    }
}

impl Arithmetic for CpuBackend {
    fn ntt(&self, values: &mut [Scalar]) {
        ntt::forward(values, ntt::Points::Domain);
    }

    fn inverse_ntt(&self, values: &mut [Scalar]) {
        ntt::inverse(values, ntt::Points::Domain);
    }

    fn coset_ntt(&self, values: &mut [Scalar]) {
        ntt::forward(values, ntt::Points::Coset);
    }

    fn inverse_coset_ntt(&self, values: &mut [Scalar]) {
        ntt::inverse(values, ntt::Points::Coset);
    }

    fn quotient(&self, a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Vec<Scalar> {
        quotient::quotient(a, b, c)
    }

    fn msm_g1(&self, points: &[G1Affine], scalars: &[Scalar]) -> G1Projective {
        msm::weighted_sum::<G1>(points, scalars)
    }

    fn msm_g2(&self, points: &[G2Affine], scalars: &[Scalar]) -> G2Projective {
        msm::weighted_sum::<G2>(points, scalars)
    }

    fn sum_g1(&self, points: &[G1Affine]) -> G1Projective {
        msm::sum::<G1>(points)
    }

    fn sum_g2(&self, points: &[G2Affine]) -> G2Projective {
        msm::sum::<G2>(points)
    }
}

impl FixedBase for CpuBackend {
    fn multiply_g1(
        &self,
        base: &G1Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G1Affine>, Cancelled> {
        fixed_base::multiply::<G1>(base, scalars, watch)
    }

    fn multiply_g2(
        &self,
        base: &G2Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G2Affine>, Cancelled> {
        fixed_base::multiply::<G2>(base, scalars, watch)
    }
}
