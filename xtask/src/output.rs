//! How a command's result leaves: human text or one JSON document on standard output, and the exit code.
//!
//! Progress and diagnostics go to standard error. Every JSON document has `schema_version` and `ok`; an error is a document
//! as well.

use std::io::Write as _;

use cuzk_contract::exit::ExitCode;
use serde::Serialize;
use serde_json::json;

/// What standard output is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Human,
    Json,
}

/// Version of every document that this program prints.
pub const SCHEMA_VERSION: u32 = 1;

/// An error that a user can act on: it has an exit code, and a hint where there is one.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    pub code: ExitCode,
    pub message: String,
    pub hint: Option<String>,
}

impl CommandError {
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
        }
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Prints a line of progress.
pub fn progress(line: impl AsRef<str>) {
    // A closed standard error must not end a measurement.
    let _ = writeln!(std::io::stderr(), "{}", line.as_ref());
}

/// Prints a result in human form. A reader that went away is not an error.
pub fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = out.write_all(b"\n");
    }
    let _ = out.flush();
}

/// Prints one JSON document.
pub fn print_json(document: &impl Serialize) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(document)?);
    Ok(())
}

/// Turns a command's result into the process's exit code, reporting an error in the format asked for.
pub fn finish(result: anyhow::Result<ExitCode>, format: Format) -> std::process::ExitCode {
    let error = match result {
        Ok(code) => return code.into(),
        Err(error) => error,
    };
    let known = error.downcast_ref::<CommandError>();
    // What has no code of its own is a failure of the surroundings: a full disk, a file that cannot be read. A bug panics.
    let code = known.map_or(ExitCode::CheckFailed, |known| known.code);
    let hint = known.and_then(|known| known.hint.as_deref());
    let message = format!("{error:#}");
    if format == Format::Json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "ok": false,
            "error": { "code": code.code(), "message": message, "hint": hint },
        });
        print(&document.to_string());
    }
    progress(format!("error: {message}"));
    if let Some(hint) = hint {
        progress(format!("hint: {hint}"));
    }
    code.into()
}
