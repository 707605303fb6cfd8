//! What a prover is handed: circuits with a witness and the public inputs that a verifier will be given.
//!
//! Left out: queues, priorities, job ids; they belong to the engine.
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use cuzk_groth16::r1cs::{RecordError, RecordedCircuit};

use crate::bench::BenchCircuit;
use crate::kind::ProofKind;
use crate::porep::PorepCircuit;
use crate::winning::WinningCircuit;

/// One proof of the service: as many partitions as the kind has, each proved by itself.
#[derive(Clone)]
pub struct ProofTask {
    pub kind: ProofKind,
    pub partitions: Vec<Partition>,
}

/// One Groth16 proof.
#[derive(Clone)]
pub struct Partition {
    pub circuit: CircuitInstance,
    /// What the verifier is given: all inputs but the constant ONE, in the circuit's order.
    pub public_inputs: Vec<Scalar>,
}

/// A circuit of some kind, blank or with a witness.
#[derive(Clone)]
pub enum CircuitInstance {
    Winning(WinningCircuit),
    Porep(PorepCircuit),
    Bench(BenchCircuit),
}

impl Circuit<Scalar> for CircuitInstance {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Self::Winning(circuit) => circuit.synthesize(cs),
            Self::Porep(circuit) => circuit.synthesize(cs),
            Self::Bench(circuit) => circuit.synthesize(cs),
        }
    }
}

/// The circuit of `kind` without values: its constraints are those of every witness.
pub fn blank(kind: &ProofKind) -> CircuitInstance {
    match kind {
        ProofKind::Winning32G => CircuitInstance::Winning(WinningCircuit::blank()),
        ProofKind::Porep(kind) => CircuitInstance::Porep(PorepCircuit::blank(*kind)),
        ProofKind::Bench(spec) => CircuitInstance::Bench(BenchCircuit::blank(*spec)),
    }
}

/// Records the constraints of `kind`, for its digest and its parameters.
///
/// # Errors
/// Those of the recorder; the circuits of this crate themselves record without error.
pub fn record(kind: &ProofKind) -> Result<RecordedCircuit, RecordError> {
    RecordedCircuit::record(blank(kind))
}
