//! Constants against filecoin-proofs, what the verifier lets through, and where the circuit breaks when a witness is wrong.
use std::collections::BTreeSet;
use std::sync::Arc;

use cuzk_groth16::SynthesisCapacityHint;
use filecoin_proofs::parameters::setup_params;
use filecoin_proofs::{PoRepConfig, constants};
use serde_json::Value;
use storage_proofs_core::api_version::ApiVersion;

use super::sector::BySize;
use super::*;
use crate::satisfaction::check_partition;
use crate::synthetic::{Seed, sealed_sector};

#[test]
fn constants_are_those_of_filecoin_proofs() {
    for (kind, bytes) in [
        (PorepKind::TwoKiB, constants::SECTOR_SIZE_2_KIB),
        (PorepKind::ThirtyTwoGiB, constants::SECTOR_SIZE_32_GIB),
    ] {
        let config = PoRepConfig::new_groth16(bytes, kind.porep_id(), ApiVersion::V1_1_0);
        assert_eq!(kind.partitions(), usize::from(config.partitions));
        let (ours, published) = (kind.setup(), setup_params(&config).unwrap());
        assert_eq!(format!("{ours:?}"), format!("{published:?}"));
    }
}

#[test]
fn one_challenge_is_the_only_difference_of_the_small_32_gib_kind() {
    let (whole, one) = (
        PorepKind::ThirtyTwoGiB.setup(),
        PorepKind::ThirtyTwoGiBOneChallenge.setup(),
    );
    assert_eq!(one.challenges.num_challenges_per_partition(), 1);
    let same = |setup: storage_proofs_porep::stacked::SetupParams| {
        (setup.nodes, setup.num_layers, setup.porep_id, setup.api_version)
    };
    assert_eq!(same(whole), same(one));
}

/// A sector of 2 KiB, with its parts open to change.
fn sector(seed: u64) -> Sector<Tree2KiB> {
    let SealedSector(BySize::TwoKiB(sector)) = sealed_sector(PorepKind::TwoKiB, Seed(seed)).unwrap() else {
        panic!("a sector of 2 KiB")
    };
    Arc::into_inner(sector).unwrap()
}

/// A proof whose field at `pointer`, a byte of a hash, has its lowest bit flipped.
fn flipped(proof: &VanillaProof<Tree2KiB>, pointer: &str) -> VanillaProof<Tree2KiB> {
    let mut value = serde_json::to_value(proof).unwrap();
    let byte = value
        .pointer_mut(pointer)
        .unwrap_or_else(|| panic!("no byte at {pointer}"));
    *byte = Value::from(byte.as_u64().unwrap() ^ 1);
    serde_json::from_value(value).unwrap()
}

/// Where the circuit first breaks. It is cut after the first challenge, which halves the time.
fn first_broken(mut sector: Sector<Tree2KiB>) -> String {
    sector.proofs[0].truncate(1);
    let task = SealedSector::from(sector).task().unwrap();
    let report = check_partition(&task.partitions[0]).unwrap();
    report.unsatisfied.expect("a broken constraint").path
}

fn first_broken_with_flipped(pointer: &str) -> String {
    let mut sector = sector(1);
    sector.proofs[0][0] = flipped(&sector.proofs[0][0], pointer);
    first_broken(sector)
}

#[test]
fn flipped_leaf_breaks_its_inclusion_in_comm_d() {
    let path = first_broken_with_flipped("/comm_d_proofs/data/Single/leaf/0");
    assert_eq!(path, "challenge_0/comm_d_inclusion/enforce root is correct");
}

#[test]
fn flipped_label_breaks_the_inclusion_of_its_column_in_comm_c() {
    let path = first_broken_with_flipped("/replica_column_proofs/drg_parents/2/column/rows/0/0");
    assert_eq!(path, "challenge_0/drg_parent_2_inclusion/enforce root is correct");
}

#[test]
fn flipped_path_element_breaks_the_inclusion_of_the_replica() {
    let path = first_broken_with_flipped("/comm_r_last_proof/data/Single/path/path/1/hashes/3/0");
    assert_eq!(path, "challenge_0/comm_r_last_data_inclusion/enforce root is correct");
}

#[test]
fn flipped_comm_r_breaks_its_hash() {
    let mut sector = sector(1);
    let tau = sector.statement.tau.as_mut().unwrap();
    let mut comm_r = <[u8; 32]>::from(tau.comm_r);
    comm_r[0] ^= 1;
    tau.comm_r = comm_r.into();
    let path = first_broken(sector);
    assert_eq!(path, "enforce comm_r = H(comm_c || comm_r_last)");
}

fn refused_with_flipped(pointer: &str) -> Option<PorepError> {
    let Sector {
        statement, mut proofs, ..
    } = sector(2);
    proofs[0][1] = flipped(&proofs[0][1], pointer);
    Sector::verified(PorepKind::TwoKiB, statement, proofs).err()
}

#[test]
fn whatever_is_flipped_is_refused() {
    let kind = PorepKind::TwoKiB;
    let vanilla = Some(PorepError::Vanilla { kind });
    let inclusion = |tree| {
        Some(PorepError::Inclusion {
            partition: 0,
            challenge: 1,
            tree,
        })
    };
    for (pointer, expected) in [
        ("/comm_d_proofs/data/Single/leaf/0", vanilla.clone()),
        ("/replica_column_proofs/c_x/column/rows/1/0", vanilla.clone()),
        ("/replica_column_proofs/drg_parents/2/column/rows/0/0", vanilla.clone()),
        (
            "/replica_column_proofs/exp_parents/7/inclusion_proof/data/Single/path/path/0/hashes/6/0",
            vanilla.clone(),
        ),
        ("/labeling_proofs/0/parents/0/0", vanilla.clone()),
        ("/encoding_proof/parents/0/0", vanilla.clone()),
        // The published verifier lets these two through.
        ("/comm_d_proofs/data/Single/path/path/5/hashes/0/0", inclusion("comm_d")),
        (
            "/comm_r_last_proof/data/Single/path/path/1/hashes/3/0",
            inclusion("comm_r_last"),
        ),
    ] {
        assert_eq!(refused_with_flipped(pointer), expected, "{pointer}");
    }
}

/// Without the published verifier, which finds these by other means.
#[test]
fn labels_are_checked_against_the_opened_columns() {
    let whole = sector(2);
    for (pointer, layer) in [
        ("/replica_column_proofs/drg_parents/2/column/rows/0/0", 1),
        ("/replica_column_proofs/exp_parents/2/column/rows/0/0", 2),
        ("/replica_column_proofs/c_x/column/rows/1/0", 2),
    ] {
        let mut proofs = whole.proofs.clone();
        proofs[0][1] = flipped(&proofs[0][1], pointer);
        let refused = openings::check(&PorepKind::TwoKiB.params(), &whole.statement, &proofs);
        let expected = PorepError::Label {
            partition: 0,
            challenge: 1,
            layer,
        };
        assert_eq!(refused, Err(expected), "{pointer}");
    }
}

#[test]
fn proofs_of_another_statement_are_refused() {
    let kind = PorepKind::TwoKiB;
    let refused = Sector::verified(kind, sector(3).statement, sector(2).proofs).err();
    assert_eq!(refused, Some(PorepError::Vanilla { kind }));
}

#[test]
fn other_counts_are_refused_before_anything_is_verified() {
    let Sector { statement, proofs, .. } = sector(2);
    let kind = PorepKind::TwoKiB;
    let twice = [proofs.clone(), proofs.clone()].concat();
    let refused = Sector::verified(kind, statement.clone(), twice).err();
    let (expected, actual) = (1, 2);
    assert_eq!(refused, Some(PorepError::PartitionCount { kind, expected, actual }));
    let refused = Sector::verified(kind, statement, vec![proofs[0][..1].to_vec()]).err();
    assert_eq!(
        refused,
        Some(PorepError::ChallengeCount {
            kind,
            partition: 0,
            expected: 2,
            actual: 1
        })
    );
}

/// All hashes, labels and leaves in a sector's proofs and statement.
fn values(sector: &Sector<impl TreeShape>) -> BTreeSet<Vec<u64>> {
    let mut found = BTreeSet::new();
    collect(&serde_json::to_value(&sector.proofs).unwrap(), &mut found);
    collect(&serde_json::to_value(&sector.statement).unwrap(), &mut found);
    found
}

fn collect(value: &Value, found: &mut BTreeSet<Vec<u64>>) {
    match value {
        Value::Array(items) => {
            let bytes: Option<Vec<u64>> = items.iter().map(Value::as_u64).collect();
            match bytes {
                Some(bytes) if bytes.len() == 32 => {
                    found.insert(bytes);
                }
                _ => items.iter().for_each(|item| collect(item, found)),
            }
        }
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

#[test]
fn two_seeds_share_nothing() {
    let (one, two) = (values(&sector(1)), values(&sector(2)));
    // A challenge alone opens 15 columns of two labels.
    assert!(one.len() > 60 && two.len() > 60, "{} and {}", one.len(), two.len());
    assert!(one.is_disjoint(&two));
}

#[test]
fn two_seeds_share_nothing_at_32_gib() {
    let values = |seed| {
        let sector = sealed_sector(PorepKind::ThirtyTwoGiBOneChallenge, Seed(seed)).unwrap();
        let SealedSector(BySize::ThirtyTwoGiB(sector)) = sector else {
            panic!("a sector of 32 GiB")
        };
        values(&sector)
    };
    let (one, two) = (values(1), values(2));
    // 15 columns of eleven labels, a data path of 30 elements, a dozen levels' defaults; parents' paths share nodes.
    assert!(one.len() > 200 && two.len() > 200, "{} and {}", one.len(), two.len());
    assert!(one.is_disjoint(&two));
}

#[test]
fn seed_decides_every_byte() {
    let json = |seed| serde_json::to_string(&sector(seed).proofs).unwrap();
    assert_eq!(json(5), json(5));
}

#[test]
fn batches_that_make_no_sense_are_refused() {
    let hint = SynthesisCapacityHint::default();
    let small = sealed_sector(PorepKind::TwoKiB, Seed(1)).unwrap();
    let large = sealed_sector(PorepKind::ThirtyTwoGiBOneChallenge, Seed(1)).unwrap();
    let all = PartitionRange::all(PorepKind::TwoKiB);
    let mixed = synthesize_porep_c2_batch(&[small.clone(), large], all.clone(), hint).unwrap_err();
    let message = mixed.to_string();
    assert_eq!(
        message,
        "sector 2 of the batch is for porep-32g:1, the first one for porep-2k"
    );
    let beyond = synthesize_porep_c2_batch(&[small], PartitionRange(0..2), hint).unwrap_err();
    assert_eq!(beyond.to_string(), "partitions 0 to 2 were asked for, porep-2k has 1");
    assert!(synthesize_porep_c2_batch(&[], all, hint).unwrap().is_empty());
}
