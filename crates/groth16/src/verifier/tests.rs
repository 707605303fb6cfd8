//! Sums of public inputs; whole proofs are tested against bellperson, from both sides, in `cuzk-backend-cpu`.

use super::*;
use ff::Field;
use proptest::prelude::*;

fn check(scalars: &[Scalar]) {
    let points: Vec<G1Affine> = (0..scalars.len() as u64)
        .map(|i| (G1Affine::generator() * Scalar::from(i % 5 + 1)).to_affine())
        .collect();
    let factors = (0..scalars.len() as u64).map(|i| Scalar::from(i % 5 + 1));
    let expected: Scalar = factors.zip(scalars).map(|(factor, scalar)| factor * scalar).sum();
    assert_eq!(weighted_sum(&points, scalars), G1Projective::generator() * expected);
}

#[test]
fn digits_are_little_endian() {
    let mut scalar = [0u8; 32];
    scalar[0] = 0b1010_0000;
    scalar[1] = 0b0000_0011;
    scalar[31] = 0x80;
    assert_eq!(digit(&scalar, 0, 8), 0b1010_0000);
    assert_eq!(digit(&scalar, 5, 5), 0b11101);
    assert_eq!(digit(&scalar, 252, 7), 0b1000);
    assert_eq!(digit(&scalar, 260, 7), 0);
}

#[test]
fn sums_of_all_sizes() {
    let next = |scalar: &Scalar| Some(scalar.square() + Scalar::ONE);
    let scalars: Vec<_> = std::iter::successors(Some(Scalar::from(3)), next).take(1000).collect();
    for count in [0, 1, 2, 3, 9, 132, 1000] {
        check(&scalars[..count]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn small_and_negative_inputs(values in prop::collection::vec((any::<bool>(), 0u64..4), 0..40)) {
        let scalars: Vec<_> = values.iter().map(|&(negative, value)| {
            let scalar = Scalar::from(value);
            if negative { -scalar } else { scalar }
        }).collect();
        check(&scalars);
    }
}
