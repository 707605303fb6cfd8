//! What the engine says about itself.

use std::time::Duration;

use cuzk_circuits::ProofKind;
use cuzk_groth16::contract::JobId;
use cuzk_groth16::srs::trust::Provenance;

/// Proof kinds that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    WinningPost,
    Porep,
    /// Bench circuits of every size.
    Bench,
}

impl Family {
    pub fn of(kind: &ProofKind) -> Self {
        match kind {
            ProofKind::Winning32G => Self::WinningPost,
            ProofKind::Porep(_) => Self::Porep,
            ProofKind::Bench(_) => Self::Bench,
        }
    }
}

/// Counters since start, and jobs now.
#[derive(Clone, Debug)]
pub struct FamilyStatus {
    pub family: Family,
    pub pending: u32,
    pub in_progress: u32,
    pub completed: u64,
    pub failed: u64,
    pub cancelled: u64,
    /// Sum of the totals of completed jobs.
    pub proving_time: Duration,
}

impl FamilyStatus {
    pub(crate) fn new(family: Family) -> Self {
        let proving_time = Duration::ZERO;
        Self {
            family,
            pending: 0,
            in_progress: 0,
            completed: 0,
            failed: 0,
            cancelled: 0,
            proving_time,
        }
    }
}

/// One circuit's parameters in memory.
#[derive(Clone, Debug)]
pub struct ParametersStatus {
    pub circuit_id: String,
    pub bytes: u64,
    /// Partitions in work that hold them.
    pub users: usize,
    pub provenance: Provenance,
}

/// A snapshot; its parts are taken one after the other.
#[derive(Clone, Debug)]
pub struct Status {
    /// Sorted; families that never had a job are absent.
    pub families: Vec<FamilyStatus>,
    /// Sorted by circuit id.
    pub parameters: Vec<ParametersStatus>,
    /// The job whose partition the backend has in work.
    pub proving: Option<JobId>,
    pub uptime: Duration,
}
