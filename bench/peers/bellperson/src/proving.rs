//! One call of bellperson's prover, measured, and its verifier.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use bellperson::groth16::{Parameters, Proof, VerifyingKey, create_proof_batch, prepare_verifying_key, verify_proof};
use blstrs::{Bls12, Scalar};
use cuzk_circuits::CircuitInstance;
use ff::Field as _;
use rand_core::OsRng;

use crate::moments;

/// The proofs of all partitions, and what they cost.
pub struct Measured {
    pub proofs: Vec<Proof<Bls12>>,
    pub synthesis: Duration,
    pub prove: Duration,
    pub total: Duration,
}

/// Proves all partitions in one batch, as Filecoin's callers do.
pub fn measure(circuits: Vec<CircuitInstance>, parameters: &Parameters<Bls12>) -> anyhow::Result<Measured> {
    moments::listen()?;
    let [r, s] = [(); 2].map(|()| circuits.iter().map(|_| Scalar::random(OsRng)).collect::<Vec<_>>());
    let start = Instant::now();
    let proofs = create_proof_batch(circuits, parameters, r, s)?;
    let end = Instant::now();
    let (synthesised, proved) =
        moments::heard().context("bellperson did not log its phases (hint: is logging compiled out?)")?;
    Ok(Measured {
        proofs,
        synthesis: synthesised - start,
        prove: proved - synthesised,
        total: end - start,
    })
}

/// Whether every partition's proof is valid.
pub fn verify(key: &VerifyingKey<Bls12>, proofs: &[Proof<Bls12>], public_inputs: &[Vec<Scalar>]) -> bool {
    let key = prepare_verifying_key(key);
    let valid = |(proof, inputs): (_, &Vec<_>)| verify_proof(&key, proof, inputs).unwrap_or(false);
    !proofs.is_empty() && proofs.len() == public_inputs.len() && proofs.iter().zip(public_inputs).all(valid)
}

/// The proofs as they travel: compressed, one after the other.
pub fn bytes(proofs: &[Proof<Bls12>]) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![];
    proofs.iter().try_for_each(|proof| proof.write(&mut bytes))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellperson::groth16::generate_random_parameters;
    use cuzk_circuits::{Seed, blank, synthetic};

    #[test]
    fn a_proof_is_made_measured_and_verified() {
        let kind = "bench:6:0.5".parse().unwrap();
        let parameters = generate_random_parameters::<Bls12, _, _>(blank(&kind), &mut OsRng).unwrap();
        let partition = synthetic::task(&kind, Seed(3)).unwrap().partitions.remove(0);
        let measured = measure(vec![partition.circuit], &parameters).unwrap();
        assert!(measured.synthesis + measured.prove <= measured.total);
        assert_eq!(bytes(&measured.proofs).unwrap().len(), 192);

        let inputs = [partition.public_inputs];
        assert!(verify(&parameters.vk, &measured.proofs, &inputs));
        assert!(!verify(&parameters.vk, &measured.proofs, &[vec![Scalar::ONE]]));
        assert!(!verify(&parameters.vk, &measured.proofs, &[]));
        assert!(!verify(&parameters.vk, &[], &[]));
    }
}
