//! The first stage: runs circuits, and loads their parameters beside that when they are not in memory.
//!
//! Left out: several partitions at a time. One circuit's synthesis is serial; the pool serves batches to come.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use blstrs::Scalar;
use cuzk_circuits::{CircuitInstance, Partition};
use cuzk_groth16::contract::{PartitionIndex, Timeline, phase};
use cuzk_groth16::{ProvingAssignment, SynthesisFailure, synthesize_circuits_batch};
use rayon::ThreadPool;

use crate::engine::Shared;
use crate::error::{JobError, StageName, panic_message};
use crate::job::Job;
use crate::parameters::{LoadedParameters, ParameterError};
use crate::registry::Checkpoint;

/// A shorter wait is the hand-over from one thread to the next and is not reported.
pub(crate) const HAND_OVER: Duration = Duration::from_micros(100);

/// One partition waiting for synthesis.
pub(crate) struct Work {
    pub job: Arc<Job>,
    pub partition: PartitionIndex,
    pub input: Partition,
}

/// One partition waiting for the backend.
pub(crate) struct Synthesised {
    pub job: Arc<Job>,
    pub timeline: Timeline,
    pub assignment: ProvingAssignment,
    pub public_inputs: Vec<Scalar>,
    pub parameters: Arc<LoadedParameters>,
    pub srs_load: Duration,
    /// Start of synthesis, from which the total counts.
    pub begin: Instant,
    pub synthesis: Duration,
    /// When both the assignment and the parameters were there.
    pub ready: Instant,
}

/// Runs until the queues are closed.
pub(crate) fn run(shared: &Shared, pool: &ThreadPool) {
    // Room first, then the choice: what arrives while the backend is busy can still overtake.
    while shared.ready.wait_for_room()
        && let Some(work) = shared.queue.pop()
    {
        if shared.registry.checkpoint(&work.job) == Checkpoint::Skip {
            continue;
        }
        let (job, partition) = (work.job.clone(), work.partition);
        match catch_unwind(AssertUnwindSafe(|| synthesise(shared, pool, work))) {
            Ok(Ok(synthesised)) => shared.ready.push(job.rank(partition), synthesised),
            Ok(Err(error)) => shared.registry.fail(&job, error),
            Err(panic) => {
                let message = panic_message(&*panic);
                shared.registry.fail(
                    &job,
                    JobError::Panicked {
                        stage: StageName::Synthesis,
                        partition,
                        message,
                    },
                );
            }
        }
    }
}

fn synthesise(shared: &Shared, pool: &ThreadPool, work: Work) -> Result<Synthesised, JobError> {
    let Work {
        job,
        partition,
        input: Partition { circuit, public_inputs },
    } = work;
    let timeline = shared.timeline(&job.id, partition);
    let begin = Instant::now();
    let waited = begin.saturating_duration_since(job.accepted);
    if waited >= HAND_OVER {
        timeline.print(phase::QUEUE, job.accepted, waited, &[]);
    }
    let (synthesised, loaded) = match shared.parameters.in_memory(&job.kind) {
        Some(parameters) => (run_circuit(pool, &timeline, circuit), Ok((parameters, Duration::ZERO))),
        None => thread::scope(|scope| {
            let loading = scope.spawn(|| load(shared, &job, &timeline));
            let synthesised = run_circuit(pool, &timeline, circuit);
            (
                synthesised,
                loading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        }),
    };
    let (parameters, srs_load) = loaded?;
    let (assignment, synthesis) = synthesised?;
    let ready = Instant::now();
    Ok(Synthesised {
        job,
        timeline,
        assignment,
        public_inputs,
        parameters,
        srs_load,
        begin,
        synthesis,
        ready,
    })
}

fn load(shared: &Shared, job: &Job, timeline: &Timeline) -> Result<(Arc<LoadedParameters>, Duration), ParameterError> {
    let start = Instant::now();
    let (parameters, _) = shared.parameters.get(&job.kind)?;
    let span = start.elapsed();
    timeline.print(phase::SRS_LOAD, start, span, &[("bytes", parameters.bytes)]);
    Ok((parameters, span))
}

fn run_circuit(
    pool: &ThreadPool,
    timeline: &Timeline,
    circuit: CircuitInstance,
) -> Result<(ProvingAssignment, Duration), SynthesisFailure> {
    let start = Instant::now();
    // A pool of its own: the backend keeps the global one busy, and synthesis is to overlap with it.
    let mut assignments = pool.install(|| synthesize_circuits_batch(vec![circuit]))?;
    let span = start.elapsed();
    let assignment = assignments.swap_remove(0);
    let rows = assignment.a.len() as u64;
    timeline.print(phase::SYNTH, start, span, &[("rows", rows)]);
    Ok((assignment, span))
}
