//! The evaluation domain seen from tau: Lagrange coefficients and the powers that the H query is made from.
//!
//! With `m` points `w^i`, the Lagrange polynomial of point `i` has the value
//! `L_i(tau) = w^i (tau^m - 1) / (m (tau - w^i))` at tau.

use blstrs::Scalar;
use cuzk_r1cs::LogDomain;
use ff::{Field, PrimeField};
use rayon::prelude::*;

use crate::error::SrsError;
use crate::progress::CancelToken;

use super::invert;
use super::wiped::{Wiped, WipedScalar};

/// Values per task: well under a millisecond, and its one inversion costs little against it.
const CHUNK: usize = 1 << 10;

/// The points `w^i` for `i` in `0..m`.
pub(super) struct Domain {
    size: usize,
    root: Scalar,
}

impl Domain {
    pub(super) fn new(log: LogDomain) -> Self {
        let root = (log.get()..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
        Self { size: log.size(), root }
    }

    /// `L_i(tau)` for each point. The sum of them is 1.
    ///
    /// # Errors
    /// When tau is a point of the domain, or on cancel.
    pub(super) fn lagrange_coefficients(&self, tau: &Scalar, cancel: &CancelToken) -> Result<Wiped, SrsError> {
        let vanishing = self.vanishing(tau);
        if vanishing.is_zero_vartime() {
            return Err(SrsError::SecretInDomain);
        }
        let scale = WipedScalar::new(*vanishing * invert(&Scalar::from(self.size as u64)));
        let mut coefficients = Wiped::zeros(self.size);
        coefficients
            .par_chunks_mut(CHUNK)
            .enumerate()
            .try_for_each(|(idx, chunk)| {
                cancel.check()?;
                self.fill_chunk(idx * CHUNK, tau, &scale, chunk);
                Ok::<_, SrsError>(())
            })?;
        Ok(coefficients)
    }

    fn fill_chunk(&self, start: usize, tau: &Scalar, scale: &Scalar, chunk: &mut [Scalar]) {
        let mut point = self.root.pow_vartime([start as u64]);
        let mut numerators = Wiped::zeros(chunk.len());
        for (value, numerator) in chunk.iter_mut().zip(numerators.iter_mut()) {
            *value = tau - point;
            *numerator = point * scale;
            point *= self.root;
        }
        invert_all(chunk);
        chunk
            .iter_mut()
            .zip(numerators.iter())
            .for_each(|(value, numerator)| *value *= numerator);
    }

    /// `tau^i (tau^m - 1) / delta` for `i` in `0..m - 1`.
    ///
    /// # Errors
    /// On cancel.
    pub(super) fn quotient_powers(
        &self,
        tau: &Scalar,
        delta: &Scalar,
        cancel: &CancelToken,
    ) -> Result<Wiped, SrsError> {
        let scale = WipedScalar::new(*self.vanishing(tau) * invert(delta));
        let mut powers = Wiped::zeros(self.size - 1);
        powers.par_chunks_mut(CHUNK).enumerate().try_for_each(|(idx, chunk)| {
            cancel.check()?;
            let first = tau.pow_vartime([(idx * CHUNK) as u64]) * *scale;
            chunk.iter_mut().fold(first, |power, value| {
                *value = power;
                power * tau
            });
            Ok::<_, SrsError>(())
        })?;
        Ok(powers)
    }

    /// `tau^m - 1`, the value of the polynomial that vanishes on the domain.
    fn vanishing(&self, tau: &Scalar) -> WipedScalar {
        WipedScalar::new(tau.pow_vartime([self.size as u64]) - Scalar::ONE)
    }
}

/// Inverts all values, none of which is zero, with a single inversion.
fn invert_all(values: &mut [Scalar]) {
    let mut products = Wiped::zeros(values.len());
    let mut product = Scalar::ONE;
    for (before, value) in products.iter_mut().zip(values.iter()) {
        *before = product;
        product *= value;
    }
    let mut inverse = invert(&product);
    for (before, value) in products.iter().zip(values.iter_mut()).rev() {
        let inverted = inverse * before;
        inverse *= *value;
        *value = inverted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(log: u32) -> Domain {
        Domain::new(LogDomain::new(log).unwrap())
    }

    fn tau() -> Scalar {
        Scalar::from(0xdead_beef_1234_5678).square()
    }

    #[test]
    fn the_root_has_the_order_of_the_domain() {
        for log in [0, 1, 2, 7, 32] {
            let domain = domain(log);
            assert_eq!(domain.root.pow_vartime([1 << log]), Scalar::ONE);
            assert!(log == 0 || domain.root.pow_vartime([1 << (log - 1)]) == -Scalar::ONE);
        }
    }

    /// The defining product: zero at each other point, one at its own.
    #[test]
    fn coefficients_are_the_defining_products() {
        let (domain, tau) = (domain(3), tau());
        let points: Vec<_> = (0..8).map(|i| domain.root.pow_vartime([i])).collect();
        let coefficients = domain.lagrange_coefficients(&tau, &CancelToken::new()).unwrap();
        for (i, coefficient) in coefficients.iter().enumerate() {
            let others = points.iter().enumerate().filter(|(j, _)| *j != i);
            let expected: Scalar = others
                .map(|(_, p)| (tau - p) * (points[i] - p).invert().unwrap())
                .product();
            assert_eq!(*coefficient, expected, "point {i}");
        }
    }

    /// Interpolation reproduces polynomials of low degree: sums of powers of the points, over several chunks.
    #[test]
    fn coefficients_interpolate_powers() {
        for log in [0, 1, 10, 12] {
            let (domain, tau) = (domain(log), tau());
            let coefficients = domain.lagrange_coefficients(&tau, &CancelToken::new()).unwrap();
            for degree in [0, 1, 5, 511].into_iter().filter(|degree| *degree < domain.size as u64) {
                let terms = coefficients.iter().enumerate();
                let value: Scalar = terms
                    .map(|(i, c)| domain.root.pow_vartime([i as u64 * degree]) * c)
                    .sum();
                assert_eq!(value, tau.pow_vartime([degree]), "domain 2^{log}, degree {degree}");
            }
        }
    }

    #[test]
    fn quotient_powers_are_a_geometric_series() {
        let (domain, tau, delta) = (domain(11), tau(), Scalar::from(77));
        let powers = domain.quotient_powers(&tau, &delta, &CancelToken::new()).unwrap();
        assert_eq!(powers.len(), (1 << 11) - 1);
        assert_eq!(powers[0] * delta, tau.pow_vartime([1 << 11]) - Scalar::ONE);
        assert!(powers.windows(2).all(|pair| pair[1] == pair[0] * tau));
    }

    #[test]
    fn a_tau_inside_the_domain_is_refused() {
        let domain = domain(4);
        let tau = domain.root.pow_vartime([5]);
        let result = domain.lagrange_coefficients(&tau, &CancelToken::new());
        assert!(matches!(result, Err(SrsError::SecretInDomain)));
    }
}
