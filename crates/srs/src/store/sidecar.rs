//! What stands beside generated parameters and says what they are.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use cuzk_r1cs::{CircuitDigest, Shape};
use serde::{Deserialize, Serialize};

use crate::digest::{Sha256Digest, as_text};
use crate::error::SrsError;
use crate::generate::SecretKind;

const SCHEMA_VERSION: u32 = 1;

/// A sidecar has less than a kilobyte; what is longer is not one.
const MAX_BYTES: u64 = 1 << 16;

/// Description of a generated parameter file. Stored as JSON with `schema_version` 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Json", into = "Json")]
pub struct Sidecar {
    pub circuit_id: String,
    pub circuit_digest: CircuitDigest,
    pub shape: Shape,
    /// Length of the parameter file.
    pub params_bytes: u64,
    pub params_sha256: Sha256Digest,
    /// Of the `.vk` file, which proofs made with these parameters are verified with.
    pub vk_sha256: Sha256Digest,
    pub secret: SecretKind,
}

impl Sidecar {
    pub const SCHEMA_VERSION: u32 = SCHEMA_VERSION;

    /// Reads the sidecar at `path`.
    ///
    /// # Errors
    /// When it is missing or cannot be read, is of another version, or is not a sidecar.
    pub fn read(path: &Path) -> Result<Self, SrsError> {
        let text = read_bounded(path).map_err(|source| SrsError::io(path, "read", source))?;
        Self::parse(&text).map_err(|problem| SrsError::sidecar(path, problem))
    }

    pub(crate) fn read_if_present(path: &Path) -> Result<Option<Self>, SrsError> {
        match Self::read(path) {
            Ok(sidecar) => Ok(Some(sidecar)),
            Err(SrsError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The version is looked at first: a later one may have fields that this one does not know.
    fn parse(text: &[u8]) -> Result<Self, String> {
        let Version { schema_version } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if schema_version != SCHEMA_VERSION {
            return Err(format!("schema_version is {schema_version}, expected {SCHEMA_VERSION}"));
        }
        serde_json::from_slice(text).map_err(|error| error.to_string())
    }

    pub(super) fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("plain fields with text keys are always JSON");
        json + "\n"
    }
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = vec![];
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("longer than {MAX_BYTES} bytes"),
        ));
    }
    Ok(text)
}

#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

/// The sidecar as it is written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    schema_version: u32,
    circuit_id: String,
    #[serde(with = "as_text")]
    circuit_digest: CircuitDigest,
    inputs: u64,
    aux: u64,
    constraints: u64,
    params_bytes: u64,
    params_sha256: Sha256Digest,
    vk_sha256: Sha256Digest,
    secret: SecretName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    insecure_seed: Option<u64>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SecretName {
    Random,
    InsecureSeeded,
}

impl From<Sidecar> for Json {
    fn from(sidecar: Sidecar) -> Self {
        let Sidecar {
            circuit_id,
            circuit_digest,
            shape,
            params_bytes,
            params_sha256,
            vk_sha256,
            secret,
        } = sidecar;
        let (secret, insecure_seed) = match secret {
            SecretKind::Random => (SecretName::Random, None),
            SecretKind::InsecureSeeded { seed } => (SecretName::InsecureSeeded, Some(seed)),
        };
        Self {
            schema_version: SCHEMA_VERSION,
            circuit_id,
            circuit_digest,
            inputs: shape.inputs as u64,
            aux: shape.aux as u64,
            constraints: shape.constraints as u64,
            params_bytes,
            params_sha256,
            vk_sha256,
            secret,
            insecure_seed,
        }
    }
}

impl TryFrom<Json> for Sidecar {
    type Error = String;

    fn try_from(json: Json) -> Result<Self, String> {
        let secret = match (json.secret, json.insecure_seed) {
            (SecretName::Random, None) => SecretKind::Random,
            (SecretName::InsecureSeeded, Some(seed)) => SecretKind::InsecureSeeded { seed },
            (SecretName::Random, Some(_)) => return Err("a random secret has no insecure_seed".to_owned()),
            (SecretName::InsecureSeeded, None) => return Err("insecure_seed is missing".to_owned()),
        };
        let count = |count: u64| usize::try_from(count).map_err(|_| format!("{count} is no count"));
        Ok(Self {
            circuit_id: json.circuit_id,
            circuit_digest: json.circuit_digest,
            shape: Shape {
                inputs: count(json.inputs)?,
                aux: count(json.aux)?,
                constraints: count(json.constraints)?,
            },
            params_bytes: json.params_bytes,
            params_sha256: json.params_sha256,
            vk_sha256: json.vk_sha256,
            secret,
        })
    }
}

#[cfg(test)]
mod tests;
