//! Whether a task's witness satisfies its circuit, without proving: the first row that does not hold, by name.
//!
//! Each row is evaluated when it is enforced and then forgotten, so the memory is that of the variables (32 bytes each).
//!
//! Left out: recording (`cuzk-r1cs`) and the assignment of a prover, which keeps a, b and c (`cuzk-groth16`).
use std::fmt;

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use cuzk_groth16::r1cs::Shape;
use ff::Field;
use thiserror::Error;

use crate::task::{Partition, ProofTask};

/// What the check of one partition found.
#[derive(Clone, Debug)]
pub struct Report {
    pub shape: Shape,
    /// The first row that does not hold.
    pub unsatisfied: Option<Unsatisfied>,
    /// Where the circuit's inputs are not the public inputs of the task.
    pub public_inputs: PublicInputs,
}

/// A row `a * b = c` that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsatisfied {
    /// Number of the row, from 0, without the rows that a prover appends.
    pub constraint: usize,
    /// Namespaces and annotation, joined by `/`.
    pub path: String,
    pub a: Scalar,
    pub b: Scalar,
    pub c: Scalar,
}

/// The inputs of the circuit, compared with those that a verifier will be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicInputs {
    Equal,
    /// Counts without the constant ONE.
    Count {
        circuit: usize,
        task: usize,
    },
    /// The first difference; index 0 is the first after ONE.
    Differ {
        index: usize,
    },
}

/// The check itself could not be made.
#[derive(Debug, Error)]
#[error("partition {partition} cannot be synthesised: {source}")]
pub struct CheckError {
    pub partition: usize,
    pub source: SynthesisError,
}

impl Report {
    /// All rows hold, for the public inputs of the task.
    pub fn is_satisfied(&self) -> bool {
        self.unsatisfied.is_none() && self.public_inputs == PublicInputs::Equal
    }
}

impl fmt::Display for Unsatisfied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            constraint,
            path,
            a,
            b,
            c,
        } = self;
        write!(
            f,
            "constraint {constraint} ({path}) does not hold: a = {a:?}, b = {b:?}, c = {c:?}"
        )
    }
}

/// Checks every partition of `task`, in order.
///
/// # Errors
/// A circuit that cannot be synthesised, for instance a blank one. An unsatisfied circuit is a report, not an error.
pub fn check(task: &ProofTask) -> Result<Vec<Report>, CheckError> {
    let checked = task.partitions.iter().enumerate();
    checked
        .map(|(partition, work)| check_partition(work).map_err(|source| CheckError { partition, source }))
        .collect()
}

/// Checks one partition. Takes 32 bytes per variable, whatever the number of rows.
///
/// # Errors
/// A circuit that cannot be synthesised.
pub fn check_partition(partition: &Partition) -> Result<Report, SynthesisError> {
    let mut rows = Rows::new();
    partition.circuit.clone().synthesize(&mut rows)?;
    Ok(Report {
        shape: Shape {
            inputs: rows.inputs.len(),
            aux: rows.aux.len(),
            constraints: rows.constraints,
        },
        public_inputs: compare(&rows.inputs[1..], &partition.public_inputs),
        unsatisfied: rows.unsatisfied,
    })
}

fn compare(circuit: &[Scalar], task: &[Scalar]) -> PublicInputs {
    if circuit.len() != task.len() {
        return PublicInputs::Count {
            circuit: circuit.len(),
            task: task.len(),
        };
    }
    match circuit.iter().zip(task).position(|(circuit, task)| circuit != task) {
        Some(index) => PublicInputs::Differ { index },
        None => PublicInputs::Equal,
    }
}

/// Evaluates rows as they come.
struct Rows {
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    constraints: usize,
    /// Path of the current namespace, and its length before each namespace that is open.
    path: String,
    parents: Vec<usize>,
    unsatisfied: Option<Unsatisfied>,
}

impl Rows {
    fn new() -> Self {
        let inputs = vec![Scalar::ONE];
        Self {
            inputs,
            aux: vec![],
            constraints: 0,
            path: String::new(),
            parents: vec![],
            unsatisfied: None,
        }
    }

    fn evaluate(&self, build: impl FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>) -> Scalar {
        build(LinearCombination::zero()).eval(&self.inputs, &self.aux)
    }
}

impl ConstraintSystem<Scalar> for Rows {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let (a, b, c) = (self.evaluate(a), self.evaluate(b), self.evaluate(c));
        if a * b != c && self.unsatisfied.is_none() {
            let path = format!("{}{}", self.path, annotation().into());
            self.unsatisfied = Some(Unsatisfied {
                constraint: self.constraints,
                path,
                a,
                b,
                c,
            });
        }
        self.constraints += 1;
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.parents.push(self.path.len());
        self.path.push_str(&name().into());
        self.path.push('/');
    }

    fn pop_namespace(&mut self) {
        let parent = self.parents.pop().unwrap_or(0);
        self.path.truncate(parent);
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

#[cfg(test)]
mod tests;
