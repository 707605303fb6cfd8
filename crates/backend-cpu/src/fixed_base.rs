//! Many multiples of one point: tables of the base's multiples, one per window, and affine sums of their entries.
//!
//! Making parameters is almost nothing but this: millions of scalars for one base per group.

use blstrs::Scalar;
use cuzk_groth16::srs::Cancelled;
use cuzk_groth16::srs::generate::Watch;
use ff::PrimeField;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group as _};
use rayon::prelude::*;

use crate::affine::Additions;
use crate::raw::{Field, Group, Point, SCALAR_BITS};

/// Sums that share an inversion. It costs as much as some 70 products, so with 512 it is 3 % of them; 256 to 1024 measured the
/// same.
const CHUNK: usize = 512;

/// Widest window tried. 13 to 15 bits measured the same for 2^18 scalars, 11 bits a fifth slower; a table of all windows
/// takes 15 MB in G1 at 14 bits.
const MAX_WINDOW_BITS: usize = 14;

/// `scalars[i] * base`, exactly, whatever the scalars.
///
/// # Errors
/// When `watch` says to stop.
pub(crate) fn multiply<G: Group>(
    base: &G::Sum,
    scalars: &[Scalar],
    watch: &dyn Watch,
) -> Result<Vec<G::Affine>, Cancelled> {
    let table = Table::<G>::new(base, window_bits(scalars.len()));
    let mut products = vec![G::Affine::identity(); scalars.len()];
    products
        .par_chunks_mut(CHUNK)
        .zip(scalars.par_chunks(CHUNK))
        .try_for_each(|(products, scalars)| {
            for (product, sum) in products.iter_mut().zip(table.multiply(scalars)) {
                *product = G::from_coordinates(&sum);
            }
            watch.advance(scalars.len())
        })?;
    Ok(products)
}

/// The width at which building tables and adding their entries up is the least work.
fn window_bits(scalars: usize) -> usize {
    let additions = |&bits: &usize| window_count(bits) * (scalars + (1 << (bits - 1)));
    (2..=MAX_WINDOW_BITS).min_by_key(additions).unwrap_or(MAX_WINDOW_BITS)
}

/// Windows that hold a scalar and the carry out of its last signed digit.
fn window_count(bits: usize) -> usize {
    SCALAR_BITS / bits + 1
}

/// For each window the multiples `1, 2, .., 2^(bits - 1)` of the base times two to the power of the window's first bit.
struct Table<G: Group> {
    windows: Vec<Vec<Point<G::Field>>>,
    bits: usize,
}

impl<G: Group> Table<G> {
    fn new(base: &G::Sum, bits: usize) -> Self {
        let next = |previous: &G::Sum| Some((0..bits).fold(*previous, |doubled, _| doubled.double()));
        let bases: Vec<_> = std::iter::successors(Some(*base), next)
            .take(window_count(bits))
            .collect();
        let windows = bases
            .into_par_iter()
            .map(|base| multiples::<G>(&base.to_affine(), 1 << (bits - 1)))
            .collect();
        Self { windows, bits }
    }

    fn multiply(&self, scalars: &[Scalar]) -> Vec<Point<G::Field>> {
        let mut scalars: Vec<_> = scalars.iter().map(PrimeField::to_repr).collect();
        let mut sums = vec![Point::default(); scalars.len()];
        let mut addends = Vec::with_capacity(scalars.len());
        let mut additions = Additions::with_capacity(scalars.len());
        for (index, window) in self.windows.iter().enumerate() {
            // Entries are fetched first, in a loop so short that the processor overlaps the cache misses.
            addends.clear();
            addends.extend(scalars.iter().map(|scalar| {
                let digit = signed_digit(scalar, index * self.bits, self.bits);
                (digit < 0, multiple(window, digit.unsigned_abs()))
            }));
            for (target, (negative, entry)) in addends.iter().enumerate() {
                additions.add(&mut sums, target, &if *negative { entry.neg() } else { *entry });
            }
            additions.apply(&mut sums);
        }
        // Parameters are made from secret scalars: no copy stays behind. The reader keeps the stores from being left out.
        scalars.fill([0; 32]);
        addends.fill((false, Point::default()));
        std::hint::black_box((&mut scalars, &mut addends));
        additions.wipe();
        sums
    }
}

/// The entry for a digit; there is none for zero, which is the point at infinity.
fn multiple<F: Field>(window: &[Point<F>], digit: u32) -> Point<F> {
    digit
        .checked_sub(1)
        .map_or_else(Point::default, |entry| window[entry as usize])
}

/// `base, 2 base, .., count base`, for a power of two: each step doubles what is there by adding its last to all.
fn multiples<G: Group>(base: &G::Affine, count: usize) -> Vec<Point<G::Field>> {
    let mut multiples = Vec::with_capacity(count);
    multiples.push(G::coordinates(base));
    let mut additions = Additions::with_capacity(CHUNK);
    while multiples.len() < count {
        let known = multiples.len();
        let last = multiples[known - 1];
        multiples.extend_from_within(..);
        for chunk in multiples[known..].chunks_mut(CHUNK) {
            (0..chunk.len()).for_each(|target| additions.add(chunk, target, &last));
            additions.apply(chunk);
        }
    }
    multiples
}

/// Digit of a scalar in `-2^(bits - 1) ..= 2^(bits - 1)`, by Booth's recoding: the window's bits plus the bit below them,
/// less two to the power of `bits` if the highest of them is set. The sum over all windows is the scalar.
fn signed_digit(scalar: &[u8; 32], first_bit: usize, bits: usize) -> i32 {
    let below_and_bits = match first_bit.checked_sub(1) {
        None => bits_from(scalar, 0) << 1,
        Some(below) => bits_from(scalar, below),
    } & ((1 << (bits + 1)) - 1);
    let unsigned = (below_and_bits + 1) >> 1;
    let borrow = below_and_bits >> bits << bits;
    unsigned as i32 - borrow as i32
}

/// At least 24 bits of a little-endian number, from bit `start` on.
fn bits_from(scalar: &[u8; 32], start: usize) -> u32 {
    let byte = |at: usize| scalar.get(at).map_or(0, |&byte| u32::from(byte));
    let first = start / 8;
    (byte(first) | byte(first + 1) << 8 | byte(first + 2) << 16 | byte(first + 3) << 24) >> (start % 8)
}

#[cfg(test)]
mod tests;
