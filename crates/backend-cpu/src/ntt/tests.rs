//! What is particular to this implementation; transforms themselves are tested by the conformance suite.

use super::*;

#[test]
fn bits_are_reversed() {
    assert_eq!(bit_reversed(0, 0), 0);
    assert_eq!(bit_reversed(1, 1), 1);
    assert_eq!(bit_reversed(0b0011, 4), 0b1100);
    assert_eq!(bit_reversed(0b10_0000_0001, 10), 0b10_0000_0001);
}

#[test]
fn roots_have_the_order_they_are_for() {
    assert_eq!(root_of_unity(1), Scalar::ONE);
    assert_eq!(root_of_unity(2), -Scalar::ONE);
    let root = root_of_unity(1 << 10);
    assert_eq!(root.pow_vartime([1 << 9]), -Scalar::ONE);
}

#[test]
fn a_level_of_twiddle_factors_are_its_points() {
    let twiddles = Twiddles::evaluation(16, Points::Coset);
    let generator = Scalar::MULTIPLICATIVE_GENERATOR;
    for half in [1usize, 2, 4, 8] {
        let shift = generator.pow_vartime([8 / half as u64]);
        let expected: Vec<_> = (0..half as u64)
            .map(|i| shift * root_of_unity(2 * half).pow_vartime([i]))
            .collect();
        assert_eq!(twiddles.level(half), expected);
    }
}

#[test]
fn interpolation_undoes_evaluation_without_reordering() {
    // Beyond one sequential block, so that the recursion and its parallel levels run.
    let size = 8 * SEQUENTIAL;
    let coefficients: Vec<_> = (0..size as u64).map(|i| Scalar::from(i * i + 7)).collect();
    let mut values = coefficients.clone();
    evaluate(&mut values, &Twiddles::evaluation(size, Points::Domain));
    interpolate(&mut values, &Twiddles::interpolation(size));
    let scale = Scalar::from(size as u64);
    assert!(
        values
            .iter()
            .zip(&coefficients)
            .all(|(value, coefficient)| *value == coefficient * scale)
    );
}

#[test]
#[should_panic(expected = "no transform of length 12")]
fn other_lengths_are_refused() {
    forward(&mut [Scalar::ZERO; 12], Points::Domain);
}
