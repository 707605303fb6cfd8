//! The result of a verification, as a person reads it and as JSON.

use cuzk_contract::exit::ExitCode;
use serde::{Deserialize, Serialize};

use crate::verdict::{Finding, Verdict, exit_code, overall};
use crate::{Elf, ProgramFile, Sha256Hash, token};

/// Version of the report's JSON.
pub const SCHEMA_VERSION: u32 = 1;

/// What a program file is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramFacts {
    pub path: String,
    pub bytes: u64,
    pub sha256: Sha256Hash,
    /// The following three are absent where the file cannot be parsed or does not have them.
    pub machine: Option<String>,
    /// In hexadecimal.
    pub build_id: Option<String>,
    pub build_token: Option<String>,
}

impl ProgramFacts {
    pub(crate) fn new(file: &ProgramFile, elf: Option<&Elf<'_>>) -> Self {
        Self {
            path: file.path().display().to_string(),
            bytes: file.bytes().len() as u64,
            sha256: file.sha256(),
            machine: elf.map(|elf| elf.machine().name().to_owned()),
            build_id: elf.and_then(Elf::build_id).map(hex::encode),
            build_token: elf.and_then(token::only_token).map(|token| token.to_string()),
        }
    }
}

/// Everything that was checked of one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifyReport {
    pub schema_version: u32,
    pub ok: bool,
    pub verdict: Verdict,
    /// The exit code of [`exit_code`], as a number.
    pub exit_code: u8,
    /// Absent where the file changed while it was read or is none.
    pub program: Option<ProgramFacts>,
    pub findings: Vec<Finding>,
}

impl VerifyReport {
    pub(crate) fn new(program: Option<ProgramFacts>, findings: Vec<Finding>) -> Self {
        let verdict = overall(&findings);
        Self {
            schema_version: SCHEMA_VERSION,
            ok: verdict == Verdict::Proved,
            verdict,
            exit_code: exit_code(&findings).code(),
            program,
            findings,
        }
    }

    /// What a command that made this report exits with.
    pub fn exit(&self) -> ExitCode {
        exit_code(&self.findings)
    }
}
