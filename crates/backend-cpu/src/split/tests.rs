//! Splitting against looking at one variable after the other.

use super::*;
use proptest::prelude::*;

/// A variable: its value, and whether A and B have it.
type Variable = (u64, bool, bool);

fn variables(up_to: usize) -> impl Strategy<Value = Vec<Variable>> {
    let value = prop_oneof![Just(0), Just(1), 2u64..5];
    prop::collection::vec((value, any::<bool>(), any::<bool>()), 0..up_to)
}

fn density(bits: impl Iterator<Item = bool>) -> Density {
    let mut density = Density::default();
    for (variable, bit) in bits.enumerate() {
        density.push_absent();
        if bit {
            density.insert(variable);
        }
    }
    density
}

fn assignment(input: &[Variable], aux: &[Variable]) -> ProvingAssignment {
    let values = |variables: &[Variable]| variables.iter().map(|variable| Scalar::from(variable.0)).collect();
    ProvingAssignment {
        input: values(input),
        aux: values(aux),
        a_aux_density: density(aux.iter().map(|variable| variable.1)),
        b_input_density: density(input.iter().map(|variable| variable.2)),
        b_aux_density: density(aux.iter().map(|variable| variable.2)),
        ..Default::default()
    }
}

/// The points of a query in order, each with its scalar.
fn expand(selection: &Selection, scalars: &[ScalarBytes], points: usize) -> Vec<Scalar> {
    let mut values = vec![Scalar::ZERO; points];
    for &point in &selection.ones {
        assert_eq!(values[point as usize], Scalar::ZERO, "point {point} twice");
        values[point as usize] = Scalar::ONE;
    }
    for term in &selection.rest {
        assert_eq!(values[term.point as usize], Scalar::ZERO, "point {} twice", term.point);
        values[term.point as usize] = Scalar::from_repr(scalars[term.scalar as usize]).unwrap();
    }
    values
}

fn check(input: &[Variable], aux: &[Variable]) {
    let split = Split::new(&assignment(input, aux));
    let values = |variables: Vec<&Variable>| -> Vec<Scalar> { variables.iter().map(|v| Scalar::from(v.0)).collect() };
    let l = values(aux.iter().collect());
    let a = values(input.iter().chain(aux.iter().filter(|variable| variable.1)).collect());
    let b = values(input.iter().chain(aux).filter(|variable| variable.2).collect());
    for (selection, expected) in [(&split.l, l), (&split.a, a), (&split.b, b)] {
        assert_eq!(expand(selection, &split.scalars, expected.len()), expected);
    }
    let rest = input.iter().chain(aux).filter(|variable| variable.0 > 1).count();
    assert_eq!(split.scalars.len(), rest, "each full value is kept once");
}

proptest! {
    #[test]
    fn every_variable_lands_where_it_belongs(input in variables(150), aux in variables(300)) {
        check(&input, &aux);
    }
}

#[test]
fn tasks_meet_at_their_boundaries() {
    let aux: Vec<Variable> = (0..3 * 64 * WORDS_PER_TASK as u64 + 17)
        .map(|i| (i % 3, i % 5 > 0, i % 7 > 2))
        .collect();
    check(&[(1, true, false), (2, true, true)], &aux);
}

#[test]
fn nothing_but_zeros_is_no_work() {
    let split = Split::new(&assignment(&[(0, true, true)], &[(0, true, true); 100]));
    assert!(!split.has_ones() && !split.has_rest());
}
