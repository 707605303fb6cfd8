//! WinningPoSt for one 32 GiB sector: from a request's bytes to a circuit with a witness.
//!
//! A request is untrusted. Its vanilla proof has exactly one valid layout, so every length, tree kind, path index and field
//! element is checked on the raw bytes (`wire`) before anything is allocated or handed to code that panics on a malformed
//! proof; then the vanilla proof is verified (`vanilla`); only then is there a circuit (`circuit`).
//!
//! Left out: challenging and reading sectors. A storage system does that and sends the result.
mod circuit;
mod error;
pub(crate) mod vanilla;
pub(crate) mod wire;

pub use circuit::WinningCircuit;
pub use error::{Place, RequestError};
pub use wire::WIRE_BYTES;

use crate::kind::ProofKind;
use crate::task::{CircuitInstance, Partition, ProofTask};
use vanilla::Statement;

/// Challenges of a WinningPoSt proof, all of one sector.
pub const CHALLENGES: usize = filecoin_proofs::constants::WINNING_POST_CHALLENGE_COUNT;

/// A request for a WinningPoSt proof as a storage system sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinningRequest {
    pub miner_id: MinerId,
    /// The beacon's 32 bytes, raw: the two top bits are cleared before use, as every Filecoin caller does (the challenge
    /// hash takes a field element), so that masked and raw randomness ask for the same proof.
    pub randomness: [u8; 32],
    /// Bincode form of one `FallbackPoStSectorProof` for a 32 GiB sector, [`WIRE_BYTES`] long.
    pub vanilla_proof: Vec<u8>,
}

/// Actor id of a storage provider (the number in `f01000`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MinerId(pub u64);

impl MinerId {
    /// The id as the proofs see it: the payload of its ID address (an unsigned LEB128 number), zero padded to 32 bytes.
    ///
    /// # Errors
    /// An id of 2^63 or more, which no Filecoin address can hold.
    pub fn prover_id(self) -> Result<[u8; 32], RequestError> {
        if i64::try_from(self.0).is_err() {
            return Err(RequestError::MinerId { actual: self.0 });
        }
        let mut bytes = [0; 32];
        let mut rest = self.0;
        for byte in &mut bytes {
            let low = rest as u8 & 0x7f;
            rest >>= 7;
            *byte = if rest == 0 { low } else { low | 0x80 };
            if rest == 0 {
                break;
            }
        }
        Ok(bytes)
    }
}

impl WinningRequest {
    /// Takes the parts of a wire message, whose lengths nobody has checked.
    ///
    /// # Errors
    /// Randomness that is not 32 bytes, or another number of vanilla proofs than one.
    pub fn from_wire(miner_id: u64, randomness: &[u8], vanilla_proofs: Vec<Vec<u8>>) -> Result<Self, RequestError> {
        let randomness = randomness.try_into().map_err(|_| RequestError::RandomnessLength {
            actual: randomness.len(),
        })?;
        let [vanilla_proof] = <[Vec<u8>; 1]>::try_from(vanilla_proofs)
            .map_err(|proofs| RequestError::VanillaProofCount { actual: proofs.len() })?;
        Ok(Self {
            miner_id: MinerId(miner_id),
            randomness,
            vanilla_proof,
        })
    }

    /// Checks the request and builds its circuit and public inputs.
    ///
    /// Takes at most [`WIRE_BYTES`] of the input into account, whatever its length, and some tens of milliseconds.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place in the proof.
    pub fn decode(&self) -> Result<ProofTask, RequestError> {
        let prover_id = self.miner_id.prover_id()?;
        let sector_proof = wire::decode(&self.vanilla_proof)?;
        let statement = Statement::new(self.randomness, prover_id, &sector_proof);
        let proof = statement.verified_proof(&sector_proof)?;
        let circuit = CircuitInstance::Winning(WinningCircuit::new(&statement, &proof)?);
        let partition = Partition {
            circuit,
            public_inputs: statement.public_inputs()?,
        };
        Ok(ProofTask {
            kind: ProofKind::Winning32G,
            partitions: vec![partition],
        })
    }
}

#[cfg(test)]
mod tests;
