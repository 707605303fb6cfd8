//! Why a job is not accepted, and why an accepted one failed.

use std::fmt;

use cuzk_groth16::contract::{JobId, PartitionIndex};
use cuzk_groth16::{ProveError, SynthesisFailure, VerifyError};

use crate::parameters::ParameterError;

/// The engine does not take a job.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    #[error("the engine holds {limit} unfinished jobs, which is its limit (hint: try again when one is finished)")]
    Full { limit: usize },
    #[error("the engine is shutting down and takes no more jobs (hint: send the request to another daemon, or later)")]
    Draining,
    #[error(
        "job {id} is in flight with other content (hint: an id names one request; use a new id, or wait until the job is finished)"
    )]
    OtherContent { id: JobId },
    #[error("job {id} was cancelled and is still being stopped (hint: try again, or use a new id)")]
    StillStopping { id: JobId },
    #[error("job {id} has no partitions to prove")]
    NoPartitions { id: JobId },
}

/// One of the engine's stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageName {
    Synthesis,
    Proving,
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Synthesis => "synthesis",
            Self::Proving => "proving",
        })
    }
}

/// An accepted job has no result.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    #[error(transparent)]
    Synthesis(#[from] SynthesisFailure),
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The proof exists but is not returned: nobody would accept it.
    #[error("the proof of partition {partition} did not verify: {source}")]
    ProofInvalid {
        partition: PartitionIndex,
        source: VerifyError,
    },
    #[error("{stage} of partition {partition} panicked: {message} (hint: this is a defect of the program)")]
    Panicked {
        stage: StageName,
        partition: PartitionIndex,
        message: String,
    },
    #[error("the engine was stopped before the job was finished (hint: send the request again)")]
    Stopped,
}

/// What a panic said; panics carry a string unless somebody went out of his way.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
