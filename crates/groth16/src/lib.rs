//! The Groth16 prover over BLS12-381: synthesis, the steps around a backend, blinding, assembly and verification.
//!
//! A circuit becomes a [`ProvingAssignment`], a [`Backend`] turns it into the five [`ProofSums`], [`prove`] blinds and
//! assembles them, [`verify`] checks the result. Proofs are the bytes that bellperson writes and reads.
//!
//! Left out: the arithmetic itself (`cuzk-backend-cpu` and later backends), parameter files (`cuzk-srs`), which circuits
//! exist (`cuzk-circuits`), and when a proof is made (`cuzk-engine`).
#![forbid(unsafe_code)]

pub mod arithmetic;
pub mod assignment;
pub mod backend;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod density;
pub mod proof;
pub mod prover;
pub mod requirements;
pub mod synthesis;
pub mod verifier;

pub use arithmetic::Arithmetic;
pub use assignment::{ProvingAssignment, RowIndex};
pub use backend::{Backend, BackendError, ProofSums};
pub use density::Density;
pub use proof::{Proof, ProofDecodeError};
pub use prover::{Blinding, ProveError, prove};
pub use requirements::{SrsMismatch, check_parameters};
pub use synthesis::{
    SynthesisCapacityHint, SynthesisFailure, synthesize_circuits_batch, synthesize_circuits_batch_with_hint,
};
pub use verifier::{PreparedVerifyingKey, VerifyError, verify};

pub use cuzk_contract as contract;
pub use cuzk_r1cs as r1cs;
pub use cuzk_srs as srs;
