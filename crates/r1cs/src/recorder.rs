//! The recorder: a constraint system that keeps constraints and no values.

use std::sync::OnceLock;

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

use crate::coefficients::Coefficients;
use crate::digest::{self, CircuitDigest};
use crate::matrix::{Column, Matrix, PackedColumn, SparseMatrix, Term, normalise};
use crate::shape::{LogDomain, Shape};

/// Why a circuit could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("circuit failed to synthesise (hint: a circuit must synthesise blank, without any value): {0}")]
    Synthesis(#[from] SynthesisError),
    #[error("constraint {constraint} uses {column:?}, but the circuit has {shape}")]
    UnknownVariable {
        constraint: usize,
        column: Column,
        shape: Shape,
    },
    #[error("constraint {constraint} uses a variable with index {index}, the largest is {largest}")]
    VariableOutOfRange {
        constraint: usize,
        index: usize,
        largest: u32,
    },
    #[error("circuit has {shape}, which are more rows than the {limit} points of the largest evaluation domain")]
    TooManyRows { shape: Shape, limit: usize },
}

/// The constraints of a circuit, with one row per input appended: sparse matrices A, B and C with equal numbers of rows.
pub struct RecordedCircuit {
    shape: Shape,
    matrices: [SparseMatrix; 3],
    coefficients: Coefficients,
    digest: OnceLock<CircuitDigest>,
}

impl RecordedCircuit {
    /// Runs a circuit, with or without a witness, and keeps its constraints. ONE is allocated first.
    ///
    /// # Errors
    /// When the circuit fails, names a variable that it did not allocate, or has more rows than there are domains for.
    pub fn record<C: Circuit<Scalar>>(circuit: C) -> Result<Self, RecordError> {
        let mut recorder = Recorder::with_one();
        circuit.synthesize(&mut recorder)?;
        recorder.finish()
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The digest that names this circuit, version 1. Computed on first use.
    pub fn digest(&self) -> CircuitDigest {
        *self
            .digest
            .get_or_init(|| digest::digest(self.shape, &self.matrices, &self.coefficients))
    }

    /// The terms of a row in normal form: inputs first, then by index, no duplicates, no zeros.
    ///
    /// # Panics
    /// When `row` is not below [`Shape::rows`].
    pub fn row(&self, matrix: Matrix, row: usize) -> impl ExactSizeIterator<Item = (Column, &Scalar)> {
        let terms = self.matrices[matrix as usize].row(row);
        terms.map(|(column, coefficient)| (column.unpack(), self.coefficients.value(coefficient)))
    }
}

struct Recorder {
    inputs: usize,
    aux: usize,
    constraints: usize,
    matrices: [SparseMatrix; 3],
    coefficients: Coefficients,
    /// The row being normalised, kept for its memory.
    row: Vec<Term>,
    /// For inputs and for auxiliaries, the largest index used and the constraint that used it first.
    largest: [Option<LargestUse>; 2],
    out_of_range: Option<RecordError>,
}

#[derive(Clone, Copy)]
struct LargestUse {
    column: PackedColumn,
    constraint: usize,
}

impl Recorder {
    fn with_one() -> Self {
        Self {
            inputs: 1,
            aux: 0,
            constraints: 0,
            matrices: Default::default(),
            coefficients: Coefficients::new(),
            row: vec![],
            largest: [None; 2],
            out_of_range: None,
        }
    }

    fn push(&mut self, matrix: Matrix, combination: &LinearCombination<Scalar>) {
        self.row.clear();
        let inputs = combination
            .iter_inputs()
            .map(|(index, value)| (*index, PackedColumn::input(*index), value));
        let aux = combination
            .iter_aux()
            .map(|(index, value)| (*index, PackedColumn::aux(*index), value));
        for (index, column, value) in inputs.chain(aux) {
            match column {
                Some(column) => self.row.push((column, *value)),
                None => self.refuse_index(index),
            }
        }
        normalise(&mut self.row);
        // Columns are sorted, so the largest input and the largest auxiliary are the last of their kind.
        let n_inputs = self
            .row
            .partition_point(|term| matches!(term.0.unpack(), Column::Input(_)));
        note_largest(&mut self.largest[0], self.row[..n_inputs].last(), self.constraints);
        note_largest(&mut self.largest[1], self.row[n_inputs..].last(), self.constraints);
        self.matrices[matrix as usize].push_row(&self.row, &mut self.coefficients);
    }

    fn refuse_index(&mut self, index: usize) {
        let constraint = self.constraints;
        let error = RecordError::VariableOutOfRange {
            constraint,
            index,
            largest: (1 << 31) - 1,
        };
        self.out_of_range.get_or_insert(error);
    }

    fn shape(&self) -> Shape {
        Shape {
            inputs: self.inputs,
            aux: self.aux,
            constraints: self.constraints,
        }
    }

    fn finish(mut self) -> Result<RecordedCircuit, RecordError> {
        let shape = self.shape();
        self.check(shape)?;
        for input in 0..shape.inputs {
            let variable = Variable::new_unchecked(Index::Input(input));
            self.push(Matrix::A, &LinearCombination::from_variable(variable));
            self.push(Matrix::B, &LinearCombination::zero());
            self.push(Matrix::C, &LinearCombination::zero());
        }
        let Self {
            matrices, coefficients, ..
        } = self;
        Ok(RecordedCircuit {
            shape,
            matrices,
            coefficients,
            digest: OnceLock::new(),
        })
    }

    fn check(&mut self, shape: Shape) -> Result<(), RecordError> {
        if let Some(error) = self.out_of_range.take() {
            return Err(error);
        }
        for LargestUse { column, constraint } in self.largest.into_iter().flatten() {
            let column = column.unpack();
            let known = match column {
                Column::Input(index) => (index as usize) < shape.inputs,
                Column::Aux(index) => (index as usize) < shape.aux,
            };
            if !known {
                return Err(RecordError::UnknownVariable {
                    constraint,
                    column,
                    shape,
                });
            }
        }
        let limit = LogDomain::MAX.size();
        if shape.rows() > limit {
            return Err(RecordError::TooManyRows { shape, limit });
        }
        Ok(())
    }
}

fn note_largest(largest: &mut Option<LargestUse>, last: Option<&Term>, constraint: usize) {
    let Some(&(column, _)) = last else { return };
    if largest.is_none_or(|known| known.column < column) {
        *largest = Some(LargestUse { column, constraint });
    }
}

impl ConstraintSystem<Scalar> for Recorder {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.push(Matrix::A, &a(LinearCombination::zero()));
        self.push(Matrix::B, &b(LinearCombination::zero()));
        self.push(Matrix::C, &c(LinearCombination::zero()));
        self.constraints += 1;
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

#[cfg(test)]
mod tests;
