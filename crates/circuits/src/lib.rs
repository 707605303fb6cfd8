//! Proof kinds: which circuits this project proves, and where their inputs come from.
//!
//! A [`ProofKind`] is a circuit id such as `winning-32g`, `porep-32g` or `bench:16:0.9`. From it come a blank circuit to record and to make
//! parameters for ([`blank`], [`record`]), and a [`ProofTask`] with a witness: decoded from a request ([`winning`]) or made
//! from a seed ([`synthetic`]). [`satisfaction`] checks a task against the constraints without proving it.
//!
//! Left out: parameters and proving (`cuzk-groth16`, reached by its re-exports only), the wire types of the service, files.
//! Nothing here reads a clock, a random source, the environment or a file: a request or a seed decides every byte.
#![forbid(unsafe_code)]

pub mod bench;
mod identity;
pub mod kind;
pub mod porep;
pub mod satisfaction;
pub mod synthetic;
mod task;
pub mod winning;

pub use identity::{CircuitIdentity, identity};
pub use kind::{BenchSpec, KindError, ProofKind};
pub use porep::{PorepKind, synthesize_porep_c2_batch};
pub use synthetic::Seed;
pub use task::{CircuitInstance, Partition, ProofTask, blank, record};
