//! `cuzk-bench vanilla`: the vanilla proof of a synthetic request, for clients in other languages.

use std::fs;

use anyhow::{Context as _, anyhow};
use cuzk_circuits::{ProofKind, Seed, synthetic};
use cuzk_groth16::contract::exit::ExitCode;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::cli::VanillaArguments;
use crate::output::{CommandResult, Failure, Output, SCHEMA_VERSION};

#[derive(Serialize)]
struct Report {
    schema_version: u32,
    ok: bool,
    proof_kind: String,
    seed: u64,
    miner_id: u64,
    /// Hexadecimal.
    randomness: String,
    file: String,
    bytes: u64,
    sha256: String,
}

pub fn run(arguments: &VanillaArguments, output: Output) -> CommandResult {
    let VanillaArguments { proof, seed, ref out } = *arguments;
    if proof != ProofKind::Winning32G {
        let message = anyhow!("{proof} has no vanilla proof (hint: winning-32g has)");
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let request = synthetic::winning_request(Seed(seed))?;
    fs::write(out, &request.vanilla_proof).with_context(|| format!("cannot write {}", out.display()))?;
    let report = Report {
        schema_version: SCHEMA_VERSION,
        ok: true,
        proof_kind: proof.to_string(),
        seed,
        miner_id: request.miner_id.0,
        randomness: hex::encode(request.randomness),
        file: out.display().to_string(),
        bytes: request.vanilla_proof.len() as u64,
        sha256: hex::encode(Sha256::digest(&request.vanilla_proof)),
    };
    output.print(&report, || {
        let Report {
            file,
            bytes,
            miner_id,
            randomness,
            ..
        } = &report;
        format!("{file}: {bytes} bytes; miner id {miner_id}, randomness {randomness}")
    })?;
    Ok(ExitCode::Ok)
}
