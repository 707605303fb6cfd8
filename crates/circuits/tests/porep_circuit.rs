//! The PoRep circuits: published counts, witnesses that satisfy them, and several sectors in one batch.
#![allow(
    clippy::disallowed_methods,
    reason = "tests that take long ask the environment whether they are wanted"
)]

use cuzk_circuits::porep::{PartitionRange, synthesize_porep_c2_batch};
use cuzk_circuits::satisfaction::{self, PublicInputs};
use cuzk_circuits::{PorepKind, ProofKind, ProofTask, Seed, identity, record, synthetic};
use cuzk_groth16::r1cs::{RecordedCircuit, Shape};

const SHAPE_2K: Shape = Shape {
    inputs: 40,
    aux: 2_685_673,
    constraints: 2_687_921,
};
const SHAPE_32G_1: Shape = Shape {
    inputs: 22,
    aux: 7_232_200,
    constraints: 7_238_236,
};

fn is_slow_run() -> bool {
    let slow = std::env::var_os("CUZK_SLOW_TESTS").is_some();
    if !slow {
        eprintln!("left out; run it with: cargo xtask test --slow -- -p cuzk-circuits");
    }
    slow
}

fn task(kind: PorepKind, seed: u64) -> ProofTask {
    synthetic::task(&ProofKind::Porep(kind), Seed(seed)).unwrap()
}

fn assert_satisfied(kind: PorepKind, seed: u64, shape: Shape) {
    let task = task(kind, seed);
    assert_eq!(task.kind, ProofKind::Porep(kind));
    let [report] = &satisfaction::check(&task).unwrap()[..] else {
        panic!("one partition")
    };
    assert_eq!(report.unsatisfied, None);
    assert_eq!(report.public_inputs, PublicInputs::Equal);
    assert_eq!(report.shape, shape);
}

#[test]
fn synthetic_sector_of_2_kib_satisfies_the_circuit() {
    assert_satisfied(PorepKind::TwoKiB, 1, SHAPE_2K);
}

/// What the recorder finds in a blank circuit and what is pinned for it: the same.
fn assert_recorded_as_pinned(kind: PorepKind, shape: Shape) {
    let kind = ProofKind::Porep(kind);
    let recorded = record(&kind).unwrap();
    let pinned = identity(&kind).unwrap();
    assert_eq!(recorded.shape(), shape);
    assert_eq!((recorded.digest(), recorded.shape()), (pinned.digest, pinned.shape));
}

#[test]
fn blank_circuit_of_2_kib_is_the_pinned_one() {
    assert_recorded_as_pinned(PorepKind::TwoKiB, SHAPE_2K);
}

#[test]
fn witness_does_not_change_the_circuit() {
    if !is_slow_run() {
        return;
    }
    let circuit = task(PorepKind::TwoKiB, 2).partitions[0].circuit.clone();
    let digest = RecordedCircuit::record(circuit).unwrap().digest();
    assert_eq!(digest, identity(&ProofKind::Porep(PorepKind::TwoKiB)).unwrap().digest);
}

#[test]
fn batch_gives_the_assignments_of_its_sectors_in_order() {
    if !is_slow_run() {
        return;
    }
    let kind = PorepKind::TwoKiB;
    let sectors = [1, 2].map(|seed| synthetic::sealed_sector(kind, Seed(seed)).unwrap());
    let all = PartitionRange::all(kind);
    let batch = synthesize_porep_c2_batch(&sectors, all, SHAPE_2K.into()).unwrap();
    assert_eq!(batch.len(), 2);
    for (sector, assignments) in sectors.iter().zip(&batch) {
        let task = sector.task().unwrap();
        let [assignment] = &assignments[..] else {
            panic!("one partition")
        };
        assert_eq!(assignment.shape(), SHAPE_2K);
        assert_eq!(assignment.first_unsatisfied(), None);
        assert_eq!(assignment.public_inputs(), task.partitions[0].public_inputs);
    }
    assert_ne!(batch[0][0].public_inputs(), batch[1][0].public_inputs());
}

#[test]
fn one_challenge_of_32_gib_is_satisfied_and_the_pinned_circuit() {
    if !is_slow_run() {
        return;
    }
    let kind = PorepKind::ThirtyTwoGiBOneChallenge;
    assert_satisfied(kind, 1, SHAPE_32G_1);
    assert_recorded_as_pinned(kind, SHAPE_32G_1);
}

#[test]
fn ten_partitions_of_32_gib_have_public_inputs_of_their_own() {
    let task = task(PorepKind::ThirtyTwoGiB, 1);
    assert_eq!(task.partitions.len(), 10);
    // Replica id, comm_d and comm_r are the sector's; the first challenged node follows.
    let inputs: Vec<_> = task
        .partitions
        .iter()
        .map(|partition| &partition.public_inputs)
        .collect();
    for (index, one) in inputs.iter().enumerate() {
        assert_eq!(one.len(), 327);
        for other in &inputs[..index] {
            assert!(one[..3] == other[..3] && one[3] != other[3]);
        }
    }
}
