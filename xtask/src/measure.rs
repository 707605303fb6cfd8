//! `measure`: one proof by exactly the program that was checked, and where its time went.
//!
//! Build, verify, receipt, parameters, daemon from a sealed copy, identity, proof, timing lines, stop, report. Each step
//! that fails has its own exit code; nothing is reported from a run that is not complete.

mod client;
mod interrupt;
mod record;
mod session;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use cuzk_artifact::Receipt;
use cuzk_contract::JobId;
use cuzk_contract::exit::ExitCode;
use cuzk_contract::symbols::Program;
use cuzk_experiment::phases::{self, Expectation};
use cuzk_experiment::report::MeasurementReport;
use serde_json::json;

use self::client::{Client, Proved};
use self::interrupt::Interrupt;
use self::record::{Host, RECORD_VERSION, RunFolder, RunRecord};
use self::session::{Ended, Session};
use crate::context::Context;
use crate::output::{self, CommandError, progress};
use crate::{build, flags, verify_binary};

/// Packages whose phases a CPU proof prints.
const PRINTERS: &[&str] = &["cuzk-engine", "cuzk-groth16", "cuzk-backend-cpu"];
/// Width of tables where the terminal does not say.
const COLUMNS: usize = 100;

pub fn run(context: &Context, flags: &flags::Measure) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::install()?;
    let record = build::build(context, &flags.selection);
    // A signal reaches cargo too, whose failure is then not the news.
    interrupt.check()?;
    let record = record?;
    let (receipt, receipt_path) = verify_binary::issue_receipt(context, &record, Program::Daemon)?;
    let (client_receipt, _client_receipt_path) = verify_binary::issue_receipt(context, &record, Program::Bench)?;
    progress(format!(
        "proved: {} ({} findings)",
        receipt.program().path,
        receipt.findings().len()
    ));
    interrupt.check()?;

    let cache = cache_dir(flags)?;
    let client = Client::new(&client_receipt, &cache, &interrupt, flags.timeout_s)?;
    progress(format!("parameters for {}", flags.proof));
    client.parameters(&flags.proof)?;

    let folder = RunFolder::create(&context.records_dir()?.join("runs"))?;
    let (proved, ended) = prove(&receipt, &client, &cache, flags, &folder)?;
    report(
        &Run {
            flags,
            receipt: &receipt,
            receipt_path,
            folder: &folder,
        },
        &proved,
        &ended,
    )
}

/// Starts the daemon, has it prove, and stops it. The raw output is kept whatever happens after the start.
fn prove(
    receipt: &Receipt,
    client: &Client<'_>,
    cache: &std::path::Path,
    flags: &flags::Measure,
    folder: &RunFolder,
) -> anyhow::Result<(Proved, Ended)> {
    let session = Session::start(receipt, cache)?;
    let request_id = format!("measure-{}", folder.name());
    let proved = session.wait_until_ready(client, receipt).and_then(|identity| {
        progress(format!(
            "daemon {} runs {} on backend {}",
            identity.pid, identity.program_sha256, identity.backend
        ));
        client.preload(session.socket(), &flags.proof)?;
        progress(format!("proving {} with seed {}", flags.proof, flags.seed));
        let proved = client.prove(session.socket(), &request_id, &flags.proof, flags.seed)?;
        session.wait_for_lines(&expectation(&request_id)?);
        Ok(proved)
    });
    // Nobody wants the rest of a measurement that was interrupted.
    let is_interrupted = proved.as_ref().is_err_and(session::is_final);
    let grace = if is_interrupted {
        Duration::ZERO
    } else {
        session::STOP_GRACE
    };
    let ended = session.stop(grace)?;
    folder.write("stdout", ended.captured.stdout.bytes())?;
    folder.write("stderr", ended.captured.stderr.bytes())?;
    match (proved, &ended.bad_end) {
        (Ok(proved), None) => Ok((proved, ended)),
        (Err(error), _) if is_interrupted => Err(error),
        (Ok(_), Some(end)) => Err(bad_end(end, "after it had answered", &ended, folder)),
        (Err(error), Some(end)) => Err(bad_end(
            end,
            &format!("during the measurement; then: {error:#}"),
            &ended,
            folder,
        )),
        (Err(error), None) => Err(error),
    }
}

/// A daemon that did not end as it was asked to may have done anything before: its run is no measurement.
fn bad_end(end: &str, when: &str, ended: &Ended, folder: &RunFolder) -> anyhow::Error {
    let last_words = String::from_utf8_lossy(ended.captured.stderr.bytes());
    let last_words: Vec<_> = last_words.lines().rev().take(3).collect();
    let message = format!("the daemon ended by itself or badly ({end}) {when}");
    let hint = format!(
        "its last words: {}; all of its output is in {}",
        last_words.into_iter().rev().collect::<Vec<_>>().join(" | "),
        folder.path().display(),
    );
    CommandError::new(ExitCode::MeasurementInvalid, message)
        .with_hint(hint)
        .into()
}

/// What must be seen of the job that was asked for: its name is ours, not one that the daemon made up.
fn expectation(request_id: &str) -> anyhow::Result<Expectation> {
    let job = JobId::new(request_id).context("a job name that no line can hold")?;
    Ok(Expectation::new(PRINTERS).with_job(job, 1))
}

struct Run<'a> {
    flags: &'a flags::Measure,
    receipt: &'a Receipt,
    receipt_path: PathBuf,
    folder: &'a RunFolder,
}

fn report(run: &Run<'_>, proved: &Proved, ended: &Ended) -> anyhow::Result<ExitCode> {
    if !proved.verified_by_bellperson {
        return Err(CommandError::new(ExitCode::ProofInvalid, "the client did not verify the proof").into());
    }
    let measured = phases::measure(&ended.captured, &expectation(&proved.request_id)?);
    let (measurement, code) = match &measured {
        Ok(measurement) => (MeasurementReport::valid(measurement), ExitCode::Ok),
        Err(invalid) => (MeasurementReport::invalid(invalid), ExitCode::MeasurementInvalid),
    };
    let receipt_sha256 = run.receipt.digest()?.to_string();
    let record = RunRecord {
        schema_version: RECORD_VERSION,
        started_unix_s: run.folder.started_unix_s(),
        receipt_sha256: &receipt_sha256,
        build_token: &run.receipt.build().build_token.to_string(),
        program_sha256: &run.receipt.program().sha256.to_string(),
        proof: &run.flags.proof,
        seed: run.flags.seed,
        development_parameters: proved.development_parameters,
        verifying_key_sha256: &proved.verifying_key_sha256,
        peak_memory_kib: ended.peak_memory_kib,
        daemon_ms: ended.lived.as_secs_f64() * 1e3,
        host: Host::read(),
        measurement: &measurement,
    };
    run.folder.write_record(&record)?;
    if run.flags.json {
        output::print_json(&json!({
            "schema_version": output::SCHEMA_VERSION,
            "ok": code == ExitCode::Ok,
            "proof": proved.proof,
            "receipt": run.receipt_path,
            "run": run.folder.path(),
            "record": record,
        }))?;
    } else {
        output::print(&human(run, proved, &measurement, &receipt_sha256));
    }
    Ok(code)
}

fn human(run: &Run<'_>, proved: &Proved, measurement: &MeasurementReport, receipt_sha256: &str) -> String {
    let program = run.receipt.program();
    let parameters = if proved.development_parameters {
        "development parameters"
    } else {
        "production parameters"
    };
    format!(
        "{}\nproof    {}... verified by cuzk and by bellperson, {parameters}\nprogram  {}\nreceipt  {receipt_sha256}\n\
         run      {}\n\nOne proof is a sanity check, not a comparison.\n",
        measurement.table(COLUMNS),
        &proved.proof[..proved.proof.len().min(32)],
        program.sha256,
        run.folder.path().display(),
    )
}

/// The directory that the flags, else the environment, name for parameters.
fn cache_dir(flags: &flags::Measure) -> anyhow::Result<PathBuf> {
    if let Some(dir) = &flags.cache {
        return Ok(std::path::absolute(dir)?);
    }
    let from = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")));
    let base = base.ok_or_else(|| {
        CommandError::new(ExitCode::Usage, "neither XDG_CACHE_HOME nor HOME is set").with_hint("pass --cache DIR")
    })?;
    Ok(base.join("cuzk"))
}

/// Variables that a measured program may see. Anything else could change which code runs in it or how many threads it has,
/// and a figure would not say so.
const KEPT_VARIABLES: &[&str] = &[
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "FIL_PROOFS_PARAMETER_CACHE",
    "HOME",
    "LANG",
    "LC_ALL",
    "PATH",
    "RUST_BACKTRACE",
    "TMPDIR",
    "XDG_CACHE_HOME",
];

/// Takes everything out of a child's environment but [`KEPT_VARIABLES`].
fn scrub_environment(command: &mut Command) {
    command.env_clear();
    command.envs(
        KEPT_VARIABLES
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?))),
    );
}
