//! The receipt: what a program was built from, bound to the program's hash and to the proof that it holds what it should.
//!
//! A measurement names the receipt of the program that it ran. Only a fully proved program gets one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use cuzk_provenance::{BuildToken, DebugAssertions, Features, ProfileFacts, RustcVersion, SourceDigest, TokenInputs};
use serde::{Deserialize, Serialize};

use crate::hash::as_text;
use crate::verdict::{Finding, Verdict, overall};
use crate::{ProgramFacts, Sha256Hash, VerifyReport};

/// Version of the receipt's JSON. Another version is refused, never guessed at.
pub const SCHEMA_VERSION: u32 = 1;

/// A receipt lists a few hundred files and findings; a larger one is something else.
const MAX_BYTES: u64 = 16 << 20;

/// Whether the checkout held changes that were not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkTree {
    Clean,
    Dirty,
    /// No git, or no repository.
    Unknown,
}

/// The revision of the checkout, as far as git tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitState {
    pub revision: Option<String>,
    pub work_tree: WorkTree,
}

/// The profile of a build, as cargo reported it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileRecord {
    /// For instance `release`.
    pub name: String,
    pub opt_level: String,
    pub debug_assertions: bool,
    pub overflow_checks: bool,
}

/// What a program was built from and with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildFacts {
    #[serde(with = "as_text")]
    pub source_digest: SourceDigest,
    /// Path and SHA-256 of each source file, so that a later check can name the files that changed.
    pub sources: BTreeMap<String, String>,
    pub git: GitState,
    /// What `rustc -vV` printed.
    pub rustc: String,
    pub features: Vec<String>,
    pub profile: ProfileRecord,
    /// Target triple.
    pub target: String,
    #[serde(with = "as_text")]
    pub build_token: BuildToken,
}

impl BuildFacts {
    /// The inputs that the build token must be the hash of.
    pub fn token_inputs(&self) -> TokenInputs {
        TokenInputs {
            sources: self.source_digest,
            features: Features::new(&self.features),
            profile: ProfileFacts {
                opt_level: self.profile.opt_level.clone(),
                debug_assertions: DebugAssertions::from(self.profile.debug_assertions),
            },
            target: self.target.clone(),
            rustc: RustcVersion::new(&self.rustc),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiptError {
    #[error("cannot read or write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("not a receipt: {0}")]
    Malformed(String),
    #[error("receipt version {actual}, this program knows {SCHEMA_VERSION} (hint: measure again)")]
    UnknownVersion { actual: u64 },
    #[error("no receipt for a program whose verdict is {0:?} (hint: run cargo xtask verify-binary)")]
    NotProved(Verdict),
    #[error("the receipt contradicts itself: {what} is {actual}, expected {expected}")]
    Contradiction {
        what: &'static str,
        expected: String,
        actual: String,
    },
    #[error("the receipt is for the program with SHA-256 {expected}, this one has {actual} (hint: build again)")]
    OtherProgram { expected: Sha256Hash, actual: Sha256Hash },
}

/// Binds a program to its sources, its build and its proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    schema_version: u32,
    build: BuildFacts,
    program: ProgramFacts,
    findings: Vec<Finding>,
}

impl Receipt {
    /// Issues a receipt for a program that `report` proves.
    ///
    /// # Errors
    ///
    /// Where anything is not proved, or where the token of `build` is not the one in the program.
    pub fn issue(build: BuildFacts, report: VerifyReport) -> Result<Self, ReceiptError> {
        let program = report.program.ok_or(ReceiptError::NotProved(Verdict::Unverifiable))?;
        let receipt = Self {
            schema_version: SCHEMA_VERSION,
            build,
            program,
            findings: report.findings,
        };
        receipt.validate()?;
        Ok(receipt)
    }

    pub fn build(&self) -> &BuildFacts {
        &self.build
    }

    pub fn program(&self) -> &ProgramFacts {
        &self.program
    }

    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Reads a receipt and checks it like a new one.
    pub fn load(path: &Path) -> Result<Self, ReceiptError> {
        let failed = |source| ReceiptError::Io {
            path: path.to_path_buf(),
            source,
        };
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text))
            .map_err(failed)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(ReceiptError::Malformed(format!(
                "{} has more than {MAX_BYTES} bytes",
                path.display()
            )));
        }
        Self::from_json(&text)
    }

    /// Parses a receipt and checks it like a new one. The version is looked at before anything else.
    pub fn from_json(text: &str) -> Result<Self, ReceiptError> {
        let malformed = |error: serde_json::Error| ReceiptError::Malformed(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(malformed)?;
        match value.get("schema_version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(SCHEMA_VERSION) => {}
            Some(actual) => return Err(ReceiptError::UnknownVersion { actual }),
            None => return Err(ReceiptError::Malformed("no schema_version".into())),
        }
        let receipt: Self = serde_json::from_value(value).map_err(malformed)?;
        receipt.validate()?;
        Ok(receipt)
    }

    /// The receipt as it is stored: the same receipt gives the same bytes.
    pub fn to_json(&self) -> Result<String, ReceiptError> {
        let text = serde_json::to_string_pretty(self).map_err(|error| ReceiptError::Malformed(error.to_string()))?;
        Ok(text + "\n")
    }

    /// SHA-256 of the stored form: what a record of a run names the receipt by.
    pub fn digest(&self) -> Result<Sha256Hash, ReceiptError> {
        Ok(Sha256Hash::of(self.to_json()?.as_bytes()))
    }

    /// Writes the receipt under a temporary name and renames it, so that no reader sees half of it.
    pub fn save(&self, path: &Path) -> Result<(), ReceiptError> {
        let text = self.to_json()?;
        let failed = |source| ReceiptError::Io {
            path: path.to_path_buf(),
            source,
        };
        let dir = path
            .parent()
            .filter(|dir| !dir.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(dir).map_err(failed)?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.as_file().sync_all())
            .map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Checks that this is the receipt of the program with this hash.
    pub fn check_program(&self, actual: Sha256Hash) -> Result<(), ReceiptError> {
        let expected = self.program.sha256;
        if actual == expected {
            Ok(())
        } else {
            Err(ReceiptError::OtherProgram { expected, actual })
        }
    }

    fn validate(&self) -> Result<(), ReceiptError> {
        let verdict = overall(&self.findings);
        if verdict != Verdict::Proved {
            return Err(ReceiptError::NotProved(verdict));
        }
        let token = self.build.build_token.to_string();
        let in_program = self.program.build_token.as_deref().unwrap_or("none");
        same("the program's build token", &token, in_program)?;
        same(
            "the build token of the facts",
            &self.build.token_inputs().token().to_string(),
            &token,
        )
    }
}

fn same(what: &'static str, expected: &str, actual: &str) -> Result<(), ReceiptError> {
    if expected == actual {
        return Ok(());
    }
    Err(ReceiptError::Contradiction {
        what,
        expected: expected.into(),
        actual: actual.into(),
    })
}

#[cfg(test)]
mod tests;
