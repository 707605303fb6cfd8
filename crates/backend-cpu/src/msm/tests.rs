//! How weighted sums are cut; the sums themselves are tested by the conformance suite.

use super::*;
use crate::raw::{G1, G2};
use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective};
use ff::Field;
use group::Curve;
use proptest::prelude::*;

fn terms(count: u32) -> Vec<Term> {
    (0..count)
        .map(|index| Term {
            point: index,
            scalar: index,
        })
        .collect()
}

#[test]
fn small_machines_split_by_windows_and_large_ones_by_terms_too() {
    assert_eq!(Plan::new(1 << 19, 2).columns, 1);
    assert!(Plan::new(1 << 19, 128).columns > 4);
    assert!(Plan::new(1 << 19, 2).window_bits > Plan::new(1 << 10, 2).window_bits);
}

proptest! {
    #[test]
    fn tiles_cover_every_term_once_per_window(count in 8u32..3000, threads in 1usize..200) {
        let plan = Plan::new(count as usize, threads);
        let all = terms(count);
        let tiles = plan.tiles(&all);
        for first_bit in plan.first_bits() {
            let of_window: Vec<Term> =
                tiles.iter().filter(|(window, _)| window.first_bit == first_bit).flat_map(|(_, terms)| *terms).copied().collect();
            prop_assert_eq!(&of_window, &all);
        }
        prop_assert!(tiles.iter().all(|(_, terms)| terms.len() >= 2));
        prop_assert_eq!(plan.first_bits().next(), Some(0));
        prop_assert!(plan.first_bits().next_back().unwrap() + plan.window_bits > SCALAR_BITS);
    }
}

#[test]
fn a_single_term_left_over_joins_the_column_before() {
    let plan = Plan {
        window_bits: 12,
        columns: 7,
    };
    // Seven columns of 43 terms are seven wide, which leaves one over: blst would read past it.
    let all = terms(43);
    let lengths: Vec<_> = plan.tiles(&all)[..6].iter().map(|(_, terms)| terms.len()).collect();
    assert_eq!(lengths, [7, 7, 7, 7, 7, 8]);
}

/// Every window width, also those that no machine here would choose: 17 and 15 divide 255.
#[test]
fn every_width_gives_the_same_sum() {
    let mut powers = std::iter::successors(Some(Scalar::from(3)), |scalar| Some(scalar.square() - Scalar::ONE));
    let scalars: Vec<Scalar> = powers
        .by_ref()
        .take(100)
        .chain([-Scalar::ONE, Scalar::ZERO, Scalar::ONE])
        .collect();
    let points: Vec<G1Affine> = powers
        .take(103)
        .map(|factor| (G1Projective::generator() * factor).to_affine())
        .collect();
    let expected: G1Projective = points.iter().zip(&scalars).map(|(point, scalar)| point * scalar).sum();
    let bytes: Vec<_> = scalars.iter().map(PrimeField::to_repr).collect();
    let widths = (2..=12)
        .flat_map(|width| [(width, 1), (width, 3), (width, 7)])
        .chain([(15, 1), (17, 1)]);
    for (window_bits, columns) in widths {
        let sum = sum_of_tiles::<G1>(Plan { window_bits, columns }, &points, &bytes, &terms(103));
        assert!(sum == expected, "{window_bits} bits, {columns} columns");
    }
}

#[test]
fn terms_may_repeat_and_skip_points() {
    let points = [
        G2Affine::from(G2Projective::generator()),
        (G2Projective::generator() * Scalar::from(5)).to_affine(),
    ];
    let scalars = [Scalar::from(11).to_repr(), (-Scalar::from(2)).to_repr()];
    let pattern = [(0, 0), (1, 1), (1, 1), (0, 1)];
    let terms: Vec<_> = pattern
        .iter()
        .cycle()
        .take(40)
        .map(|&(point, scalar)| Term { point, scalar })
        .collect();
    // Ten times 11 - 10 - 10 - 2.
    let expected = G2Projective::generator() * -Scalar::from(110);
    assert_eq!(weighted_sum_of_terms::<G2>(&points, &scalars, &terms), expected);
    assert_eq!(
        weighted_sum_of_terms::<G2>(&points, &scalars, &terms[..4]),
        G2Projective::generator() * -Scalar::from(11)
    );
}
