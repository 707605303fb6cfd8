//! Everything that calls blst's C functions, as functions that are safe to call.
//!
//! The two groups look alike from here on: [`Group`] over coordinates in [`Field`]. Left out: any algorithm of our own.

use std::ptr;

use blst::{
    blst_fp, blst_fp_add, blst_fp_cneg, blst_fp_eucl_inverse, blst_fp_from_uint64, blst_fp_mul, blst_fp_sqr,
    blst_fp_sub, blst_fp2, blst_fp2_add, blst_fp2_cneg, blst_fp2_eucl_inverse, blst_fp2_mul, blst_fp2_sqr,
    blst_fp2_sub, blst_p1_affine, blst_p1s_add, blst_p1s_mult_pippenger_scratch_sizeof, blst_p1s_tile_pippenger,
    blst_p2_affine, blst_p2s_add, blst_p2s_mult_pippenger_scratch_sizeof, blst_p2s_tile_pippenger,
};
use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use group::Group as _;
use group::prime::PrimeCurveAffine;

/// A canonical scalar, little-endian.
pub(crate) type ScalarBytes = [u8; 32];

/// Number of bits of a canonical scalar.
pub(crate) const SCALAR_BITS: usize = 255;

/// Widest window that [`Group::window_sum`] takes: its buckets are 96 MiB in G1 and twice that in G2.
pub(crate) const MAX_WINDOW_BITS: usize = 20;

/// The field of a group's coordinates. Values are always fully reduced, so equal limbs mean equal values.
pub(crate) trait Field: Copy + Default + PartialEq + Send + Sync {
    fn one() -> Self;
    fn add(&self, other: &Self) -> Self;
    fn sub(&self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    fn square(&self) -> Self;
    fn neg(&self) -> Self;
    /// The inverse; zero for zero. In variable time.
    fn invert(&self) -> Self;
    fn is_zero(&self) -> bool;
}

/// Affine coordinates; both are zero at infinity, which is on neither curve otherwise.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Point<F> {
    pub x: F,
    pub y: F,
}

impl<F: Field> Point<F> {
    pub fn is_identity(&self) -> bool {
        self.x.is_zero() && self.y.is_zero()
    }

    pub fn neg(&self) -> Self {
        Self {
            x: self.x,
            y: self.y.neg(),
        }
    }
}

/// One product of a weighted sum: indices into a list of points and a list of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub point: u32,
    pub scalar: u32,
}

/// Some bits of every scalar: `bits` of them from `first_bit` on, as a signed digit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub first_bit: usize,
    pub bits: usize,
}

/// Scratch memory for the buckets of one window at a time, all zero between uses.
pub(crate) struct Buckets<G> {
    memory: Vec<u64>,
    bits: usize,
    group: std::marker::PhantomData<G>,
}

/// One of the curve's two groups.
pub(crate) trait Group: Sized + Send + Sync + 'static {
    type Field: Field;
    type Affine: PrimeCurveAffine<Curve = Self::Sum, Scalar = Scalar>;
    type Sum: group::Group<Scalar = Scalar> + group::Curve<AffineRepr = Self::Affine>;

    fn coordinates(point: &Self::Affine) -> Point<Self::Field>;

    /// The point with these coordinates, which must be on the curve or both zero.
    fn from_coordinates(point: &Point<Self::Field>) -> Self::Affine;

    /// Sum of `points[i]` over all `i` in `selected`.
    fn sum_selected(points: &[Self::Affine], selected: &[u32]) -> Self::Sum;

    /// Buckets for windows of up to `bits` bits.
    fn buckets(bits: usize) -> Buckets<Self>;

    /// Sum over `terms` (two at least) of the window's signed digit of the scalar times the point.
    ///
    /// The sums for the windows at `0, bits, 2 bits, ..`, up to and including the last that begins at bit 255 or before,
    /// each times two to the power of its first bit, make the sum of the whole products.
    fn window_sum(
        points: &[Self::Affine],
        scalars: &[ScalarBytes],
        terms: &[Term],
        window: Window,
        buckets: &mut Buckets<Self>,
    ) -> Self::Sum;
}

/// Marks the group of points over Fp.
pub(crate) struct G1;
/// Marks the group of points over Fp2.
pub(crate) struct G2;

fn fp_one() -> blst_fp {
    let mut one = blst_fp::default();
    // SAFETY: a valid element to write and six limbs to read, which is what blst reads.
    unsafe { blst_fp_from_uint64(&mut one, [1, 0, 0, 0, 0, 0].as_ptr()) };
    one
}

/// Without the library call that comparing arrays becomes: this is asked several times per addition of points.
#[inline]
fn fp_is_zero(element: &blst_fp) -> bool {
    element.l.iter().fold(0, |any, limb| any | limb) == 0
}

macro_rules! field {
    ($raw:ident, $one:expr, $is_zero:expr, $add:ident, $sub:ident, $mul:ident, $sqr:ident, $cneg:ident, $inverse:ident) => {
        impl Field for $raw {
            #[inline]
            fn one() -> Self {
                $one
            }

            #[inline]
            fn add(&self, other: &Self) -> Self {
                let mut result = Self::default();
                // SAFETY: three valid, initialised elements; blst reads and writes within them.
                unsafe { $add(&mut result, self, other) };
                result
            }

            #[inline]
            fn sub(&self, other: &Self) -> Self {
                let mut result = Self::default();
                // SAFETY: as in `add`.
                unsafe { $sub(&mut result, self, other) };
                result
            }

            #[inline]
            fn mul(&self, other: &Self) -> Self {
                let mut result = Self::default();
                // SAFETY: as in `add`.
                unsafe { $mul(&mut result, self, other) };
                result
            }

            #[inline]
            fn square(&self) -> Self {
                let mut result = Self::default();
                // SAFETY: as in `add`.
                unsafe { $sqr(&mut result, self) };
                result
            }

            #[inline]
            fn neg(&self) -> Self {
                let mut result = Self::default();
                // SAFETY: as in `add`.
                unsafe { $cneg(&mut result, self, true) };
                result
            }

            fn invert(&self) -> Self {
                let mut result = Self::default();
                // SAFETY: as in `add`.
                unsafe { $inverse(&mut result, self) };
                result
            }

            #[inline]
            fn is_zero(&self) -> bool {
                $is_zero(self)
            }
        }
    };
}

field!(
    blst_fp,
    fp_one(),
    fp_is_zero,
    blst_fp_add,
    blst_fp_sub,
    blst_fp_mul,
    blst_fp_sqr,
    blst_fp_cneg,
    blst_fp_eucl_inverse
);
field!(
    blst_fp2,
    blst_fp2 {
        fp: [fp_one(), blst_fp::default()]
    },
    |element: &blst_fp2| element.fp.iter().all(fp_is_zero),
    blst_fp2_add,
    blst_fp2_sub,
    blst_fp2_mul,
    blst_fp2_sqr,
    blst_fp2_cneg,
    blst_fp2_eucl_inverse
);

macro_rules! group {
    ($group:ident, $field:ident, $affine:ident, $raw_affine:ident, $sum:ident,
     $sum_points:ident, $tile:ident, $bucket_bytes:ident) => {
        impl Group for $group {
            type Field = $field;
            type Affine = $affine;
            type Sum = $sum;

            fn coordinates(point: &$affine) -> Point<$field> {
                let raw: &$raw_affine = point.as_ref();
                Point { x: raw.x, y: raw.y }
            }

            fn from_coordinates(point: &Point<$field>) -> $affine {
                let mut result = $affine::identity();
                *result.as_mut() = $raw_affine {
                    x: point.x,
                    y: point.y,
                };
                result
            }

            fn sum_selected(points: &[$affine], selected: &[u32]) -> $sum {
                let mut sum = $sum::identity();
                if selected.is_empty() {
                    return sum;
                }
                let pointers: Vec<*const $raw_affine> = selected
                    .iter()
                    .map(|&index| ptr::from_ref(points[index as usize].as_ref()))
                    .collect();
                // SAFETY: as many valid pointers to points, none of them null, as the count says; `sum` is a valid point
                // that blst overwrites.
                unsafe { $sum_points(sum.as_mut(), pointers.as_ptr(), pointers.len()) };
                sum
            }

            fn buckets(bits: usize) -> Buckets<Self> {
                assert!((1..=MAX_WINDOW_BITS).contains(&bits), "window of {bits} bits");
                // SAFETY: no pointers; the size that blst wants for one bucket, which is what it answers for no points.
                let bucket_bytes = unsafe { $bucket_bytes(0) };
                let memory = vec![0; bucket_bytes.div_ceil(8) << (bits - 1)];
                Buckets {
                    memory,
                    bits,
                    group: std::marker::PhantomData,
                }
            }

            fn window_sum(
                points: &[$affine],
                scalars: &[ScalarBytes],
                terms: &[Term],
                window: Window,
                buckets: &mut Buckets<Self>,
            ) -> $sum {
                assert!(terms.len() >= 2, "blst reads ahead by one term");
                assert!(
                    (1..=buckets.bits).contains(&window.bits) && window.first_bit <= SCALAR_BITS,
                    "{window:?}"
                );
                let points: Vec<*const $raw_affine> = terms
                    .iter()
                    .map(|term| ptr::from_ref(points[term.point as usize].as_ref()))
                    .collect();
                let scalars: Vec<*const u8> = terms
                    .iter()
                    .map(|term| scalars[term.scalar as usize].as_ptr())
                    .collect();
                let mut sum = $sum::identity();
                // SAFETY: as many valid pointers to points, and to scalars of ceil(255 / 8) bytes, as the count says, none of
                // them null, and two at least; the buckets are zero and enough for the window's width; the window begins
                // within the scalar; `sum` is a valid point that blst overwrites.
                unsafe {
                    $tile(
                        sum.as_mut(),
                        points.as_ptr(),
                        terms.len(),
                        scalars.as_ptr(),
                        SCALAR_BITS,
                        buckets.memory.as_mut_ptr(),
                        window.first_bit,
                        window.bits,
                    );
                }
                sum
            }
        }
    };
}

group!(
    G1,
    blst_fp,
    G1Affine,
    blst_p1_affine,
    G1Projective,
    blst_p1s_add,
    blst_p1s_tile_pippenger,
    blst_p1s_mult_pippenger_scratch_sizeof
);
group!(
    G2,
    blst_fp2,
    G2Affine,
    blst_p2_affine,
    G2Projective,
    blst_p2s_add,
    blst_p2s_tile_pippenger,
    blst_p2s_mult_pippenger_scratch_sizeof
);
