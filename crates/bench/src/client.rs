//! The connection to a daemon.

use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use cuzk_groth16::contract::exit::ExitCode;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::output::Failure;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a daemon may take for an answer that needs no work.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The message of a status that tonic makes when a deadline has passed.
const TONIC_TIMEOUT: &str = "Timeout expired";

/// A daemon's socket.
#[derive(Clone, Debug)]
pub struct SocketAddress(String);

impl FromStr for SocketAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.strip_prefix("unix://").unwrap_or(text);
        if path.is_empty() || path.contains("://") {
            return Err(format!("{text:?} is no socket (hint: PATH or unix:///PATH)"));
        }
        Ok(Self(path.to_owned()))
    }
}

impl SocketAddress {
    /// Connects now, so that a daemon that is not there is noticed before any work.
    pub async fn connect(&self) -> anyhow::Result<Channel> {
        let endpoint = Endpoint::from_shared(format!("unix://{}", self.0))?.connect_timeout(CONNECT_TIMEOUT);
        let hint = || {
            format!(
                "no daemon answers on {} (hint: start one with `cuzk serve --listen unix://...`)",
                self.0
            )
        };
        endpoint.connect().await.with_context(hint)
    }
}

/// What waits for answers: one thread is enough.
pub fn runtime() -> anyhow::Result<Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// A request whose answer needs no work of the daemon.
pub fn quick<T>(message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.set_timeout(ANSWER_TIMEOUT);
    request
}

/// A daemon's refusal, in its own words.
pub fn refused(status: &Status) -> Failure {
    let code = match status.code() {
        Code::DeadlineExceeded => ExitCode::Timeout,
        // What tonic makes of its own deadline, on either side.
        Code::Cancelled if status.message() == TONIC_TIMEOUT => ExitCode::Timeout,
        _ => ExitCode::CheckFailed,
    };
    Failure::new(
        code,
        anyhow::anyhow!("the daemon answers {:?}: {}", status.code(), status.message()),
    )
}
