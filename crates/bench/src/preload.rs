//! `cuzk-bench preload`: has a daemon read a circuit's parameters before the first proof needs them.

use cuzk_groth16::contract::exit::ExitCode;
use cuzk_proto::v1::{PreloadSrsRequest, proving_engine_client::ProvingEngineClient};
use serde::Serialize;

use crate::cli::PreloadArguments;
use crate::client;
use crate::output::{CommandResult, Failure, Output, SCHEMA_VERSION, UNVERIFIED};

#[derive(Serialize)]
struct Report {
    schema_version: u32,
    ok: bool,
    circuit_id: String,
    already_loaded: bool,
    /// As the daemon measured it, whole milliseconds.
    load_ms: u64,
}

pub fn run(arguments: &PreloadArguments, output: Output) -> CommandResult {
    let circuit_id = arguments.proof.to_string();
    let request = PreloadSrsRequest {
        circuit_id: circuit_id.clone(),
    };
    let answer = client::runtime()?.block_on(async {
        let channel = arguments.socket.connect().await?;
        let answer = ProvingEngineClient::new(channel).preload_srs(request).await;
        Ok::<_, Failure>(answer.map_err(|status| client::refused(&status))?.into_inner())
    })?;
    let (already_loaded, load_ms) = (answer.already_loaded, answer.load_time_ms);
    let report = Report {
        schema_version: SCHEMA_VERSION,
        ok: true,
        circuit_id,
        already_loaded,
        load_ms,
    };
    output.print(&report, || {
        let how = if already_loaded {
            "were loaded already".into()
        } else {
            format!("loaded in {load_ms} ms ({UNVERIFIED})")
        };
        format!("parameters of {} {how}", report.circuit_id)
    })?;
    Ok(ExitCode::Ok)
}
