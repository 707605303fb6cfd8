//! Inputs made from a seed: the same seed gives the same bytes on every machine, two seeds share nothing.
//!
//! Left out: anything secret. What is made here is for development and measurement, and is public by construction.
mod data;
mod derive;
mod labels;
mod porep;
mod sector;
mod tree;

use thiserror::Error;

use crate::bench::{self, BenchCircuit};
use crate::kind::{BenchSpec, ProofKind};
use crate::porep::{PorepError, PorepKind, SealedSector};
use crate::task::{CircuitInstance, Partition, ProofTask};
use crate::winning::{RequestError, WinningRequest};

/// Decides every input of a synthetic proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

/// What was made from a seed does not pass the checks that real inputs must pass: a defect of this crate.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SyntheticError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Porep(#[from] PorepError),
}

/// A WinningPoSt request about a 32 GiB sector that was never sealed, in the wire form of a real one.
///
/// Sector, miner, randomness, leaves and `comm_c` all follow from the seed. Unchallenged leaves share one value, so the tree
/// of 2^30 leaves costs 66 paths of hashes.
///
/// # Errors
/// [`RequestError::Codec`], should the encoder of the wire form fail.
pub fn winning_request(seed: Seed) -> Result<WinningRequest, RequestError> {
    sector::winning_request(seed)
}

/// The first commit phase of a sector that was never sealed, verified like a real one's.
///
/// Identity, ticket, data, labels and the leaves that nobody looks at all follow from the seed. At 32 GiB it takes some seconds
/// and 24 MB.
///
/// # Errors
/// Those of the vanilla verifier, which a synthetic sector passes.
pub fn sealed_sector(kind: PorepKind, seed: Seed) -> Result<SealedSector, SyntheticError> {
    porep::sealed_sector(kind, seed)
}

/// The bench circuit with the witness of `seed`.
pub fn bench_task(spec: BenchSpec, seed: Seed) -> ProofTask {
    let circuit = CircuitInstance::Bench(BenchCircuit::with_seed(spec, seed));
    let partition = Partition {
        circuit,
        public_inputs: vec![bench::public_output(spec, seed)],
    };
    ProofTask {
        kind: ProofKind::Bench(spec),
        partitions: vec![partition],
    }
}

/// A task of any kind. A Filecoin kind goes the whole way of a request, through its wire form and all checks.
///
/// # Errors
/// Those of the checks, which synthetic inputs pass.
pub fn task(kind: &ProofKind, seed: Seed) -> Result<ProofTask, SyntheticError> {
    match kind {
        ProofKind::Winning32G => Ok(winning_request(seed)?.decode()?),
        ProofKind::Porep(kind) => Ok(sealed_sector(*kind, seed)?.task()?),
        ProofKind::Bench(spec) => Ok(bench_task(*spec, seed)),
    }
}

#[cfg(test)]
mod tests;
