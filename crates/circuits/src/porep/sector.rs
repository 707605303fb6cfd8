//! A sealed sector's statement and vanilla proofs, verified; circuit and public inputs of each partition.
use std::sync::Arc;

use blstrs::Scalar;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{StackedCircuit, StackedCompound, StackedDrg};

use super::circuit::PorepCircuit;
use super::error::{PorepError, refused};
use super::openings;
use super::params::{DataHasher, Params, PorepKind, Statement, Tree2KiB, Tree32GiB, TreeShape, VanillaProof};
use crate::kind::ProofKind;
use crate::task::{CircuitInstance, Partition, ProofTask};

/// What the first commit phase of a sector leaves behind: a statement, and vanilla proofs that have been found to show it.
///
/// Some 24 MB at 32 GiB. Clones share them.
#[derive(Clone)]
pub struct SealedSector(pub(super) BySize);

/// A sector's vanilla proofs have another type at each size.
#[derive(Clone)]
pub(super) enum BySize {
    TwoKiB(Arc<Sector<Tree2KiB>>),
    ThirtyTwoGiB(Arc<Sector<Tree32GiB>>),
}

impl SealedSector {
    pub fn kind(&self) -> PorepKind {
        match &self.0 {
            BySize::TwoKiB(sector) => sector.kind,
            BySize::ThirtyTwoGiB(sector) => sector.kind,
        }
    }

    /// The sector's proof as a task: one partition after the other, each of which unfolds its circuit when it is run.
    ///
    /// # Errors
    /// [`PorepError::Refused`], should the published code refuse to name the public inputs of a verified sector.
    pub fn task(&self) -> Result<ProofTask, PorepError> {
        let partitions = (0..self.kind().partitions())
            .map(|partition| self.partition(partition))
            .collect::<Result<_, _>>()?;
        Ok(ProofTask {
            kind: ProofKind::Porep(self.kind()),
            partitions,
        })
    }

    fn partition(&self, partition: usize) -> Result<Partition, PorepError> {
        let public_inputs = match &self.0 {
            BySize::TwoKiB(sector) => sector.public_inputs(partition),
            BySize::ThirtyTwoGiB(sector) => sector.public_inputs(partition),
        };
        Ok(Partition {
            circuit: CircuitInstance::Porep(PorepCircuit::new(self.clone(), partition)),
            public_inputs: public_inputs?,
        })
    }
}

impl From<Sector<Tree2KiB>> for SealedSector {
    fn from(sector: Sector<Tree2KiB>) -> Self {
        Self(BySize::TwoKiB(Arc::new(sector)))
    }
}

impl From<Sector<Tree32GiB>> for SealedSector {
    fn from(sector: Sector<Tree32GiB>) -> Self {
        Self(BySize::ThirtyTwoGiB(Arc::new(sector)))
    }
}

/// A [`SealedSector`] of known size.
pub(crate) struct Sector<Tree: TreeShape> {
    kind: PorepKind,
    params: Params<Tree>,
    pub(super) statement: Statement,
    /// By partition, then by challenge.
    pub(super) proofs: Vec<Vec<VanillaProof<Tree>>>,
}

impl<Tree: TreeShape> Sector<Tree> {
    /// Verifies `proofs`, which come by partition and then by challenge, against `statement`.
    ///
    /// The verifier takes the form of a vanilla proof for granted: numbers of labels, parents and path elements must have been
    /// checked by whoever made the proofs from bytes.
    ///
    /// # Errors
    /// Another number of partitions or challenges than those of `kind`, or proofs that do not show the statement.
    pub(crate) fn verified(
        kind: PorepKind,
        statement: Statement,
        proofs: Vec<Vec<VanillaProof<Tree>>>,
    ) -> Result<Self, PorepError> {
        check_counts(kind, &proofs)?;
        let params = kind.params();
        if !StackedDrg::<Tree, DataHasher>::verify_all_partitions(&params, &statement, &proofs).map_err(refused)? {
            return Err(PorepError::Vanilla { kind });
        }
        openings::check(&params, &statement, &proofs)?;
        Ok(Self {
            kind,
            params,
            statement,
            proofs,
        })
    }

    pub(super) fn circuit(&self, partition: usize) -> Result<StackedCircuit<Tree, DataHasher>, PorepError> {
        let proofs = &self.proofs[partition];
        StackedCompound::<Tree, DataHasher>::circuit(&self.statement, (), proofs, &self.params, Some(partition))
            .map_err(refused)
    }

    /// All inputs but ONE: replica id, `comm_d`, `comm_r`, and for each challenge the nodes that it opens.
    fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, PorepError> {
        StackedCompound::<Tree, DataHasher>::generate_public_inputs(&self.statement, &self.params, Some(partition))
            .map_err(refused)
    }
}

fn check_counts<Proof>(kind: PorepKind, proofs: &[Vec<Proof>]) -> Result<(), PorepError> {
    if proofs.len() != kind.partitions() {
        return Err(PorepError::PartitionCount {
            kind,
            expected: kind.partitions(),
            actual: proofs.len(),
        });
    }
    match proofs.iter().position(|partition| partition.len() != kind.challenges()) {
        Some(partition) => Err(PorepError::ChallengeCount {
            kind,
            partition,
            expected: kind.challenges(),
            actual: proofs[partition].len(),
        }),
        None => Ok(()),
    }
}
