//! The bench circuit: any size, any share of boolean variables, one public output.
//!
//! One auxiliary variable `x_0` and then, for each `i` from 1 to `n - 2` with `n = 2^K - 3`, one variable and one row: either a
//! boolean `b` with `(1 - b) * b = 0`, or the next link of a chain, `x * x = x' - c`. The last link is public (`x * 1 = out`)
//! and one row `1 * 1 = 1` fills up to `n`. Which `i` are boolean depends on the share alone, never on the seed, so that one
//! parameter file serves all seeds. The peer programs prove the same circuit, term for term, which makes timings comparable
//! and their parameter files interchangeable with ours.
//!
//! Left out: a circuit that stands for a real proof. Its rows are short; for real row lengths use the Filecoin kinds.
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;

use crate::kind::BenchSpec;
use crate::synthetic::Seed;

/// The constant `c` of the chain `x' = x^2 + c`.
const CHAIN_CONSTANT: u64 = 0x1234_5678_9abc_def1;
/// Separates the choice of boolean positions from every use of a seed.
const POSITION_TWEAK: u64 = 0x5eed;
/// Spreads seeds before the index of a boolean is mixed in.
const SEED_SPREAD: u64 = 0x0100_0003;

/// The bench circuit, blank or with the witness of a seed.
#[derive(Clone, Debug)]
pub struct BenchCircuit {
    spec: BenchSpec,
    seed: Option<Seed>,
}

impl BenchCircuit {
    /// Without values: for recording and for parameters.
    pub fn blank(spec: BenchSpec) -> Self {
        Self { spec, seed: None }
    }

    /// With the witness of `seed`.
    pub fn with_seed(spec: BenchSpec, seed: Seed) -> Self {
        Self { spec, seed: Some(seed) }
    }

    /// Indices of the variables after `x_0`, each with its row.
    fn steps(&self) -> impl Iterator<Item = Step> + use<> {
        let threshold = self.spec.bool_share();
        (1..self.spec.constraints() as u64 - 1).map(move |index| {
            let boolean = unit_interval(split_mix(index ^ POSITION_TWEAK)) < threshold;
            if boolean {
                Step::Boolean(index)
            } else {
                Step::Chain(index)
            }
        })
    }
}

/// The public output of the circuit with the witness of `seed`: the end of the chain.
pub fn public_output(spec: BenchSpec, seed: Seed) -> Scalar {
    let constant = Scalar::from(CHAIN_CONSTANT);
    BenchCircuit::with_seed(spec, seed)
        .steps()
        .fold(chain_start(seed), |x, step| match step {
            Step::Boolean(_) => x,
            Step::Chain(_) => x.square() + constant,
        })
}

/// What stands at an index: its variable and row have the index in their names.
enum Step {
    /// A boolean variable of its own, whose value follows from seed and index.
    Boolean(u64),
    /// The next link of the chain.
    Chain(u64),
}

impl Circuit<Scalar> for BenchCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let constant = Scalar::from(CHAIN_CONSTANT);
        let mut value = self.seed.map(chain_start);
        let mut x = cs.alloc(|| "x0", || value.ok_or(SynthesisError::AssignmentMissing))?;
        for step in self.steps() {
            match step {
                Step::Boolean(index) => boolean_row(cs, index, self.seed.map(|seed| boolean_value(seed, index)))?,
                Step::Chain(index) => {
                    value = value.map(|x| x.square() + constant);
                    x = chain_row(cs, index, x, value)?;
                }
            }
        }
        let one = CS::one();
        let out = cs.alloc_input(|| "out", || value.ok_or(SynthesisError::AssignmentMissing))?;
        cs.enforce(|| "out row", |lc| lc + x, |lc| lc + one, |lc| lc + out);
        cs.enforce(|| "pad row", |lc| lc + one, |lc| lc + one, |lc| lc + one);
        Ok(())
    }
}

/// `(1 - b) * b = 0` for a new variable `b`.
fn boolean_row<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    index: u64,
    value: Option<Scalar>,
) -> Result<(), SynthesisError> {
    let b = cs.alloc(
        || format!("b{index}"),
        || value.ok_or(SynthesisError::AssignmentMissing),
    )?;
    cs.enforce(
        || format!("b{index} row"),
        |lc| lc + CS::one() - b,
        |lc| lc + b,
        |lc| lc,
    );
    Ok(())
}

/// `x * x = x' - c` for a new variable `x'`, which is returned.
fn chain_row<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    index: u64,
    x: Variable,
    value: Option<Scalar>,
) -> Result<Variable, SynthesisError> {
    let constant = (Scalar::from(CHAIN_CONSTANT), CS::one());
    let next = cs.alloc(
        || format!("x{index}"),
        || value.ok_or(SynthesisError::AssignmentMissing),
    )?;
    cs.enforce(
        || format!("x{index} row"),
        |lc| lc + x,
        |lc| lc + x,
        |lc| lc + next - constant,
    );
    Ok(next)
}

fn chain_start(seed: Seed) -> Scalar {
    Scalar::random(&mut XorShiftRng::seed_from_u64(seed.0))
}

fn boolean_value(seed: Seed, index: u64) -> Scalar {
    Scalar::from(split_mix(seed.0.wrapping_mul(SEED_SPREAD) ^ index) & 1)
}

/// One step of the SplitMix64 generator (Steele, Lea, Flood 2014), used as a hash of 64 bits.
fn split_mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper 53 bits as a number from 0 up to but without 1.
fn unit_interval(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests;
