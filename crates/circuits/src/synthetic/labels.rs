//! Labels of the challenged nodes of a sector and of their parents, layer by layer.
//!
//! A challenged node's label is the one that sealing gives it; the circuit checks it. Of any other node's labels the circuit
//! checks only that they are in the column tree, so they come from the seed.
use std::collections::BTreeMap;

use filecoin_hashers::poseidon::PoseidonDomain;
use sha2::{Digest, Sha256};
use storage_proofs_core::drgraph::BASE_DEGREE;
use storage_proofs_porep::stacked::TOTAL_PARENTS;

use super::Seed;
use super::derive::{Label, canonical, field_element};

/// Index of a node in the graph.
pub(super) type Node = u32;

/// The labels of every layer at the nodes that the challenges open.
pub(super) struct Labels {
    layers: usize,
    /// Of the challenged nodes.
    parents: BTreeMap<Node, Vec<Node>>,
    /// Labels from layer 1 up.
    columns: BTreeMap<Node, Vec<PoseidonDomain>>,
}

impl Labels {
    /// `parents` holds each challenged node's parents, those of its own layer first.
    pub(super) fn compute(
        seed: Seed,
        layers: usize,
        replica_id: PoseidonDomain,
        parents: BTreeMap<Node, Vec<Node>>,
    ) -> Self {
        let mut labels = Self {
            layers,
            columns: free_columns(seed, layers, &parents),
            parents,
        };
        let challenged: Vec<Node> = labels.challenged().collect();
        for layer in 1..=layers {
            // In ascending order, as in sealing: a parent in the same layer has a smaller index, and its label is ready.
            for &node in &challenged {
                let label = label(replica_id, layer, node, &labels.inputs(node, layer));
                labels.columns.entry(node).or_default().push(label);
            }
        }
        labels
    }

    pub(super) fn layers(&self) -> usize {
        self.layers
    }

    pub(super) fn challenged(&self) -> impl Iterator<Item = Node> {
        self.parents.keys().copied()
    }

    /// Challenged nodes and parents, with their labels.
    pub(super) fn columns(&self) -> impl Iterator<Item = (Node, &[PoseidonDomain])> {
        self.columns.iter().map(|(&node, column)| (node, &column[..]))
    }

    pub(super) fn column(&self, node: Node) -> &[PoseidonDomain] {
        &self.columns[&node]
    }

    /// What the node's data is encoded with: its label in the last layer.
    pub(super) fn key(&self, node: Node) -> PoseidonDomain {
        self.column(node)[self.layers - 1]
    }

    pub(super) fn base_parents(&self, challenged: Node) -> &[Node] {
        &self.parents[&challenged][..BASE_DEGREE]
    }

    pub(super) fn expander_parents(&self, challenged: Node) -> &[Node] {
        &self.parents[&challenged][BASE_DEGREE..]
    }

    /// The parents' labels that go into a challenged node's label, repeated up to the fixed number of them.
    pub(super) fn inputs(&self, challenged: Node, layer: usize) -> Vec<PoseidonDomain> {
        let base = self.base_parents(challenged).iter();
        let mut inputs: Vec<_> = base.map(|parent| self.columns[parent][layer - 1]).collect();
        if layer > 1 {
            let expander = self.expander_parents(challenged).iter();
            inputs.extend(expander.map(|parent| self.columns[parent][layer - 2]));
        }
        inputs.iter().copied().cycle().take(TOTAL_PARENTS).collect()
    }
}

/// The columns of parents that are not challenged.
fn free_columns(seed: Seed, layers: usize, parents: &BTreeMap<Node, Vec<Node>>) -> BTreeMap<Node, Vec<PoseidonDomain>> {
    let free = parents.values().flatten().filter(|node| !parents.contains_key(node));
    let index = |layer: usize, node: Node| (layer as u64) << 32 | u64::from(node);
    let column = |node| {
        (1..=layers)
            .map(|layer| field_element(seed, Label::Unchallenged, index(layer, node)))
            .collect()
    };
    free.map(|&node| (node, column(node))).collect()
}

/// SHA-256 of replica id, layer, node and parents' labels, cut to a field element.
fn label(replica_id: PoseidonDomain, layer: usize, node: Node, inputs: &[PoseidonDomain]) -> PoseidonDomain {
    let mut hash = Sha256::new()
        .chain_update(<[u8; 32]>::from(replica_id))
        .chain_update((layer as u32).to_be_bytes())
        .chain_update(u64::from(node).to_be_bytes())
        .chain_update([0; 20]);
    for input in inputs {
        hash.update(<[u8; 32]>::from(*input));
    }
    canonical(hash.finalize().into())
}
