//! Sums of points and of scalar multiples of points: how the work is cut into pieces for the threads.

use blstrs::Scalar;
use ff::PrimeField;
use group::Group as _;
use rayon::prelude::*;

use crate::raw::{Group, SCALAR_BITS, ScalarBytes, Term, Window};

/// Fewer terms than this are multiplied one by one: buckets would cost more than they save.
const FEWEST_FOR_BUCKETS: usize = 8;

/// Fewest terms of a tile; below, summing its buckets is all the work.
const FEWEST_PER_TILE: usize = 64;

/// Points per task where points are summed: blst shares one inversion between about a thousand points.
const SUM_CHUNK: usize = 1 << 12;

/// Widest window: its buckets take 6 MiB per thread in G1, 12 MiB in G2.
const MAX_WINDOW_BITS: usize = 16;

/// What emptying and summing one bucket costs, in additions of an affine point to a bucket: two full additions, each
/// 14 products against 10.
const ADDITIONS_PER_BUCKET: f64 = 2.8;

/// Sum of `points[i]` over all `i` in `selected`.
pub(crate) fn sum_selected<G: Group>(points: &[G::Affine], selected: &[u32]) -> G::Sum {
    selected
        .par_chunks(SUM_CHUNK)
        .map(|chunk| G::sum_selected(points, chunk))
        .reduce(G::Sum::identity, |a, b| a + b)
}

/// Sum of all points.
pub(crate) fn sum<G: Group>(points: &[G::Affine]) -> G::Sum {
    let all: Vec<u32> = (0..count(points)).collect();
    sum_selected::<G>(points, &all)
}

/// `sum of scalars[i] * points[i]`, for scalars of any size and kind.
///
/// # Panics
/// When there are more points than scalars or fewer.
pub(crate) fn weighted_sum<G: Group>(points: &[G::Affine], scalars: &[Scalar]) -> G::Sum {
    assert_eq!(points.len(), scalars.len(), "points and scalars differ in number");
    let scalars: Vec<ScalarBytes> = scalars.par_iter().map(PrimeField::to_repr).collect();
    let terms: Vec<Term> = (0..count(points))
        .map(|index| Term {
            point: index,
            scalar: index,
        })
        .collect();
    weighted_sum_of_terms::<G>(points, &scalars, &terms)
}

/// Number of points; parameter files count them in 32 bits.
fn count<P>(points: &[P]) -> u32 {
    u32::try_from(points.len()).expect("no list of points has 2^32 or more")
}

/// Sum over all terms of scalar times point.
pub(crate) fn weighted_sum_of_terms<G: Group>(points: &[G::Affine], scalars: &[ScalarBytes], terms: &[Term]) -> G::Sum {
    if terms.len() < FEWEST_FOR_BUCKETS {
        return one_by_one::<G>(points, scalars, terms);
    }
    sum_of_tiles::<G>(
        Plan::new(terms.len(), rayon::current_num_threads()),
        points,
        scalars,
        terms,
    )
}

fn sum_of_tiles<G: Group>(plan: Plan, points: &[G::Affine], scalars: &[ScalarBytes], terms: &[Term]) -> G::Sum {
    let tile = |buckets: &mut _, (window, columns): (Window, &[Term])| {
        (
            window.first_bit,
            G::window_sum(points, scalars, columns, window, buckets),
        )
    };
    let sums: Vec<_> = plan
        .tiles(terms)
        .into_par_iter()
        .map_init(|| G::buckets(plan.window_bits), tile)
        .collect();
    // From the highest window down: double for the bits between, then add.
    let mut at_bit = plan.first_bits().next_back().unwrap_or(0);
    sums.iter()
        .rev()
        .fold(G::Sum::identity(), |mut sum, (first_bit, window_sum)| {
            for _ in *first_bit..at_bit {
                sum = sum.double();
            }
            at_bit = *first_bit;
            sum + window_sum
        })
}

fn one_by_one<G: Group>(points: &[G::Affine], scalars: &[ScalarBytes], terms: &[Term]) -> G::Sum {
    let product = |term: &Term| {
        let scalar = Option::<Scalar>::from(Scalar::from_repr(scalars[term.scalar as usize]));
        points[term.point as usize] * scalar.expect("a canonical scalar")
    };
    terms
        .iter()
        .map(product)
        .fold(G::Sum::identity(), |sum, product| sum + product)
}

/// How a weighted sum is cut: windows of bits by columns of terms, one tile per pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    window_bits: usize,
    columns: usize,
}

impl Plan {
    /// The plan by which the threads are done soonest, if an addition takes the same time everywhere.
    fn new(terms: usize, threads: usize) -> Self {
        let most_columns = (terms / FEWEST_PER_TILE).clamp(1, threads);
        let plans = (2..=MAX_WINDOW_BITS)
            .flat_map(|window_bits| (1..=most_columns).map(move |columns| Self { window_bits, columns }));
        plans
            .min_by(|a, b| a.cost(terms, threads).total_cmp(&b.cost(terms, threads)))
            .expect("a plan")
    }

    /// Additions that the busiest thread performs.
    fn cost(self, terms: usize, threads: usize) -> f64 {
        let rounds = (self.first_bits().len() * self.columns).div_ceil(threads);
        let buckets = (1usize << (self.window_bits - 1)) as f64;
        rounds as f64 * (terms.div_ceil(self.columns) as f64 + ADDITIONS_PER_BUCKET * buckets)
    }

    /// Where windows begin. The last may begin past the scalar's highest bit: it takes the carry of the signed digits.
    fn first_bits(self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        let bits = self.window_bits;
        (0..SCALAR_BITS / bits + 1).map(move |window| window * bits)
    }

    /// All tiles, lowest window first.
    fn tiles(self, terms: &[Term]) -> Vec<(Window, &[Term])> {
        // Rounded up, all columns but the last are equal; the last has two terms at least, which blst needs.
        let width = terms.len().div_ceil(self.columns);
        let columns = move || Columns { rest: terms, width };
        self.first_bits()
            .flat_map(|first_bit| {
                columns().map(move |terms| {
                    (
                        Window {
                            first_bit,
                            bits: self.window_bits,
                        },
                        terms,
                    )
                })
            })
            .collect()
    }
}

/// Consecutive parts of `width` terms; a single term left over goes with the part before.
struct Columns<'a> {
    rest: &'a [Term],
    width: usize,
}

impl<'a> Iterator for Columns<'a> {
    type Item = &'a [Term];

    fn next(&mut self) -> Option<&'a [Term]> {
        if self.rest.is_empty() {
            return None;
        }
        let take = if self.rest.len() <= self.width + 1 {
            self.rest.len()
        } else {
            self.width
        };
        let (column, rest) = self.rest.split_at(take);
        self.rest = rest;
        Some(column)
    }
}

#[cfg(test)]
mod tests;
