//! Inputs made from a seed: the same seed gives the same bytes on every machine, two seeds share nothing.
//!
//! Left out: anything secret. What is made here is for development and measurement, and is public by construction.
mod derive;
mod sector;
mod tree;

use crate::bench::{self, BenchCircuit};
use crate::kind::{BenchSpec, ProofKind};
use crate::task::{CircuitInstance, Partition, ProofTask};
use crate::winning::{RequestError, WinningRequest};

/// Decides every input of a synthetic proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

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
/// Those of [`WinningRequest::decode`], which a synthetic request passes.
pub fn task(kind: &ProofKind, seed: Seed) -> Result<ProofTask, RequestError> {
    match kind {
        ProofKind::Winning32G => winning_request(seed)?.decode(),
        ProofKind::Bench(spec) => Ok(bench_task(*spec, seed)),
    }
}

#[cfg(test)]
mod tests;
