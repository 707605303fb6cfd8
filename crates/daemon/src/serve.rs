//! `cuzk serve`: from the command line to a clean end.
//!
//! Order matters: the socket is taken before anything heavy starts, signals are caught before the daemon says that it
//! serves, and the server keeps answering while the engine drains.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use cuzk_backend_cpu::CpuBackend;
use cuzk_engine::{Dependencies, Drained, Engine, EngineConfig, TrustedFiles};
use cuzk_groth16::contract::ProcessClock;
use cuzk_groth16::contract::exit::ExitCode;
use cuzk_groth16::srs::store::Store;
use cuzk_groth16::srs::trust::TrustPolicy;
use cuzk_proto::MAX_MESSAGE_BYTES;
use cuzk_proto::control::development_server::DevelopmentServer;
use cuzk_proto::control::identity_server::IdentityServer;
use cuzk_proto::v1::proving_engine_server::ProvingEngineServer;
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::Server;

use crate::cli::ServeArguments;
use crate::config::{Config, ConfigError};
use crate::control::{DevelopmentService, IdentityService};
use crate::identity::{Identity, build_token};
use crate::jobs::Jobs;
use crate::log;
use crate::proving::ProvingService;
use crate::signals::{EndSignal, EndSignals};
use crate::socket::Socket;

/// Calls that one connection may have open, most of them waiting for a proof.
const CALLS_PER_CONNECTION: u32 = 256;
/// How far a message may come before its receiver has asked for it, in bytes: large enough for megabytes to flow, small
/// enough for many callers.
const RECEIVE_WINDOW_BYTES: u32 = 1 << 20;
/// Threads that answer calls. Work is done elsewhere.
const ANSWERING_THREADS: usize = 2;
/// Results kept for clients that ask later.
const KEPT_RESULTS: usize = 1024;
/// How long answers may take to leave once the last job is done.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// An error on the way to the last line, with the exit code that it stands for.
pub struct Failure(anyhow::Error);

impl Failure {
    pub fn report(&self) -> ExitCode {
        log::line(format!("error: {:#}", self.0));
        if self.0.is::<ConfigError>() {
            ExitCode::Usage
        } else {
            ExitCode::CheckFailed
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Serves until a signal.
pub fn run(arguments: &ServeArguments, clock: ProcessClock) -> Result<ExitCode, Failure> {
    let config = Config::load(arguments)?;
    let socket = Socket::bind(config.listen.path())?;
    let jobs = Jobs::new(start_engine(&config, clock)?);
    let identity = Identity::in_background().context("cannot start a thread")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(ANSWERING_THREADS)
        .enable_all()
        .build()
        .context("cannot start the threads that answer calls")?;
    let result = runtime.block_on(serve(&config, &socket, &jobs, identity));
    // A blocking task may be in the middle of minutes of work that nobody waits for any more.
    runtime.shutdown_background();
    Ok(result?)
}

fn start_engine(config: &Config, clock: ProcessClock) -> anyhow::Result<Engine> {
    let sizes = EngineConfig {
        accepted_jobs: config.accepted_jobs,
        synthesis_threads: config.synthesis_threads,
        ready_partitions: std::num::NonZeroUsize::MIN,
        kept_results: KEPT_RESULTS,
    };
    let dependencies = Dependencies {
        backend: Arc::new(CpuBackend),
        parameters: Arc::new(TrustedFiles {
            published: config.param_cache.clone(),
            store: Store::new(config.cache.join("development")),
            policy: config.policy,
        }),
        clock,
        timing: Arc::new(log::StandardError),
        random: Box::new(rand_core::OsRng),
    };
    Ok(Engine::start(sizes, dependencies)?)
}

async fn serve(config: &Config, socket: &Socket, jobs: &Jobs, identity: Identity) -> anyhow::Result<ExitCode> {
    let mut signals = EndSignals::catch().context("cannot catch signals")?;
    let (stop, stopped) = oneshot::channel();
    let mut server = tokio::spawn(server(config, socket, jobs, identity, stopped)?);
    announce(config, jobs);
    let signal = tokio::select! {
        signal = signals.next() => signal,
        ended = &mut server => return Err(server_ended(ended)),
    };
    let exit = drain(config, jobs, signal, &mut signals).await;
    let _ = stop.send(()); // The receiver is gone only if the server is.
    let _ = tokio::time::timeout(LAST_ANSWERS, server).await;
    Ok(exit)
}

type ServerResult = Result<(), tonic::transport::Error>;

fn server(
    config: &Config,
    socket: &Socket,
    jobs: &Jobs,
    identity: Identity,
    stopped: oneshot::Receiver<()>,
) -> anyhow::Result<impl Future<Output = ServerResult> + use<>> {
    let listener = socket
        .listener
        .try_clone()
        .and_then(UnixListener::from_std)
        .context("cannot listen")?;
    let backend = jobs.engine().backend_name();
    let proving = ProvingEngineServer::new(ProvingService(jobs.clone())).max_decoding_message_size(MAX_MESSAGE_BYTES);
    let development = DevelopmentService {
        jobs: jobs.clone(),
        policy: config.policy,
    };
    let router = Server::builder()
        .max_concurrent_streams(CALLS_PER_CONNECTION)
        .initial_stream_window_size(RECEIVE_WINDOW_BYTES)
        .initial_connection_window_size(RECEIVE_WINDOW_BYTES)
        .add_service(proving)
        .add_service(IdentityServer::new(IdentityService { identity, backend }))
        .add_service(DevelopmentServer::new(development));
    let incoming = UnixListenerStream::new(listener);
    Ok(router.serve_with_incoming_shutdown(incoming, async move {
        let _ = stopped.await;
    }))
}

fn announce(config: &Config, jobs: &Jobs) {
    let parameters = match config.policy {
        TrustPolicy::ProductionOnly => "production parameters only",
        TrustPolicy::AllowDevelopment | TrustPolicy::AllowInsecure => "development parameters allowed",
    };
    log::line(format!(
        "version {} build {} pid {} serving on {} (backend {}, {parameters})",
        env!("CARGO_PKG_VERSION"),
        &build_token()[..16],
        std::process::id(),
        config.listen.path().display(),
        jobs.engine().backend_name(),
    ));
}

fn server_ended(ended: Result<ServerResult, tokio::task::JoinError>) -> anyhow::Error {
    match ended {
        Ok(Ok(())) => anyhow::anyhow!("the server ended by itself"),
        Ok(Err(error)) => {
            let reason = error.source().map(ToString::to_string).unwrap_or_default();
            anyhow::Error::new(error).context(format!("the server failed: {reason}"))
        }
        Err(error) => anyhow::Error::new(error).context("the server's task failed"),
    }
}

/// Lets the jobs in flight finish; another signal ends that.
async fn drain(config: &Config, jobs: &Jobs, signal: EndSignal, signals: &mut EndSignals) -> ExitCode {
    let grace = config.grace_period;
    log::line(format!(
        "{}: draining, at most {} s (a second signal ends at once)",
        signal.name(),
        grace.as_secs()
    ));
    let engine = jobs.clone();
    let drained = tokio::task::spawn_blocking(move || engine.engine().drain(grace));
    tokio::select! {
        second = signals.next() => {
            log::line(format!("{}: ending at once", second.name()));
            second.exit_code()
        }
        drained = drained => match drained {
            Ok(Drained::Everything) => {
                log::line("drained");
                ExitCode::Ok
            }
            Ok(Drained::Lost(lost)) => {
                let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
                log::line(format!("the grace period is over, {} jobs are lost: {}", lost.len(), lost.join(", ")));
                ExitCode::Timeout
            }
            Err(error) => {
                log::line(format!("draining failed: {error}"));
                ExitCode::Bug
            }
        }
    }
}
