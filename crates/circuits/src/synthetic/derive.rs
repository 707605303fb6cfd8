//! Bytes from a seed, a label and an index, through SHA-256.
//!
//! Left out: streams and generators. Each value has a name, so its bytes do not depend on what else is drawn before it.
use filecoin_hashers::poseidon::PoseidonDomain;
use sha2::{Digest, Sha256};

use super::Seed;

const DOMAIN: &[u8] = b"cuzk-synthetic-1\0";

/// What is derived; the byte separates the kinds.
#[derive(Clone, Copy)]
pub(super) enum Label {
    MinerId = 1,
    SectorId = 2,
    Randomness = 3,
    CommC = 4,
    DefaultLeaf = 5,
    Leaf = 6,
    Ticket = 7,
    ChallengeSeed = 8,
    Data = 9,
    Unchallenged = 10,
    DefaultColumn = 11,
    DefaultReplica = 12,
}

pub(super) fn bytes(seed: Seed, label: Label, index: u64) -> [u8; 32] {
    Sha256::new()
        .chain_update(DOMAIN)
        .chain_update(seed.0.to_le_bytes())
        .chain_update([label as u8])
        .chain_update(index.to_le_bytes())
        .finalize()
        .into()
}

pub(super) fn field_element(seed: Seed, label: Label, index: u64) -> PoseidonDomain {
    canonical(bytes(seed, label, index))
}

/// The number below 2^254 that is left of little-endian `bytes` without their two top bits.
pub(super) fn canonical(mut bytes: [u8; 32]) -> PoseidonDomain {
    bytes[31] &= 0x3f;
    PoseidonDomain::from(bytes)
}

/// Below 2^63: an id that every Filecoin address can hold.
pub(super) fn id(seed: Seed, label: Label) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = bytes(seed, label, 0);
    u64::from_le_bytes([a, b, c, d, e, f, g, h]) >> 1
}
