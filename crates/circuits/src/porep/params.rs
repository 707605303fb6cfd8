//! The closed list of PoRep kinds, and the public parameters of each as filecoin-proofs sets them.
//!
//! They are constants here because filecoin-proofs keeps them in tables that a program can change; a test holds the two
//! against each other.
use std::fmt;

use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use filecoin_hashers::sha256::{Sha256Domain, Sha256Hasher};
use filecoin_proofs::constants::{DRG_DEGREE, SectorShape2KiB, SectorShape32GiB};
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{self, Challenges, EXP_DEGREE, PublicParams, SetupParams, StackedDrg};

/// Which PoRep circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PorepKind {
    /// `porep-2k`: a 2 KiB sector, one partition of two challenges; 2,687,921 constraints.
    TwoKiB,
    /// `porep-32g`: a 32 GiB sector, ten partitions of 18 challenges; 130,278,541 constraints each.
    ThirtyTwoGiB,
    /// `porep-32g:1`: the first challenge of `porep-32g` alone; 7,238,236 constraints. No verifier of Filecoin accepts its
    /// proof: it is the production circuit in a size for daily work.
    ThirtyTwoGiBOneChallenge,
}

/// Size of a sector. It decides the shape of the trees, and with it the type of a vanilla proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectorSize {
    TwoKiB,
    ThirtyTwoGiB,
}

pub(crate) type Tree2KiB = SectorShape2KiB;
pub(crate) type Tree32GiB = SectorShape32GiB;
/// Hasher of the tree over the data.
pub(crate) type DataHasher = Sha256Hasher;
/// Shows one challenge.
pub(crate) type VanillaProof<Tree> = stacked::Proof<Tree, DataHasher>;
/// The public side of a sector's proof: replica id, challenge seed, `comm_d` and `comm_r`.
pub(crate) type Statement = stacked::PublicInputs<PoseidonDomain, Sha256Domain>;
pub(crate) type Params<Tree> = PublicParams<Tree>;

/// Trees over columns and replica, both hashed with Poseidon.
pub(crate) trait TreeShape: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static {}

impl<Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static> TreeShape for Tree {}

impl PorepKind {
    pub const ALL: [Self; 3] = [Self::TwoKiB, Self::ThirtyTwoGiB, Self::ThirtyTwoGiBOneChallenge];

    /// The circuit id.
    pub fn id(self) -> &'static str {
        match self {
            Self::TwoKiB => "porep-2k",
            Self::ThirtyTwoGiB => "porep-32g",
            Self::ThirtyTwoGiBOneChallenge => "porep-32g:1",
        }
    }

    pub fn sector_size(self) -> SectorSize {
        match self {
            Self::TwoKiB => SectorSize::TwoKiB,
            Self::ThirtyTwoGiB | Self::ThirtyTwoGiBOneChallenge => SectorSize::ThirtyTwoGiB,
        }
    }

    /// Groth16 proofs that make up one proof of the sector.
    pub fn partitions(self) -> usize {
        match self {
            Self::TwoKiB | Self::ThirtyTwoGiBOneChallenge => 1,
            Self::ThirtyTwoGiB => 10,
        }
    }

    /// Challenged nodes in each partition.
    pub fn challenges(self) -> usize {
        match self {
            Self::TwoKiB => 2,
            Self::ThirtyTwoGiB => 18,
            Self::ThirtyTwoGiBOneChallenge => 1,
        }
    }

    /// Names the graph: the number of the registered seal proof (`StackedDrg2KiBV1_1`, `StackedDrg32GiBV1_1`), little-endian.
    pub(crate) fn porep_id(self) -> [u8; 32] {
        let mut id = [0; 32];
        id[0] = match self.sector_size() {
            SectorSize::TwoKiB => 5,
            SectorSize::ThirtyTwoGiB => 8,
        };
        id
    }

    /// Parameters of graph and circuit. `Tree` must be the tree of the kind's sector size.
    pub(crate) fn params<Tree: TreeShape>(self) -> Params<Tree> {
        StackedDrg::<Tree, DataHasher>::setup(&self.setup()).expect("the constants of every kind make a graph")
    }

    pub(super) fn setup(self) -> SetupParams {
        let (nodes, num_layers) = match self.sector_size() {
            SectorSize::TwoKiB => (1 << 6, 2),
            SectorSize::ThirtyTwoGiB => (1 << 30, 11),
        };
        SetupParams {
            nodes,
            degree: DRG_DEGREE,
            expansion_degree: EXP_DEGREE,
            porep_id: self.porep_id(),
            challenges: Challenges::new_interactive(self.challenges()),
            num_layers,
            api_version: ApiVersion::V1_1_0,
            api_features: vec![],
        }
    }
}

impl fmt::Display for PorepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}
