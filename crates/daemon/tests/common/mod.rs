//! A real daemon on a socket in a directory of its own.
#![allow(dead_code, reason = "each test program uses its part")]
#![allow(clippy::disallowed_methods, reason = "the tests start the program")]

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use cuzk_backend_cpu::CpuBackend;
use cuzk_circuits::{ProofKind, Seed, record, synthetic};
use cuzk_groth16::srs::generate::Secret;
use cuzk_groth16::srs::store::{Generation, IfBusy, Store};
use cuzk_groth16::srs::{CancelToken, NoProgress};
use cuzk_proto::control::development_client::DevelopmentClient;
use cuzk_proto::control::{ProveSyntheticRequest, ProveSyntheticResponse};
use cuzk_proto::v1;
use cuzk_proto::v1::proving_engine_client::ProvingEngineClient;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

pub const WAIT: Duration = Duration::from_secs(120);

/// A directory with room for sockets and a cache.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn socket(&self) -> PathBuf {
        self.path("s")
    }

    /// Makes development parameters into the cache that daemons of this place use.
    pub fn with_parameters(self, kind: &str) -> Self {
        let kind: ProofKind = kind.parse().unwrap();
        let store = Store::new(self.path("cache").join("development"));
        let generation = Generation {
            circuit_id: &kind.to_string(),
            circuit: &record(&kind).unwrap(),
            secret: &Secret::random(&mut rand_core::OsRng),
            arithmetic: &CpuBackend,
            observer: &NoProgress,
            cancel: &CancelToken::new(),
            if_busy: IfBusy::Fail,
        };
        store.generate(&generation).unwrap();
        self
    }

    pub fn command(&self, flags: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk"));
        command
            .arg("serve")
            .arg("--cache")
            .arg(self.path("cache"))
            .args(flags)
            .stdin(Stdio::null());
        // Published parameters of the machine must not decide what a test sees.
        command.env("FIL_PROOFS_PARAMETER_CACHE", self.path("published"));
        command
    }

    fn listen(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Starts a daemon and waits until it serves.
    pub fn serve(&self, flags: &[&str]) -> Daemon {
        let daemon = self.start(flags);
        wait_until(|| daemon.stderr().contains(" serving on "));
        daemon
    }

    /// Starts a daemon on the place's socket.
    pub fn start(&self, flags: &[&str]) -> Daemon {
        let stderr = self.path(&format!("stderr-{}", fs::read_dir(self.0.path()).unwrap().count()));
        let mut command = self.command(flags);
        command
            .arg("--listen")
            .arg(self.listen())
            .stderr(File::create(&stderr).unwrap());
        Daemon {
            child: command.spawn().unwrap(),
            stderr,
            socket: self.listen(),
        }
    }

    /// Runs a daemon that is expected not to serve; its exit code and what it said.
    pub fn refused(&self, flags: &[&str]) -> (i32, String) {
        let output = self.command(flags).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    }
}

pub struct Daemon {
    child: Child,
    stderr: PathBuf,
    socket: String,
}

impl Daemon {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the daemon's own end.
    pub fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + WAIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "the daemon does not end: {}", self.stderr());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub async fn channel(&self) -> Channel {
        Endpoint::from_shared(self.socket.clone())
            .unwrap()
            .connect()
            .await
            .unwrap()
    }

    pub async fn proving(&self) -> ProvingEngineClient<Channel> {
        ProvingEngineClient::new(self.channel().await).max_encoding_message_size(cuzk_proto::MAX_MESSAGE_BYTES)
    }

    /// One synthetic proof, on a connection of its own.
    pub async fn prove_synthetic(&self, id: &str, kind: &str, seed: u64) -> Result<ProveSyntheticResponse, Status> {
        prove_synthetic(self.channel().await, id, kind, seed).await
    }

    /// Jobs of the bench family: waiting, in work.
    pub async fn bench_jobs(&self) -> (u32, u32) {
        let status = self
            .proving()
            .await
            .get_status(v1::GetStatusRequest {})
            .await
            .unwrap()
            .into_inner();
        let bench = status.queues.iter().find(|queue| queue.proof_kind == "bench");
        bench.map_or((0, 0), |queue| (queue.pending, queue.in_progress))
    }

    pub async fn wait_until_in_progress(&self, jobs: u32) {
        let end = Instant::now() + WAIT;
        while self.bench_jobs().await.1 < jobs {
            assert!(Instant::now() < end, "the job does not begin");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// No daemon outlives its test.
impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub async fn prove_synthetic(
    channel: Channel,
    id: &str,
    kind: &str,
    seed: u64,
) -> Result<ProveSyntheticResponse, Status> {
    let request = ProveSyntheticRequest {
        circuit_id: kind.into(),
        seed,
        request_id: id.into(),
    };
    Ok(DevelopmentClient::new(channel)
        .prove_synthetic(request)
        .await?
        .into_inner())
}

pub fn status(response: &ProveSyntheticResponse) -> v1::await_proof_response::Status {
    response.result.as_ref().unwrap().status()
}

/// A WinningPoSt request in the form that Curio sends.
pub fn winning(id: &str, seed: u64) -> v1::SubmitProofRequest {
    let request = synthetic::winning_request(Seed(seed)).unwrap();
    v1::SubmitProofRequest {
        request_id: id.into(),
        proof_kind: v1::ProofKind::WinningPost.into(),
        priority: v1::Priority::Critical.into(),
        miner_id: request.miner_id.0,
        randomness: request.randomness.to_vec().into(),
        vanilla_proofs: vec![request.vanilla_proof.into()],
        ..Default::default()
    }
}

pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

pub fn wait_until(condition: impl Fn() -> bool) {
    let end = Instant::now() + WAIT;
    while !condition() {
        assert!(Instant::now() < end, "waited in vain");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// `(start, end)` in milliseconds of one phase of a job.
pub fn span(stderr: &str, job: &str, key: &str) -> (f64, f64) {
    let (prefix, job) = (format!("CUZK_TIMING: {key}="), format!("job={job}"));
    let of_job = |line: &&str| line.starts_with(&prefix) && line.split(' ').any(|word| word == job);
    let line = stderr
        .lines()
        .find(of_job)
        .unwrap_or_else(|| panic!("no {key} of {job} in:\n{stderr}"));
    let value = |key: &str| -> f64 {
        let pair = line.split(' ').find_map(|word| word.strip_prefix(key)).unwrap();
        pair.parse().unwrap()
    };
    let start = value("start_ms=");
    (start, start + value(&format!("{key}=")))
}
