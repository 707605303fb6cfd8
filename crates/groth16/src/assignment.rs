//! A circuit run with its witness: values of all variables, values of all rows, and which variables each query needs.
//!
//! The rules are bellperson's, so that parameters and proofs are exchangeable with it. Left out: running several circuits
//! ([`crate::synthesis`]).

use std::fmt;

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use cuzk_r1cs::Shape;
use ff::Field;
use rayon::prelude::*;

use crate::density::Density;
use crate::synthesis::SynthesisCapacityHint;

/// Index of a row (constraint), counted from zero; the rows appended for the inputs come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowIndex(pub usize);

impl fmt::Display for RowIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Everything about one circuit with its witness that proving needs.
///
/// As a [`ConstraintSystem`] it is extensible: circuits made of independent parts may run them in parallel, each in its own
/// assignment that begins with ONE, and append them in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProvingAssignment {
    /// Values of A's rows at the witness; `b` and `c` likewise. Equal lengths.
    pub a: Vec<Scalar>,
    pub b: Vec<Scalar>,
    pub c: Vec<Scalar>,
    /// Values of the inputs, ONE first.
    pub input: Vec<Scalar>,
    /// Values of the auxiliary variables.
    pub aux: Vec<Scalar>,
    /// Auxiliary variables in A. The inputs are all in A, each by its appended row.
    pub a_aux_density: Density,
    /// Inputs in B.
    pub b_input_density: Density,
    /// Auxiliary variables in B.
    pub b_aux_density: Density,
}

impl ProvingAssignment {
    /// Runs a circuit: ONE first, then the circuit, then one row `input * 0 = 0` per input.
    pub fn synthesize<C: Circuit<Scalar>>(circuit: C, hint: SynthesisCapacityHint) -> Result<Self, SynthesisError> {
        let mut assignment = Self::with_capacity(hint);
        assignment.alloc_input(|| "ONE", || Ok(Scalar::ONE))?;
        circuit.synthesize(&mut assignment)?;
        assignment.append_input_rows();
        Ok(assignment)
    }

    fn with_capacity(hint: SynthesisCapacityHint) -> Self {
        let rows = hint.constraints + hint.inputs;
        Self {
            a: Vec::with_capacity(rows),
            b: Vec::with_capacity(rows),
            c: Vec::with_capacity(rows),
            input: Vec::with_capacity(hint.inputs),
            aux: Vec::with_capacity(hint.aux),
            a_aux_density: Density::with_capacity(hint.aux),
            b_input_density: Density::with_capacity(hint.inputs),
            b_aux_density: Density::with_capacity(hint.aux),
        }
    }

    /// These rows make the inputs' polynomials in A linearly independent, without which inputs could be exchanged.
    fn append_input_rows(&mut self) {
        let rows = self.a.len() + self.input.len();
        self.a.extend_from_slice(&self.input);
        self.b.resize(rows, Scalar::ZERO);
        self.c.resize(rows, Scalar::ZERO);
    }

    /// Counts of the circuit. Only meaningful with the input rows appended, as [`ProvingAssignment::synthesize`] does.
    pub fn shape(&self) -> Shape {
        Shape {
            inputs: self.input.len(),
            aux: self.aux.len(),
            constraints: self.a.len().saturating_sub(self.input.len()),
        }
    }

    /// The public inputs as a verifier gets them: without ONE.
    pub fn public_inputs(&self) -> &[Scalar] {
        self.input.get(1..).unwrap_or_default()
    }

    /// The first row whose `a * b` is not `c`; `None` when the witness satisfies the circuit.
    pub fn first_unsatisfied(&self) -> Option<RowIndex> {
        let rows = self.a.par_iter().zip(&self.b).zip(&self.c);
        rows.position_first(|((a, b), c)| a * b != *c).map(RowIndex)
    }

    fn value(&self, combination: &LinearCombination<Scalar>) -> Scalar {
        let mut sum = Scalar::ZERO;
        let minus_one = -Scalar::ONE;
        let mut add = |coefficient: &Scalar, value: &Scalar| {
            // Most coefficients of real circuits are 1 or -1, and a product costs several sums.
            if *coefficient == Scalar::ONE {
                sum += value;
            } else if *coefficient == minus_one {
                sum -= value;
            } else {
                sum += coefficient * value;
            }
        };
        combination
            .iter_inputs()
            .for_each(|(&index, coefficient)| add(coefficient, &self.input[index]));
        combination
            .iter_aux()
            .for_each(|(&index, coefficient)| add(coefficient, &self.aux[index]));
        sum
    }
}

/// Marks what occurs with a coefficient other than zero.
fn mark<'a>(density: &mut Density, terms: impl Iterator<Item = (&'a usize, &'a Scalar)>) {
    for (&variable, coefficient) in terms {
        if !coefficient.is_zero_vartime() {
            density.insert(variable);
        }
    }
}

impl ConstraintSystem<Scalar> for ProvingAssignment {
    type Root = Self;

    fn new() -> Self {
        Self::default()
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        self.a_aux_density.push_absent();
        self.b_aux_density.push_absent();
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.input.push(value()?);
        self.b_input_density.push_absent();
        Ok(Variable::new_unchecked(Index::Input(self.input.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let a = a(LinearCombination::zero());
        let b = b(LinearCombination::zero());
        let c = c(LinearCombination::zero());
        mark(&mut self.a_aux_density, a.iter_aux());
        mark(&mut self.b_input_density, b.iter_inputs());
        mark(&mut self.b_aux_density, b.iter_aux());
        // No density for C: the L query holds every auxiliary variable.
        self.a.push(self.value(&a));
        self.b.push(self.value(&b));
        self.c.push(self.value(&c));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        // Names serve debugging only.
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }

    fn is_extensible() -> bool {
        true
    }

    fn extend(&mut self, part: &Self) {
        self.a.extend_from_slice(&part.a);
        self.b.extend_from_slice(&part.b);
        self.c.extend_from_slice(&part.c);
        self.input.extend_from_slice(part.public_inputs());
        self.aux.extend_from_slice(&part.aux);
        self.a_aux_density.extend(&part.a_aux_density);
        self.b_input_density.extend_inputs(&part.b_input_density);
        self.b_aux_density.extend(&part.b_aux_density);
    }
}

#[cfg(test)]
mod tests;
