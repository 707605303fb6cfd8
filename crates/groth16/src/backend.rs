//! What a proof needs from a machine: five sums.

use blstrs::{G1Projective, G2Projective};
use cuzk_contract::Timeline;
use cuzk_srs::Parameters;

use crate::assignment::ProvingAssignment;
use crate::requirements::SrsMismatch;

/// The sums over the queries, without blinding and without the verifying key's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofSums {
    /// The quotient's coefficients over H.
    pub h: G1Projective,
    /// Auxiliary variables over L.
    pub l: G1Projective,
    /// Inputs and auxiliary variables over A.
    pub a: G1Projective,
    /// Inputs and auxiliary variables over B, in both groups.
    pub b_g1: G1Projective,
    pub b_g2: G2Projective,
}

/// Why a backend has no sums to give.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    #[error(transparent)]
    Srs(#[from] SrsMismatch),
    #[error("backend {backend} failed: {reason}")]
    Failed { backend: &'static str, reason: String },
}

/// A machine that computes the quotient and the multi-scalar multiplications of a proof.
pub trait Backend: Send + Sync {
    /// Short name for reports, for instance `cpu`.
    fn name(&self) -> &'static str;

    /// Computes the sums, printing its phases on `timeline`.
    ///
    /// # Errors
    /// Parameters whose query lengths do not fit the assignment, before any work; failures of the machine.
    fn multiply(
        &self,
        srs: &Parameters,
        assignment: &ProvingAssignment,
        timeline: &Timeline,
    ) -> Result<ProofSums, BackendError>;
}
