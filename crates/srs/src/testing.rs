//! Small circuits and their parameters, for this crate's tests.

use std::sync::LazyLock;

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use cuzk_r1cs::RecordedCircuit;
use ff::Field;
use group::Curve;

use crate::format::write_parameters;
use crate::generate::{FixedBase, Secret, Watch, generate};
use crate::parameters::Parameters;
use crate::progress::{CancelToken, Cancelled, NoProgress};

/// Multiplies one scalar after the other, as the definition says.
pub(crate) struct Naive;

impl FixedBase for Naive {
    fn multiply_g1(
        &self,
        base: &G1Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G1Affine>, Cancelled> {
        let product = |scalar: &Scalar| watch.advance(1).map(|()| (base * scalar).to_affine());
        scalars.iter().map(product).collect()
    }

    fn multiply_g2(
        &self,
        base: &G2Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G2Affine>, Cancelled> {
        let product = |scalar: &Scalar| watch.advance(1).map(|()| (base * scalar).to_affine());
        scalars.iter().map(product).collect()
    }
}

/// A circuit by its rows: for A, B and C the variables and their coefficients.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Without ONE.
    pub(crate) inputs: usize,
    pub(crate) aux: usize,
    pub(crate) rows: Vec<[Vec<(i64, Index)>; 3]>,
}

impl Circuit<Scalar> for Rows {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for _ in 0..self.inputs {
            cs.alloc_input(|| "", || Ok(Scalar::ZERO))?;
        }
        for _ in 0..self.aux {
            cs.alloc(|| "", || Ok(Scalar::ZERO))?;
        }
        for [a, b, c] in &self.rows {
            cs.enforce(|| "", |_| combination(a), |_| combination(b), |_| combination(c));
        }
        Ok(())
    }
}

fn combination(terms: &[(i64, Index)]) -> LinearCombination<Scalar> {
    terms.iter().fold(LinearCombination::zero(), |sum, &(value, index)| {
        let magnitude = Scalar::from(value.unsigned_abs());
        sum + (
            if value < 0 { -magnitude } else { magnitude },
            Variable::new_unchecked(index),
        )
    })
}

/// `x^2 = y`, `x y + x + 5 = out`, `b (1 - b) = 0`: every query has points, and each has another number of them.
pub(crate) fn cubic() -> Rows {
    use Index::{Aux, Input};
    let (one, out, x, y, b) = (Input(0), Input(1), Aux(0), Aux(1), Aux(2));
    let rows = vec![
        [vec![(1, x)], vec![(1, x)], vec![(1, y)]],
        [vec![(1, x)], vec![(1, y)], vec![(1, out), (-1, x), (-5, one)]],
        [vec![(1, b)], vec![(1, one), (-1, b)], vec![]],
    ];
    Rows {
        inputs: 1,
        aux: 3,
        rows,
    }
}

pub(crate) const SEED: u64 = 7;

pub(crate) fn record(rows: &Rows) -> RecordedCircuit {
    RecordedCircuit::record(rows.clone()).expect("a circuit")
}

pub(crate) fn generate_seeded(circuit: &RecordedCircuit, seed: u64) -> Parameters {
    let secret = Secret::insecure_from_seed(seed);
    generate(circuit, &secret, &Naive, &NoProgress, &CancelToken::new()).expect("parameters")
}

/// Parameters of [`cubic`] from [`SEED`].
pub(crate) static CUBIC: LazyLock<Parameters> = LazyLock::new(|| generate_seeded(&record(&cubic()), SEED));

pub(crate) fn file_of(parameters: &Parameters) -> Vec<u8> {
    let mut bytes = vec![];
    write_parameters(parameters, &mut bytes).expect("memory takes any length");
    bytes
}

/// Numbers that are the same in each run.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}
