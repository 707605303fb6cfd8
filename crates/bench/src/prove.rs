//! `cuzk-bench prove`: one synthetic request to a daemon, its proof verified independently.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use blstrs::Scalar;
use cuzk_circuits::{ProofKind, Seed, synthetic};
use cuzk_groth16::contract::exit::ExitCode;
use cuzk_proto::control::{ProveSyntheticRequest, development_client::DevelopmentClient};
use cuzk_proto::v1::{self, await_proof_response::Status, proving_engine_client::ProvingEngineClient};
use cuzk_proto::{
    DEVELOPMENT_PARAMETERS_METADATA, FAILURE_METADATA, MAX_MESSAGE_BYTES, PROOF_INVALID_FAILURE, VERIFYING_KEY_METADATA,
};
use serde::Serialize;
use tonic::Request;
use tonic::metadata::MetadataMap;

use crate::cli::ProveArguments;
use crate::output::{CommandResult, Failure, Output, SCHEMA_VERSION, UNVERIFIED};
use crate::{client, directories, verification};

/// What is sent, and what the proof must be about. The latter is never taken from the daemon.
struct Order {
    request_id: String,
    message: Message,
    public_inputs: Vec<Vec<Scalar>>,
}

enum Message {
    Winning(v1::ProveRequest),
    Synthetic(ProveSyntheticRequest),
}

/// What came back.
struct Answer {
    result: v1::AwaitProofResponse,
    metadata: MetadataMap,
    wall: Duration,
}

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    ok: bool,
    proof_kind: String,
    seed: u64,
    request_id: &'a str,
    /// Hexadecimal.
    proof: String,
    verified_by_bellperson: bool,
    development_parameters: bool,
    verifying_key_sha256: &'a str,
    /// From sending the request to having the answer.
    /// Nobody has checked which program these times are of.
    times_are: &'static str,
    wall_ms: f64,
    server: ServerTimings,
}

/// As the daemon reports them, whole milliseconds.
#[derive(Serialize)]
struct ServerTimings {
    queue_wait_ms: u64,
    srs_load_ms: u64,
    synthesis_ms: u64,
    gpu_compute_ms: u64,
    total_ms: u64,
}

pub fn run(arguments: &ProveArguments, output: Output) -> CommandResult {
    let order = prepare(arguments)?;
    let answer = client::runtime()?.block_on(send(arguments, order.message))?;
    check_status(&answer)?;
    check_job(&answer, &order.request_id)?;
    let sha256 = verifying_key_sha256(&answer.metadata)?;
    let development = answer.metadata.contains_key(DEVELOPMENT_PARAMETERS_METADATA);
    let key = if development {
        let store = directories::store(arguments.cache.as_deref())?;
        verification::find_development_key(&store, &arguments.proof, sha256)?
    } else {
        verification::find_published_key(directories::param_cache(), &arguments.proof, sha256)?
    };
    verification::verify(&key, &answer.result.proof, &order.public_inputs)
        .map_err(|rejected| Failure::new(ExitCode::ProofInvalid, rejected))?;
    let report = report(arguments, &answer, sha256, development);
    output.print(&report, || text(&report))?;
    Ok(ExitCode::Ok)
}

fn prepare(arguments: &ProveArguments) -> anyhow::Result<Order> {
    let ProveArguments { proof, seed, .. } = *arguments;
    let request_id = arguments
        .request_id
        .clone()
        .unwrap_or_else(|| format!("{proof}-seed-{seed}"));
    let (message, task) = match proof {
        ProofKind::Winning32G => {
            let request = synthetic::winning_request(Seed(seed))?;
            let task = request.decode()?;
            let submit = v1::SubmitProofRequest {
                request_id: request_id.clone(),
                proof_kind: v1::ProofKind::WinningPost.into(),
                sector_size: 32 << 30,
                miner_id: request.miner_id.0,
                randomness: request.randomness.to_vec().into(),
                vanilla_proofs: vec![request.vanilla_proof.into()],
                ..Default::default()
            };
            (Message::Winning(v1::ProveRequest { submit: Some(submit) }), task)
        }
        ProofKind::Porep(kind) => bail!("{kind} is not served by a daemon yet (hint: winning-32g and bench:K:F are)"),
        ProofKind::Bench(spec) => {
            let message = ProveSyntheticRequest {
                circuit_id: proof.to_string(),
                seed,
                request_id: request_id.clone(),
            };
            (Message::Synthetic(message), synthetic::bench_task(spec, Seed(seed)))
        }
    };
    let public_inputs = task
        .partitions
        .into_iter()
        .map(|partition| partition.public_inputs)
        .collect();
    Ok(Order {
        request_id,
        message,
        public_inputs,
    })
}

async fn send(arguments: &ProveArguments, message: Message) -> Result<Answer, Failure> {
    let channel = arguments.socket.connect().await?;
    let timeout = Duration::from_secs(arguments.timeout_s);
    let start = Instant::now();
    let (result, metadata) = match message {
        Message::Winning(message) => {
            let mut client = ProvingEngineClient::new(channel).max_encoding_message_size(MAX_MESSAGE_BYTES);
            let response = client.prove(with_timeout(message, timeout)).await;
            let (metadata, message, _) = response.map_err(|status| client::refused(&status))?.into_parts();
            (message.result, metadata)
        }
        Message::Synthetic(message) => {
            let mut client = DevelopmentClient::new(channel);
            let response = client.prove_synthetic(with_timeout(message, timeout)).await;
            let (metadata, message, _) = response.map_err(|status| client::refused(&status))?.into_parts();
            (message.result, metadata)
        }
    };
    let wall = start.elapsed();
    Ok(Answer {
        result: result.context("the daemon's answer has no result")?,
        metadata,
        wall,
    })
}

fn with_timeout<T>(message: T, timeout: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(timeout);
    request
}

/// An answer about another job would put its proof and its times in the place of ours.
fn check_job(answer: &Answer, request_id: &str) -> anyhow::Result<()> {
    let job_id = &answer.result.job_id;
    anyhow::ensure!(
        job_id == request_id,
        "asked about job {request_id}, the daemon answers about {job_id}"
    );
    Ok(())
}

fn check_status(answer: &Answer) -> Result<(), Failure> {
    let result = &answer.result;
    if result.status() == Status::Completed {
        return Ok(());
    }
    let invalid = answer
        .metadata
        .get(FAILURE_METADATA)
        .is_some_and(|failure| failure == PROOF_INVALID_FAILURE);
    let code = if invalid {
        ExitCode::ProofInvalid
    } else {
        ExitCode::CheckFailed
    };
    let status = result.status().as_str_name();
    Err(Failure::new(
        code,
        anyhow!("job {} is {status}: {}", result.job_id, result.error_message),
    ))
}

fn verifying_key_sha256(metadata: &MetadataMap) -> anyhow::Result<&str> {
    let value = metadata
        .get(VERIFYING_KEY_METADATA)
        .context("the daemon does not say which verifying key it used")?;
    Ok(value.to_str()?)
}

fn report<'a>(arguments: &ProveArguments, answer: &'a Answer, sha256: &'a str, development: bool) -> Report<'a> {
    let result = &answer.result;
    Report {
        schema_version: SCHEMA_VERSION,
        ok: true,
        proof_kind: arguments.proof.to_string(),
        seed: arguments.seed,
        request_id: &result.job_id,
        proof: hex::encode(&result.proof),
        verified_by_bellperson: true, // Or there is no report.
        development_parameters: development,
        verifying_key_sha256: sha256,
        times_are: UNVERIFIED,
        wall_ms: answer.wall.as_secs_f64() * 1e3,
        server: ServerTimings {
            queue_wait_ms: result.queue_wait_ms,
            srs_load_ms: result.srs_load_ms,
            synthesis_ms: result.synthesis_ms,
            gpu_compute_ms: result.gpu_compute_ms,
            total_ms: result.total_ms,
        },
    }
}

fn text(report: &Report<'_>) -> String {
    let parameters = if report.development_parameters {
        "development"
    } else {
        "production"
    };
    let ServerTimings {
        queue_wait_ms,
        srs_load_ms,
        synthesis_ms,
        gpu_compute_ms,
        total_ms,
    } = report.server;
    format!(
        "proof of {} with seed {} verified by bellperson, {parameters} parameters, job {}\n\
         {}\n\
         {UNVERIFIED}: {:.0} ms here; in the daemon: queue {queue_wait_ms} ms, parameters {srs_load_ms} ms, synthesis {synthesis_ms} ms, \
         backend {gpu_compute_ms} ms, total {total_ms} ms",
        report.proof_kind, report.seed, report.request_id, report.proof, report.wall_ms,
    )
}
