//! `build`: compiles the programs and records what cargo itself says was built.
//!
//! The record holds what the sources alone do not tell: profile, features, the program's path. Other commands compute the
//! build token again from the record and the sources as they are then.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;
use cargo_metadata::{Artifact, Message};
use cuzk_artifact::ProgramFile;
use cuzk_contract::exit::ExitCode;
use cuzk_contract::symbols::Program;
use cuzk_provenance::{Change, SourceTree};
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
    /// Of the file as the build left it.
    pub sha256: String,
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
    let rustc = context.rustc_version()?;
    let earlier = BuildRecord::load(context, &selection.profile).ok();
    let sources = SourceTree::scan(&context.root)?;
    touch_changed(&sources, earlier.as_ref())?;
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
    let programs = programs_of(&messages, sha256_of)?;
    refuse_edits_during_build(context, &sources)?;
    refuse_tampering(&programs, earlier.as_ref())?;
    let sources = sources.manifest();
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

/// Cargo judges by time, and a file put in place with an old time (`mv`, `cp -p`, an unpacked archive) looks unchanged to
/// it. What differs in content from the last build therefore gets the present time.
fn touch_changed(tree: &SourceTree, earlier: Option<&BuildRecord>) -> anyhow::Result<()> {
    let Some(earlier) = earlier else { return Ok(()) };
    for (path, change) in tree.changes_since(&earlier.sources) {
        if change != Change::Removed {
            let file = tree.root().join(&path);
            let touched = File::options()
                .append(true)
                .open(&file)
                .and_then(|open| open.set_modified(SystemTime::now()));
            touched.with_context(|| format!("cannot touch {}", file.display()))?;
        }
    }
    Ok(())
}

/// Sources that changed while cargo ran may be in one crate of the program and not in the next.
fn refuse_edits_during_build(context: &Context, before: &SourceTree) -> anyhow::Result<()> {
    let changes = SourceTree::scan(&context.root)?.changes_since(&before.manifest());
    let Some((path, _)) = changes.first() else {
        return Ok(());
    };
    let message = format!(
        "{path} changed while the program was built ({} files in all)",
        changes.len()
    );
    Err(CommandError::new(ExitCode::Stale, message)
        .with_hint("run the command again")
        .into())
}

/// A program that cargo did not touch must be the one that the last build left.
fn refuse_tampering(programs: &[BuiltProgram], earlier: Option<&BuildRecord>) -> anyhow::Result<()> {
    let recorded = |program: &BuiltProgram| earlier?.programs.iter().find(|before| before.path == program.path);
    for program in programs.iter().filter(|program| program.fresh) {
        if let Some(before) = recorded(program).filter(|before| before.sha256 != program.sha256) {
            let path = program.path.display();
            let message = format!(
                "{path} is not what cargo built: SHA-256 {}, then {}",
                program.sha256, before.sha256
            );
            return Err(CommandError::new(ExitCode::CheckFailed, message)
                .with_hint(format!("something else wrote to it; delete {path} and build again"))
                .into());
        }
    }
    Ok(())
}

fn sha256_of(path: &Path) -> anyhow::Result<String> {
    let file = ProgramFile::read(path).with_context(|| path.display().to_string())?;
    Ok(file.sha256().to_string())
}

fn programs_of(
    messages: &str,
    sha256_of: impl Fn(&Path) -> anyhow::Result<String> + Copy,
) -> anyhow::Result<Vec<BuiltProgram>> {
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages.as_bytes()) {
        if let Message::CompilerArtifact(artifact) = message.context("cargo's JSON messages")? {
            programs.extend(built_program(artifact, sha256_of)?);
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

fn built_program(
    artifact: Artifact,
    sha256_of: impl Fn(&Path) -> anyhow::Result<String>,
) -> anyhow::Result<Option<BuiltProgram>> {
    let Some(path) = artifact.executable else {
        return Ok(None);
    };
    let path = path.into_std_path_buf();
    Ok(Some(BuiltProgram {
        name: artifact.target.name,
        sha256: sha256_of(&path)?,
        path,
        features: artifact.features,
        opt_level: artifact.profile.opt_level,
        debug_assertions: artifact.profile.debug_assertions,
        overflow_checks: artifact.profile.overflow_checks,
        fresh: artifact.fresh,
    }))
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

    fn no_hash(_: &Path) -> anyhow::Result<String> {
        Ok("hash".into())
    }

    fn program(fresh: bool, sha256: &str) -> BuiltProgram {
        let mut programs =
            programs_of(&format!("{}\n{}\n", artifact("cuzk"), artifact("cuzk-bench")), no_hash).unwrap();
        BuiltProgram {
            fresh,
            sha256: sha256.into(),
            ..programs.swap_remove(0)
        }
    }

    #[test]
    fn a_fresh_program_must_be_the_recorded_one() {
        let record = BuildRecord {
            schema_version: output::SCHEMA_VERSION,
            profile: "release".into(),
            rustc: String::new(),
            sources: BTreeMap::new(),
            programs: vec![program(false, "built")],
        };
        assert!(refuse_tampering(&[program(true, "built")], Some(&record)).is_ok());
        assert!(refuse_tampering(&[program(false, "rebuilt")], Some(&record)).is_ok());
        let error = refuse_tampering(&[program(true, "patched")], Some(&record)).unwrap_err();
        assert!(error.to_string().contains("is not what cargo built"), "{error}");
    }

    #[test]
    fn programs_come_from_cargos_own_messages() {
        let messages = format!("{}\n{}\n", artifact("cuzk"), artifact("cuzk-bench"));
        let programs = programs_of(&messages, no_hash).unwrap();
        assert_eq!(programs[0].path, PathBuf::from("/t/cuzk"));
        assert_eq!(
            (programs[0].opt_level.as_str(), programs[0].overflow_checks),
            ("3", true)
        );
        assert_eq!(programs[1].features, ["x"]);
    }

    #[test]
    fn a_program_that_cargo_does_not_report_is_an_error() {
        let error = programs_of(&artifact("cuzk"), no_hash).unwrap_err();
        assert!(error.to_string().contains("cuzk-bench"), "{error}");
    }
}
