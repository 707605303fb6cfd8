//! The rules of synthesis on circuits small enough to work out by hand.

use super::*;
use crate::synthesis::{synthesize_circuits_batch, synthesize_circuits_batch_with_hint};
use proptest::prelude::*;

fn scalar(value: u64) -> Scalar {
    Scalar::from(value)
}

fn scalars(values: &[u64]) -> Vec<Scalar> {
    values.iter().copied().map(Scalar::from).collect()
}

fn present(density: &Density) -> Vec<bool> {
    (0..density.len()).map(|variable| density.contains(variable)).collect()
}

/// Knows x with x^3 + x + 5 = out; for x = 3 out is 35.
#[derive(Clone, Copy)]
struct Cubic(Option<u64>);

impl Circuit<Scalar> for Cubic {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x = self.0.map(Scalar::from).ok_or(SynthesisError::AssignmentMissing);
        let of_x = |f: fn(Scalar) -> Scalar| match &x {
            Ok(x) => Ok(f(*x)),
            Err(_) => Err(SynthesisError::AssignmentMissing),
        };
        let base = cs.alloc(|| "x", || of_x(|x| x))?;
        let square = cs.alloc(|| "x^2", || of_x(|x| x * x))?;
        let cube = cs.alloc(|| "x^3", || of_x(|x| x * x * x))?;
        let out = cs.alloc_input(|| "out", || of_x(|x| x * x * x + x + Scalar::from(5)))?;
        cs.enforce(|| "square", |lc| lc + base, |lc| lc + base, |lc| lc + square);
        cs.enforce(|| "cube", |lc| lc + square, |lc| lc + base, |lc| lc + cube);
        let five = (Scalar::from(5), CS::one());
        cs.enforce(
            || "out",
            |lc| lc + cube + base + five,
            |lc| lc + CS::one(),
            |lc| lc + out,
        );
        Ok(())
    }
}

#[test]
fn a_cubic_by_hand() {
    let assignment = ProvingAssignment::synthesize(Cubic(Some(3)), SynthesisCapacityHint::default()).unwrap();
    assert_eq!(assignment.input, scalars(&[1, 35]));
    assert_eq!(assignment.aux, scalars(&[3, 9, 27]));
    // Three rows of its own, then one for each input.
    assert_eq!(assignment.a, scalars(&[3, 9, 35, 1, 35]));
    assert_eq!(assignment.b, scalars(&[3, 3, 1, 0, 0]));
    assert_eq!(assignment.c, scalars(&[9, 27, 35, 0, 0]));
    assert_eq!(present(&assignment.a_aux_density), [true, true, true]);
    assert_eq!(present(&assignment.b_input_density), [true, false]);
    assert_eq!(present(&assignment.b_aux_density), [true, false, false]);
    assert_eq!(
        assignment.shape(),
        Shape {
            inputs: 2,
            aux: 3,
            constraints: 3
        }
    );
    assert_eq!(assignment.public_inputs(), scalars(&[35]));
    assert_eq!(assignment.first_unsatisfied(), None);
}

#[test]
fn the_first_unsatisfied_row_is_named() {
    let mut assignment = ProvingAssignment::synthesize(Cubic(Some(3)), SynthesisCapacityHint::default()).unwrap();
    assignment.c[1] += Scalar::ONE;
    assignment.c[4] += Scalar::ONE;
    assert_eq!(assignment.first_unsatisfied(), Some(RowIndex(1)));
}

#[test]
fn a_missing_witness_names_the_circuit() {
    let failure = synthesize_circuits_batch(vec![Cubic(Some(1)), Cubic(None)]).unwrap_err();
    assert_eq!((failure.position, failure.total), (2, 2));
    assert!(matches!(failure.source, SynthesisError::AssignmentMissing));
}

#[test]
fn batches_keep_their_order_and_hints_change_nothing() {
    let circuits: Vec<_> = (0..20).map(|x| Cubic(Some(x))).collect();
    let plain = synthesize_circuits_batch(circuits.clone()).unwrap();
    assert!(
        plain
            .iter()
            .enumerate()
            .all(|(x, assignment)| assignment.aux[0] == scalar(x as u64))
    );
    for hint in [
        plain[0].shape().into(),
        SynthesisCapacityHint {
            inputs: 1000,
            aux: 0,
            constraints: 2,
        },
    ] {
        assert_eq!(
            synthesize_circuits_batch_with_hint(circuits.clone(), hint).unwrap(),
            plain
        );
    }
    let exact = ProvingAssignment::synthesize(circuits[3], plain[0].shape().into()).unwrap();
    assert_eq!(
        (exact.a.capacity(), exact.aux.capacity(), exact.input.capacity()),
        (5, 3, 2)
    );
    assert!(synthesize_circuits_batch(Vec::<Cubic>::new()).unwrap().is_empty());
}

#[test]
fn coefficients_that_cancel_leave_no_density() {
    let mut cs = ProvingAssignment::new();
    let x = cs.alloc(|| "x", || Ok(scalar(7))).unwrap();
    let y = cs.alloc(|| "y", || Ok(Scalar::ZERO)).unwrap();
    cs.enforce(
        || "",
        |lc| lc + x - x + (Scalar::ZERO, y),
        |lc| lc + (scalar(2), y) - x,
        |lc| lc,
    );
    assert_eq!(present(&cs.a_aux_density), [false, false]);
    // y is zero, but its coefficient is not.
    assert_eq!(present(&cs.b_aux_density), [true, true]);
    assert_eq!((cs.a[0], cs.b[0]), (Scalar::ZERO, -scalar(7)));
}

/// One step of building a constraint system, for the test of extension.
#[derive(Clone, Debug)]
enum Step {
    Aux(u64),
    Input(u64),
    /// Three combinations over the variables so far, by index modulo their number.
    Row([Vec<(u64, usize)>; 3]),
}

fn step() -> impl Strategy<Value = Step> {
    let combination = || prop::collection::vec((0u64..3, any::<usize>()), 0..4);
    prop_oneof![
        any::<u64>().prop_map(Step::Aux),
        any::<u64>().prop_map(Step::Input),
        [combination(), combination(), combination()].prop_map(Step::Row),
    ]
}

/// A part: ONE and its own variables, so that it can be run alone or after others.
fn run(cs: &mut ProvingAssignment, part: &[Step]) {
    let mut variables = vec![ProvingAssignment::one()];
    for step in part {
        match step {
            Step::Aux(value) => variables.push(cs.alloc(|| "", || Ok(scalar(*value))).unwrap()),
            Step::Input(value) => variables.push(cs.alloc_input(|| "", || Ok(scalar(*value))).unwrap()),
            Step::Row(combinations) => {
                let [a, b, c] = combinations.each_ref().map(|terms| {
                    terms
                        .iter()
                        .fold(LinearCombination::zero(), |sum, (coefficient, index)| {
                            sum + (scalar(*coefficient), variables[index % variables.len()])
                        })
                });
                cs.enforce(|| "", |_| a, |_| b, |_| c);
            }
        }
    }
}

fn with_one() -> ProvingAssignment {
    let mut cs = ProvingAssignment::new();
    cs.alloc_input(|| "ONE", || Ok(Scalar::ONE)).unwrap();
    cs
}

proptest! {
    #[test]
    fn parts_run_apart_and_appended_equal_parts_run_in_order(
        parts in prop::collection::vec(prop::collection::vec(step(), 0..80), 0..5)
    ) {
        let mut in_order = with_one();
        let mut appended = with_one();
        for part in &parts {
            run(&mut in_order, part);
            let mut alone = with_one();
            run(&mut alone, part);
            appended.extend(&alone);
        }
        prop_assert_eq!(appended, in_order);
        prop_assert!(ProvingAssignment::is_extensible());
    }
}
