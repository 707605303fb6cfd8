//! Verification by bellperson: another program's code, with the key from the file, not from the daemon.
//!
//! Left out: our own verifier; the daemon has used it already.

use std::fs;
use std::path::PathBuf;

use bellperson::groth16::{Proof, VerifyingKey, prepare_verifying_key, verify_proof};
use blstrs::{Bls12, Scalar};
use cuzk_circuits::{ProofKind, identity};
use cuzk_groth16::r1cs::RecordError;
use cuzk_groth16::srs::format;
use cuzk_groth16::srs::generate::SecretKind;
use cuzk_groth16::srs::store::{Sidecar, Store};
use cuzk_groth16::srs::trust;
use sha2::{Digest, Sha256};

/// Length of a Groth16 proof.
const PROOF_BYTES: usize = cuzk_groth16::Proof::BYTES;

/// There is nothing to verify with.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(
        "no verifying key for {circuit_id} with SHA-256 {sha256} in {} (hint: give the daemon's cache directory with --cache)",
        directory.display()
    )]
    NotFound {
        circuit_id: String,
        sha256: String,
        directory: PathBuf,
    },
    #[error("{} has SHA-256 {actual}, expected {expected} (hint: the file is damaged; delete it with its .params and .json and make the parameters again)", path.display())]
    Digest {
        path: PathBuf,
        expected: String,
        actual: String,
    },
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Srs(#[from] cuzk_groth16::srs::SrsError),
    #[error(transparent)]
    Circuit(#[from] RecordError),
}

/// The proof is not accepted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    #[error("the answer has {actual} bytes, {partitions} proofs have {expected}")]
    Length {
        partitions: usize,
        expected: usize,
        actual: usize,
    },
    #[error("bellperson cannot read the proof of partition {partition}: {reason}")]
    Unreadable { partition: usize, reason: String },
    #[error("bellperson does not accept the proof of partition {partition}")]
    Invalid { partition: usize },
}

/// Finds the key that the daemon says it used: by digest, among those of the circuit.
pub fn find_development_key(store: &Store, kind: &ProofKind, sha256: &str) -> Result<VerifyingKey<Bls12>, KeyError> {
    let (circuit_id, directory) = (kind.to_string(), store.root().to_owned());
    let not_found = || KeyError::NotFound {
        circuit_id: circuit_id.clone(),
        sha256: sha256.to_owned(),
        directory: directory.clone(),
    };
    let digest = identity(kind)?.digest;
    for entry in fs::read_dir(&directory).map_err(|_| not_found())? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        // A sidecar that cannot be read describes nothing that could be used.
        let Ok(sidecar) = Sidecar::read(&path) else { continue };
        let is_for_circuit = sidecar.circuit_id == circuit_id && sidecar.circuit_digest == digest;
        // Whoever knows a seed can make proofs that its key accepts.
        if is_for_circuit && sidecar.secret == SecretKind::Random && sidecar.vk_sha256.to_string() == sha256 {
            return read_key(path.with_extension("vk"), sha256);
        }
    }
    Err(not_found())
}

/// The published key of a kind, checked against the manifest.
pub fn find_published_key(directory: PathBuf, kind: &ProofKind, sha256: &str) -> Result<VerifyingKey<Bls12>, KeyError> {
    let circuit_id = kind.to_string();
    let Some(published) = trust::published(&circuit_id) else {
        return Err(KeyError::NotFound {
            circuit_id,
            sha256: sha256.to_owned(),
            directory,
        });
    };
    let path = directory.join(published.params_name).with_extension("vk");
    let actual = format::read_verifying_key(&path)?.blake2b128;
    if actual != published.vk_digest {
        let (expected, actual) = (published.vk_digest.to_string(), actual.to_string());
        return Err(KeyError::Digest { path, expected, actual });
    }
    read_key(path, sha256)
}

fn read_key(path: PathBuf, expected: &str) -> Result<VerifyingKey<Bls12>, KeyError> {
    let bytes = fs::read(&path)?;
    let actual = hex::encode(Sha256::digest(&bytes));
    if actual != expected {
        return Err(KeyError::Digest {
            path,
            expected: expected.to_owned(),
            actual,
        });
    }
    Ok(VerifyingKey::read(&bytes[..])?)
}

/// Verifies the proof of every partition.
pub fn verify(key: &VerifyingKey<Bls12>, proof: &[u8], public_inputs: &[Vec<Scalar>]) -> Result<(), Rejected> {
    let (partitions, expected) = (public_inputs.len(), public_inputs.len() * PROOF_BYTES);
    if proof.len() != expected || partitions == 0 {
        return Err(Rejected::Length {
            partitions,
            expected,
            actual: proof.len(),
        });
    }
    let key = prepare_verifying_key(key);
    for (partition, (bytes, inputs)) in proof.chunks_exact(PROOF_BYTES).zip(public_inputs).enumerate() {
        let unreadable = |error: std::io::Error| Rejected::Unreadable {
            partition,
            reason: error.to_string(),
        };
        let proof = Proof::<Bls12>::read(bytes).map_err(unreadable)?;
        if !verify_proof(&key, &proof, inputs).unwrap_or(false) {
            return Err(Rejected::Invalid { partition });
        }
    }
    Ok(())
}
