//! `tidy`: the house rules as code. Every message names file, line and rule.
//!
//! Each rule is a function from the workspace to findings; a rule that cannot look is an error, never a pass.

mod graph;
mod packages;
mod source;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cuzk_contract::exit::ExitCode;
use serde::Serialize;

use crate::context::Context;
use crate::flags;
use crate::output;

/// Whether a finding fails the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Error,
    Warning,
    /// Known to be outstanding.
    Due,
}

/// One place that breaks a rule.
#[derive(Debug, Serialize)]
struct Finding {
    file: PathBuf,
    /// From 1; 0 where the rule is about the file as a whole.
    line: usize,
    rule: &'static str,
    severity: Severity,
    message: String,
}

impl Finding {
    fn error(file: impl Into<PathBuf>, line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line,
            rule,
            severity: Severity::Error,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Due => "due",
        };
        write!(
            f,
            "{}:{}: {severity}: {}: {}",
            self.file.display(),
            self.line,
            self.rule,
            self.message
        )
    }
}

/// A source file of the workspace, with its path relative to the root.
struct SourceFile {
    path: PathBuf,
    text: String,
}

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    ok: bool,
    files: usize,
    findings: &'a [Finding],
}

pub fn run(context: &Context, flags: &flags::Tidy) -> anyhow::Result<ExitCode> {
    let files = rust_files(&context.root)?;
    let metadata = full_metadata(context)?;
    let architecture = std::fs::read_to_string(context.root.join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    let crates = graph::parse_table(&architecture)?;

    let mut findings = graph::check(&crates, &metadata)?;
    findings.extend(packages::check(&metadata, &files)?);
    findings.extend(files.iter().flat_map(|file| source::check(file, &crates)));

    let ok = findings.iter().all(|finding| finding.severity != Severity::Error);
    if flags.json {
        let schema_version = output::SCHEMA_VERSION;
        output::print_json(&Report {
            schema_version,
            ok,
            files: files.len(),
            findings: &findings,
        })?;
    } else {
        output::print(&human(&findings, files.len(), ok));
    }
    Ok(if ok { ExitCode::Ok } else { ExitCode::CheckFailed })
}

fn human(findings: &[Finding], n_files: usize, ok: bool) -> String {
    let mut text: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
    let verdict = if ok { "tidy" } else { "not tidy" };
    text.push_str(&format!("{n_files} files, {} findings: {verdict}\n", findings.len()));
    text
}

fn full_metadata(context: &Context) -> anyhow::Result<cargo_metadata::Metadata> {
    let mut command = cargo_metadata::MetadataCommand::new();
    command.cargo_path(&context.cargo).current_dir(&context.root);
    command.exec().context("cargo metadata failed")
}

/// Every Rust file under crates/, xtask/ and examples/, sorted.
fn rust_files(root: &Path) -> anyhow::Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for top in ["crates", "xtask"] {
        for entry in walkdir::WalkDir::new(root.join(top)).sort_by_file_name() {
            let entry = entry.with_context(|| format!("cannot list {top}/"))?;
            let is_rust = entry.path().extension().is_some_and(|extension| extension == "rs");
            if !is_rust || !entry.file_type().is_file() || is_under_target(entry.path()) {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).with_context(|| entry.path().display().to_string())?;
            let path = entry.path().strip_prefix(root)?.to_path_buf();
            files.push(SourceFile { path, text });
        }
    }
    anyhow::ensure!(
        !files.is_empty(),
        "no source files under {}: nothing was checked",
        root.display()
    );
    Ok(files)
}

fn is_under_target(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "target")
}

#[cfg(test)]
impl SourceFile {
    fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }
}

#[cfg(test)]
impl Context {
    /// The real workspace, for tests that check it.
    pub fn for_tests() -> Self {
        Self::new().expect("tests run under cargo")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_is_tidy() {
        let flags = flags::Tidy { json: true };
        assert_eq!(run(&Context::for_tests(), &flags).unwrap(), ExitCode::Ok);
    }
}
