//! Making parameters for a recorded circuit from a secret.
//!
//! All secret scalars are computed here; the points are their multiples of two generators, which is nearly all the work and
//! comes through [`FixedBase`]. With the same secret the result is, byte for byte, what bellperson's `generate_parameters`
//! makes, which is the specification of this module.
//!
//! What is secret is overwritten when it is dropped: the secret, the powers of tau, the Lagrange coefficients, and every
//! scalar that a point is made from. That does not reach copies which the compiler keeps in registers and on the stack.
//!
//! Left out: ceremonies. Whoever runs this could know the secret, which is why the result is for development.

mod lagrange;
mod meter;
mod qap;
mod secret;
mod wiped;

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use cuzk_r1cs::{Column, RecordedCircuit, Shape};
use ff::Field;
use group::Curve;
use rayon::prelude::*;

use crate::error::SrsError;
use crate::parameters::{Parameters, VerifyingKey};
use crate::progress::{CancelToken, Cancelled, Progress, Work};

pub use meter::{Unwatched, Watch};
pub use secret::{Secret, SecretKind};

use lagrange::Domain;
use meter::Meter;
use qap::ColumnSums;
use wiped::{Wiped, WipedScalar};

/// Many multiples of one point, which is nearly all the work of making parameters. Implemented by backends.
///
/// An implementation calls [`Watch::advance`] from each of its threads at least every few milliseconds.
pub trait FixedBase: Sync {
    /// `scalars[i] * base`, in order, for any scalars.
    ///
    /// # Errors
    /// Only what `watch` returned.
    fn multiply_g1(
        &self,
        base: &G1Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G1Affine>, Cancelled>;

    /// The same in G2.
    ///
    /// # Errors
    /// Only what `watch` returned.
    fn multiply_g2(
        &self,
        base: &G2Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G2Affine>, Cancelled>;
}

/// Makes the parameters of `circuit`.
///
/// `observer` hears how many multiplications are done; what comes before them takes about a hundredth of the time.
///
/// # Errors
/// When the circuit has a variable that stands in no constraint, when tau happens to lie in the domain, or when `cancel` was
/// cancelled, within some milliseconds.
pub fn generate(
    circuit: &RecordedCircuit,
    secret: &Secret,
    arithmetic: &dyn FixedBase,
    observer: &dyn Progress,
    cancel: &CancelToken,
) -> Result<Parameters, SrsError> {
    let scalars = SecretScalars::compute(circuit, secret, cancel)?;
    let meter = Meter::new(scalars.work(), observer, cancel);
    let g1 = |scalars: &Wiped| arithmetic.multiply_g1(secret.g1(), scalars, &meter.g1());
    let (h, ic, l) = (g1(&scalars.h)?, g1(&scalars.ic)?, g1(&scalars.l)?);
    let (a, b_g1) = (g1(&scalars.a)?, g1(&scalars.b)?);
    let b_g2 = arithmetic.multiply_g2(secret.g2(), &scalars.b, &meter.g2())?;
    Ok(Parameters {
        vk: verifying_key(secret, ic),
        h,
        l,
        a,
        b_g1,
        b_g2,
    })
}

fn verifying_key(secret: &Secret, ic: Vec<G1Affine>) -> VerifyingKey {
    let g1 = |scalar: &Scalar| (secret.g1() * scalar).to_affine();
    let g2 = |scalar: &Scalar| (secret.g2() * scalar).to_affine();
    VerifyingKey {
        alpha_g1: g1(secret.alpha()),
        beta_g1: g1(secret.beta()),
        beta_g2: g2(secret.beta()),
        gamma_g2: g2(secret.gamma()),
        delta_g1: g1(secret.delta()),
        delta_g2: g2(secret.delta()),
        ic,
    }
}

/// The discrete logarithms of every query.
struct SecretScalars {
    h: Wiped,
    ic: Wiped,
    l: Wiped,
    a: Wiped,
    b: Wiped,
}

impl SecretScalars {
    fn compute(circuit: &RecordedCircuit, secret: &Secret, cancel: &CancelToken) -> Result<Self, SrsError> {
        let shape = circuit.shape();
        let domain = Domain::new(shape.log_domain());
        let lagrange = domain.lagrange_coefficients(secret.tau(), cancel)?;
        let columns = qap::evaluate(circuit, &lagrange, cancel)?;
        drop(lagrange);
        let combined = combine(&columns, secret, shape)?;
        let (ic, l) = combined.split_at(shape.inputs);
        let h = domain.quotient_powers(secret.tau(), secret.delta(), cancel)?;
        Ok(Self {
            h,
            ic: Wiped::copy_of(ic),
            l: Wiped::copy_of(l),
            a: non_zero(&columns.a),
            b: non_zero(&columns.b),
        })
    }

    fn work(&self) -> Work {
        let g1 = self.h.len() + self.ic.len() + self.l.len() + self.a.len() + self.b.len();
        Work(g1 as u64 + self.b.len() as u64 * Work::PER_G2_MULTIPLICATION)
    }
}

/// `(beta A_i + alpha B_i + C_i)` over gamma for inputs and over delta for auxiliaries.
fn combine(columns: &ColumnSums, secret: &Secret, shape: Shape) -> Result<Wiped, SrsError> {
    let ColumnSums { a, b, c } = columns;
    let inverses = [secret.gamma(), secret.delta()].map(|value| WipedScalar::new(invert(value)));
    let mut combined = Wiped::zeros(shape.variables());
    combined.par_iter_mut().enumerate().for_each(|(column, sum)| {
        let inverse = &inverses[usize::from(column >= shape.inputs)];
        *sum = (a[column] * secret.beta() + b[column] * secret.alpha() + c[column]) * **inverse;
    });
    // A point at infinity could not be told from a variable that is left out: such a variable could take any value.
    match combined.iter().position(is_zero) {
        None => Ok(combined),
        Some(index) => Err(SrsError::Unconstrained {
            column: column_at(index, shape),
        }),
    }
}

fn column_at(index: usize, shape: Shape) -> Column {
    // The recorder has made sure that indices fit.
    match index.checked_sub(shape.inputs) {
        None => Column::Input(index as u32),
        Some(aux) => Column::Aux(aux as u32),
    }
}

/// The inverse of a part of the secret, none of which is zero.
fn invert(value: &Scalar) -> Scalar {
    value.invert().expect("a secret is drawn without zeros")
}

/// Those that are not zero, in order: the others are points at infinity, which files do not hold.
fn non_zero(scalars: &[Scalar]) -> Wiped {
    // Room for all of them from the start: growing would leave copies behind that nobody wipes.
    let mut kept = Vec::with_capacity(scalars.len());
    kept.extend(scalars.iter().filter(|scalar| !is_zero(scalar)));
    Wiped::new(kept)
}

fn is_zero(value: &Scalar) -> bool {
    value.is_zero_vartime()
}

#[cfg(test)]
mod tests;
