//! Recorded circuits: the constraints of a circuit as sparse matrices, and the digest that names it.
//!
//! A circuit is run once with a recorder that never asks for a value, so a blank circuit and one with a witness leave the
//! same record. Rows are normalised as they arrive: inputs before auxiliaries, each by index, duplicates summed, zeros
//! dropped. After the circuit's own rows comes one row per input, `input * 0 = 0`, as Groth16 needs it.
//!
//! Left out: block structure (equal blocks stored once), packed witnesses and evaluation. This is the plain recorder, which
//! stores every term.
#![forbid(unsafe_code)]

mod coefficients;
mod digest;
mod matrix;
mod recorder;
mod shape;

pub use digest::{CircuitDigest, ParseDigestError};
pub use matrix::{Column, Matrix};
pub use recorder::{RecordError, RecordedCircuit};
pub use shape::{LogDomain, Shape};
