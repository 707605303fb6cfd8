//! The second stage: the backend's sums, the proof, its verification.
//!
//! Left out: retries. A backend that fails fails the job; the engine and the next job are unharmed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use cuzk_groth16::contract::phase;
use cuzk_groth16::{Blinding, Proof, prove, verify};
use rand_core::CryptoRngCore;

use crate::engine::Shared;
use crate::error::{JobError, StageName, panic_message};
use crate::registry::{Checkpoint, PartitionResult, Spans};
use crate::synthesis::{HAND_OVER, Synthesised};

/// Runs until the queue is closed.
pub(crate) fn run(shared: &Shared, mut random: impl CryptoRngCore) {
    while let Some(synthesised) = shared.ready.pop() {
        if shared.registry.checkpoint(&synthesised.job) == Checkpoint::GoOn {
            prove_one(shared, &mut random, synthesised);
        }
    }
}

fn prove_one(shared: &Shared, random: &mut impl CryptoRngCore, synthesised: Synthesised) {
    let (job, partition) = (synthesised.job.clone(), synthesised.timeline.partition());
    shared.set_proving(Some(job.id.clone()));
    let result = catch_unwind(AssertUnwindSafe(|| prove_verified(shared, random, &synthesised)));
    // The last use of the assignment was some milliseconds ago. It is freed only now because returning gigabytes to the
    // system takes time, which would lie inside the total and belong to no phase.
    drop(synthesised);
    shared.set_proving(None);
    match result {
        Ok(Ok(result)) => shared.registry.finish_partition(&job, partition, result),
        Ok(Err(error)) => shared.registry.fail(&job, error),
        Err(panic) => {
            let message = panic_message(&*panic);
            shared.registry.fail(
                &job,
                JobError::Panicked {
                    stage: StageName::Proving,
                    partition,
                    message,
                },
            );
        }
    }
}

fn prove_verified(
    shared: &Shared,
    random: &mut impl CryptoRngCore,
    synthesised: &Synthesised,
) -> Result<PartitionResult, JobError> {
    let Synthesised {
        timeline,
        assignment,
        parameters,
        begin,
        ready,
        ..
    } = synthesised;
    let taken = Instant::now();
    let waited = taken.saturating_duration_since(*ready);
    if waited >= HAND_OVER {
        timeline.print(phase::BACKEND_WAIT, *ready, waited, &[]);
    }
    let blinding = Blinding::random(random);
    let proof = prove(&*shared.backend, &parameters.srs, assignment, &blinding, timeline)?;
    let backend = taken.elapsed();
    timeline.measure(phase::VERIFY, || check(synthesised, &proof))?;
    let end = Instant::now();
    timeline.print(phase::TOTAL, *begin, end - *begin, &[]);
    let Synthesised {
        srs_load, synthesis, ..
    } = *synthesised;
    let spans = Spans {
        begin: *begin,
        end,
        srs_load,
        synthesis,
        backend,
    };
    Ok(PartitionResult {
        proof: proof.to_bytes(),
        parameters: parameters.clone(),
        spans,
    })
}

/// With the public inputs of the task, as a verifier elsewhere will do it, and with the trusted key.
fn check(synthesised: &Synthesised, proof: &Proof) -> Result<(), JobError> {
    let partition = synthesised.timeline.partition();
    verify(&synthesised.parameters.key, proof, &synthesised.public_inputs)
        .map_err(|source| JobError::ProofInvalid { partition, source })
}
