//! Running circuits with their witnesses, several at a time.

use bellpepper_core::{Circuit, SynthesisError};
use blstrs::Scalar;
use cuzk_r1cs::Shape;
use rayon::prelude::*;

use crate::assignment::ProvingAssignment;

/// How much a circuit will allocate, where that is known, so that vectors need not grow. Too small or too large a hint
/// changes memory and time, never the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynthesisCapacityHint {
    /// Inputs, ONE included.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
    /// The circuit's own constraints, without the rows appended for the inputs.
    pub constraints: usize,
}

impl From<Shape> for SynthesisCapacityHint {
    fn from(shape: Shape) -> Self {
        Self {
            inputs: shape.inputs,
            aux: shape.aux,
            constraints: shape.constraints,
        }
    }
}

/// A circuit could not be run with its witness.
#[derive(Debug, thiserror::Error)]
#[error(
    "circuit {position} of {total} could not be synthesised (hint: its witness is missing or does not fit the circuit)"
)]
pub struct SynthesisFailure {
    /// The circuit's place in the batch, counted from 1.
    pub position: usize,
    /// Circuits in the batch.
    pub total: usize,
    #[source]
    pub source: SynthesisError,
}

/// Runs every circuit, in parallel; the results are in the order of the circuits.
pub fn synthesize_circuits_batch<C>(circuits: Vec<C>) -> Result<Vec<ProvingAssignment>, SynthesisFailure>
where
    C: Circuit<Scalar> + Send,
{
    synthesize_circuits_batch_with_hint(circuits, SynthesisCapacityHint::default())
}

/// [`synthesize_circuits_batch`] with vectors of the hinted size.
pub fn synthesize_circuits_batch_with_hint<C>(
    circuits: Vec<C>,
    hint: SynthesisCapacityHint,
) -> Result<Vec<ProvingAssignment>, SynthesisFailure>
where
    C: Circuit<Scalar> + Send,
{
    let total = circuits.len();
    let run = |(index, circuit)| {
        ProvingAssignment::synthesize(circuit, hint).map_err(|source| SynthesisFailure {
            position: index + 1,
            total,
            source,
        })
    };
    circuits.into_par_iter().enumerate().map(run).collect()
}
