//! Circuits and parameters for tests against bellperson.
#![allow(dead_code)] // Each test program uses a part.

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::{Bls12, Scalar};
use cuzk_groth16::srs::{Parameters, VerifyingKey};
use ff::Field;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

pub type BellpersonParameters = bellperson::groth16::Parameters<Bls12>;
pub type BellpersonProof = bellperson::groth16::Proof<Bls12>;

/// A coefficient and an index, modulo their number, into the variables so far.
pub type Terms = Vec<(i8, usize)>;

/// One step of a circuit that its witness satisfies by construction.
#[derive(Clone, Debug)]
pub enum Gate {
    /// A free auxiliary variable, squared so that it occurs.
    Free(u64),
    /// A bit with `(1 - b) b = 0`.
    Bit(bool),
    /// A new variable, the product of two combinations.
    Product(Terms, Terms),
    /// A new variable, a combination times ONE.
    Sum(Terms),
    /// A variable made public.
    Expose(usize),
    /// `0 * 0 = 0`.
    EmptyRow,
}

#[derive(Clone, Debug, Default)]
pub struct Gates(pub Vec<Gate>);

impl Gates {
    pub fn bits(bits: impl IntoIterator<Item = bool>) -> Self {
        Self(bits.into_iter().map(Gate::Bit).collect())
    }

    /// A chain of products with some bits: every kind of value and density.
    pub fn mixed(count: usize) -> Self {
        let gate = |index: usize| match index % 5 {
            0 => Gate::Free(index as u64 * 0x9e37_79b9),
            1 => Gate::Bit(index.is_multiple_of(2)),
            2 => Gate::Product(vec![(1, index), (-3, 1)], vec![(2, index + 1)]),
            3 => Gate::Sum(vec![(5, 0), (1, index), (-1, 2)]),
            _ => Gate::Product(vec![(1, usize::MAX)], vec![(1, usize::MAX)]),
        };
        let mut gates: Vec<_> = (0..count).map(gate).collect();
        gates.extend([Gate::Expose(3), Gate::Expose(usize::MAX / 2)]);
        Self(gates)
    }
}

pub fn any_gates(up_to: usize) -> impl Strategy<Value = Gates> {
    let terms = || prop::collection::vec((-2i8..3, any::<usize>()), 0..4);
    let gate = prop_oneof![
        any::<u64>().prop_map(Gate::Free),
        any::<bool>().prop_map(Gate::Bit),
        (terms(), terms()).prop_map(|(left, right)| Gate::Product(left, right)),
        terms().prop_map(Gate::Sum),
        any::<usize>().prop_map(Gate::Expose),
        Just(Gate::EmptyRow),
    ];
    prop::collection::vec(gate, 1..up_to).prop_map(Gates)
}

/// Variables with their values.
struct Known(Vec<(Variable, Scalar)>);

impl Known {
    fn at(&self, index: usize) -> (Variable, Scalar) {
        self.0[index % self.0.len()]
    }

    fn combination(&self, terms: &Terms) -> (LinearCombination<Scalar>, Scalar) {
        terms.iter().fold(
            (LinearCombination::zero(), Scalar::ZERO),
            |(sum, value), &(coefficient, index)| {
                let magnitude = Scalar::from(u64::from(coefficient.unsigned_abs()));
                let coefficient = if coefficient < 0 { -magnitude } else { magnitude };
                let (variable, known) = self.at(index);
                (sum + (coefficient, variable), value + coefficient * known)
            },
        )
    }
}

impl Circuit<Scalar> for Gates {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let one = CS::one();
        let mut known = Known(vec![(one, Scalar::ONE)]);
        for gate in &self.0 {
            match gate {
                Gate::Free(value) => {
                    let value = Scalar::from(*value);
                    let variable = cs.alloc(|| "free", || Ok(value))?;
                    let square = cs.alloc(|| "square", || Ok(value.square()))?;
                    cs.enforce(|| "", |lc| lc + variable, |lc| lc + variable, |lc| lc + square);
                    known.0.extend([(variable, value), (square, value.square())]);
                }
                Gate::Bit(bit) => {
                    let value = Scalar::from(u64::from(*bit));
                    let variable = cs.alloc(|| "bit", || Ok(value))?;
                    cs.enforce(|| "", |lc| lc + one - variable, |lc| lc + variable, |lc| lc);
                    known.0.push((variable, value));
                }
                Gate::Product(left, right) => {
                    let ((left, a), (right, b)) = (known.combination(left), known.combination(right));
                    let variable = cs.alloc(|| "product", || Ok(a * b))?;
                    cs.enforce(|| "", |_| left, |_| right, |lc| lc + variable);
                    known.0.push((variable, a * b));
                }
                Gate::Sum(terms) => {
                    let (sum, value) = known.combination(terms);
                    let variable = cs.alloc(|| "sum", || Ok(value))?;
                    cs.enforce(|| "", |_| sum, |lc| lc + one, |lc| lc + variable);
                    known.0.push((variable, value));
                }
                Gate::Expose(index) => {
                    let (hidden, value) = known.at(*index);
                    let variable = cs.alloc_input(|| "exposed", || Ok(value))?;
                    cs.enforce(|| "", |lc| lc + hidden, |lc| lc + one, |lc| lc + variable);
                    known.0.push((variable, value));
                }
                Gate::EmptyRow => cs.enforce(|| "", |lc| lc, |lc| lc, |lc| lc),
            }
        }
        Ok(())
    }
}

/// Parameters made by bellperson, and the same as ours.
pub fn parameters(circuit: &Gates) -> (BellpersonParameters, Parameters) {
    let theirs =
        bellperson::groth16::generate_random_parameters::<Bls12, _, _>(circuit.clone(), &mut source()).unwrap();
    let vk = VerifyingKey {
        alpha_g1: theirs.vk.alpha_g1,
        beta_g1: theirs.vk.beta_g1,
        beta_g2: theirs.vk.beta_g2,
        gamma_g2: theirs.vk.gamma_g2,
        delta_g1: theirs.vk.delta_g1,
        delta_g2: theirs.vk.delta_g2,
        ic: theirs.vk.ic.clone(),
    };
    let ours = Parameters {
        vk,
        h: theirs.h.to_vec(),
        l: theirs.l.to_vec(),
        a: theirs.a.to_vec(),
        b_g1: theirs.b_g1.to_vec(),
        b_g2: theirs.b_g2.to_vec(),
    };
    (theirs, ours)
}

/// A random source that is the same each time.
pub fn source() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(0xc02a)
}
