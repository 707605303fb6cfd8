//! From the engine's words to the wire's: outcomes, errors, metadata.

use std::time::Duration;

use cuzk_engine::{Completed, JobError, Outcome, ParameterError, SubmitError};
use cuzk_groth16::contract::JobId;
use cuzk_groth16::srs::trust::Provenance;
use cuzk_proto::{
    DEVELOPMENT_PARAMETERS_METADATA, FAILURE_METADATA, PROOF_INVALID_FAILURE, VERIFYING_KEY_METADATA, v1,
};
use tonic::metadata::{AsciiMetadataValue, MetadataMap};
use tonic::{Response, Status};

/// The answer for a job that is over.
pub fn outcome(id: &JobId, outcome: &Outcome) -> v1::AwaitProofResponse {
    let response = v1::AwaitProofResponse {
        job_id: id.to_string(),
        ..Default::default()
    };
    match outcome {
        Outcome::Completed(completed) => completed_response(response, completed),
        Outcome::Failed(error) => {
            let status = v1::await_proof_response::Status::Failed.into();
            v1::AwaitProofResponse {
                status,
                error_message: error.to_string(),
                ..response
            }
        }
        Outcome::Cancelled => {
            let status = v1::await_proof_response::Status::Cancelled.into();
            v1::AwaitProofResponse {
                status,
                error_message: "the job was cancelled".into(),
                ..response
            }
        }
    }
}

fn completed_response(response: v1::AwaitProofResponse, completed: &Completed) -> v1::AwaitProofResponse {
    let timings = completed.timings;
    v1::AwaitProofResponse {
        status: v1::await_proof_response::Status::Completed.into(),
        proof: completed.proof_bytes(),
        queue_wait_ms: milliseconds(timings.queue),
        srs_load_ms: milliseconds(timings.srs_load),
        synthesis_ms: milliseconds(timings.synthesis),
        gpu_compute_ms: milliseconds(timings.backend),
        total_ms: milliseconds(timings.total),
        ..response
    }
}

/// The answer for a wait that ended before its job.
pub fn timed_out(id: &JobId) -> v1::AwaitProofResponse {
    v1::AwaitProofResponse {
        job_id: id.to_string(),
        status: v1::await_proof_response::Status::Timeout.into(),
        error_message: "the job is not finished yet".into(),
        ..Default::default()
    }
}

/// Wraps a message, with what the fixed messages have no field for as metadata.
pub fn with_metadata<T>(message: T, outcome: &Outcome) -> Response<T> {
    let mut response = Response::new(message);
    match outcome {
        Outcome::Completed(completed) => describe(response.metadata_mut(), completed),
        Outcome::Failed(error) if matches!(**error, JobError::ProofInvalid { .. }) => {
            let value = AsciiMetadataValue::from_static(PROOF_INVALID_FAILURE);
            response.metadata_mut().insert(FAILURE_METADATA, value);
        }
        Outcome::Failed(_) | Outcome::Cancelled => {}
    }
    response
}

fn describe(metadata: &mut MetadataMap, completed: &Completed) {
    if let Ok(digest) = AsciiMetadataValue::try_from(verifying_key_hex(completed)) {
        metadata.insert(VERIFYING_KEY_METADATA, digest);
    }
    if is_development(completed) {
        metadata.insert(DEVELOPMENT_PARAMETERS_METADATA, AsciiMetadataValue::from_static("true"));
    }
}

pub fn is_development(completed: &Completed) -> bool {
    completed.provenance == Provenance::Development
}

pub fn verifying_key_hex(completed: &Completed) -> String {
    hex::encode(completed.verifying_key_sha256)
}

pub fn milliseconds(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}

/// The status of a job that is not accepted.
pub fn submit_error(error: &SubmitError) -> Status {
    let message = error.to_string();
    match error {
        SubmitError::Full { .. } => Status::resource_exhausted(message),
        SubmitError::Draining => Status::unavailable(message),
        SubmitError::OtherContent { .. } => Status::already_exists(message),
        SubmitError::StillStopping { .. } => Status::aborted(message),
        SubmitError::NoPartitions { .. } => Status::internal(message),
    }
}

pub fn parameter_error(error: &ParameterError) -> Status {
    Status::failed_precondition(error.to_string())
}

pub fn unknown_job(id: &JobId) -> Status {
    Status::not_found(format!(
        "no job {id} (hint: results are kept for a while after the job is finished)"
    ))
}
