//! `cuzk-bench params`: development parameters, made once and kept.

use std::time::Instant;

use anyhow::anyhow;
use cuzk_backend_cpu::CpuBackend;
use cuzk_circuits::{ProofKind, identity, record};
use cuzk_groth16::contract::exit::ExitCode;
use cuzk_groth16::r1cs::RecordedCircuit;
use cuzk_groth16::srs::generate::{Secret, SecretKind};
use cuzk_groth16::srs::store::{Entry, Generation, IfBusy, Store};
use cuzk_groth16::srs::{CancelToken, SrsError};
use serde::Serialize;

use crate::cli::ParamsArguments;
use crate::output::{CommandResult, Failure, Output, SCHEMA_VERSION, UNVERIFIED};
use crate::progress::Display;
use crate::signals::Ended;
use crate::{directories, signals};

#[derive(Serialize)]
struct Report {
    schema_version: u32,
    ok: bool,
    circuit_id: String,
    circuit_digest: String,
    /// `generated` or `found`.
    outcome: &'static str,
    params: String,
    params_bytes: u64,
    params_sha256: String,
    vk: String,
    vk_sha256: String,
    /// Present where the secret came from a seed.
    insecure_seed: Option<u64>,
    wall_ms: f64,
}

pub fn run(arguments: &ParamsArguments, output: Output) -> CommandResult {
    let start = Instant::now();
    let cancel = CancelToken::new();
    let ended = signals::cancel_on_signal(cancel.clone())?;
    let store = directories::store(arguments.cache.as_deref())?;
    let secret = arguments
        .insecure_seed
        .map_or(SecretKind::Random, |seed| SecretKind::InsecureSeeded { seed });
    let (entry, outcome) = find_or_generate(&store, &arguments.proof, secret, &cancel, &ended)?;
    let report = report(entry, outcome, arguments.insecure_seed, start);
    output.print(&report, || text(&report))?;
    Ok(ExitCode::Ok)
}

/// Development parameters of a circuit, and whether they were `generated` or `found`.
///
/// # Errors
/// Those of the store; where a signal has cancelled the work, with that signal's code.
pub fn find_or_generate(
    store: &Store,
    proof: &ProofKind,
    secret: SecretKind,
    cancel: &CancelToken,
    ended: &Ended,
) -> Result<(Entry, &'static str), Failure> {
    let circuit_id = proof.to_string();
    if let Some(entry) = store.find(&circuit_id, identity(proof)?.digest, secret)? {
        return Ok((entry, "found"));
    }
    let made = generate(store, &circuit_id, &record(proof)?, secret, cancel);
    Ok((made.map_err(|error| failure(error, ended.by()))?, "generated"))
}

fn generate(
    store: &Store,
    circuit_id: &str,
    circuit: &RecordedCircuit,
    kind: SecretKind,
    cancel: &CancelToken,
) -> Result<Entry, SrsError> {
    let secret = match kind {
        SecretKind::Random => Secret::random(&mut rand_core::OsRng),
        SecretKind::InsecureSeeded { seed } => Secret::insecure_from_seed(seed),
    };
    let display = Display::on_stderr(circuit_id);
    let made = store.generate(&Generation {
        circuit_id,
        circuit,
        secret: &secret,
        arithmetic: &CpuBackend,
        observer: &display,
        cancel,
        if_busy: IfBusy::Wait,
    });
    display.finish();
    made
}

/// Cancelled work ends with the code of the signal that cancelled it.
fn failure(error: SrsError, ended: Option<ExitCode>) -> Failure {
    match (error, ended) {
        (SrsError::Cancelled(_), Some(code)) => Failure::new(
            code,
            anyhow!("interrupted; nothing was written (hint: run the command again)"),
        ),
        (error, _) => error.into(),
    }
}

fn report(entry: Entry, outcome: &'static str, insecure_seed: Option<u64>, start: Instant) -> Report {
    let Entry {
        params, vk, sidecar, ..
    } = entry;
    Report {
        schema_version: SCHEMA_VERSION,
        ok: true,
        circuit_id: sidecar.circuit_id,
        circuit_digest: sidecar.circuit_digest.to_string(),
        outcome,
        params: params.display().to_string(),
        params_bytes: sidecar.params_bytes,
        params_sha256: sidecar.params_sha256.to_string(),
        vk: vk.display().to_string(),
        vk_sha256: sidecar.vk_sha256.to_string(),
        insecure_seed,
        wall_ms: start.elapsed().as_secs_f64() * 1e3,
    }
}

fn text(report: &Report) -> String {
    let Report {
        circuit_id,
        outcome,
        params,
        params_bytes,
        params_sha256,
        vk_sha256,
        wall_ms,
        ..
    } = report;
    let seconds = wall_ms / 1e3;
    format!(
        "development parameters for {circuit_id} {outcome} in {seconds:.1} s ({UNVERIFIED})\n\
         {params}: {params_bytes} bytes, SHA-256 {params_sha256}\nverifying key SHA-256 {vk_sha256}"
    )
}
