//! Tests that every backend's [`Arithmetic`] must pass: each function panics where the backend is wrong.
//!
//! The references are the definitions: a polynomial evaluated point by point, a sum taken term by term.

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::{Field, PrimeField};
use group::{Curve, Group, prime::PrimeCurveAffine};

use crate::arithmetic::Arithmetic;

/// Lengths around the bounds that implementations cut their work at.
pub const SUM_LENGTHS: [usize; 9] = [0, 1, 2, 3, 9, 100, 1000, 1024, 1025];

/// Scalars that look random and are the same each time.
pub fn scalars(count: usize) -> Vec<Scalar> {
    let next = |scalar: &Scalar| Some(scalar.square() + Scalar::from(0x9e37_79b9_7f4a_7c15));
    std::iter::successors(next(&Scalar::MULTIPLICATIVE_GENERATOR), next)
        .skip(8)
        .take(count)
        .collect()
}

/// All transforms against point by point evaluation, for 1, 2, 4, .., `2^log_limit` coefficients.
pub fn transforms_follow_their_definition(backend: &impl Arithmetic, log_limit: u32) {
    for log_size in 0..=log_limit {
        let coefficients = scalars(1 << log_size);
        let root = (log_size..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
        let on_domain = evaluations(&coefficients, Scalar::ONE, root);
        let on_coset = evaluations(&coefficients, Scalar::MULTIPLICATIVE_GENERATOR, root);
        let transformed = |transform: &dyn Fn(&mut [Scalar]), values: &[Scalar]| {
            let mut values = values.to_vec();
            transform(&mut values);
            values
        };
        assert_eq!(
            transformed(&|v| backend.ntt(v), &coefficients),
            on_domain,
            "ntt of 2^{log_size}"
        );
        assert_eq!(
            transformed(&|v| backend.inverse_ntt(v), &on_domain),
            coefficients,
            "inverse of 2^{log_size}"
        );
        assert_eq!(
            transformed(&|v| backend.coset_ntt(v), &coefficients),
            on_coset,
            "coset ntt of 2^{log_size}"
        );
        assert_eq!(
            transformed(&|v| backend.inverse_coset_ntt(v), &on_coset),
            coefficients,
            "inverse coset ntt of 2^{log_size}"
        );
    }
}

/// The polynomial's values at `first * ratio^i`, by Horner's rule.
fn evaluations(coefficients: &[Scalar], first: Scalar, ratio: Scalar) -> Vec<Scalar> {
    let at = |x: &Scalar| {
        coefficients
            .iter()
            .rev()
            .fold(Scalar::ZERO, |value, coefficient| value * x + coefficient)
    };
    let points = std::iter::successors(Some(first), |x| Some(x * ratio));
    points.take(coefficients.len()).map(|x| at(&x)).collect()
}

/// Closed forms and round trips at a size where the definition is too slow: 1 gives ones, x gives the points.
pub fn large_transforms_are_right_where_it_can_be_known(backend: &impl Arithmetic, log_size: u32) {
    let size = 1 << log_size;
    let mut values = vec![Scalar::ZERO; size];
    values[0] = Scalar::ONE;
    backend.ntt(&mut values);
    assert!(values.iter().all(|value| *value == Scalar::ONE), "transform of 1");

    let mut values = vec![Scalar::ZERO; size];
    values[1] = Scalar::ONE;
    backend.coset_ntt(&mut values);
    let root = (log_size..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
    let mut point = Scalar::MULTIPLICATIVE_GENERATOR;
    for (index, value) in values.iter().enumerate() {
        assert_eq!(*value, point, "point {index} of the coset");
        point *= root;
    }

    let coefficients = scalars(size);
    let mut values = coefficients.clone();
    backend.ntt(&mut values);
    backend.inverse_ntt(&mut values);
    assert!(values == coefficients, "round trip");
    backend.coset_ntt(&mut values);
    backend.inverse_coset_ntt(&mut values);
    assert!(values == coefficients, "round trip on the coset");
}

/// For rows with `a b = c` the quotient times the divisor is `a b - c`, at points outside of domain and coset.
pub fn quotients_divide(backend: &impl Arithmetic, rows: &[usize]) {
    for &rows in rows {
        let a = scalars(rows);
        let b: Vec<_> = a.iter().map(|value| value + Scalar::from(5)).collect();
        let c: Vec<_> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        let quotient = backend.quotient(&a, &b, &c);
        let size = rows.next_power_of_two();
        assert_eq!(quotient.len(), size - 1, "coefficients for {rows} rows");
        let coefficients = |rows: &[Scalar]| {
            let mut values = rows.to_vec();
            values.resize(size, Scalar::ZERO);
            backend.inverse_ntt(&mut values);
            values
        };
        let (a, b, c) = (coefficients(&a), coefficients(&b), coefficients(&c));
        for x in scalars(3) {
            let at = |polynomial: &[Scalar]| polynomial.iter().rev().fold(Scalar::ZERO, |sum, next| sum * x + next);
            let divisor = x.pow_vartime([size as u64]) - Scalar::ONE;
            assert_eq!(
                at(&quotient) * divisor,
                at(&a) * at(&b) - at(&c),
                "quotient for {rows} rows"
            );
        }
    }
}

/// Weighted sums and plain sums against term by term computation, with points and scalars of every special kind mixed in.
pub fn sums_follow_their_definition(backend: &impl Arithmetic, lengths: &[usize]) {
    for &length in lengths {
        let (factors, scalars) = (special(length, 0), special(length, 2));
        let g1 = multiples_g1(&factors);
        let g2 = multiples_g2(&factors);
        // All points are known multiples of the generator, so that the expected sum is one multiplication.
        let weighted: Scalar = factors
            .iter()
            .zip(&scalars)
            .map(|(factor, scalar)| factor * scalar)
            .sum();
        let plain: Scalar = factors.iter().sum();
        assert_eq!(
            backend.msm_g1(&g1, &scalars),
            G1Projective::generator() * weighted,
            "msm_g1 of {length}"
        );
        assert_eq!(
            backend.msm_g2(&g2, &scalars),
            G2Projective::generator() * weighted,
            "msm_g2 of {length}"
        );
        assert_eq!(
            backend.sum_g1(&g1),
            G1Projective::generator() * plain,
            "sum_g1 of {length}"
        );
        assert_eq!(
            backend.sum_g2(&g2),
            G2Projective::generator() * plain,
            "sum_g2 of {length}"
        );
    }
}

/// Lists in which every point is the same, every other one the opposite, or every one infinity, and in which every scalar is
/// the same special one.
pub fn sums_of_equal_terms_are_right(backend: &impl Arithmetic, length: usize) {
    for factor in [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(2)] {
        let alternating: Vec<_> = (0..length)
            .map(|i| if i % 2 == 0 { Scalar::ONE } else { factor })
            .collect();
        let (g1, g2) = (multiples_g1(&alternating), multiples_g2(&alternating));
        for scalar in [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(1 << 13)] {
            let weights = vec![scalar; length];
            let expected: Scalar = alternating.iter().map(|factor| factor * scalar).sum();
            assert_eq!(
                backend.msm_g1(&g1, &weights),
                G1Projective::generator() * expected,
                "{factor:?} {scalar:?}"
            );
            assert_eq!(
                backend.msm_g2(&g2, &weights),
                G2Projective::generator() * expected,
                "{factor:?} {scalar:?}"
            );
        }
        let expected: Scalar = alternating.iter().sum();
        assert_eq!(
            backend.sum_g1(&g1),
            G1Projective::generator() * expected,
            "sum with {factor:?}"
        );
        assert_eq!(
            backend.sum_g2(&g2),
            G2Projective::generator() * expected,
            "sum with {factor:?}"
        );
    }
}

/// Ordinary scalars with 0, 1, r - 1, small ones, repetitions and opposites at every seventh place or so.
fn special(count: usize, phase: usize) -> Vec<Scalar> {
    let mut list = scalars(count + phase).split_off(phase);
    for index in 0..count {
        let before = index.checked_sub(1).map_or(Scalar::from(3), |before| list[before]);
        match (index + phase) % 14 {
            1 => list[index] = Scalar::ZERO,
            3 => list[index] = Scalar::ONE,
            5 => list[index] = -Scalar::ONE,
            7 => list[index] = before,
            9 => list[index] = -before,
            11 => list[index] = Scalar::from(index as u64),
            _ => {}
        }
    }
    list
}

fn multiples_g1(factors: &[Scalar]) -> Vec<G1Affine> {
    factors
        .iter()
        .map(|factor| (G1Affine::generator() * factor).to_affine())
        .collect()
}

fn multiples_g2(factors: &[Scalar]) -> Vec<G2Affine> {
    factors
        .iter()
        .map(|factor| (G2Affine::generator() * factor).to_affine())
        .collect()
}
