//! Batched additions against blstrs, with every special case in one batch.

use super::*;
use crate::raw::{G1, G2, Group};
use blstrs::Scalar;
use group::Group as _;
use group::prime::PrimeCurveAffine;
use proptest::prelude::*;

/// Small multiples of the generator, 0 for infinity: sums of such meet equal and opposite points often.
fn multiple<G: Group>(factor: i8) -> G::Affine {
    let product = G::Sum::generator() * Scalar::from(u64::from(factor.unsigned_abs()));
    let affine: G::Affine = group::Curve::to_affine(&product);
    if factor < 0 { -affine } else { affine }
}

fn check<G: Group>(pairs: &[(i8, i8)]) {
    let mut sums: Vec<_> = pairs
        .iter()
        .map(|&(left, _)| G::coordinates(&multiple::<G>(left)))
        .collect();
    let mut additions = Additions::with_capacity(pairs.len());
    for (target, &(_, right)) in pairs.iter().enumerate() {
        additions.add(&mut sums, target, &G::coordinates(&multiple::<G>(right)));
    }
    additions.apply(&mut sums);
    for (sum, &(left, right)) in sums.iter().zip(pairs) {
        assert!(
            G::from_coordinates(sum) == multiple::<G>(left + right),
            "{left} + {right}"
        );
    }
}

#[test]
fn special_cases_mix_with_ordinary_ones() {
    let pairs = [
        (1, 2),
        (0, 5),
        (5, 0),
        (0, 0),
        (3, 3),
        (4, -4),
        (-7, -7),
        (6, 1),
        (-1, 1),
    ];
    check::<G1>(&pairs);
    check::<G2>(&pairs);
}

#[test]
fn no_additions_change_nothing() {
    check::<G1>(&[]);
    check::<G1>(&[(9, 0), (0, 0)]);
}

#[test]
fn a_batch_can_be_reused() {
    let generator = G1::coordinates(&blstrs::G1Affine::generator());
    let mut sums = [generator];
    let mut additions = Additions::with_capacity(1);
    for _ in 0..6 {
        additions.add(&mut sums, 0, &generator);
        additions.apply(&mut sums);
    }
    assert!(G1::from_coordinates(&sums[0]) == multiple::<G1>(7));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sums_equal_those_of_blstrs(pairs in prop::collection::vec((-5i8..=5, -5i8..=5), 0..40)) {
        check::<G1>(&pairs);
        check::<G2>(&pairs);
    }
}
