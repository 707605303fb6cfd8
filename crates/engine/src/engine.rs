//! The engine itself: starts the stages, and is what callers hold.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use cuzk_circuits::ProofKind;
use cuzk_groth16::Backend;
use cuzk_groth16::contract::{JobId, PartitionIndex, ProcessClock, Timeline, TimingSink};
use rand_core::CryptoRngCore;
use rayon::ThreadPoolBuilder;

use crate::error::SubmitError;
use crate::job::{Fingerprint, Job, JobRequest, Outcome};
use crate::parameters::{Eviction, Fetched, LoadedParameters, ParameterCache, ParameterError, ParameterSource};
use crate::queue::RankedQueue;
use crate::registry::{Admitted, Cancelled, Found, Interest, JoinRequest, OutcomeReceiver, Registry};
use crate::status::{ParametersStatus, Status};
use crate::synthesis::{Synthesised, Work};
use crate::{JobError, proving, synthesis};

/// Sizes of the engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineConfig {
    /// Jobs accepted and not finished; one more is refused.
    pub accepted_jobs: NonZeroUsize,
    /// Threads of the pool that circuits run in.
    pub synthesis_threads: NonZeroUsize,
    /// Synthesised partitions that wait for the backend while it proves another. Each holds a whole assignment.
    pub ready_partitions: NonZeroUsize,
    /// Results kept after their jobs for callers that ask later; the oldest are forgotten.
    pub kept_results: usize,
}

/// What the engine works with; none of it is taken from the surroundings.
pub struct Dependencies {
    pub backend: Arc<dyn Backend>,
    pub parameters: Arc<dyn ParameterSource>,
    pub clock: ProcessClock,
    pub timing: Arc<dyn TimingSink>,
    /// Source of the blinding scalars.
    pub random: Box<dyn CryptoRngCore + Send>,
}

/// The engine's threads could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot start a thread of the engine: {0}")]
    Thread(#[from] io::Error),
    #[error("cannot start the synthesis threads: {0}")]
    Pool(#[from] rayon::ThreadPoolBuildError),
}

/// What a wish to cancel found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellation {
    Unknown,
    AlreadyOver,
    /// The job had not begun.
    WasQueued,
    /// The job had begun; its result is discarded.
    WasRunning,
}

/// What draining the engine left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drained {
    Everything,
    /// Accepted jobs that were not finished in time.
    Lost(Vec<JobId>),
}

/// A job found by its id.
pub enum Lookup {
    InFlight(Ticket),
    Finished(Outcome),
}

/// Jobs that will be taken up before a queued one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position(pub usize);

/// The shared state of the stages.
pub(crate) struct Shared {
    pub registry: Registry,
    pub queue: RankedQueue<Work>,
    pub ready: RankedQueue<Synthesised>,
    pub parameters: ParameterCache,
    pub backend: Arc<dyn Backend>,
    clock: ProcessClock,
    timing: Arc<dyn TimingSink>,
    started: Instant,
    proving: Mutex<Option<JobId>>,
}

impl Shared {
    pub fn timeline(&self, job: &JobId, partition: PartitionIndex) -> Timeline {
        Timeline::new(self.clock, self.timing.clone(), job.clone(), partition)
    }

    pub fn set_proving(&self, job: Option<JobId>) {
        *self.proving.lock().unwrap_or_else(PoisonError::into_inner) = job;
    }

    fn remove_from_queue(&self, job: &Job) {
        self.queue.remove(|work| work.job.sequence == job.sequence);
    }
}

/// Proves. Dropping it stops the stages after the partitions that they have in work, and fails the jobs in flight.
pub struct Engine {
    shared: Arc<Shared>,
}

impl Engine {
    /// Starts the two stages.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(config: EngineConfig, dependencies: Dependencies) -> Result<Self, StartError> {
        let Dependencies {
            backend,
            parameters,
            clock,
            timing,
            random,
        } = dependencies;
        let shared = Arc::new(Shared {
            registry: Registry::new(config.accepted_jobs.get(), config.kept_results),
            queue: RankedQueue::with_capacity(usize::MAX), // Bounded by admission, which counts jobs.
            ready: RankedQueue::with_capacity(config.ready_partitions.get()),
            parameters: ParameterCache::new(parameters),
            backend,
            clock,
            timing,
            started: Instant::now(),
            proving: Mutex::new(None),
        });
        // The engine exists before its threads, so that a failure to start the second one stops the first.
        let engine = Self { shared };
        let pool = ThreadPoolBuilder::new()
            .num_threads(config.synthesis_threads.get())
            .thread_name(|index| format!("cuzk-synth-{index}"))
            .build()?;
        engine.spawn("cuzk-synthesis", move |shared| synthesis::run(shared, &pool))?;
        engine.spawn("cuzk-proving", move |shared| proving::run(shared, random))?;
        Ok(engine)
    }

    fn spawn(&self, name: &str, stage: impl FnOnce(&Shared) + Send + 'static) -> io::Result<()> {
        let shared = self.shared.clone();
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || stage(&shared))
            .map(drop)
    }

    /// Accepts a job that is cancelled when its last [`Ticket`] is dropped.
    ///
    /// The same id with the same content joins the job in flight.
    ///
    /// # Errors
    /// The engine is full or draining; the id is in flight with other content.
    pub fn submit(&self, request: JobRequest) -> Result<Ticket, SubmitError> {
        self.admit(request, Interest::WhileAwaited)
    }

    /// [`Engine::submit`] for a job that runs to its end whether anybody waits or not.
    ///
    /// # Errors
    /// Those of [`Engine::submit`].
    pub fn submit_lasting(&self, request: JobRequest) -> Result<Ticket, SubmitError> {
        self.admit(request, Interest::Lasting)
    }

    fn admit(&self, request: JobRequest, interest: Interest) -> Result<Ticket, SubmitError> {
        match self.shared.registry.admit(&request, interest, Instant::now())? {
            Admitted::Joined(job, receiver) => Ok(self.ticket(job, receiver)),
            Admitted::New(job, receiver) => {
                let ticket = self.ticket(job.clone(), receiver);
                for (index, input) in (0..).zip(request.task.partitions) {
                    let partition = PartitionIndex(index);
                    self.shared.queue.push(
                        job.rank(partition),
                        Work {
                            job: job.clone(),
                            partition,
                            input,
                        },
                    );
                }
                Ok(ticket)
            }
        }
    }

    /// Joins a job in flight before the work of decoding a request is done; `None` when there is none of this id.
    ///
    /// # Errors
    /// The id is in flight with other content.
    pub fn join(&self, id: &JobId, fingerprint: Fingerprint) -> Result<Option<Ticket>, SubmitError> {
        self.join_with(id, fingerprint, Interest::WhileAwaited)
    }

    /// [`Engine::join`] for a job that from now on runs to its end.
    ///
    /// # Errors
    /// Those of [`Engine::join`].
    pub fn join_lasting(&self, id: &JobId, fingerprint: Fingerprint) -> Result<Option<Ticket>, SubmitError> {
        self.join_with(id, fingerprint, Interest::Lasting)
    }

    fn join_with(
        &self,
        id: &JobId,
        fingerprint: Fingerprint,
        interest: Interest,
    ) -> Result<Option<Ticket>, SubmitError> {
        let joined = self.shared.registry.join(JoinRequest {
            id,
            fingerprint,
            interest,
        })?;
        Ok(joined.map(|(job, receiver)| self.ticket(job, receiver)))
    }

    /// A job in flight, or the kept result of a finished one.
    pub fn find(&self, id: &JobId) -> Option<Lookup> {
        self.shared.registry.find(id).map(|found| match found {
            Found::InFlight(job, receiver) => Lookup::InFlight(self.ticket(job, receiver)),
            Found::Finished(outcome) => Lookup::Finished(outcome),
        })
    }

    /// Whether an id is taken by a job in flight or a kept result.
    pub fn knows(&self, id: &JobId) -> bool {
        self.shared.registry.knows(id)
    }

    /// Cancels a job for everyone who waits for it.
    pub fn cancel(&self, id: &JobId) -> Cancellation {
        match self.shared.registry.cancel(id) {
            Cancelled::Unknown => Cancellation::Unknown,
            Cancelled::AlreadyOver => Cancellation::AlreadyOver,
            Cancelled::Running => Cancellation::WasRunning,
            Cancelled::Queued(sequence) => {
                self.shared.queue.remove(|work| work.job.sequence == sequence);
                Cancellation::WasQueued
            }
        }
    }

    /// Loads parameters before a proof needs them.
    ///
    /// # Errors
    /// Those of the parameter source.
    pub fn preload(&self, kind: &ProofKind) -> Result<Fetched, ParameterError> {
        self.shared.parameters.get(kind).map(|(_, fetched)| fetched)
    }

    /// Forgets parameters; proofs in work keep theirs until they are done.
    pub fn evict(&self, kind: &ProofKind) -> Eviction {
        self.shared.parameters.evict(kind)
    }

    pub fn status(&self) -> Status {
        Status {
            families: self.shared.registry.families(),
            parameters: self.parameters_status(),
            proving: self
                .shared
                .proving
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
            uptime: self.shared.started.elapsed(),
        }
    }

    fn parameters_status(&self) -> Vec<ParametersStatus> {
        let describe = |(kind, loaded): (ProofKind, Arc<LoadedParameters>)| ParametersStatus {
            circuit_id: kind.to_string(),
            bytes: loaded.bytes,
            users: Arc::strong_count(&loaded).saturating_sub(2), // Without the cache and this snapshot.
            provenance: loaded.provenance,
        };
        let mut parameters: Vec<_> = self.shared.parameters.list().into_iter().map(describe).collect();
        parameters.sort_by(|one, other| one.circuit_id.cmp(&other.circuit_id));
        parameters
    }

    /// Name of the backend.
    pub fn backend_name(&self) -> &'static str {
        self.shared.backend.name()
    }

    /// Refuses new jobs from now on; those in flight go on, and can still be joined.
    pub fn stop_admission(&self) {
        self.shared.registry.stop_admission();
    }

    /// Refuses new jobs and blocks until those in flight are finished, at most for `grace`.
    pub fn drain(&self, grace: Duration) -> Drained {
        self.stop_admission();
        let lost = self.shared.registry.drain(grace);
        if lost.is_empty() {
            Drained::Everything
        } else {
            Drained::Lost(lost)
        }
    }

    fn ticket(&self, job: Arc<Job>, receiver: OutcomeReceiver) -> Ticket {
        Ticket {
            shared: self.shared.clone(),
            job,
            receiver,
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.queue.close();
        self.shared.ready.close();
        self.drain(Duration::ZERO);
    }
}

/// A claim on a job in flight. While a ticket is held the job is wanted.
pub struct Ticket {
    shared: Arc<Shared>,
    job: Arc<Job>,
    receiver: OutcomeReceiver,
}

impl Ticket {
    pub fn id(&self) -> &JobId {
        &self.job.id
    }

    /// Partitions that will be taken up before this job, as of now.
    pub fn position(&self) -> Position {
        Position(self.shared.queue.ahead_of(self.job.rank(PartitionIndex(0))))
    }

    /// Waits for the job's end.
    pub async fn outcome(&mut self) -> Outcome {
        match self
            .receiver
            .wait_for(Option::is_some)
            .await
            .map(|outcome| outcome.clone())
        {
            Ok(Some(outcome)) => outcome,
            // The registry is gone, and with it whoever could have answered.
            Ok(None) | Err(_) => Outcome::Failed(Arc::new(JobError::Stopped)),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.shared.registry.leave(&self.job) {
            self.shared.remove_from_queue(&self.job);
        }
    }
}
