//! Parameters from files: a published one where there is one, else development parameters from the store.
//!
//! Left out: what makes a file trustworthy; `cuzk_srs::trust` decides that for every file that is opened here.

use std::fs;
use std::path::{Path, PathBuf};

use cuzk_circuits::{CircuitIdentity, ProofKind, identity};
use cuzk_groth16::PreparedVerifyingKey;
use cuzk_groth16::srs::generate::SecretKind;
use cuzk_groth16::srs::store::Store;
use cuzk_groth16::srs::trust::{self, Expected, Opened, TrustPolicy};
use cuzk_groth16::srs::{SrsError, SubgroupCheck};

use crate::parameters::{LoadedParameters, ParameterError, ParameterSource};

/// The directories in which parameters are looked for, and what is accepted of what is found there.
pub struct TrustedFiles {
    /// Where Filecoin keeps the published files, under their published names.
    pub published: PathBuf,
    /// Where this project keeps what it generates.
    pub store: Store,
    pub policy: TrustPolicy,
}

/// Nothing to open.
#[derive(Debug, thiserror::Error)]
#[error(
    "neither the published file in {} nor generated ones in {} \
     (hint: `cuzk-bench params --proof {circuit_id}` generates parameters for development)",
    published.display(), store.display()
)]
struct NotFound {
    circuit_id: String,
    published: PathBuf,
    store: PathBuf,
}

/// Only published parameters are allowed, and the circuit has none.
#[derive(Debug, thiserror::Error)]
#[error(
    "no parameters are published for {circuit_id}, and development parameters are not allowed here \
     (hint: allow_development_parameters = true under [srs], or --allow-development-parameters, allows them)"
)]
struct NotPublished {
    circuit_id: String,
}

impl ParameterSource for TrustedFiles {
    fn load(&self, kind: &ProofKind) -> Result<LoadedParameters, ParameterError> {
        self.refuse_before_recording(kind)?;
        let circuit = identity(kind).map_err(|error| ParameterError::new(kind, error))?;
        let path = self.locate(kind, &circuit)?;
        let bytes = fs::metadata(&path)
            .map_err(|error| ParameterError::new(kind, error))?
            .len();
        let opened = self
            .open(kind, &circuit, &path)
            .map_err(|error| ParameterError::new(kind, error))?;
        Ok(LoadedParameters {
            srs: opened.parameters,
            key: PreparedVerifyingKey::new(&opened.verifying_key),
            verifying_key_sha256: opened.vk_sha256.0,
            provenance: opened.provenance,
            bytes,
        })
    }
}

impl TrustedFiles {
    /// Learning the identity of a circuit can take minutes and gigabytes; where only a published file could be used and there
    /// is none, nobody may ask for that.
    fn refuse_before_recording(&self, kind: &ProofKind) -> Result<(), ParameterError> {
        let circuit_id = kind.to_string();
        if self.policy != TrustPolicy::ProductionOnly || trust::published(&circuit_id).is_some() {
            return Ok(());
        }
        Err(ParameterError::new(kind, NotPublished { circuit_id }))
    }

    /// The published file goes first: what development leaves in the cache must not replace it.
    fn locate(&self, kind: &ProofKind, circuit: &CircuitIdentity) -> Result<PathBuf, ParameterError> {
        let circuit_id = kind.to_string();
        let published = trust::published(&circuit_id).map(|entry| self.published.join(entry.params_name));
        if let Some(path) = published.filter(|path| path.exists()) {
            return Ok(path);
        }
        // Seeded parameters are for tests of their making; who knows the seed could forge proofs.
        let generated = self.store.find(&circuit_id, circuit.digest, SecretKind::Random);
        let generated = generated.map_err(|error| ParameterError::new(kind, error))?;
        generated.map(|entry| entry.params).ok_or_else(|| {
            let (published, store) = (self.published.clone(), self.store.root().to_owned());
            ParameterError::new(
                kind,
                NotFound {
                    circuit_id,
                    published,
                    store,
                },
            )
        })
    }

    fn open(&self, kind: &ProofKind, circuit: &CircuitIdentity, path: &Path) -> Result<Opened, SrsError> {
        let circuit_id = kind.to_string();
        let expected = Expected {
            circuit_id: &circuit_id,
            digest: circuit.digest,
            shape: circuit.shape,
        };
        // The digest of the whole file is checked, which says more about its points than the subgroup would.
        trust::open_checked(path, &expected, self.policy, SubgroupCheck::Skip)
    }
}
