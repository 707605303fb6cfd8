//! A sector that was never sealed: data, labels and trees only where the challenges look.
//!
//! The data comes first, since the replica id depends on its root and the challenges on the replica id; interactive challenges
//! do not depend on `comm_r`. Then each challenged node gets the labels that sealing would give it, from parents whose labels
//! are free unless they are challenged themselves; then columns and replica go into trees of which every other leaf has one
//! value.
//!
//! Left out: synthetic and non-interactive PoRep, whose challenges depend on `comm_r`.
use std::collections::{BTreeMap, BTreeSet};

use blstrs::Scalar;
use filecoin_hashers::HashFunction;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonFunction, PoseidonHasher};
use filecoin_hashers::sha256::Sha256Domain;
use storage_proofs_core::drgraph::Graph;
use storage_proofs_core::merkle::{MerkleProof, MerkleTreeTrait};
use storage_proofs_porep::stacked::{
    Column, ColumnProof, EncodingProof, LabelingProof, ReplicaColumnProof, Tau, generate_replica_id,
};

use super::data::PeriodicTree;
use super::derive::{Label, bytes, field_element, id};
use super::labels::{Labels, Node};
use super::tree::{ARITY, SparseTree};
use super::{Seed, SyntheticError};
use crate::porep::{
    Params, PorepError, PorepKind, SealedSector, Sector, SectorSize, Statement, Tree2KiB, Tree32GiB, TreeShape,
    VanillaProof, refused,
};
use crate::winning::MinerId;

/// Leaves after which the data repeats. Enough that no two nodes near each other share their paths, few enough to hash.
const DATA_PERIOD: usize = 1 << 12;

pub(super) fn sealed_sector(kind: PorepKind, seed: Seed) -> Result<SealedSector, SyntheticError> {
    Ok(match kind.sector_size() {
        SectorSize::TwoKiB => sector::<Tree2KiB>(kind, seed)?.into(),
        SectorSize::ThirtyTwoGiB => sector::<Tree32GiB>(kind, seed)?.into(),
    })
}

fn sector<Tree: TreeShape>(kind: PorepKind, seed: Seed) -> Result<Sector<Tree>, SyntheticError> {
    let params = kind.params::<Tree>();
    let nodes = params.graph.size();
    let data = data(seed, nodes);
    let mut statement = statement(kind, seed, data.root())?;
    let challenges: Vec<Vec<usize>> = (0..kind.partitions())
        .map(|partition| statement.challenges(&params.challenges, nodes, Some(partition)))
        .collect();
    let parents = parents(&params, &challenges)?;
    let labels = Labels::compute(seed, params.num_layers, statement.replica_id, parents);
    let replica = Replica::encode(seed, nodes, data, labels)?;
    statement.tau = Some(replica.commitments());
    let proofs = challenges
        .iter()
        .map(|nodes| nodes.iter().map(|&node| replica.prove(node as Node)).collect())
        .collect();
    Ok(Sector::verified(kind, statement, proofs)?)
}

fn data(seed: Seed, nodes: usize) -> PeriodicTree {
    let leaves = (0..nodes.min(DATA_PERIOD) as u64)
        .map(|leaf| Sha256Domain(field_element(seed, Label::Data, leaf).into()))
        .collect();
    PeriodicTree::build(leaves, nodes)
}

fn statement(kind: PorepKind, seed: Seed, comm_d: Sha256Domain) -> Result<Statement, SyntheticError> {
    let prover_id = MinerId(id(seed, Label::MinerId)).prover_id()?;
    let sector_number = id(seed, Label::SectorId);
    let ticket = bytes(seed, Label::Ticket, 0);
    let replica_id =
        generate_replica_id::<PoseidonHasher, _>(&prover_id, sector_number, &ticket, comm_d, &kind.porep_id());
    Ok(Statement {
        replica_id,
        seed: Some(bytes(seed, Label::ChallengeSeed, 0)),
        tau: None,
        k: None,
    })
}

/// The parents of each challenged node: six in the same layer, then eight in the layer below.
fn parents<Tree: TreeShape>(
    params: &Params<Tree>,
    challenges: &[Vec<usize>],
) -> Result<BTreeMap<Node, Vec<Node>>, PorepError> {
    let challenged: BTreeSet<usize> = challenges.iter().flatten().copied().collect();
    let of_node = |node: usize| {
        let mut parents = vec![0; params.graph.degree()];
        let named = params.graph.parents(node, &mut parents).map_err(refused);
        named.map(|()| (node as Node, parents))
    };
    challenged.into_iter().map(of_node).collect()
}

/// Labels, the trees over them, and what the challenged nodes' data became.
struct Replica {
    data: PeriodicTree,
    labels: Labels,
    /// Over the hashes of columns; its root is `comm_c`.
    columns: SparseTree,
    /// Over the encoded data; its root is `comm_r_last`.
    encoded: SparseTree,
}

impl Replica {
    fn encode(seed: Seed, nodes: usize, data: PeriodicTree, labels: Labels) -> Result<Self, PorepError> {
        let column_hashes = labels.columns().map(hash_of_column).collect::<Result<_, _>>()?;
        let encoded = labels
            .challenged()
            .map(|node| (node.into(), encode(labels.key(node), data.leaf(node as usize))))
            .collect();
        let height = nodes.ilog(ARITY as usize) as usize;
        Ok(Self {
            columns: SparseTree::build(column_hashes, field_element(seed, Label::DefaultColumn, 0), height),
            encoded: SparseTree::build(encoded, field_element(seed, Label::DefaultReplica, 0), height),
            data,
            labels,
        })
    }

    fn commitments(&self) -> Tau<PoseidonDomain, Sha256Domain> {
        Tau {
            comm_d: self.data.root(),
            comm_r: PoseidonFunction::hash2(&self.columns.root(), &self.encoded.root()),
        }
    }

    fn prove<Tree: TreeShape>(&self, node: Node) -> VanillaProof<Tree> {
        let number = u64::from(node);
        let inputs = |layer| self.labels.inputs(node, layer);
        let layers = self.labels.layers();
        VanillaProof {
            comm_d_proofs: MerkleProof::from_parts(
                self.data.leaf(node as usize),
                self.data.root(),
                self.data.path(node as usize),
            ),
            comm_r_last_proof: inclusion::<Tree>(&self.encoded, node),
            replica_column_proofs: ReplicaColumnProof {
                c_x: self.column_proof::<Tree>(node),
                drg_parents: self.column_proofs::<Tree>(self.labels.base_parents(node)),
                exp_parents: self.column_proofs::<Tree>(self.labels.expander_parents(node)),
            },
            labeling_proofs: (1..=layers)
                .map(|layer| LabelingProof::new(layer as u32, number, inputs(layer)))
                .collect(),
            encoding_proof: EncodingProof::new(layers as u32, number, inputs(layers)),
        }
    }

    fn column_proofs<Tree: TreeShape>(&self, nodes: &[Node]) -> Vec<ColumnProof<TreeProof<Tree>>> {
        nodes.iter().map(|&node| self.column_proof::<Tree>(node)).collect()
    }

    fn column_proof<Tree: TreeShape>(&self, node: Node) -> ColumnProof<TreeProof<Tree>> {
        ColumnProof::new(
            node,
            self.labels.column(node).to_vec(),
            inclusion::<Tree>(&self.columns, node),
        )
    }
}

type TreeProof<Tree> = MerkleProof<
    PoseidonHasher,
    <Tree as MerkleTreeTrait>::Arity,
    <Tree as MerkleTreeTrait>::SubTreeArity,
    <Tree as MerkleTreeTrait>::TopTreeArity,
>;

/// Every level has arity 8 at both sizes, also the one above the sub-trees of 32 GiB, so one tree serves all shapes.
fn inclusion<Tree: TreeShape>(tree: &SparseTree, node: Node) -> TreeProof<Tree> {
    MerkleProof::from_parts(tree.leaf(node.into()), tree.root(), tree.path(node.into()))
}

fn hash_of_column((node, labels): (Node, &[PoseidonDomain])) -> Result<(u64, PoseidonDomain), PorepError> {
    let column = Column::<PoseidonHasher>::new(node, labels.to_vec()).map_err(refused)?;
    Ok((node.into(), column.hash().into()))
}

/// The replica's node: the sum of key and data.
fn encode(key: PoseidonDomain, data: Sha256Domain) -> PoseidonDomain {
    (Scalar::from(key) + Scalar::from(data)).into()
}
