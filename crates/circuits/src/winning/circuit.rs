//! The WinningPoSt circuit of storage-proofs-post, with its parallel synthesis under this project's own thread pool.
//!
//! The circuit is 66 equal parts, one per challenge, which share nothing but the constant ONE. The published circuit also
//! synthesises parts in parallel, but takes the number of threads from process-wide settings that it reads from the
//! environment and from a file in the working directory, and panics if those are malformed. So the parts are driven from here.
//!
//! Left out: the gadgets; they are the published ones, constraint for constraint.
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_post::fallback::{FallbackPoStCircuit, FallbackPoStCompound, Sector};

use super::error::RequestError;
use super::vanilla::{PUBLIC_PARAMS, PartitionProof, Statement, Tree, refused};

/// The WinningPoSt circuit for 32 GiB sectors, blank or with the witness of a verified vanilla proof.
#[derive(Clone)]
pub struct WinningCircuit(FallbackPoStCircuit<Tree>);

impl WinningCircuit {
    /// Without values: for recording and for parameters.
    pub fn blank() -> Self {
        Self(FallbackPoStCompound::<Tree>::blank_circuit(&PUBLIC_PARAMS))
    }

    pub(super) fn new(statement: &Statement, proof: &PartitionProof) -> Result<Self, RequestError> {
        FallbackPoStCompound::<Tree>::circuit(&statement.public, Default::default(), proof, &PUBLIC_PARAMS, None)
            .map(Self)
            .map_err(refused)
    }
}

impl Circuit<Scalar> for WinningCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        if !CS::is_extensible() {
            return self.0.synthesize(cs);
        }
        let sectors = &self.0.sectors;
        let parts: Vec<CS> = sectors
            .par_chunks(sectors.len().div_ceil(rayon::current_num_threads()).max(1))
            .map(synthesize_alone)
            .collect::<Result<_, _>>()?;
        for part in &parts {
            cs.extend(part);
        }
        Ok(())
    }
}

/// `sectors` in a constraint system of their own, whose first input, ONE, is left out when the whole is extended by it.
fn synthesize_alone<CS: ConstraintSystem<Scalar>>(sectors: &[Sector<Tree>]) -> Result<CS, SynthesisError> {
    let mut cs = CS::new();
    cs.alloc_input(|| "one", || Ok(Scalar::ONE))?;
    for (index, sector) in sectors.iter().enumerate() {
        sector.synthesize(&mut cs.namespace(|| format!("sector_{index}")))?;
    }
    Ok(cs)
}

#[cfg(test)]
impl WinningCircuit {
    /// A witness that is wrong in one part, which no request can bring about.
    pub(super) fn with_leaf_of_sector(mut self, sector: usize, leaf: Scalar) -> Self {
        self.0.sectors[sector].leafs[0] = Some(leaf);
        self
    }
}
