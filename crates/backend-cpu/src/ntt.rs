//! Number-theoretic transforms over the scalar field, in place, of power-of-two length.
//!
//! Evaluation takes coefficients in bit-reversed order and gives values in natural order, interpolation the reverse, so that a
//! chain of transforms needs no reordering in between (Chu and George, "Inside the FFT Black Box", chapters 6 and 9). A
//! coset costs nothing extra: its shift is part of the twiddle factors. Recursion halves blocks until they fit the cache.
//!
//! Left out: higher radices and blocking of the top levels, which matter once a domain is larger than the last-level cache.

use blstrs::Scalar;
use ff::{Field, PrimeField};
use rayon::prelude::*;

/// Where polynomials are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Points {
    /// The powers of the domain's root of unity.
    Domain,
    /// These times the field's multiplicative generator, where `x^m - 1` is not zero.
    Coset,
}

impl Points {
    /// What the domain is multiplied with.
    pub fn shift(self) -> Scalar {
        match self {
            Self::Domain => Scalar::ONE,
            Self::Coset => Scalar::MULTIPLICATIVE_GENERATOR,
        }
    }
}

/// Blocks up to this size are transformed by one thread, level by level: 128 KiB, and as much for their twiddle factors.
const SEQUENTIAL: usize = 1 << 12;

/// Elements per task where a level is spread over threads.
const CHUNK: usize = 1 << 10;

/// Primitive root of unity of the order `size`, a power of two.
pub(crate) fn root_of_unity(size: usize) -> Scalar {
    let log_size = log2(size);
    (log_size..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square())
}

/// Base-2 logarithm of a transform's length.
///
/// # Panics
/// When there is no transform of that length.
fn log2(size: usize) -> u32 {
    assert!(
        size.is_power_of_two() && size.ilog2() <= Scalar::S,
        "no transform of length {size}"
    );
    size.ilog2()
}

/// Twiddle factors of all levels: for blocks of `2 h` values, `h` points, at `h - 1 ..`.
pub(crate) struct Twiddles(Vec<Scalar>);

impl Twiddles {
    /// For evaluation of `size` coefficients.
    pub fn evaluation(size: usize, points: Points) -> Self {
        Self::new(size, points.shift(), root_of_unity(size))
    }

    /// For interpolation from values on the domain.
    pub fn interpolation(size: usize) -> Self {
        // A root of unity's inverse is the power before its order.
        Self::new(size, Scalar::ONE, root_of_unity(size).pow_vartime([size as u64 - 1]))
    }

    /// The top level is `shift * root^i`; each level below is the squares of the first half of the one above, because a
    /// polynomial's even and odd parts are evaluated at the squares of its points.
    fn new(size: usize, shift: Scalar, root: Scalar) -> Self {
        let mut factors = vec![Scalar::ZERO; size - 1];
        let mut half = size / 2;
        if half > 0 {
            fill_with_powers(&mut factors[half - 1..], shift, root);
        }
        while half > 1 {
            let (below, level) = factors.split_at_mut(half - 1);
            half /= 2;
            below[half - 1..]
                .par_iter_mut()
                .zip(level)
                .with_min_len(CHUNK)
                .for_each(|(factor, above)| {
                    *factor = above.square();
                });
        }
        Self(factors)
    }

    fn level(&self, half: usize) -> &[Scalar] {
        &self.0[half - 1..2 * half - 1]
    }
}

/// `values[i] = first * ratio^i`.
fn fill_with_powers(values: &mut [Scalar], first: Scalar, ratio: Scalar) {
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(index, chunk)| {
        let mut power = first * ratio.pow_vartime([(index * CHUNK) as u64]);
        for value in chunk {
            *value = power;
            power *= ratio;
        }
    });
}

/// Coefficients in bit-reversed order to values in natural order.
pub(crate) fn evaluate(values: &mut [Scalar], twiddles: &Twiddles) {
    let half = values.len() / 2;
    if values.len() <= SEQUENTIAL {
        let mut half = 1;
        while half < values.len() {
            for block in values.chunks_exact_mut(2 * half) {
                evaluation_level(block, twiddles.level(half));
            }
            half *= 2;
        }
        return;
    }
    let (low, high) = values.split_at_mut(half);
    rayon::join(|| evaluate(low, twiddles), || evaluate(high, twiddles));
    let level = twiddles.level(half).par_chunks(CHUNK);
    low.par_chunks_mut(CHUNK)
        .zip(high.par_chunks_mut(CHUNK))
        .zip(level)
        .for_each(|((low, high), factors)| {
            evaluation_butterflies(low, high, factors);
        });
}

fn evaluation_level(block: &mut [Scalar], factors: &[Scalar]) {
    let (low, high) = block.split_at_mut(factors.len());
    evaluation_butterflies(low, high, factors);
}

fn evaluation_butterflies(low: &mut [Scalar], high: &mut [Scalar], factors: &[Scalar]) {
    for ((low, high), factor) in low.iter_mut().zip(high).zip(factors) {
        let odd = *high * factor;
        *high = *low - odd;
        *low += odd;
    }
}

/// Values in natural order to coefficients in bit-reversed order, each times the length.
pub(crate) fn interpolate(values: &mut [Scalar], twiddles: &Twiddles) {
    let mut half = values.len() / 2;
    if values.len() <= SEQUENTIAL {
        while half > 0 {
            for block in values.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                interpolation_butterflies(low, high, twiddles.level(half));
            }
            half /= 2;
        }
        return;
    }
    let (low, high) = values.split_at_mut(half);
    let level = twiddles.level(half).par_chunks(CHUNK);
    low.par_chunks_mut(CHUNK)
        .zip(high.par_chunks_mut(CHUNK))
        .zip(level)
        .for_each(|((low, high), factors)| {
            interpolation_butterflies(low, high, factors);
        });
    rayon::join(|| interpolate(low, twiddles), || interpolate(high, twiddles));
}

fn interpolation_butterflies(low: &mut [Scalar], high: &mut [Scalar], factors: &[Scalar]) {
    for ((low, high), factor) in low.iter_mut().zip(high).zip(factors) {
        let difference = *low - *high;
        *low += *high;
        *high = difference * factor;
    }
}

/// The index whose `bits` lowest bits are those of `index` in reverse; the others are zero.
pub(crate) fn bit_reversed(index: usize, bits: u32) -> usize {
    if bits == 0 {
        0
    } else {
        index.reverse_bits() >> (usize::BITS - bits)
    }
}

/// Coefficients to values, both in natural order.
pub(crate) fn forward(values: &mut [Scalar], points: Points) {
    let twiddles = Twiddles::evaluation(values.len(), points);
    reorder(values);
    evaluate(values, &twiddles);
}

/// Values to coefficients, both in natural order.
pub(crate) fn inverse(values: &mut [Scalar], points: Points) {
    let size = values.len();
    interpolate(values, &Twiddles::interpolation(size));
    reorder(values);
    let mut scale = inverted(Scalar::from(size as u64));
    let ratio = inverted(points.shift());
    for value in values {
        *value *= scale;
        scale *= ratio;
    }
}

/// The inverse of a number that is known not to be zero.
pub(crate) fn inverted(scalar: Scalar) -> Scalar {
    Option::from(scalar.invert()).expect("not zero")
}

/// Natural to bit-reversed order or back.
fn reorder(values: &mut [Scalar]) {
    let bits = log2(values.len());
    for index in 0..values.len() {
        let other = bit_reversed(index, bits);
        if index < other {
            values.swap(index, other);
        }
    }
}

#[cfg(test)]
mod tests;
