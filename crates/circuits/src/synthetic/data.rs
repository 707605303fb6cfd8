//! A binary Merkle tree over data that repeats: as many hashes as one period and the levels above it have nodes.
use filecoin_hashers::HashFunction;
use filecoin_hashers::sha256::{Sha256Domain, Sha256Function};

/// One period of each level, leaves first. A level above the period holds one node, which all its nodes equal.
pub(super) struct PeriodicTree {
    levels: Vec<Vec<Sha256Domain>>,
}

impl PeriodicTree {
    /// A tree of `leaves` leaves that repeat `period`; both counts are powers of two.
    pub(super) fn build(period: Vec<Sha256Domain>, leaves: usize) -> Self {
        debug_assert!(period.len().is_power_of_two() && leaves.is_power_of_two() && period.len() <= leaves);
        let mut levels = vec![period];
        for height in 0..leaves.ilog2() as usize {
            let next = parents(&levels[height]);
            levels.push(next);
        }
        Self { levels }
    }

    pub(super) fn root(&self) -> Sha256Domain {
        self.levels[self.levels.len() - 1][0]
    }

    pub(super) fn leaf(&self, index: usize) -> Sha256Domain {
        node(&self.levels[0], index)
    }

    /// From leaf `index` up to, without, the root: the sibling, and the side on which the path's own node is.
    pub(super) fn path(&self, index: usize) -> Vec<(Vec<Sha256Domain>, usize)> {
        let below_root = &self.levels[..self.levels.len() - 1];
        let step = |(height, level): (usize, &Vec<Sha256Domain>)| {
            let index = index >> height;
            (vec![node(level, index ^ 1)], index & 1)
        };
        below_root.iter().enumerate().map(step).collect()
    }
}

fn node(level: &[Sha256Domain], index: usize) -> Sha256Domain {
    level[index % level.len()]
}

fn parents(level: &[Sha256Domain]) -> Vec<Sha256Domain> {
    match level {
        [alone] => vec![Sha256Function::hash2(alone, alone)],
        _ => level
            .chunks_exact(2)
            .map(|pair| Sha256Function::hash2(&pair[0], &pair[1]))
            .collect(),
    }
}
