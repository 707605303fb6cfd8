//! An engine on small circuits: parameters in memory, a backend that can be held, made to panic, and counted.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

use cuzk_backend_cpu::CpuBackend;
use cuzk_circuits::{ProofKind, Seed, record, synthetic};
use cuzk_engine::*;
use cuzk_groth16::contract::{JobId, ProcessClock, Timeline, TimingSink};
use cuzk_groth16::srs::generate::{Secret, generate};
use cuzk_groth16::srs::trust::Provenance;
use cuzk_groth16::srs::{CancelToken, NoProgress, Parameters, VerifyingKey};
use cuzk_groth16::{Backend, BackendError, PreparedVerifyingKey, ProofSums, ProvingAssignment};

pub const KIND: &str = "bench:8:0.9";
pub const WAIT: Duration = Duration::from_secs(60);

pub fn kind() -> ProofKind {
    KIND.parse().unwrap()
}

/// Parameters of [`KIND`], made once.
pub fn parameters() -> &'static Parameters {
    static PARAMETERS: OnceLock<Parameters> = OnceLock::new();
    PARAMETERS.get_or_init(|| {
        let circuit = record(&kind()).unwrap();
        let secret = Secret::insecure_from_seed(1);
        generate(&circuit, &secret, &CpuBackend, &NoProgress, &CancelToken::new()).unwrap()
    })
}

/// Hands out the parameters of [`KIND`] with a verifying key of the test's choice.
pub struct Source {
    pub key: VerifyingKey,
    pub loads: AtomicUsize,
}

impl ParameterSource for Source {
    fn load(&self, wanted: &ProofKind) -> Result<LoadedParameters, ParameterError> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        if *wanted != kind() {
            return Err(ParameterError::new(wanted, "no such file"));
        }
        Ok(LoadedParameters {
            srs: parameters().clone(),
            key: PreparedVerifyingKey::new(&self.key),
            verifying_key_sha256: [7; 32],
            provenance: Provenance::Development,
            bytes: 1000,
        })
    }
}

/// What the backend does with its next calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Prove,
    Hold,
    Panic,
}

/// The CPU backend behind a gate.
pub struct Gate {
    mode: Mutex<Mode>,
    changed: Condvar,
    /// Jobs in the order in which they got through.
    pub passed: Mutex<Vec<String>>,
    pub entered: AtomicUsize,
}

impl Gate {
    pub fn set(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
        self.changed.notify_all();
    }
}

impl Backend for Gate {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn multiply(
        &self,
        srs: &Parameters,
        assignment: &ProvingAssignment,
        timeline: &Timeline,
    ) -> Result<ProofSums, BackendError> {
        self.entered.fetch_add(1, Ordering::SeqCst);
        let held = |mode: &mut Mode| *mode == Mode::Hold;
        let mode = *self.changed.wait_while(self.mode.lock().unwrap(), held).unwrap();
        assert!(mode != Mode::Panic, "the backend was told to panic");
        self.passed.lock().unwrap().push(timeline.job().to_string());
        CpuBackend.multiply(srs, assignment, timeline)
    }
}

/// Collects timing lines.
#[derive(Default)]
pub struct Lines(Mutex<Vec<String>>);

impl TimingSink for Lines {
    fn write_line(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

impl Lines {
    /// `(key, start, end)` in milliseconds of every phase of a job.
    pub fn spans(&self, job: &str) -> Vec<(String, f64, f64)> {
        let lines = self.0.lock().unwrap();
        let of_job = lines
            .iter()
            .filter(|line| line.split_whitespace().any(|word| word == format!("job={job}")));
        of_job.map(|line| span(line)).collect()
    }

    pub fn keys(&self, job: &str) -> Vec<String> {
        self.spans(job).into_iter().map(|(key, ..)| key).collect()
    }
}

fn span(line: &str) -> (String, f64, f64) {
    let mut words = line
        .trim_start_matches("CUZK_TIMING: ")
        .split_whitespace()
        .map(|word| word.split_once('=').unwrap());
    let (key, length) = words.next().unwrap();
    let start: f64 = words.find(|(key, _)| *key == "start_ms").unwrap().1.parse().unwrap();
    (key.to_owned(), start, start + length.parse::<f64>().unwrap())
}

/// An engine with all that a test looks at.
pub struct Bench {
    pub engine: Engine,
    pub gate: Arc<Gate>,
    pub lines: Arc<Lines>,
    pub source: Arc<Source>,
}

/// Sizes that a test chooses.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub accepted_jobs: usize,
    pub ready_partitions: usize,
}

pub const SIZES: Sizes = Sizes {
    accepted_jobs: 16,
    ready_partitions: 1,
};

impl Bench {
    pub fn new(mode: Mode) -> Self {
        Self::with(mode, SIZES, parameters().vk.clone())
    }

    pub fn with(mode: Mode, sizes: Sizes, key: VerifyingKey) -> Self {
        let gate = Arc::new(Gate {
            mode: Mutex::new(mode),
            changed: Condvar::new(),
            passed: Mutex::default(),
            entered: AtomicUsize::new(0),
        });
        let lines = Arc::new(Lines::default());
        let source = Arc::new(Source {
            key,
            loads: AtomicUsize::new(0),
        });
        let config = EngineConfig {
            accepted_jobs: NonZeroUsize::new(sizes.accepted_jobs).unwrap(),
            synthesis_threads: NonZeroUsize::MIN,
            ready_partitions: NonZeroUsize::new(sizes.ready_partitions).unwrap(),
            kept_results: 4,
        };
        let dependencies = Dependencies {
            backend: gate.clone(),
            parameters: source.clone(),
            clock: ProcessClock::starting_at(Instant::now()),
            timing: lines.clone(),
            random: Box::new(rand_core::OsRng),
        };
        Self {
            engine: Engine::start(config, dependencies).unwrap(),
            gate,
            lines,
            source,
        }
    }

    /// Blocks until the backend has been entered so often.
    pub fn wait_until_entered(&self, times: usize) {
        wait_until(|| self.gate.entered.load(Ordering::SeqCst) >= times);
    }
}

/// Polls; a test that waits in vain fails.
pub fn wait_until(condition: impl Fn() -> bool) {
    let end = Instant::now() + WAIT;
    while !condition() {
        assert!(Instant::now() < end, "waited in vain");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn id(name: &str) -> JobId {
    JobId::new(name).unwrap()
}

/// A request whose content is decided by `seed`.
pub fn request(name: &str, seed: u64, priority: Priority) -> JobRequest {
    let task = synthetic::task(&kind(), Seed(seed)).unwrap();
    JobRequest {
        id: id(name),
        fingerprint: fingerprint(seed),
        priority,
        task,
    }
}

pub fn fingerprint(seed: u64) -> Fingerprint {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    Fingerprint(bytes)
}

/// Waits for a job's end.
pub fn outcome(ticket: &mut Ticket) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        tokio::time::timeout(WAIT, ticket.outcome())
            .await
            .expect("the job did not end")
    })
}

pub fn completed(ticket: &mut Ticket) -> Arc<Completed> {
    match outcome(ticket) {
        Outcome::Completed(completed) => completed,
        other => panic!("{other:?}"),
    }
}

pub fn failed(ticket: &mut Ticket) -> Arc<JobError> {
    match outcome(ticket) {
        Outcome::Failed(error) => error,
        other => panic!("{other:?}"),
    }
}
