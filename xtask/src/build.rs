//! `build`: compiles the programs and records what cargo itself says was built.
//!
//! The record holds what the sources alone do not tell: profile, features, the program's path. Other commands compute the
//! build token again from the record and the sources as they are then.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use cargo_metadata::{Artifact, Message};
use cuzk_contract::exit::ExitCode;
use cuzk_contract::symbols::Program;
use cuzk_provenance::SourceTree;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::flags;
use crate::output::{self, CommandError, progress};

/// What one build made.
#[derive(Debug, Serialize, Deserialize)]
pub struct BuildRecord {
    pub schema_version: u32,
    /// Cargo profile.
    pub profile: String,
    /// What `rustc -vV` printed.
    pub rustc: String,
    /// Path and SHA-256 of each source file before the build, so that a later check can name what changed since.
    pub sources: BTreeMap<String, String>,
    pub programs: Vec<BuiltProgram>,
}

/// A program as cargo reported it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuiltProgram {
    /// File name, for instance `cuzk`.
    pub name: String,
    pub path: PathBuf,
    pub features: Vec<String>,
    pub opt_level: String,
    pub debug_assertions: bool,
    pub overflow_checks: bool,
    /// False when this build had to compile it.
    pub fresh: bool,
}

impl BuildRecord {
    pub fn program(&self, program: Program) -> anyhow::Result<&BuiltProgram> {
        let name = program.file_name();
        self.programs
            .iter()
            .find(|built| built.name == name)
            .with_context(|| format!("`{name}` was not built"))
    }

    /// The record of the last build with `profile`.
    pub fn load(context: &Context, profile: &str) -> anyhow::Result<Self> {
        let path = record_path(context, profile)?;
        let text = std::fs::read_to_string(&path).map_err(|error| {
            CommandError::new(
                ExitCode::Unverifiable,
                format!("no build record at {}: {error}", path.display()),
            )
            .with_hint(format!("run cargo xtask build --profile {profile}"))
        })?;
        let record: Self = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        anyhow::ensure!(
            record.schema_version == output::SCHEMA_VERSION,
            "{}: unknown version",
            path.display()
        );
        Ok(record)
    }

    fn save(&self, context: &Context) -> anyhow::Result<()> {
        let path = record_path(context, &self.profile)?;
        context.shell.write_file(&path, serde_json::to_string_pretty(self)?)?;
        Ok(())
    }
}

fn record_path(context: &Context, profile: &str) -> anyhow::Result<PathBuf> {
    Ok(context.records_dir()?.join(format!("build-{profile}.json")))
}

pub fn run(context: &Context, flags: &flags::Build) -> anyhow::Result<ExitCode> {
    let record = build(context, &flags.selection)?;
    if flags.json {
        output::print_json(&serde_json::json!({
            "schema_version": output::SCHEMA_VERSION, "ok": true, "build": record,
        }))?;
        return Ok(ExitCode::Ok);
    }
    let line = |built: &BuiltProgram| {
        let state = if built.fresh { "unchanged" } else { "built" };
        format!("{:<10} {state:<9} {}\n", built.name, built.path.display())
    };
    output::print(&record.programs.iter().map(line).collect::<String>());
    Ok(ExitCode::Ok)
}

/// Builds both programs. Cargo's progress goes to standard error as it comes.
pub fn build(context: &Context, selection: &flags::Selection) -> anyhow::Result<BuildRecord> {
    progress(format!("building cuzk and cuzk-bench ({})", selection.profile));
    let rustc = context.shell.cmd("rustc").arg("-vV").quiet().read().map_err(|error| {
        CommandError::new(ExitCode::ToolMissing, format!("rustc -vV: {error}")).with_hint("install Rust with rustup")
    })?;
    let sources = SourceTree::scan(&context.root)?.manifest();
    let messages = context
        .cargo_command(&[
            "build",
            "--profile",
            &selection.profile,
            "-p",
            "cuzk-daemon",
            "-p",
            "cuzk-bench",
        ])
        .arg("--message-format=json-render-diagnostics")
        .quiet()
        .read()
        .map_err(|_| {
            CommandError::new(ExitCode::CargoFailed, "cargo build failed")
                .with_hint("the compiler's messages are above")
        })?;
    let programs = programs_of(&messages)?;
    let schema_version = output::SCHEMA_VERSION;
    let record = BuildRecord {
        schema_version,
        profile: selection.profile.clone(),
        rustc,
        sources,
        programs,
    };
    record.save(context)?;
    Ok(record)
}

fn programs_of(messages: &str) -> anyhow::Result<Vec<BuiltProgram>> {
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages.as_bytes()) {
        if let Message::CompilerArtifact(artifact) = message.context("cargo's JSON messages")? {
            programs.extend(built_program(artifact));
        }
    }
    for program in [Program::Daemon, Program::Bench] {
        let name = program.file_name();
        anyhow::ensure!(
            programs.iter().any(|built| built.name == name),
            "cargo did not report `{name}`"
        );
    }
    Ok(programs)
}

fn built_program(artifact: Artifact) -> Option<BuiltProgram> {
    Some(BuiltProgram {
        name: artifact.target.name,
        path: artifact.executable?.into_std_path_buf(),
        features: artifact.features,
        opt_level: artifact.profile.opt_level,
        debug_assertions: artifact.profile.debug_assertions,
        overflow_checks: artifact.profile.overflow_checks,
        fresh: artifact.fresh,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(name: &str) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","package_id":"p","manifest_path":"/m","target":{{"kind":["bin"],"crate_types":["bin"],
            "name":"{name}","src_path":"/s","edition":"2024","doc":true,"doctest":false,"test":true}},"profile":{{"opt_level":"3",
            "debuginfo":0,"debug_assertions":false,"overflow_checks":true,"test":false}},"features":["x"],
            "filenames":["/t/{name}"],"executable":"/t/{name}","fresh":true}}"#
        )
        .replace('\n', "")
    }

    #[test]
    fn programs_come_from_cargos_own_messages() {
        let messages = format!("{}\n{}\n", artifact("cuzk"), artifact("cuzk-bench"));
        let programs = programs_of(&messages).unwrap();
        assert_eq!(programs[0].path, PathBuf::from("/t/cuzk"));
        assert_eq!(
            (programs[0].opt_level.as_str(), programs[0].overflow_checks),
            ("3", true)
        );
        assert_eq!(programs[1].features, ["x"]);
    }

    #[test]
    fn a_program_that_cargo_does_not_report_is_an_error() {
        let error = programs_of(&artifact("cuzk")).unwrap_err();
        assert!(error.to_string().contains("cuzk-bench"), "{error}");
    }
}
