//! The quotient polynomial `h = (a b - c) / (x^m - 1)` from the rows' values.
//!
//! On the coset `g X` the divisor is the constant `g^m - 1`, so that `c` need not be evaluated there: with the product `p`
//! of `a` and `b` interpolated from the coset, `h = (p - c) / (g^m - 1)` holds coefficient by coefficient. That makes six
//! transforms.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::ntt::{Points, Twiddles, bit_reversed, evaluate, interpolate, inverted};

/// Elements per task.
const CHUNK: usize = 1 << 10;

/// The `m - 1` lowest coefficients of `h` in natural order, where `m` is the smallest power of two that is not below the number
/// of rows. For rows that satisfy `a b = c` there are no others.
///
/// # Panics
/// When `a`, `b`, `c` differ in length or are longer than the field's largest domain.
pub(crate) fn quotient(a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Vec<Scalar> {
    assert!(
        a.len() == b.len() && a.len() == c.len(),
        "rows differ: {}, {}, {}",
        a.len(),
        b.len(),
        c.len()
    );
    let size = a.len().next_power_of_two();
    let to_coefficients = Twiddles::interpolation(size);
    let interpolated = |rows: &[Scalar]| {
        let mut values = Vec::with_capacity(size);
        values.extend_from_slice(rows);
        values.resize(size, Scalar::ZERO);
        interpolate(&mut values, &to_coefficients);
        values
    };
    let (mut a, (mut b, c)) = rayon::join(
        || interpolated(a),
        || rayon::join(|| interpolated(b), || interpolated(c)),
    );

    let to_coset = Twiddles::evaluation(size, Points::Coset);
    rayon::join(|| evaluate(&mut a, &to_coset), || evaluate(&mut b, &to_coset));
    drop(to_coset);

    let mut product = a;
    product
        .par_iter_mut()
        .zip(&b)
        .with_min_len(CHUNK)
        .for_each(|(a, b)| *a *= b);
    drop(b);
    interpolate(&mut product, &to_coefficients);
    drop(to_coefficients);
    combine(&product, &c)
}

/// `(p - c) / (g^m - 1)` without the last coefficient, out of bit-reversed order. Interpolation left out dividing by `m`,
/// which makes `m^3` for `p` (once each for `a`, `b` and the product) and `m` for `c`, and taking powers of `g` out of `p`.
fn combine(product: &[Scalar], c: &[Scalar]) -> Vec<Scalar> {
    let size = product.len();
    let generator = Points::Coset.shift();
    let per_size = inverted(Scalar::from(size as u64));
    let c_factor = per_size * inverted(generator.pow_vartime([size as u64]) - Scalar::ONE);
    let product_factor = c_factor * per_size.square();
    let per_generator = inverted(generator);

    let mut quotient = vec![Scalar::ZERO; size - 1];
    quotient
        .par_chunks_mut(CHUNK)
        .enumerate()
        .for_each(|(chunk_index, chunk)| {
            let first = chunk_index * CHUNK;
            let mut factor = product_factor * per_generator.pow_vartime([first as u64]);
            for (offset, coefficient) in chunk.iter_mut().enumerate() {
                let source = bit_reversed(first + offset, size.ilog2());
                *coefficient = product[source] * factor - c[source] * c_factor;
                factor *= per_generator;
            }
        });
    quotient
}

#[cfg(test)]
mod tests;
