//! Same seed, same bytes; two seeds, nothing in common.
use std::collections::{BTreeMap, BTreeSet};

use filecoin_hashers::HashFunction;
use filecoin_hashers::poseidon::PoseidonDomain;
use filecoin_hashers::sha256::{Sha256Domain, Sha256Function, Sha256Hasher};
use storage_proofs_core::merkle::{BinaryMerkleTree, MerkleProofTrait, MerkleTreeTrait};

use super::data::PeriodicTree;
use super::derive::{Label, field_element};
use super::tree::SparseTree;
use super::*;
use crate::winning::wire;

#[test]
fn seed_decides_every_byte() {
    assert_eq!(winning_request(Seed(1)).unwrap(), winning_request(Seed(1)).unwrap());
}

#[test]
fn two_seeds_share_nothing() {
    let (one, two) = (winning_request(Seed(1)).unwrap(), winning_request(Seed(2)).unwrap());
    assert_ne!(one.miner_id, two.miner_id);
    assert_ne!(one.randomness, two.randomness);
    assert_ne!(one.vanilla_proof[..8], two.vanilla_proof[..8], "sector id");
    let (one, two) = (field_elements(&one), field_elements(&two));
    // At least 66 leaves, ten levels' defaults and three commitments; the rest are nodes beside which another path runs.
    assert!(one.len() >= 79 && two.len() >= 79, "{} and {}", one.len(), two.len());
    assert!(one.is_disjoint(&two));
}

fn field_elements(request: &WinningRequest) -> BTreeSet<PoseidonDomain> {
    let proof = wire::decode(&request.vanilla_proof).unwrap();
    let sector = &proof.vanilla_proof.sectors[0];
    let siblings = sector.paths().into_iter().flatten().flat_map(|(siblings, _)| siblings);
    let commitments = [proof.comm_r, sector.comm_c, sector.comm_r_last];
    siblings
        .chain(commitments)
        .chain(sector.leafs())
        .chain(sector.commitments())
        .collect()
}

#[test]
fn labels_and_indices_separate() {
    let all = [
        field_element(Seed(1), Label::Leaf, 0),
        field_element(Seed(1), Label::Leaf, 1),
        field_element(Seed(1), Label::DefaultLeaf, 0),
        field_element(Seed(2), Label::Leaf, 0),
    ];
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

/// The sparse tree against the dense one, built level by level with the hasher of the published tree.
#[test]
fn sparse_tree_is_the_dense_tree() {
    let default = field_element(Seed(3), Label::DefaultLeaf, 0);
    let leaves: BTreeMap<u64, PoseidonDomain> = [0, 9, 17, 63]
        .map(|leaf| (leaf, field_element(Seed(3), Label::Leaf, leaf)))
        .into();
    let tree = SparseTree::build(leaves.clone(), default, 2);
    let mut level: Vec<PoseidonDomain> = (0..64)
        .map(|leaf| leaves.get(&leaf).copied().unwrap_or(default))
        .collect();
    while level.len() > 1 {
        level = level.chunks(8).map(dense_node).collect();
    }
    assert_eq!(tree.root(), level[0]);
}

fn dense_node(children: &[PoseidonDomain]) -> PoseidonDomain {
    use filecoin_hashers::POSEIDON_CONSTANTS_8;
    let scalars: Vec<blstrs::Scalar> = children.iter().map(|child| (*child).into()).collect();
    neptune::Poseidon::new_with_preimage(&scalars, &POSEIDON_CONSTANTS_8)
        .hash()
        .into()
}

/// The periodic tree against the dense one over the repeated leaves; its paths against the published verifier.
#[test]
fn periodic_tree_is_the_dense_tree() {
    let period: Vec<Sha256Domain> = (0..4)
        .map(|leaf| Sha256Domain(field_element(Seed(4), Label::Data, leaf).into()))
        .collect();
    let leaves: Vec<Sha256Domain> = period.iter().copied().cycle().take(32).collect();
    let tree = PeriodicTree::build(period, 32);
    let mut level = leaves.clone();
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| Sha256Function::hash2(&pair[0], &pair[1]))
            .collect();
    }
    assert_eq!(tree.root(), level[0]);
    for (index, leaf) in leaves.into_iter().enumerate() {
        type Proof = <BinaryMerkleTree<Sha256Hasher> as MerkleTreeTrait>::Proof;
        let proof = Proof::from_parts(tree.leaf(index), tree.root(), tree.path(index));
        assert!(proof.leaf() == leaf && proof.validate(index), "leaf {index}");
    }
}
