//! A Poseidon Merkle tree of which only few leaves differ from a default: as many hashes as the paths have nodes.
//!
//! Left out: trees with another arity or hasher, until a proof kind needs one.
use std::collections::BTreeMap;

use filecoin_hashers::HashFunction;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonFunction};

/// Children of a node.
pub(super) const ARITY: u64 = 8;

/// Nodes that differ from their level's default, leaves first, and the defaults.
pub(super) struct SparseTree {
    levels: Vec<Level>,
}

struct Level {
    nodes: BTreeMap<u64, PoseidonDomain>,
    default: PoseidonDomain,
}

/// Siblings of a path's node in order, and its position among them.
pub(super) type PathElement = (Vec<PoseidonDomain>, usize);

impl SparseTree {
    /// A tree of `8^height` leaves; those not in `leaves` are `default`.
    pub(super) fn build(leaves: BTreeMap<u64, PoseidonDomain>, default: PoseidonDomain, height: usize) -> Self {
        let mut levels = vec![Level { nodes: leaves, default }];
        for height in 0..height {
            let next = levels[height].parents();
            levels.push(next);
        }
        Self { levels }
    }

    pub(super) fn root(&self) -> PoseidonDomain {
        self.levels[self.levels.len() - 1].node(0)
    }

    pub(super) fn leaf(&self, index: u64) -> PoseidonDomain {
        self.levels[0].node(index)
    }

    /// From leaf `index` up to, without, the root.
    pub(super) fn path(&self, index: u64) -> Vec<PathElement> {
        let below_root = &self.levels[..self.levels.len() - 1];
        let mut index = index;
        let mut path = Vec::with_capacity(below_root.len());
        for level in below_root {
            let mut siblings = level.children(index / ARITY);
            let position = (index % ARITY) as usize;
            siblings.remove(position);
            path.push((siblings, position));
            index /= ARITY;
        }
        path
    }
}

impl Level {
    fn node(&self, index: u64) -> PoseidonDomain {
        self.nodes.get(&index).copied().unwrap_or(self.default)
    }

    fn children(&self, parent: u64) -> Vec<PoseidonDomain> {
        (parent * ARITY..(parent + 1) * ARITY)
            .map(|child| self.node(child))
            .collect()
    }

    fn parents(&self) -> Self {
        let mut nodes = BTreeMap::new();
        for child in self.nodes.keys() {
            let parent = child / ARITY;
            nodes.entry(parent).or_insert_with(|| hash(&self.children(parent)));
        }
        Self {
            nodes,
            default: hash(&[self.default; ARITY as usize]),
        }
    }
}

fn hash(children: &[PoseidonDomain]) -> PoseidonDomain {
    let bytes: Vec<u8> = children.iter().flat_map(|child| <[u8; 32]>::from(*child)).collect();
    <PoseidonFunction as HashFunction<PoseidonDomain>>::hash(&bytes)
}
