//! The arithmetic under a proof, one operation at a time, so that backends can be tested and compared piece by piece.
//!
//! A backend's `multiply` need not call these: it may keep data in another order or place between the steps.

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};

/// Transforms and sums. Domains are the powers of `Scalar::ROOT_OF_UNITY^(2^(32 - k))` for 2^k values; the coset is that
/// domain times `Scalar::MULTIPLICATIVE_GENERATOR`. All vectors are in natural order.
///
/// # Panics
/// Transforms: lengths that are not a power of two up to 2^32. Sums: more points than scalars or fewer.
pub trait Arithmetic: Sync {
    /// Coefficients to values on the domain, in place.
    fn ntt(&self, values: &mut [Scalar]);

    /// Values on the domain to coefficients, in place.
    fn inverse_ntt(&self, values: &mut [Scalar]);

    /// Coefficients to values on the coset, in place.
    fn coset_ntt(&self, values: &mut [Scalar]);

    /// Values on the coset to coefficients, in place.
    fn inverse_coset_ntt(&self, values: &mut [Scalar]);

    /// All but the last coefficient of `(a b - c) / (x^m - 1)`, where the rows are values on the smallest domain that holds
    /// them, of `m` values, rows that are missing being zero.
    fn quotient(&self, a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Vec<Scalar>;

    /// `sum of scalars[i] * points[i]`.
    fn msm_g1(&self, points: &[G1Affine], scalars: &[Scalar]) -> G1Projective;

    /// `sum of scalars[i] * points[i]`.
    fn msm_g2(&self, points: &[G2Affine], scalars: &[Scalar]) -> G2Projective;

    /// Sum of the points.
    fn sum_g1(&self, points: &[G1Affine]) -> G1Projective;

    /// Sum of the points.
    fn sum_g2(&self, points: &[G2Affine]) -> G2Projective;
}
