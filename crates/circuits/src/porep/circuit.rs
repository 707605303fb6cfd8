//! The PoRep circuit of storage-proofs-porep, blank or as one partition of a sealed sector.
//!
//! Left out: the gadgets; they are the published ones, constraint for constraint.
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_porep::stacked::{StackedCircuit, StackedCompound};

use super::error::PorepError;
use super::params::{DataHasher, PorepKind, SectorSize, Tree2KiB, Tree32GiB, TreeShape};
use super::sector::{BySize, SealedSector};

/// The circuit of one partition. The published circuit, megabytes of path elements, exists only while it is synthesised.
#[derive(Clone)]
pub struct PorepCircuit(Origin);

#[derive(Clone)]
enum Origin {
    Blank(PorepKind),
    Sector { sector: SealedSector, partition: usize },
}

impl PorepCircuit {
    /// Without values: for recording and for parameters.
    pub fn blank(kind: PorepKind) -> Self {
        Self(Origin::Blank(kind))
    }

    /// `partition` counts from 0 and is one of the sector's.
    pub(super) fn new(sector: SealedSector, partition: usize) -> Self {
        Self(Origin::Sector { sector, partition })
    }
}

impl Circuit<Scalar> for PorepCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self.0 {
            Origin::Blank(kind) => match kind.sector_size() {
                SectorSize::TwoKiB => blank::<Tree2KiB>(kind).synthesize(cs),
                SectorSize::ThirtyTwoGiB => blank::<Tree32GiB>(kind).synthesize(cs),
            },
            Origin::Sector { sector, partition } => match sector.0 {
                BySize::TwoKiB(sector) => unfolded(sector.circuit(partition))?.synthesize(cs),
                BySize::ThirtyTwoGiB(sector) => unfolded(sector.circuit(partition))?.synthesize(cs),
            },
        }
    }
}

fn blank<Tree: TreeShape>(kind: PorepKind) -> StackedCircuit<Tree, DataHasher> {
    StackedCompound::<Tree, DataHasher>::blank_circuit(&kind.params())
}

/// The only refusal left after verification would be roots that differ between challenges, and those satisfy no circuit.
fn unfolded<C>(circuit: Result<C, PorepError>) -> Result<C, SynthesisError> {
    circuit.map_err(|_| SynthesisError::Unsatisfiable)
}
