//! `cuzk-bench status`: a daemon's queues, parameters and counters.

use cuzk_groth16::contract::exit::ExitCode;
use cuzk_proto::v1::{self, proving_engine_client::ProvingEngineClient};
use serde::Serialize;

use crate::cli::StatusArguments;
use crate::client;
use crate::output::{CommandResult, Failure, Output, SCHEMA_VERSION};

#[derive(Serialize)]
struct Report {
    schema_version: u32,
    ok: bool,
    uptime_seconds: u64,
    total_proofs_completed: u64,
    total_proofs_failed: u64,
    queues: Vec<Queue>,
    loaded_srs: Vec<Srs>,
}

#[derive(Serialize)]
struct Queue {
    proof_kind: String,
    pending: u32,
    in_progress: u32,
}

#[derive(Serialize)]
struct Srs {
    circuit_id: String,
    size_bytes: u64,
    ref_count: u32,
}

pub fn run(arguments: &StatusArguments, output: Output) -> CommandResult {
    let status = client::runtime()?.block_on(async {
        let channel = arguments.socket.connect().await?;
        let answer = ProvingEngineClient::new(channel)
            .get_status(client::quick(v1::GetStatusRequest {}))
            .await;
        Ok::<_, Failure>(answer.map_err(|status| client::refused(&status))?.into_inner())
    })?;
    let report = report(status);
    output.print(&report, || text(&report))?;
    Ok(ExitCode::Ok)
}

fn report(status: v1::GetStatusResponse) -> Report {
    let queue = |queue: v1::QueueStatus| Queue {
        proof_kind: queue.proof_kind,
        pending: queue.pending,
        in_progress: queue.in_progress,
    };
    let srs = |srs: v1::SrsStatus| Srs {
        circuit_id: srs.circuit_id,
        size_bytes: srs.size_bytes,
        ref_count: srs.ref_count,
    };
    Report {
        schema_version: SCHEMA_VERSION,
        ok: true,
        uptime_seconds: status.uptime_seconds,
        total_proofs_completed: status.total_proofs_completed,
        total_proofs_failed: status.total_proofs_failed,
        queues: status.queues.into_iter().map(queue).collect(),
        loaded_srs: status.loaded_srs.into_iter().map(srs).collect(),
    }
}

fn text(report: &Report) -> String {
    let Report {
        uptime_seconds,
        total_proofs_completed,
        total_proofs_failed,
        ..
    } = report;
    let first = format!("up {uptime_seconds} s, {total_proofs_completed} proofs, {total_proofs_failed} failures");
    let queues = report.queues.iter().map(|queue| {
        let Queue {
            proof_kind,
            pending,
            in_progress,
        } = queue;
        format!("queue {proof_kind}: {pending} pending, {in_progress} in progress")
    });
    let srs = report.loaded_srs.iter().map(|srs| {
        let Srs {
            circuit_id,
            size_bytes,
            ref_count,
        } = srs;
        format!("parameters {circuit_id}: {size_bytes} bytes, {ref_count} in use")
    });
    std::iter::once(first)
        .chain(queues)
        .chain(srs)
        .collect::<Vec<_>>()
        .join("\n")
}
