//! What the circuit enforces of a vanilla proof and the published verifier leaves open.
//!
//! The verifier compares the positions of the paths to `comm_d` and `comm_r_last` with the challenge, but does not hash the
//! paths; and it checks labels against parents that a labeling proof brings along, while the circuit takes the parents from
//! the opened columns. Without these checks a false proof would be found out only after it was proved.
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use rayon::prelude::*;
use storage_proofs_core::merkle::MerkleProofTrait;
use storage_proofs_porep::stacked::{LabelingProof, TOTAL_PARENTS};

use super::error::{PorepError, refused};
use super::params::{Params, Statement, TreeShape, VanillaProof};

/// Checks all proofs, which come by partition and then by challenge, and have been accepted by the published verifier.
pub(super) fn check<Tree: TreeShape>(
    params: &Params<Tree>,
    statement: &Statement,
    proofs: &[Vec<VanillaProof<Tree>>],
) -> Result<(), PorepError> {
    proofs.par_iter().enumerate().try_for_each(|(partition, proofs)| {
        proofs.iter().enumerate().try_for_each(|(challenge, proof)| {
            let opening = Opening {
                partition,
                challenge,
                proof,
            };
            opening.check_paths()?;
            (1..=params.num_layers).try_for_each(|layer| opening.check_label(statement.replica_id, layer))
        })
    })
}

/// A vanilla proof and its place in the sector's.
struct Opening<'a, Tree: TreeShape> {
    partition: usize,
    challenge: usize,
    proof: &'a VanillaProof<Tree>,
}

impl<Tree: TreeShape> Opening<'_, Tree> {
    fn check_paths(&self) -> Result<(), PorepError> {
        let Self {
            partition, challenge, ..
        } = *self;
        let refuse = |tree| PorepError::Inclusion {
            partition,
            challenge,
            tree,
        };
        if !self.proof.comm_d_proofs.verify() {
            return Err(refuse("comm_d"));
        }
        if !self.proof.comm_r_last_proof.verify() {
            return Err(refuse("comm_r_last"));
        }
        Ok(())
    }

    fn check_label(&self, replica_id: PoseidonDomain, layer: usize) -> Result<(), PorepError> {
        let node = self.proof.comm_d_proofs.path_index() as u64;
        let label = self
            .proof
            .replica_column_proofs
            .c_x
            .get_node_at_layer(layer)
            .map_err(refused)?;
        let labeling = LabelingProof::<PoseidonHasher>::new(layer as u32, node, self.parents(layer)?);
        if labeling.verify(&replica_id, label) {
            Ok(())
        } else {
            let Self {
                partition, challenge, ..
            } = *self;
            Err(PorepError::Label {
                partition,
                challenge,
                layer,
            })
        }
    }

    /// The labels of the opened columns that go into the label of `layer`, repeated up to the fixed number of them.
    fn parents(&self, layer: usize) -> Result<Vec<PoseidonDomain>, PorepError> {
        let columns = &self.proof.replica_column_proofs;
        let base = columns.drg_parents.iter().map(|column| (column, layer));
        // The first layer has no layer below it.
        let below = columns.exp_parents.iter().filter(|_| layer > 1);
        let labels: Vec<PoseidonDomain> = base
            .chain(below.map(|column| (column, layer - 1)))
            .map(|(column, layer)| column.get_node_at_layer(layer).copied().map_err(refused))
            .collect::<Result<_, _>>()?;
        Ok(labels.into_iter().cycle().take(TOTAL_PARENTS).collect())
    }
}
