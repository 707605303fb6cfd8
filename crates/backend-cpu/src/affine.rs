//! Many additions of affine points at once, with one inversion for all of them.
//!
//! The slope of an addition needs a division; Montgomery's trick turns n divisions into one inversion and 3 n products, so
//! that an addition costs 5 products and a square, half of what mixed Jacobian coordinates take.

use crate::raw::{Field, Point};

/// Additions gathered until [`Additions::apply`] performs them. Reused, it keeps its memory.
pub(crate) struct Additions<F> {
    pending: Vec<Slope<F>>,
    product: F,
}

/// The slope `numerator / denominator` of the line through two points, and what is needed to go on from it.
struct Slope<F> {
    target: usize,
    numerator: F,
    denominator: F,
    /// Product of the denominators before this one.
    before: F,
    other_x: F,
}

impl<F: Field> Additions<F> {
    pub fn with_capacity(additions: usize) -> Self {
        Self {
            pending: Vec::with_capacity(additions),
            product: F::one(),
        }
    }

    /// Adds `other` to `sums[target]`, at the next [`Additions::apply`] at the latest. Until then a target may be added to
    /// only once.
    pub fn add(&mut self, sums: &mut [Point<F>], target: usize, other: &Point<F>) {
        let sum = &sums[target];
        if other.is_identity() {
            return;
        }
        if sum.is_identity() {
            sums[target] = *other;
            return;
        }
        let difference = other.x.sub(&sum.x);
        if !difference.is_zero() {
            self.push(target, other.y.sub(&sum.y), difference, other.x);
        } else if other.y.add(&sum.y).is_zero() {
            sums[target] = Point::default();
        } else {
            // The same point twice: the tangent, 3 x^2 / 2 y on y^2 = x^3 + b.
            let square = sum.x.square();
            self.push(target, square.add(&square).add(&square), sum.y.add(&sum.y), other.x);
        }
    }

    fn push(&mut self, target: usize, numerator: F, denominator: F, other_x: F) {
        let before = self.product;
        self.product = before.mul(&denominator);
        self.pending.push(Slope {
            target,
            numerator,
            denominator,
            before,
            other_x,
        });
    }

    /// Overwrites what earlier additions have left in memory, as far as it still belongs to this value.
    pub fn wipe(&mut self) {
        let zero = || Slope {
            target: 0,
            numerator: F::one(),
            denominator: F::one(),
            before: F::one(),
            other_x: F::one(),
        };
        self.pending.clear();
        self.pending
            .extend(std::iter::repeat_with(zero).take(self.pending.capacity()));
        std::hint::black_box(&mut self.pending);
        self.pending.clear();
    }

    /// Performs the gathered additions.
    pub fn apply(&mut self, sums: &mut [Point<F>]) {
        // No denominator is zero, so neither is their product.
        let mut inverse = self.product.invert();
        for slope in self.pending.iter().rev() {
            let lambda = inverse.mul(&slope.before).mul(&slope.numerator);
            inverse = inverse.mul(&slope.denominator);
            let sum = &mut sums[slope.target];
            let x = lambda.square().sub(&sum.x).sub(&slope.other_x);
            let y = lambda.mul(&sum.x.sub(&x)).sub(&sum.y);
            *sum = Point { x, y };
        }
        self.pending.clear();
        self.product = F::one();
    }
}

#[cfg(test)]
mod tests;
