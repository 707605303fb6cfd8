//! Recording: what is kept, that no value is asked for, and what is refused.

use std::sync::atomic::{AtomicUsize, Ordering};

use ff::Field;

use super::*;

/// A circuit from a closure over the recorder.
struct Steps<F>(F);

impl<F> Circuit<Scalar> for Steps<F>
where
    F: FnOnce(&mut dyn FnMut(Step) -> Variable),
{
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut failure = None;
        (self.0)(&mut |step| match step.apply(cs) {
            Ok(variable) => variable,
            Err(error) => {
                failure = Some(error);
                CS::one()
            }
        });
        failure.map_or(Ok(()), Err)
    }
}

/// One call on a constraint system. Rows give one back, which nobody uses.
enum Step {
    Input,
    Aux,
    Row([Vec<(i64, Variable)>; 3]),
}

impl Step {
    fn apply<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<Variable, SynthesisError> {
        match self {
            Self::Input => cs.alloc_input(|| "", || Err(SynthesisError::AssignmentMissing)),
            Self::Aux => cs.alloc(|| "", || Err(SynthesisError::AssignmentMissing)),
            Self::Row([a, b, c]) => {
                cs.enforce(|| "", |_| combination(&a), |_| combination(&b), |_| combination(&c));
                Ok(CS::one())
            }
        }
    }
}

fn combination(terms: &[(i64, Variable)]) -> LinearCombination<Scalar> {
    terms.iter().fold(LinearCombination::zero(), |sum, &(value, variable)| {
        let magnitude = Scalar::from(value.unsigned_abs());
        sum + (if value < 0 { -magnitude } else { magnitude }, variable)
    })
}

fn record(circuit: impl FnOnce(&mut dyn FnMut(Step) -> Variable)) -> Result<RecordedCircuit, RecordError> {
    RecordedCircuit::record(Steps(circuit))
}

const ONE: Variable = Variable(Index::Input(0));

fn row(circuit: &RecordedCircuit, matrix: Matrix, row: usize) -> Vec<(Column, Scalar)> {
    circuit
        .row(matrix, row)
        .map(|(column, value)| (column, *value))
        .collect()
}

#[test]
fn inputs_and_auxiliaries_may_be_allocated_in_turn() {
    let circuit = record(|cs| {
        let x = cs(Step::Aux);
        let p = cs(Step::Input);
        let y = cs(Step::Aux);
        let q = cs(Step::Input);
        cs(Step::Row([
            vec![(5, y), (2, q), (4, x), (3, p)],
            vec![(1, ONE)],
            vec![(-1, y), (1, p)],
        ]));
    })
    .unwrap();
    assert_eq!(
        circuit.shape(),
        Shape {
            inputs: 3,
            aux: 2,
            constraints: 1
        }
    );
    let value = |value: u64| Scalar::from(value);
    let a = [
        (Column::Input(1), value(3)),
        (Column::Input(2), value(2)),
        (Column::Aux(0), value(4)),
        (Column::Aux(1), value(5)),
    ];
    assert_eq!(row(&circuit, Matrix::A, 0), a);
    assert_eq!(row(&circuit, Matrix::B, 0), [(Column::Input(0), value(1))]);
    assert_eq!(
        row(&circuit, Matrix::C, 0),
        [(Column::Input(1), value(1)), (Column::Aux(1), -value(1))]
    );
}

#[test]
fn a_row_for_each_input_is_appended() {
    let circuit = record(|cs| {
        cs(Step::Input);
        cs(Step::Row([vec![], vec![], vec![]]));
    })
    .unwrap();
    assert_eq!(circuit.shape().rows(), 3);
    for input in 0..2 {
        assert_eq!(
            row(&circuit, Matrix::A, 1 + input),
            [(Column::Input(input as u32), Scalar::ONE)]
        );
        assert_eq!(row(&circuit, Matrix::B, 1 + input), []);
        assert_eq!(row(&circuit, Matrix::C, 1 + input), []);
    }
}

#[test]
fn the_order_of_terms_does_not_matter_and_everything_else_does() {
    let digest = |terms: &[(i64, usize)]| {
        let circuit = record(|cs| {
            let aux: Vec<_> = (0..3).map(|_| cs(Step::Aux)).collect();
            let row = terms.iter().map(|&(value, index)| (value, aux[index])).collect();
            cs(Step::Row([row, vec![], vec![]]));
        });
        circuit.unwrap().digest()
    };
    let one = digest(&[(1, 0), (2, 1), (3, 2)]);
    assert_eq!(one, digest(&[(3, 2), (1, 0), (2, 1)]));
    assert_eq!(one, digest(&[(1, 1), (3, 2), (1, 0), (1, 1)]));
    assert_eq!(one, digest(&[(1, 0), (2, 1), (4, 2), (-1, 2)]));
    assert_ne!(one, digest(&[(1, 0), (3, 1), (2, 2)]));
    assert_ne!(one, digest(&[(1, 0), (2, 1)]));
}

#[test]
fn matrices_and_kinds_of_variables_are_told_apart() {
    let digest = |at: usize, variable: Step| {
        let circuit = record(|cs| {
            cs(Step::Input);
            cs(Step::Aux);
            let index = if matches!(variable, Step::Aux) {
                Index::Aux(0)
            } else {
                Index::Input(0)
            };
            let mut sides = [vec![], vec![], vec![]];
            sides[at].push((1, Variable(index)));
            cs(Step::Row(sides));
        });
        circuit.unwrap().digest()
    };
    let mut all: Vec<_> = (0..3)
        .flat_map(|at| [digest(at, Step::Aux), digest(at, Step::Input)])
        .collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
}

/// Squares `x` some times. Counts how often it is asked for a value.
struct Squares<'a> {
    x: Option<Scalar>,
    asked: &'a AtomicUsize,
}

impl Circuit<Scalar> for Squares<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut value = self.x;
        let ask = |value: Option<Scalar>| {
            self.asked.fetch_add(1, Ordering::Relaxed);
            value.ok_or(SynthesisError::AssignmentMissing)
        };
        let mut x = cs.alloc(|| "x", || ask(value))?;
        for step in 0..10 {
            let mut cs = cs.namespace(|| format!("step {step}"));
            value = value.map(|value| value.square());
            let next = cs.alloc(|| "next", || ask(value))?;
            cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + next);
            x = next;
        }
        let out = cs.alloc_input(|| "out", || ask(value))?;
        cs.enforce(|| "out", |lc| lc + x, |lc| lc + CS::one(), |lc| lc + out);
        Ok(())
    }
}

#[test]
fn blank_and_witness_give_one_record_and_no_value_is_asked_for() {
    let asked = AtomicUsize::new(0);
    let blank = RecordedCircuit::record(Squares { x: None, asked: &asked }).unwrap();
    let with_witness = RecordedCircuit::record(Squares {
        x: Some(Scalar::from(3)),
        asked: &asked,
    })
    .unwrap();
    assert_eq!(
        blank.shape(),
        Shape {
            inputs: 2,
            aux: 11,
            constraints: 11
        }
    );
    assert_eq!(blank.shape(), with_witness.shape());
    assert_eq!(blank.digest(), with_witness.digest());
    assert_eq!(asked.into_inner(), 0);
}

#[test]
fn a_variable_that_was_never_allocated_is_named() {
    let unknown = Variable(Index::Aux(1));
    let circuit = record(|cs| {
        cs(Step::Aux);
        cs(Step::Row([vec![], vec![], vec![]]));
        cs(Step::Row([vec![], vec![(1, unknown)], vec![]]));
    });
    let error = circuit.err().expect("an error").to_string();
    assert_eq!(
        error,
        "constraint 1 uses Aux(1), but the circuit has 1 inputs, 1 auxiliaries, 2 constraints"
    );
    let circuit = record(|cs| {
        cs(Step::Row([vec![(1, Variable(Index::Input(1)))], vec![], vec![]]));
    });
    assert!(matches!(
        circuit,
        Err(RecordError::UnknownVariable {
            column: Column::Input(1),
            constraint: 0,
            ..
        })
    ));
}

#[test]
fn an_index_that_does_not_fit_is_refused() {
    for index in [Index::Aux(1 << 31), Index::Input(usize::MAX)] {
        let circuit = record(|cs| {
            cs(Step::Row([vec![(1, Variable(index))], vec![], vec![]]));
        });
        assert!(matches!(
            circuit,
            Err(RecordError::VariableOutOfRange { constraint: 0, .. })
        ));
    }
}

#[test]
fn a_circuit_that_fails_is_an_error() {
    struct Fails;
    impl Circuit<Scalar> for Fails {
        fn synthesize<CS: ConstraintSystem<Scalar>>(self, _: &mut CS) -> Result<(), SynthesisError> {
            Err(SynthesisError::DivisionByZero)
        }
    }
    assert!(matches!(
        RecordedCircuit::record(Fails),
        Err(RecordError::Synthesis(SynthesisError::DivisionByZero))
    ));
}
