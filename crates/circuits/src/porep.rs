//! PoRep: the StackedDrg circuit of storage-proofs-porep, from a sealed sector's vanilla proofs to circuits with a witness.
//!
//! A [`SealedSector`] is what the first commit phase leaves behind, verified when it is made. Its partitions are proved one
//! by one: a [`PorepCircuit`] shares the sector with its siblings and unfolds its own part of it only when it is run, so that a
//! task of ten partitions costs little more than the vanilla proofs themselves.
//!
//! Left out: sealing, and the wire form of the first phase's output.
mod batch;
mod circuit;
mod error;
mod openings;
mod params;
mod sector;

pub use batch::{BatchError, PartitionRange, synthesize_porep_c2_batch};
pub use circuit::PorepCircuit;
pub use error::PorepError;
pub use params::{PorepKind, SectorSize};
pub use sector::SealedSector;

pub(crate) use error::refused;
pub(crate) use params::{Params, Statement, Tree2KiB, Tree32GiB, TreeShape, VanillaProof};
pub(crate) use sector::Sector;

#[cfg(test)]
mod tests;
