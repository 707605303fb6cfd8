//! A job: what is asked for, what identifies it, what comes out.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_circuits::{ProofKind, ProofTask};
use cuzk_groth16::Proof;
use cuzk_groth16::contract::{JobId, PartitionIndex};
use cuzk_groth16::srs::trust::Provenance;

use crate::error::JobError;

/// How urgent a job is; later variants go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    Low,
    Normal,
    High,
    /// Must complete within a chain epoch.
    Critical,
}

/// SHA-256 over all that decides a job's result, so that a repeated request can be told from a changed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

/// What a caller wants proved.
pub struct JobRequest {
    pub id: JobId,
    pub fingerprint: Fingerprint,
    pub priority: Priority,
    pub task: ProofTask,
}

/// Order of admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sequence(pub u64);

/// Place in a queue: the smallest is taken first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(Reverse<Priority>, Sequence, PartitionIndex);

impl Rank {
    pub fn new(priority: Priority, sequence: Sequence, partition: PartitionIndex) -> Self {
        Self(Reverse(priority), sequence, partition)
    }
}

/// The unchanging part of an accepted job.
pub(crate) struct Job {
    pub id: JobId,
    pub kind: ProofKind,
    pub fingerprint: Fingerprint,
    pub priority: Priority,
    pub sequence: Sequence,
    pub accepted: Instant,
    pub partitions: usize,
}

impl Job {
    pub fn rank(&self, partition: PartitionIndex) -> Rank {
        Rank::new(self.priority, self.sequence, partition)
    }
}

/// How a job ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    Completed(Arc<Completed>),
    Failed(Arc<JobError>),
    Cancelled,
}

/// Proofs that were verified, and under which key.
#[derive(Debug)]
pub struct Completed {
    /// One per partition, in order.
    pub proofs: Vec<[u8; Proof::BYTES]>,
    /// Development proofs say so.
    pub provenance: Provenance,
    /// SHA-256 of the verifying key's file.
    pub verifying_key_sha256: [u8; 32],
    pub timings: Timings,
}

impl Completed {
    /// The proofs one after the other, as clients expect them.
    pub fn proof_bytes(&self) -> Vec<u8> {
        self.proofs.concat()
    }
}

/// Where a job's time went. The parts overlap where work does, so their sum is not the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// From admission to the start of the first synthesis.
    pub queue: Duration,
    /// Reading and checking the parameter file; zero where it was in memory.
    pub srs_load: Duration,
    /// Sum over the partitions.
    pub synthesis: Duration,
    /// Backend and assembly, sum over the partitions.
    pub backend: Duration,
    /// From the start of the first synthesis to the last verified proof.
    pub total: Duration,
}
