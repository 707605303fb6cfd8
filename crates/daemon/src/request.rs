//! Requests of `cuzk.v1`, read strictly: what is asked, under which name, how urgently.
//!
//! Everything here is cheap, whatever the size of the message: a proof of the wrong length is refused before a byte of it is
//! looked at. Left out: the contents of vanilla proofs (`cuzk-circuits`).

use std::time::{Duration, Instant};

use cuzk_circuits::winning::{RequestError, WIRE_BYTES, WinningRequest};
use cuzk_circuits::{KindError, ProofKind};
use cuzk_engine::{Fingerprint, Priority};
use cuzk_groth16::contract::JobId;
use cuzk_proto::v1;
use sha2::{Digest, Sha256};
use tonic::{Code, Status};

const SECTOR_32_GIB: u64 = 32 << 30;
/// `StackedDrgWinning32GiBV1` among Filecoin's RegisteredPoStProof numbers.
const REGISTERED_WINNING_32_GIB: u64 = 3;

/// A request whose outer form is right.
#[derive(Debug)]
pub struct ProofRequest {
    /// `None` leaves the choice to the daemon.
    pub id: Option<JobId>,
    pub priority: Priority,
    pub fingerprint: Fingerprint,
    pub winning: WinningRequest,
}

/// Why a request is refused before it becomes a job.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    #[error("the request is empty: field {field} is missing")]
    Missing { field: &'static str },
    #[error(
        "request id {actual:?} is not a name (hint: at most {} characters of [A-Za-z0-9._:-])",
        JobId::MAX_BYTES
    )]
    RequestId { actual: String },
    #[error("unknown proof kind {actual} (hint: {SUPPORTED})")]
    UnknownKind { actual: i32 },
    #[error("proof kind {} is not available yet (hint: {SUPPORTED})", kind.as_str_name())]
    KindNotAvailable { kind: v1::ProofKind },
    #[error("unknown priority {actual} (hint: LOW 1, NORMAL 2, HIGH 3, CRITICAL 4, or 0 for the kind's default)")]
    Priority { actual: i32 },
    #[error("sector_size {actual} is not available (hint: {SECTOR_32_GIB}, that is 32 GiB, or 0)")]
    SectorSize { actual: u64 },
    #[error(
        "registered_proof {actual} is not available (hint: {REGISTERED_WINNING_32_GIB}, StackedDrgWinning32GiBV1, or 0)"
    )]
    RegisteredProof { actual: u64 },
    #[error("vanilla_proof and vanilla_proofs are both given (hint: one of them holds the proof)")]
    BothProofFields,
    #[error(transparent)]
    Winning(#[from] RequestError),
    #[error("circuit id: {0}")]
    CircuitId(#[from] KindError),
    #[error("circuit {kind} is not available yet (hint: this daemon proves winning-32g and bench:K:F)")]
    CircuitNotAvailable { kind: ProofKind },
}

const SUPPORTED: &str = "this daemon proves WINNING_POST, that is 4";

impl From<Rejection> for Status {
    fn from(rejection: Rejection) -> Self {
        let code = match rejection {
            Rejection::KindNotAvailable { .. } => Code::Unimplemented,
            _ => Code::InvalidArgument,
        };
        Self::new(code, rejection.to_string())
    }
}

/// Reads a request.
pub fn read(submit: &v1::SubmitProofRequest) -> Result<ProofRequest, Rejection> {
    check_kind(submit.proof_kind)?;
    let id = optional_id(&submit.request_id)?;
    let priority = priority(submit.priority)?;
    if ![0, SECTOR_32_GIB].contains(&submit.sector_size) {
        return Err(Rejection::SectorSize {
            actual: submit.sector_size,
        });
    }
    if ![0, REGISTERED_WINNING_32_GIB].contains(&submit.registered_proof) {
        return Err(Rejection::RegisteredProof {
            actual: submit.registered_proof,
        });
    }
    let winning = winning(submit)?;
    Ok(ProofRequest {
        id,
        priority,
        fingerprint: fingerprint_of(&winning),
        winning,
    })
}

/// A job's name as a client gives it; empty for none.
pub fn optional_id(text: &str) -> Result<Option<JobId>, Rejection> {
    if text.is_empty() { Ok(None) } else { id(text).map(Some) }
}

/// A job's name as a client gives it.
pub fn id(text: &str) -> Result<JobId, Rejection> {
    // What is not a name may be long: the message repeats the beginning only.
    JobId::new(text).ok_or_else(|| Rejection::RequestId {
        actual: text.chars().take(JobId::MAX_BYTES).collect(),
    })
}

pub fn circuit_id(text: &str) -> Result<ProofKind, Rejection> {
    match text.parse()? {
        kind @ ProofKind::Porep(_) => Err(Rejection::CircuitNotAvailable { kind }),
        kind @ (ProofKind::Winning32G | ProofKind::Bench(_)) => Ok(kind),
    }
}

/// Covers what decides a synthetic proof.
pub fn synthetic_fingerprint(kind: &ProofKind, seed: u64) -> Fingerprint {
    fingerprint("synthetic", &[kind.to_string().as_bytes(), &seed.to_le_bytes()])
}

fn fingerprint_of(winning: &WinningRequest) -> Fingerprint {
    fingerprint(
        "winning",
        &[
            &winning.miner_id.0.to_le_bytes(),
            &winning.randomness,
            &winning.vanilla_proof,
        ],
    )
}

/// Lengths are hashed too, so that parts cannot move from one field into the next.
fn fingerprint(what: &str, parts: &[&[u8]]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in [what.as_bytes()].iter().chain(parts) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Fingerprint(hash.finalize().into())
}

fn check_kind(kind: i32) -> Result<(), Rejection> {
    match v1::ProofKind::try_from(kind) {
        Ok(v1::ProofKind::WinningPost) => Ok(()),
        Ok(v1::ProofKind::Unspecified) | Err(_) => Err(Rejection::UnknownKind { actual: kind }),
        Ok(kind) => Err(Rejection::KindNotAvailable { kind }),
    }
}

fn priority(priority: i32) -> Result<Priority, Rejection> {
    match v1::Priority::try_from(priority) {
        Ok(v1::Priority::Low) => Ok(Priority::Low),
        Ok(v1::Priority::Normal) => Ok(Priority::Normal),
        Ok(v1::Priority::High) => Ok(Priority::High),
        // The default of WinningPoSt.
        Ok(v1::Priority::Critical | v1::Priority::Unspecified) => Ok(Priority::Critical),
        Err(_) => Err(Rejection::Priority { actual: priority }),
    }
}

fn winning(submit: &v1::SubmitProofRequest) -> Result<WinningRequest, Rejection> {
    let single = (!submit.vanilla_proof.is_empty()).then_some(&submit.vanilla_proof);
    let proofs: Vec<_> = match (single, submit.vanilla_proofs.is_empty()) {
        (Some(_), false) => return Err(Rejection::BothProofFields),
        (Some(proof), true) => vec![proof],
        (None, _) => submit.vanilla_proofs.iter().collect(),
    };
    // Before anything is copied: longer ones cannot be right.
    if let Some(proof) = proofs.iter().find(|proof| proof.len() > WIRE_BYTES) {
        return Err(RequestError::TrailingBytes { actual: proof.len() }.into());
    }
    if proofs.len() != 1 {
        return Err(RequestError::VanillaProofCount { actual: proofs.len() }.into());
    }
    let proofs = proofs.into_iter().map(|proof| proof.to_vec()).collect();
    Ok(WinningRequest::from_wire(submit.miner_id, &submit.randomness, proofs)?)
}

/// When a wait for `timeout_ms` ends; `None` for the client that waits for ever, which 0 means.
pub fn deadline(timeout_ms: u64) -> Option<Instant> {
    (timeout_ms > 0).then(|| Instant::now().checked_add(Duration::from_millis(timeout_ms)))?
}

#[cfg(test)]
mod tests;
