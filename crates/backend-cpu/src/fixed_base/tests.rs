//! Fixed-base multiples against blstrs' multiplication.

use super::*;
use crate::raw::{G1, G2};
use blstrs::{G1Projective, G2Projective};
use cuzk_groth16::srs::generate::Unwatched;
use ff::Field;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::sync::atomic::{AtomicUsize, Ordering};

fn check<G: Group>(base: G::Sum, scalars: &[Scalar]) {
    let products = multiply::<G>(&base, scalars, &Unwatched).unwrap();
    assert_eq!(products.len(), scalars.len());
    for (product, scalar) in products.iter().zip(scalars) {
        assert!(*product == (base * scalar).to_affine(), "{scalar:?}");
    }
}

fn special_scalars() -> Vec<Scalar> {
    let mut scalars: Vec<_> = (0..70).map(Scalar::from).collect();
    scalars.extend((0..70).map(|small| -Scalar::from(small)));
    // All powers of two and their neighbours: every window's digits at their bounds, with and without a carry.
    let powers = std::iter::successors(Some(Scalar::ONE), |power| Some(power.double())).take(256);
    scalars.extend(powers.flat_map(|power| [power, power - Scalar::ONE, -power]));
    scalars
}

#[test]
fn special_scalars_of_the_generator_and_of_infinity() {
    for base in [G1Projective::generator(), G1Projective::identity()] {
        check::<G1>(base, &special_scalars());
    }
    check::<G2>(G2Projective::generator(), &special_scalars());
    check::<G2>(G2Projective::identity(), &special_scalars()[..5]);
}

#[test]
fn special_scalars_at_every_width() {
    let base = G1Projective::generator() * Scalar::from(0x1234_5678_9abc_def0);
    let scalars = special_scalars();
    let expected: Vec<_> = scalars.iter().map(|scalar| (base * scalar).to_affine()).collect();
    for bits in 2..=MAX_WINDOW_BITS {
        let sums = Table::<G1>::new(&base, bits).multiply(&scalars);
        let products: Vec<_> = sums.iter().map(G1::from_coordinates).collect();
        assert!(products == expected, "window of {bits} bits");
    }
}

#[test]
fn chunk_boundaries() {
    let mut source = ChaCha8Rng::seed_from_u64(1);
    let base = G1Projective::random(&mut source);
    for count in [0, 1, 2, 3, 9, CHUNK - 1, CHUNK, CHUNK + 1, 1025] {
        let scalars: Vec<_> = (0..count).map(|_| Scalar::random(&mut source)).collect();
        check::<G1>(base, &scalars);
    }
}

/// Counts, and stops once as many multiplications as said are done.
struct StopAfter(usize, AtomicUsize);

impl Watch for StopAfter {
    fn advance(&self, multiplications: usize) -> Result<(), Cancelled> {
        let done = self.1.fetch_add(multiplications, Ordering::Relaxed) + multiplications;
        if done >= self.0 { Err(Cancelled) } else { Ok(()) }
    }
}

#[test]
fn every_multiplication_is_reported_and_stopping_is_heard() {
    let scalars = vec![Scalar::ONE; 20 * CHUNK + 3];
    let count = StopAfter(usize::MAX, AtomicUsize::new(0));
    assert!(multiply::<G1>(&G1Projective::generator(), &scalars, &count).is_ok());
    assert_eq!(count.1.into_inner(), scalars.len());

    let stop = StopAfter(CHUNK, AtomicUsize::new(0));
    assert_eq!(
        multiply::<G1>(&G1Projective::generator(), &scalars, &stop),
        Err(Cancelled)
    );
}

#[test]
fn wide_tables_are_for_many_scalars() {
    assert_eq!(window_bits(1 << 24), MAX_WINDOW_BITS);
    assert!(window_bits(1) <= 4);
}

proptest! {
    #[test]
    fn digits_sum_to_the_scalar(limbs in any::<[u64; 4]>(), bits in 2usize..=16) {
        let scalar = Scalar::from_u64s_le(&[limbs[0], limbs[1], limbs[2], limbs[3] >> 2]);
        prop_assume!(bool::from(scalar.is_some()));
        let scalar = scalar.unwrap();
        let radix = Scalar::from(1u64 << bits);
        let sum = (0..window_count(bits)).rev().fold(Scalar::ZERO, |sum, window| {
            let digit = signed_digit(&scalar.to_repr(), window * bits, bits);
            assert!(digit.abs() <= 1 << (bits - 1));
            let magnitude = Scalar::from(u64::from(digit.unsigned_abs()));
            sum * radix + if digit < 0 { -magnitude } else { magnitude }
        });
        prop_assert_eq!(sum, scalar);
    }
}
