//! What a WinningPoSt proof states, and whether a vanilla proof shows it.
//!
//! The published verifier only answers yes or no, and does not look at the `comm_r_last` that the circuit takes as a witness;
//! what it leaves open is checked here, and a refusal is traced to its reason.
//!
//! Left out: the layout of a proof, which is known to be right when it comes here ([`super::wire`]).
use blstrs::Scalar;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonFunction};
use filecoin_hashers::{HashFunction, Hasher};
use filecoin_proofs::constants::{SECTOR_SIZE_32_GIB, SectorShape32GiB};
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::{MerkleProofTrait, MerkleTreeTrait};
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_post::fallback::{
    self, FallbackPoSt, FallbackPoStCompound, PublicInputs, PublicParams, PublicSector, generate_leaf_challenges,
};

use super::CHALLENGES;
use super::error::RequestError;
use super::wire::SectorProof;

pub(crate) type Tree = SectorShape32GiB;
pub(crate) type TreeHasher = <Tree as MerkleTreeTrait>::Hasher;
pub(crate) type InclusionProof = <Tree as MerkleTreeTrait>::Proof;
pub(crate) type PartitionProof = fallback::Proof<InclusionProof>;

// The checks on raw bytes are checks of Poseidon's field; another hasher would need others.
const _: fn(PoseidonDomain) -> <TreeHasher as Hasher>::Domain = |domain| domain;

/// Parameters of the circuit as filecoin-proofs sets them: the 66 challenges of one sector enter as 66 sectors with one
/// challenge each. A WinningPoSt is registered under the first API version, in which the sector's position numbers its challenge.
pub(crate) const PUBLIC_PARAMS: PublicParams = PublicParams {
    sector_size: SECTOR_SIZE_32_GIB,
    challenge_count: 1,
    sector_count: CHALLENGES,
    api_version: ApiVersion::V1_0_0,
};

/// The public side of a proof.
pub(crate) struct Statement {
    pub(crate) public: PublicInputs<PoseidonDomain>,
}

/// `randomness` without its two top bits: a number below 2^254, hence a canonical field element.
pub(crate) fn masked(mut randomness: [u8; 32]) -> PoseidonDomain {
    randomness[31] &= 0x3f;
    PoseidonDomain::from(randomness)
}

/// The leaves that `randomness` (masked) asks of sector `sector_id`, in the order of the inclusion proofs.
pub(crate) fn challenged_leaves(randomness: PoseidonDomain, sector_id: u64) -> Vec<u64> {
    generate_leaf_challenges(&PUBLIC_PARAMS, randomness, sector_id, CHALLENGES)
}

impl Statement {
    pub(crate) fn new(randomness: [u8; 32], prover_id: [u8; 32], proof: &SectorProof) -> Self {
        let sector = PublicSector {
            id: proof.sector_id,
            comm_r: proof.comm_r,
        };
        let public = PublicInputs {
            randomness: masked(randomness),
            prover_id: PoseidonDomain::from(prover_id),
            sectors: vec![sector; CHALLENGES],
            k: None,
        };
        Self { public }
    }

    /// The inputs of the circuit, ONE left out: for each challenge `comm_r` and the leaf's index.
    pub(crate) fn public_inputs(&self) -> Result<Vec<Scalar>, RequestError> {
        FallbackPoStCompound::<Tree>::generate_public_inputs(&self.public, &PUBLIC_PARAMS, None).map_err(refused)
    }

    /// Deals the inclusion proofs out to one sector each, as the circuit takes them, and verifies the result.
    pub(crate) fn verified_proof(&self, proof: &SectorProof) -> Result<PartitionProof, RequestError> {
        let [sector] = &proof.vanilla_proof.sectors[..] else {
            return Err(RequestError::VanillaProofCount {
                actual: proof.vanilla_proof.sectors.len(),
            });
        };
        check_roots(sector)?;
        let partition = PartitionProof {
            sectors: sector.inclusion_proofs.iter().map(|path| alone(sector, path)).collect(),
        };
        let proofs = [partition];
        if !FallbackPoSt::<Tree>::verify_all_partitions(&PUBLIC_PARAMS, &self.public, &proofs).map_err(refused)? {
            return Err(self.why_refused(proof.sector_id.into(), proof.comm_r, sector));
        }
        let [partition] = proofs;
        Ok(partition)
    }

    /// Repeats the verifier's checks one by one, after it has said no.
    fn why_refused(
        &self,
        sector_id: u64,
        comm_r: PoseidonDomain,
        sector: &fallback::SectorProof<InclusionProof>,
    ) -> RequestError {
        if PoseidonFunction::hash2(&sector.comm_c, &sector.comm_r_last) != comm_r {
            return RequestError::CommR;
        }
        let challenges = challenged_leaves(self.public.randomness, sector_id);
        for (proof, (path, expected)) in sector.inclusion_proofs.iter().zip(challenges).enumerate() {
            let actual = path.path_index() as u64;
            if actual != expected {
                return RequestError::Challenge {
                    proof,
                    expected,
                    actual,
                };
            }
            if !path.verify() {
                return RequestError::Inclusion { proof };
            }
        }
        RequestError::Vanilla {
            reason: "no reason found".to_owned(),
        }
    }
}

/// The circuit shows inclusion under `comm_r_last`, the vanilla verifier under each proof's own root: they must agree.
fn check_roots(sector: &fallback::SectorProof<InclusionProof>) -> Result<(), RequestError> {
    match sector
        .inclusion_proofs
        .iter()
        .position(|proof| proof.root() != sector.comm_r_last)
    {
        Some(proof) => Err(RequestError::Root { proof }),
        None => Ok(()),
    }
}

fn alone(
    sector: &fallback::SectorProof<InclusionProof>,
    path: &InclusionProof,
) -> fallback::SectorProof<InclusionProof> {
    fallback::SectorProof {
        inclusion_proofs: vec![path.clone()],
        comm_c: sector.comm_c,
        comm_r_last: sector.comm_r_last,
    }
}

pub(super) fn refused(error: impl std::fmt::Display) -> RequestError {
    RequestError::Vanilla {
        reason: error.to_string(),
    }
}
