//! `cuzk-bench identity`: which program answers on a socket.

use std::time::{Duration, Instant};

use cuzk_groth16::contract::exit::ExitCode;
use cuzk_proto::control::{IdentifyRequest, IdentifyResponse, identity_client::IdentityClient};
use serde::Serialize;

use crate::cli::IdentityArguments;
use crate::client::{self, SocketAddress};
use crate::output::{CommandResult, Failure, Output, SCHEMA_VERSION};

/// Between two tries to reach a daemon that is starting.
const RETRY: Duration = Duration::from_millis(20);

#[derive(Serialize)]
struct Report {
    schema_version: u32,
    ok: bool,
    pid: u32,
    build_token: String,
    program_sha256: String,
    build_id: String,
    version: String,
    backend: String,
}

pub fn run(arguments: &IdentityArguments, output: Output) -> CommandResult {
    let wait = Duration::from_secs(arguments.wait_s);
    let answer = client::runtime()?.block_on(identify(&arguments.socket, wait))?;
    let IdentifyResponse {
        pid,
        build_token,
        program_sha256,
        build_id,
        version,
        backend,
    } = answer;
    let report = Report {
        schema_version: SCHEMA_VERSION,
        ok: true,
        pid,
        build_token,
        program_sha256,
        build_id,
        version,
        backend,
    };
    output.print(&report, || {
        let Report {
            pid,
            build_token,
            program_sha256,
            build_id,
            version,
            backend,
            ..
        } = &report;
        format!(
            "cuzk {version}, process {pid}, backend {backend}\n\
             build token {build_token}\nprogram SHA-256 {program_sha256}\nbuild-id {build_id}"
        )
    })?;
    Ok(ExitCode::Ok)
}

/// Tries until a daemon answers or the time is over.
async fn identify(socket: &SocketAddress, wait: Duration) -> Result<IdentifyResponse, Failure> {
    let end = Instant::now() + wait;
    loop {
        match socket.connect().await {
            Ok(channel) => {
                let answer = IdentityClient::new(channel)
                    .identify(client::quick(IdentifyRequest {}))
                    .await;
                return Ok(answer.map_err(|status| client::refused(&status))?.into_inner());
            }
            Err(error) if Instant::now() >= end => {
                let code = if wait.is_zero() {
                    ExitCode::CheckFailed
                } else {
                    ExitCode::Timeout
                };
                return Err(Failure::new(code, error));
            }
            Err(_) => tokio::time::sleep(RETRY).await,
        }
    }
}
