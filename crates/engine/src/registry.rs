//! The jobs in flight and the results kept: who is admitted, who waits, what is cancelled, what came out.
//!
//! One lock guards it all. Left out: the queues, which have locks of their own and are never entered from here.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cuzk_groth16::Proof;
use cuzk_groth16::contract::{JobId, PartitionIndex};
use tokio::sync::watch;

use crate::error::{JobError, SubmitError};
use crate::job::{Completed, Job, JobRequest, Outcome, Sequence, Timings};
use crate::parameters::LoadedParameters;
use crate::status::{Family, FamilyStatus};

/// Receives the outcome of a job once it is there.
pub(crate) type OutcomeReceiver = watch::Receiver<Option<Outcome>>;

/// Whether a job outlives those who wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    /// Cancelled when nobody waits any more.
    WhileAwaited,
    /// Runs to its end; the result is kept for whoever asks.
    Lasting,
}

/// Whether work on a job goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checkpoint {
    GoOn,
    Skip,
}

/// What became of a wish to cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cancelled {
    Unknown,
    AlreadyOver,
    Queued(Sequence),
    Running,
}

/// A job looked up by its id.
pub(crate) enum Found {
    InFlight(Arc<Job>, OutcomeReceiver),
    Finished(Outcome),
}

/// One proved and verified partition.
pub(crate) struct PartitionResult {
    pub proof: [u8; Proof::BYTES],
    pub parameters: Arc<LoadedParameters>,
    pub spans: Spans,
}

/// Where one partition's time went.
#[derive(Clone, Copy)]
pub(crate) struct Spans {
    pub begin: Instant,
    pub end: Instant,
    pub srs_load: Duration,
    pub synthesis: Duration,
    pub backend: Duration,
}

pub(crate) struct Registry {
    state: Mutex<State>,
    /// Signalled when a job leaves.
    settled: Condvar,
    accepted_jobs: usize,
    kept_results: usize,
}

#[derive(Default)]
struct State {
    jobs: HashMap<JobId, Entry>,
    finished: VecDeque<(JobId, Outcome)>,
    draining: bool,
    admitted: u64,
    counters: BTreeMap<Family, Counters>,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    completed: u64,
    failed: u64,
    cancelled: u64,
    proving_time: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Queued,
    Running,
    /// Cancelled by request while running; the result will be discarded.
    Stopping,
}

struct Entry {
    job: Arc<Job>,
    waiters: usize,
    interest: Interest,
    progress: Progress,
    results: Vec<Option<PartitionResult>>,
    outcome: watch::Sender<Option<Outcome>>,
}

impl Entry {
    fn new(job: Arc<Job>, interest: Interest) -> Self {
        let results = std::iter::repeat_with(|| None).take(job.partitions).collect();
        Self {
            job,
            waiters: 0,
            interest,
            progress: Progress::Queued,
            results,
            outcome: watch::Sender::new(None),
        }
    }

    fn is_abandoned(&self) -> bool {
        self.waiters == 0 && self.interest == Interest::WhileAwaited
    }

    fn attach(&mut self, interest: Interest) -> OutcomeReceiver {
        self.waiters += 1;
        if interest == Interest::Lasting {
            self.interest = interest;
        }
        self.outcome.subscribe()
    }
}

impl Registry {
    pub fn new(accepted_jobs: usize, kept_results: usize) -> Self {
        Self {
            state: Mutex::default(),
            settled: Condvar::new(),
            accepted_jobs,
            kept_results,
        }
    }

    /// Joins the job of this id if it is in flight with the same content.
    pub fn join(&self, request: JoinRequest<'_>) -> Result<Option<(Arc<Job>, OutcomeReceiver)>, SubmitError> {
        self.lock().join(request)
    }

    /// Takes a job in, or joins it if it is in flight already; a new job is to be queued by the caller.
    pub fn admit(&self, request: &JobRequest, interest: Interest, now: Instant) -> Result<Admitted, SubmitError> {
        let id = &request.id;
        if request.task.partitions.is_empty() {
            return Err(SubmitError::NoPartitions { id: id.clone() });
        }
        let mut state = self.lock();
        if let Some((job, receiver)) = state.join(JoinRequest {
            id,
            fingerprint: request.fingerprint,
            interest,
        })? {
            return Ok(Admitted::Joined(job, receiver));
        }
        if state.draining {
            return Err(SubmitError::Draining);
        }
        if state.jobs.len() >= self.accepted_jobs {
            return Err(SubmitError::Full {
                limit: self.accepted_jobs,
            });
        }
        // A kept result of an earlier job with this id would answer for the new one.
        state.finished.retain(|(finished, _)| finished != id);
        let (job, receiver) = state.insert(request, interest, now);
        Ok(Admitted::New(job, receiver))
    }

    /// The job of this id, in flight or finished. A job in flight gets one more waiter.
    pub fn find(&self, id: &JobId) -> Option<Found> {
        let mut state = self.lock();
        if let Some(entry) = state.jobs.get_mut(id) {
            let receiver = entry.attach(Interest::WhileAwaited);
            return Some(Found::InFlight(entry.job.clone(), receiver));
        }
        state.kept(id).cloned().map(Found::Finished)
    }

    /// Whether an id is taken by a job in flight or a kept result.
    pub fn knows(&self, id: &JobId) -> bool {
        let state = self.lock();
        state.jobs.contains_key(id) || state.kept(id).is_some()
    }

    /// A waiter is gone. `true` where that cancelled the job, which was still queued; a running one is left to its next
    /// checkpoint, so that a caller who comes back at once finds it in work.
    pub fn leave(&self, job: &Job) -> bool {
        let mut state = self.lock();
        let Some(entry) = state.entry(job) else { return false };
        entry.waiters -= 1;
        let cancelled = entry.is_abandoned() && entry.progress == Progress::Queued;
        if cancelled {
            self.settle(&mut state, job, Outcome::Cancelled);
        }
        cancelled
    }

    pub fn cancel(&self, id: &JobId) -> Cancelled {
        let mut state = self.lock();
        let Some(entry) = state.jobs.get_mut(id) else {
            return if state.kept(id).is_some() {
                Cancelled::AlreadyOver
            } else {
                Cancelled::Unknown
            };
        };
        if entry.progress == Progress::Queued {
            let job = entry.job.clone();
            self.settle(&mut state, &job, Outcome::Cancelled);
            return Cancelled::Queued(job.sequence);
        }
        entry.progress = Progress::Stopping;
        entry.outcome.send_replace(Some(Outcome::Cancelled));
        Cancelled::Running
    }

    /// Asked by a stage before it works on a job. A job that nobody wants ends here.
    pub fn checkpoint(&self, job: &Job) -> Checkpoint {
        let mut state = self.lock();
        let Some(entry) = state.entry(job) else {
            return Checkpoint::Skip;
        };
        if entry.progress == Progress::Stopping || entry.is_abandoned() {
            self.settle(&mut state, job, Outcome::Cancelled);
            return Checkpoint::Skip;
        }
        entry.progress = Progress::Running;
        Checkpoint::GoOn
    }

    /// Stores a partition's proof; the last one completes the job.
    pub fn finish_partition(&self, job: &Job, partition: PartitionIndex, result: PartitionResult) {
        let mut state = self.lock();
        let Some(entry) = state.entry(job) else { return };
        if entry.progress == Progress::Stopping {
            return self.settle(&mut state, job, Outcome::Cancelled);
        }
        entry.results[partition.0 as usize] = Some(result);
        if let Some(completed) = assemble(job, &entry.results) {
            self.settle(&mut state, job, Outcome::Completed(Arc::new(completed)));
        }
    }

    /// Ends a job without a result. What a cancelled job failed with is of no interest.
    pub fn fail(&self, job: &Job, error: JobError) {
        let mut state = self.lock();
        let stopping = state
            .entry(job)
            .is_some_and(|entry| entry.progress == Progress::Stopping);
        let outcome = if stopping {
            Outcome::Cancelled
        } else {
            Outcome::Failed(Arc::new(error))
        };
        self.settle(&mut state, job, outcome);
    }

    pub fn stop_admission(&self) {
        self.lock().draining = true;
    }

    /// Waits until no job is in flight, at most for `grace`; fails those that are left and returns their ids.
    pub fn drain(&self, grace: Duration) -> Vec<JobId> {
        let busy = |state: &mut State| !state.jobs.is_empty();
        let (mut state, _) = self
            .settled
            .wait_timeout_while(self.lock(), grace, busy)
            .unwrap_or_else(PoisonError::into_inner);
        let lost: Vec<Arc<Job>> = state.jobs.values().map(|entry| entry.job.clone()).collect();
        for job in &lost {
            self.settle(&mut state, job, Outcome::Failed(Arc::new(JobError::Stopped)));
        }
        lost.iter().map(|job| job.id.clone()).collect()
    }

    /// Counters per family of proof kinds; families without any job yet are absent.
    pub fn families(&self) -> Vec<FamilyStatus> {
        let state = self.lock();
        let mut families: BTreeMap<Family, FamilyStatus> = BTreeMap::new();
        for (&family, counters) in &state.counters {
            let status = families.entry(family).or_insert_with(|| FamilyStatus::new(family));
            (status.completed, status.failed, status.cancelled) =
                (counters.completed, counters.failed, counters.cancelled);
            status.proving_time = counters.proving_time;
        }
        for entry in state.jobs.values() {
            let family = Family::of(&entry.job.kind);
            let status = families.entry(family).or_insert_with(|| FamilyStatus::new(family));
            match entry.progress {
                Progress::Queued => status.pending += 1,
                Progress::Running | Progress::Stopping => status.in_progress += 1,
            }
        }
        families.into_values().collect()
    }

    /// Takes the job out, tells those who wait, and keeps the outcome. Nothing happens to a job that left before.
    fn settle(&self, state: &mut State, job: &Job, outcome: Outcome) {
        if state.entry(job).is_none() {
            return;
        }
        let Some(entry) = state.jobs.remove(&job.id) else {
            return;
        };
        state.counters.entry(Family::of(&job.kind)).or_default().count(&outcome);
        state.finished.push_back((job.id.clone(), outcome.clone()));
        if state.finished.len() > self.kept_results {
            state.finished.pop_front();
        }
        entry.outcome.send_replace(Some(outcome));
        self.settled.notify_all();
    }

    /// No invariant spans a panic: entries are changed by assignments only.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A wish to share the job of an id.
pub(crate) struct JoinRequest<'a> {
    pub id: &'a JobId,
    pub fingerprint: crate::job::Fingerprint,
    pub interest: Interest,
}

/// How a request got its job.
pub(crate) enum Admitted {
    New(Arc<Job>, OutcomeReceiver),
    Joined(Arc<Job>, OutcomeReceiver),
}

impl State {
    /// The entry of this very job, not of a later one with the same id.
    fn entry(&mut self, job: &Job) -> Option<&mut Entry> {
        self.jobs
            .get_mut(&job.id)
            .filter(|entry| entry.job.sequence == job.sequence)
    }

    fn kept(&self, id: &JobId) -> Option<&Outcome> {
        self.finished
            .iter()
            .rev()
            .find(|(finished, _)| finished == id)
            .map(|(_, outcome)| outcome)
    }

    fn join(&mut self, request: JoinRequest<'_>) -> Result<Option<(Arc<Job>, OutcomeReceiver)>, SubmitError> {
        let JoinRequest {
            id,
            fingerprint,
            interest,
        } = request;
        let Some(entry) = self.jobs.get_mut(id) else {
            return Ok(None);
        };
        if entry.job.fingerprint != fingerprint {
            return Err(SubmitError::OtherContent { id: id.clone() });
        }
        if entry.progress == Progress::Stopping {
            return Err(SubmitError::StillStopping { id: id.clone() });
        }
        let receiver = entry.attach(interest);
        Ok(Some((entry.job.clone(), receiver)))
    }

    fn insert(&mut self, request: &JobRequest, interest: Interest, now: Instant) -> (Arc<Job>, OutcomeReceiver) {
        let job = Arc::new(Job {
            id: request.id.clone(),
            kind: request.task.kind,
            fingerprint: request.fingerprint,
            priority: request.priority,
            sequence: Sequence(self.admitted),
            accepted: now,
            partitions: request.task.partitions.len(),
        });
        self.admitted += 1;
        let mut entry = Entry::new(job.clone(), interest);
        let receiver = entry.attach(interest);
        self.jobs.insert(job.id.clone(), entry);
        (job, receiver)
    }
}

impl Counters {
    fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed(completed) => {
                self.completed += 1;
                self.proving_time += completed.timings.total;
            }
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Cancelled => self.cancelled += 1,
        }
    }
}

/// The whole result, once every partition has one.
fn assemble(job: &Job, results: &[Option<PartitionResult>]) -> Option<Completed> {
    let results: Vec<&PartitionResult> = results.iter().map(Option::as_ref).collect::<Option<_>>()?;
    let begin = results.iter().map(|result| result.spans.begin).min()?;
    let end = results.iter().map(|result| result.spans.end).max()?;
    let sum = |of: fn(&Spans) -> Duration| results.iter().map(|result| of(&result.spans)).sum();
    let first = results.first()?;
    Some(Completed {
        proofs: results.iter().map(|result| result.proof).collect(),
        provenance: first.parameters.provenance,
        verifying_key_sha256: first.parameters.verifying_key_sha256,
        timings: Timings {
            queue: begin - job.accepted,
            srs_load: sum(|spans| spans.srs_load),
            synthesis: sum(|spans| spans.synthesis),
            backend: sum(|spans| spans.backend),
            total: end - begin,
        },
    })
}
