//! Scalars that are overwritten when they are dropped.

use std::hint::black_box;
use std::ops::{Deref, DerefMut};

use blstrs::Scalar;
use ff::Field;

/// A list of secret scalars. Its length never changes, so that no copy is left behind by growing.
pub(super) struct Wiped(Vec<Scalar>);

impl Wiped {
    pub(super) fn new(scalars: Vec<Scalar>) -> Self {
        Self(scalars)
    }

    pub(super) fn zeros(len: usize) -> Self {
        Self(vec![Scalar::ZERO; len])
    }

    /// A list of its own, with the same values.
    pub(super) fn copy_of(scalars: &[Scalar]) -> Self {
        Self(scalars.to_vec())
    }
}

/// One secret scalar.
pub(super) struct WipedScalar(Scalar);

impl WipedScalar {
    pub(super) fn new(scalar: Scalar) -> Self {
        Self(scalar)
    }
}

impl Deref for WipedScalar {
    type Target = Scalar;

    fn deref(&self) -> &Scalar {
        &self.0
    }
}

impl Drop for WipedScalar {
    fn drop(&mut self) {
        wipe(std::slice::from_mut(&mut self.0), &Scalar::ZERO);
    }
}

impl Deref for Wiped {
    type Target = [Scalar];

    fn deref(&self) -> &[Scalar] {
        &self.0
    }
}

impl DerefMut for Wiped {
    fn deref_mut(&mut self) -> &mut [Scalar] {
        &mut self.0
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        wipe(&mut self.0, &Scalar::ZERO);
    }
}

/// Overwrites every value.
pub(super) fn wipe<T: Copy>(values: &mut [T], with: &T) {
    values.fill(*with);
    // Without a reader the compiler could leave out stores to memory that is freed next.
    black_box(values);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_overwritten() {
        let mut values: Vec<_> = (1..100).map(Scalar::from).collect();
        wipe(&mut values, &Scalar::ZERO);
        assert!(values.iter().all(|value| *value == Scalar::ZERO));
    }
}
