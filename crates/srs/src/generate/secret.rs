//! The secret: two generators and five scalars. Who knows the scalars can prove false statements.

use blstrs::{G1Projective, G2Projective, Scalar};
use ff::Field;
use group::Group;
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRngCore, SeedableRng};

use super::wiped::wipe;

/// Where a secret came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// A random source that nobody can repeat.
    Random,
    /// A seed. Whoever knows it can prove anything, so this is for tests.
    InsecureSeeded { seed: u64 },
}

/// What parameters are made from. Overwritten when it is dropped, never copied, never printed.
pub struct Secret {
    g1: G1Projective,
    g2: G2Projective,
    alpha: Scalar,
    beta: Scalar,
    gamma: Scalar,
    delta: Scalar,
    tau: Scalar,
    kind: SecretKind,
}

impl Secret {
    /// Draws a secret. The source must be the system's, or as good.
    pub fn random(rng: &mut impl CryptoRngCore) -> Self {
        Self::draw(rng, SecretKind::Random)
    }

    /// The same secret for the same seed, on every machine.
    pub fn insecure_from_seed(seed: u64) -> Self {
        Self::draw(
            &mut ChaCha20Rng::seed_from_u64(seed),
            SecretKind::InsecureSeeded { seed },
        )
    }

    /// Draws in the order in which bellperson's `generate_random_parameters` does.
    fn draw(rng: &mut impl CryptoRngCore, kind: SecretKind) -> Self {
        let (g1, g2) = (G1Projective::random(&mut *rng), G2Projective::random(&mut *rng));
        let mut non_zero = || loop {
            let value = Scalar::random(&mut *rng);
            if !value.is_zero_vartime() {
                return value;
            }
        };
        let (alpha, beta, gamma, delta, tau) = (non_zero(), non_zero(), non_zero(), non_zero(), non_zero());
        Self {
            g1,
            g2,
            alpha,
            beta,
            gamma,
            delta,
            tau,
            kind,
        }
    }

    pub fn kind(&self) -> SecretKind {
        self.kind
    }

    pub(super) fn g1(&self) -> &G1Projective {
        &self.g1
    }

    pub(super) fn g2(&self) -> &G2Projective {
        &self.g2
    }

    pub(super) fn alpha(&self) -> &Scalar {
        &self.alpha
    }

    pub(super) fn beta(&self) -> &Scalar {
        &self.beta
    }

    pub(super) fn gamma(&self) -> &Scalar {
        &self.gamma
    }

    pub(super) fn delta(&self) -> &Scalar {
        &self.delta
    }

    pub(super) fn tau(&self) -> &Scalar {
        &self.tau
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        for scalar in [
            &mut self.alpha,
            &mut self.beta,
            &mut self.gamma,
            &mut self.delta,
            &mut self.tau,
        ] {
            wipe(std::slice::from_mut(scalar), &Scalar::ZERO);
        }
        wipe(std::slice::from_mut(&mut self.g1), &G1Projective::identity());
        wipe(std::slice::from_mut(&mut self.g2), &G2Projective::identity());
    }
}
