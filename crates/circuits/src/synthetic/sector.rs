//! A 32 GiB sector that was never sealed: the part of its tree that a WinningPoSt looks at.
//!
//! Left out: data, labels and columns. The circuit sees `comm_c` as a number and the replica's tree as paths, nothing below.
use filecoin_hashers::HashFunction;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonFunction};
use storage_proofs_post::fallback;

use super::Seed;
use super::derive::{Label, bytes, field_element, id};
use super::tree::SparseTree;
use crate::winning::vanilla::{InclusionProof, challenged_leaves, masked};
use crate::winning::wire::{BASE_LEVELS, SUB_LEVELS, SectorProof, encode};
use crate::winning::{MinerId, RequestError, WinningRequest};

pub(super) fn winning_request(seed: Seed) -> Result<WinningRequest, RequestError> {
    let randomness = bytes(seed, Label::Randomness, 0);
    let sector_id = id(seed, Label::SectorId);
    let challenges = challenged_leaves(masked(randomness), sector_id);
    let proof = sector_proof(seed, sector_id, &challenges);
    Ok(WinningRequest {
        miner_id: MinerId(id(seed, Label::MinerId)),
        randomness,
        vanilla_proof: encode(&proof)?,
    })
}

fn sector_proof(seed: Seed, sector_id: u64, challenges: &[u64]) -> SectorProof {
    let leaves = challenges
        .iter()
        .map(|&leaf| (leaf, field_element(seed, Label::Leaf, leaf)))
        .collect();
    let default = field_element(seed, Label::DefaultLeaf, 0);
    let tree = SparseTree::build(leaves, default, BASE_LEVELS + SUB_LEVELS);
    let comm_c = field_element(seed, Label::CommC, 0);
    let comm_r_last = tree.root();
    let inclusion_proofs = challenges.iter().map(|&leaf| inclusion_proof(&tree, leaf)).collect();
    SectorProof {
        sector_id: sector_id.into(),
        comm_r: comm_r(comm_c, comm_r_last),
        vanilla_proof: fallback::Proof {
            sectors: vec![fallback::SectorProof {
                inclusion_proofs,
                comm_c,
                comm_r_last,
            }],
        },
    }
}

fn inclusion_proof(tree: &SparseTree, leaf: u64) -> InclusionProof {
    InclusionProof::from_parts(tree.leaf(leaf), tree.root(), tree.path(leaf))
}

fn comm_r(comm_c: PoseidonDomain, comm_r_last: PoseidonDomain) -> PoseidonDomain {
    PoseidonFunction::hash2(&comm_c, &comm_r_last)
}
