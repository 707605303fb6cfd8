//! How a command answers: text for people, or one JSON document, also for errors.

use std::io::{self, Write as _};

use cuzk_groth16::contract::exit::ExitCode;
use serde::Serialize;

/// Version of every JSON document that this program prints.
pub const SCHEMA_VERSION: u32 = 1;

/// Stands with every figure of a program that no receipt vouches for. `cargo xtask measure` gives figures with one.
pub const UNVERIFIED: &str = "UNVERIFIED";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
}

/// Where and how results are printed.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    format: Format,
}

/// Why a command did not succeed, with its exit code.
#[derive(Debug)]
pub struct Failure {
    pub code: ExitCode,
    pub error: anyhow::Error,
}

pub type CommandResult = Result<ExitCode, Failure>;

impl Failure {
    pub fn new(code: ExitCode, error: impl Into<anyhow::Error>) -> Self {
        Self {
            code,
            error: error.into(),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(ExitCode::CheckFailed, error)
    }
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    schema_version: u32,
    ok: bool,
    error: ErrorBody<'a>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    /// The exit code.
    code: u8,
    message: &'a str,
    hint: Option<&'a str>,
}

impl Output {
    pub fn new(format: Format) -> Self {
        Self { format }
    }

    /// Prints a result: the document as JSON, or its text.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn print(self, document: &impl Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        let answer = match self.format {
            Format::Json => serde_json::to_string(document)?,
            Format::Text => text(),
        };
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{answer}")?;
        Ok(stdout.flush()?)
    }

    /// The exit code of a command; a failure is reported first.
    pub fn finish(self, result: CommandResult) -> ExitCode {
        result.unwrap_or_else(|Failure { code, error }| {
            self.failure(code, &format!("{error:#}"));
            code
        })
    }

    /// Reports a failure on standard output as a document, or on standard error as text.
    pub fn failure(self, code: ExitCode, message: &str) {
        match self.format {
            Format::Text => eprintln!("error: {message}"),
            Format::Json => println!("{}", error_document(code, message)),
        }
    }
}

fn error_document(code: ExitCode, message: &str) -> String {
    let (message, hint) = split_hint(message);
    let error = ErrorBody {
        code: code.code(),
        message,
        hint,
    };
    let document = ErrorDocument {
        schema_version: SCHEMA_VERSION,
        ok: false,
        error,
    };
    serde_json::to_string(&document).expect("text and numbers are always JSON")
}

/// Messages end in `(hint: ...)` where there is one.
fn split_hint(message: &str) -> (&str, Option<&str>) {
    match message.rsplit_once(" (hint: ") {
        Some((before, hint)) if hint.ends_with(')') => (before, Some(&hint[..hint.len() - 1])),
        _ => (message, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_has_a_field_of_its_own() {
        let document = error_document(ExitCode::ProofInvalid, "no key (hint: make one (soon))");
        let value: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!(value["ok"], false);
        assert_eq!(value["error"]["code"], 23);
        assert_eq!(value["error"]["message"], "no key");
        assert_eq!(value["error"]["hint"], "make one (soon)");
        assert_eq!(split_hint("plain"), ("plain", None));
    }
}
