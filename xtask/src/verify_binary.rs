//! `verify-binary`: proves from a linked program that it holds what it should, built from the sources as they are now.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cuzk_artifact::receipt::{GitState, ProfileRecord, WorkTree};
use cuzk_artifact::{BuildFacts, Expectations, Finding, Reason, Receipt, Verdict, VerifyReport, verify_file};
use cuzk_contract::exit::ExitCode;
use cuzk_contract::symbols::Program;
use cuzk_provenance::{DebugAssertions, Features, ProfileFacts, RustcVersion, SourceTree, TokenInputs};

use crate::build::{BuildRecord, BuiltProgram};
use crate::context::Context;
use crate::flags;
use crate::output::{self, CommandError};

pub fn run(context: &Context, flags: &flags::VerifyBinary) -> anyhow::Result<ExitCode> {
    let record = BuildRecord::load(context, &flags.selection.profile)?;
    let program = flags.program.into();
    let checked = check(context, &record, program, flags.path.as_deref())?;
    if flags.json {
        output::print_json(&checked.report)?;
    } else {
        output::print(&human(&checked));
    }
    Ok(checked.report.exit())
}

/// A program's report with what it was held against.
pub struct Checked {
    pub report: VerifyReport,
    pub build: BuildFacts,
    /// Source files that changed since the build record was written, with how.
    pub changed_sources: Vec<String>,
}

/// Checks `path`, or the recorded program, against the token of the sources as they are now.
pub fn check(
    context: &Context,
    record: &BuildRecord,
    program: Program,
    path: Option<&Path>,
) -> anyhow::Result<Checked> {
    let built = record.program(program)?;
    let tree = SourceTree::scan(&context.root)?;
    let rustc = RustcVersion::new(&context.rustc_version()?);
    let inputs = token_inputs(&tree, rustc, built)?;
    let expectations = Expectations::of(program, Some(inputs.token()));
    let (path, is_recorded) = path.map_or((built.path.as_path(), true), |path| (path, false));
    let report = verify_file(path, &expectations).map_err(|error| {
        CommandError::new(ExitCode::Usage, error.to_string()).with_hint("build it with cargo xtask build")
    })?;
    if let Some(program) = report
        .program
        .as_ref()
        .filter(|program| is_recorded && program.sha256.to_string() != built.sha256)
    {
        let message = format!(
            "{} is not what was built: SHA-256 {}, then {}",
            program.path, program.sha256, built.sha256
        );
        let hint = format!(
            "something else wrote to it; delete {} and run cargo xtask build",
            program.path
        );
        return Err(CommandError::new(ExitCode::CheckFailed, message).with_hint(hint).into());
    }
    let changes = tree.changes_since(&record.sources);
    let changed_sources = changes
        .iter()
        .map(|(path, change)| format!("{path} ({change:?})").to_lowercase())
        .collect();
    Ok(Checked {
        report,
        build: build_facts(context, &tree, record, built, &inputs),
        changed_sources,
    })
}

fn token_inputs(tree: &SourceTree, rustc: RustcVersion, built: &BuiltProgram) -> anyhow::Result<TokenInputs> {
    let target = rustc.host().context("rustc -vV names no host")?.to_owned();
    let debug_assertions = DebugAssertions::from(built.debug_assertions);
    let profile = ProfileFacts {
        opt_level: built.opt_level.clone(),
        debug_assertions,
    };
    Ok(TokenInputs {
        sources: tree.digest(),
        features: Features::new(&built.features),
        profile,
        target,
        rustc,
    })
}

fn build_facts(
    context: &Context,
    tree: &SourceTree,
    record: &BuildRecord,
    built: &BuiltProgram,
    inputs: &TokenInputs,
) -> BuildFacts {
    BuildFacts {
        source_digest: tree.digest(),
        sources: tree.manifest(),
        git: git_state(context),
        rustc: inputs.rustc.as_str().to_owned(),
        features: built.features.clone(),
        profile: ProfileRecord {
            name: record.profile.clone(),
            opt_level: built.opt_level.clone(),
            debug_assertions: built.debug_assertions,
            overflow_checks: built.overflow_checks,
        },
        target: inputs.target.clone(),
        build_token: inputs.token(),
    }
}

fn git_state(context: &Context) -> GitState {
    let git = |args: &[&str]| context.shell.cmd("git").args(args).quiet().ignore_stderr().read().ok();
    let revision = git(&["rev-parse", "HEAD"]);
    let work_tree = match git(&["status", "--porcelain"]) {
        Some(changes) if changes.is_empty() => WorkTree::Clean,
        Some(_) => WorkTree::Dirty,
        None => WorkTree::Unknown,
    };
    GitState { revision, work_tree }
}

/// Proves `program` and issues its receipt under the records directory; anything less than proved is an error.
pub fn issue_receipt(context: &Context, record: &BuildRecord, program: Program) -> anyhow::Result<(Receipt, PathBuf)> {
    let checked = check(context, record, program, None)?;
    if checked.report.verdict != Verdict::Proved {
        output::progress(human(&checked));
        let message = format!("{} is not proved: it is not measured", program.file_name());
        return Err(CommandError::new(checked.report.exit(), message).into());
    }
    let receipt = Receipt::issue(checked.build, checked.report)?;
    let dir = context.records_dir()?.join("receipts");
    context.shell.create_dir(&dir)?;
    // By its own digest: the same program can have receipts for several states of the checkout.
    let path = dir.join(format!("{}.json", receipt.digest()?));
    receipt.save(&path)?;
    Ok((receipt, path))
}

fn human(checked: &Checked) -> String {
    let report = &checked.report;
    let mut text = String::new();
    if let Some(program) = &report.program {
        text.push_str(&format!("{}\n  sha256 {}\n", program.path, program.sha256));
        text.push_str(&format!(
            "  build-id {}\n\n",
            program.build_id.as_deref().unwrap_or("none")
        ));
    }
    text.extend(report.findings.iter().map(human_finding));
    if report
        .findings
        .iter()
        .any(|finding| finding.reason == Some(Reason::Stale))
    {
        let changed = checked
            .changed_sources
            .iter()
            .map(|path| format!("  changed since the build: {path}\n"));
        text.extend(changed);
    }
    let n_proved = report
        .findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::Proved)
        .count();
    text.push_str(&format!(
        "\n{n_proved} of {} proved: {}\n",
        report.findings.len(),
        verdict_word(report.verdict)
    ));
    text
}

fn human_finding(finding: &Finding) -> String {
    let place = match (&finding.section, finding.file_offset) {
        (Some(section), Some(offset)) => format!("{section} at {offset:#x}"),
        (None, Some(offset)) => format!("at {offset:#x}"),
        _ => String::new(),
    };
    let mut text = format!("{:<13}{:<40} {place}\n", verdict_word(finding.verdict), finding.item);
    if finding.verdict != Verdict::Proved {
        text.push_str(&format!("             {}\n", finding.detail));
        if let Some(fix) = &finding.fix {
            text.push_str(&format!("             fix: {fix}\n"));
        }
    }
    text
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Proved => "proved",
        Verdict::Failed => "FAILED",
        Verdict::Unverifiable => "unverifiable",
        Verdict::Ambiguous => "ambiguous",
    }
}
