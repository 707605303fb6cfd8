//! Good requests against filecoin-proofs, bad ones against their reasons.
use filecoin_hashers::poseidon::PoseidonDomain;
use filecoin_proofs::constants::{SECTOR_SIZE_32_GIB, SectorShape2KiB, SectorShape64GiB};
use filecoin_proofs::parameters::winning_post_public_params;
use filecoin_proofs::types::FallbackPoStSectorProof;
use filecoin_proofs::{PoStConfig, PoStType};
use proptest::prelude::*;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::merkle::{MerkleProof, MerkleProofTrait, MerkleTreeTrait};
use storage_proofs_post::fallback;

use super::vanilla::{PUBLIC_PARAMS, Tree};
use super::*;
use crate::satisfaction;
use crate::synthetic::{Seed, winning_request};

// Offsets of the fields that the tests change.
const COMM_R: usize = 8;
const SECTORS: usize = 40;
const PROOFS: usize = 48;
const FIRST_PROOF: usize = 56;
const PROOF_BYTES: usize = 2484;
const FIRST_SIBLING: usize = FIRST_PROOF + 4 + 8 + 8;
const FIRST_INDEX: usize = FIRST_SIBLING + 7 * 32;

fn request() -> WinningRequest {
    winning_request(Seed(11)).unwrap()
}

/// The reason why a request with `change` made to its vanilla proof is refused.
fn refusal(change: impl FnOnce(&mut Vec<u8>)) -> RequestError {
    let mut request = request();
    change(&mut request.vanilla_proof);
    request.decode().err().expect("refused")
}

/// The same for a change of the decoded proof.
fn refusal_of(change: impl FnOnce(&mut wire::SectorProof)) -> RequestError {
    refusal(|bytes| {
        let mut proof = wire::decode(bytes).unwrap();
        change(&mut proof);
        *bytes = bincode::serialize(&proof).unwrap();
    })
}

fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

fn post_config() -> PoStConfig {
    PoStConfig {
        sector_size: SECTOR_SIZE_32_GIB.into(),
        challenge_count: filecoin_proofs::constants::WINNING_POST_CHALLENGE_COUNT,
        sector_count: filecoin_proofs::constants::WINNING_POST_SECTOR_COUNT,
        typ: PoStType::Winning,
        priority: false,
        api_version: ApiVersion::V1_0_0,
    }
}

#[test]
fn parameters_are_those_of_filecoin_proofs() {
    let published = winning_post_public_params::<Tree>(&post_config()).unwrap();
    assert_eq!(format!("{PUBLIC_PARAMS:?}"), format!("{published:?}"));
}

#[test]
fn wire_form_decodes_and_encodes_to_the_same_bytes() {
    let bytes = request().vanilla_proof;
    assert_eq!(wire::encode(&wire::decode(&bytes).unwrap()).unwrap(), bytes);
}

#[test]
fn partition_is_the_one_that_filecoin_proofs_makes() {
    let request = request();
    let proof = wire::decode(&request.vanilla_proof).unwrap();
    let statement = Statement::new(request.randomness, request.miner_id.prover_id().unwrap(), &proof);
    let ours = statement.verified_proof(&proof).unwrap();
    let theirs = filecoin_proofs::partition_vanilla_proofs::<Tree>(
        &post_config(),
        &PUBLIC_PARAMS,
        &statement.public,
        1,
        &[proof],
    )
    .unwrap();
    assert_eq!(
        bincode::serialize(&[ours]).unwrap()[..],
        bincode::serialize(&theirs).unwrap()[8..]
    );
}

#[test]
fn prover_id_is_the_payload_of_an_id_address() {
    for (id, payload) in [
        (0, &[0][..]),
        (127, &[127]),
        (128, &[0x80, 1]),
        (1000, &[0xe8, 7]),
        (i64::MAX as u64, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
    ] {
        let prover_id = MinerId(id).prover_id().unwrap();
        assert_eq!(&prover_id[..payload.len()], payload, "{id}");
        assert!(prover_id[payload.len()..].iter().all(|byte| *byte == 0), "{id}");
    }
    assert_eq!(
        MinerId(1 << 63).prover_id(),
        Err(RequestError::MinerId { actual: 1 << 63 })
    );
}

#[test]
fn raw_and_masked_randomness_ask_for_the_same_proof() {
    let raw = WinningRequest {
        randomness: {
            let mut r = request().randomness;
            r[31] |= 0xc0;
            r
        },
        ..request()
    };
    let masked = WinningRequest {
        randomness: {
            let mut r = request().randomness;
            r[31] &= 0x3f;
            r
        },
        ..request()
    };
    let inputs = |request: WinningRequest| request.decode().unwrap().partitions[0].public_inputs.clone();
    assert_eq!(inputs(raw), inputs(masked));
}

#[test]
fn wire_messages_with_wrong_lengths_are_refused() {
    let proof = || vec![request().vanilla_proof];
    assert!(WinningRequest::from_wire(1000, &[0; 32], proof()).is_ok());
    for actual in [0, 31, 33] {
        let refused = WinningRequest::from_wire(1000, &vec![0; actual], proof());
        assert_eq!(refused, Err(RequestError::RandomnessLength { actual }));
    }
    for actual in [0, 2] {
        let refused = WinningRequest::from_wire(1000, &[0; 32], vec![vec![]; actual]);
        assert_eq!(refused, Err(RequestError::VanillaProofCount { actual }));
    }
}

#[test]
fn broken_witness_is_found_in_its_sector() {
    let task = request().decode().unwrap();
    let CircuitInstance::Winning(circuit) = &task.partitions[0].circuit else {
        panic!("a WinningPoSt circuit")
    };
    let broken = circuit.clone().with_leaf_of_sector(40, blstrs::Scalar::from(1));
    let public_inputs = task.partitions[0].public_inputs.clone();
    let partition = Partition {
        circuit: CircuitInstance::Winning(broken),
        public_inputs,
    };
    let reports = satisfaction::check(&ProofTask {
        kind: task.kind,
        partitions: vec![partition],
    })
    .unwrap();
    let path = reports[0].unsatisfied.clone().expect("unsatisfied").path;
    assert!(path.contains("sector_40/challenge_inclusion_0"), "{path}");
}

#[test]
fn truncated_proofs_are_refused_at_their_end() {
    for length in [
        0,
        7,
        8,
        40,
        48,
        55,
        56,
        60,
        1000,
        WIRE_BYTES / 2,
        WIRE_BYTES - 32,
        WIRE_BYTES - 1,
    ] {
        match refusal(|bytes| bytes.truncate(length)) {
            RequestError::Truncated { actual, .. } => assert_eq!(actual, length),
            other => panic!("{length} bytes: {other}"),
        }
    }
    let message = refusal(|bytes| bytes.truncate(WIRE_BYTES - 1)).to_string();
    assert!(
        message.contains("ends inside comm_r_last: expected 164064 bytes, actual 164063"),
        "{message}"
    );
}

#[test]
fn trailing_bytes_are_refused() {
    for extra in [1, 8, WIRE_BYTES] {
        let refused = refusal(|bytes| bytes.resize(WIRE_BYTES + extra, 0));
        assert_eq!(
            refused,
            RequestError::TrailingBytes {
                actual: WIRE_BYTES + extra
            }
        );
    }
}

#[test]
fn lengths_that_claim_the_world_are_refused() {
    let sub_length = FIRST_PROOF + 4 + 8 + 9 * 240;
    for (at, place) in [
        (SECTORS, Place::SectorCount),
        (PROOFS, Place::InclusionProofCount),
        (FIRST_PROOF + 4, Place::BasePathLength { proof: 0 }),
        (FIRST_PROOF + 12, Place::SiblingCount { proof: 0, level: 0 }),
        (sub_length, Place::SubPathLength { proof: 0 }),
        (sub_length + 8, Place::SiblingCount { proof: 0, level: 9 }),
        (FIRST_PROOF + 65 * PROOF_BYTES + 4, Place::BasePathLength { proof: 65 }),
    ] {
        for claim in [1 << 60, u64::MAX, 0] {
            match refusal(|bytes| put(bytes, at, claim)) {
                RequestError::Number {
                    place: found, actual, ..
                } => assert_eq!((found, actual), (place, claim)),
                other => panic!("{place}: {other}"),
            }
        }
    }
}

#[test]
fn other_numbers_of_inclusion_proofs_are_refused() {
    for (actual, resize) in [(65, -1), (67, 1), (0, -66)] {
        let refused = refusal_of(|proof| {
            let proofs = &mut proof.vanilla_proof.sectors[0].inclusion_proofs;
            let last = proofs[65].clone();
            proofs.resize(proofs.len().checked_add_signed(resize).unwrap(), last);
        });
        assert_eq!(
            refused,
            RequestError::Number {
                place: Place::InclusionProofCount,
                expected: 66,
                actual
            }
        );
    }
}

#[test]
fn other_numbers_of_sectors_are_refused() {
    for actual in [0, 2] {
        let refused = refusal_of(|proof| {
            let sector = proof.vanilla_proof.sectors[0].clone();
            proof.vanilla_proof.sectors.resize(actual, sector);
        });
        let place = Place::SectorCount;
        assert_eq!(
            refused,
            RequestError::Number {
                place,
                expected: 1,
                actual: actual as u64
            }
        );
    }
}

/// A proof with 66 paths of `path` (siblings per level) in another shape of tree.
fn other_shape<Shape: MerkleTreeTrait>(path: &[usize]) -> Vec<u8>
where
    Shape::Hasher: filecoin_hashers::Hasher<Domain = PoseidonDomain>,
{
    let zero = PoseidonDomain::default();
    let path: Vec<_> = path.iter().map(|&siblings| (vec![zero; siblings], 0)).collect();
    let inclusion_proofs = vec![
        MerkleProof::<Shape::Hasher, Shape::Arity, Shape::SubTreeArity, Shape::TopTreeArity>::from_parts(
            zero, zero, path
        );
        CHALLENGES
    ];
    let sector = fallback::SectorProof::<Shape::Proof> {
        inclusion_proofs,
        comm_c: zero,
        comm_r_last: zero,
    };
    let vanilla_proof = fallback::Proof { sectors: vec![sector] };
    bincode::serialize(&FallbackPoStSectorProof::<Shape> {
        sector_id: 1.into(),
        comm_r: zero,
        vanilla_proof,
    })
    .unwrap()
}

#[test]
fn proofs_of_other_sector_sizes_are_refused() {
    let kind = |actual| RequestError::Number {
        place: Place::TreeKind { proof: 0 },
        expected: 1,
        actual,
    };
    assert_eq!(
        refusal(|bytes| *bytes = other_shape::<SectorShape2KiB>(&[7, 7])),
        kind(0)
    );
    assert_eq!(
        refusal(|bytes| *bytes = other_shape::<SectorShape64GiB>(&[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1])),
        kind(2)
    );
    let sixteen_kib = refusal(|bytes| *bytes = other_shape::<Tree>(&[7, 7, 7]));
    let place = Place::BasePathLength { proof: 0 };
    assert_eq!(
        sixteen_kib,
        RequestError::Number {
            place,
            expected: 9,
            actual: 2
        }
    );
    assert!(sixteen_kib.to_string().contains("32 GiB sector"), "{sixteen_kib}");
}

#[test]
fn requests_of_another_kind_are_refused() {
    let porep = br#"{"SectorNum":1,"Phase1Out":"eyJyZWdpc3RlcmVkX3Byb29mIjoiU3RhY2tlZERyZzMyR2lCVjEifQ=="}"#;
    for other in [&porep[..], b"", b"null", &[0; 4096]] {
        let message = refusal(|bytes| *bytes = other.to_vec()).to_string();
        assert!(
            message.contains("FallbackPoStSectorProof of a 32 GiB sector"),
            "{message}"
        );
    }
    let ones = refusal(|bytes| *bytes = vec![0xff; 4096]);
    assert_eq!(ones, RequestError::NotCanonical { place: Place::CommR });
}

#[test]
fn numbers_outside_the_field_are_refused() {
    let last = FIRST_PROOF + 65 * PROOF_BYTES;
    for (at, place) in [
        (COMM_R, Place::CommR),
        (
            FIRST_SIBLING,
            Place::Sibling {
                proof: 0,
                level: 0,
                position: 0,
            },
        ),
        (
            FIRST_SIBLING + 6 * 32,
            Place::Sibling {
                proof: 0,
                level: 0,
                position: 6,
            },
        ),
        (last + PROOF_BYTES - 64, Place::Root { proof: 65 }),
        (last + PROOF_BYTES - 32, Place::Leaf { proof: 65 }),
        (WIRE_BYTES - 64, Place::CommC),
        (WIRE_BYTES - 32, Place::CommRLast),
    ] {
        assert_eq!(
            refusal(|bytes| bytes[at..at + 32].fill(0xff)),
            RequestError::NotCanonical { place }
        );
    }
}

/// The order of the field is the least number that is refused, the number below it is the greatest that is not.
#[test]
fn field_elements_end_at_the_order() {
    use ff::{Field, PrimeField};
    let greatest = (-blstrs::Scalar::ONE).to_repr();
    let mut order = greatest;
    order[0] += 1;
    let with = |value: [u8; 32]| refusal(|bytes| bytes[COMM_R..COMM_R + 32].copy_from_slice(&value));
    assert_eq!(with(order), RequestError::NotCanonical { place: Place::CommR });
    assert_eq!(with(greatest), RequestError::CommR);
}

#[test]
fn path_indices_are_below_the_arity() {
    let place = Place::PathIndex { proof: 0, level: 0 };
    for actual in [8, 1 << 32, u64::MAX] {
        assert_eq!(
            refusal(|bytes| put(bytes, FIRST_INDEX, actual)),
            RequestError::PathIndex { place, actual }
        );
    }
}

#[test]
fn swapped_comm_r_is_refused() {
    let other = winning_request(Seed(12)).unwrap().vanilla_proof;
    let swap = |bytes: &mut Vec<u8>| bytes[COMM_R..COMM_R + 32].copy_from_slice(&other[COMM_R..COMM_R + 32]);
    assert_eq!(refusal(swap), RequestError::CommR);
}

#[test]
fn commitments_that_disagree_are_refused() {
    let one = PoseidonDomain::from(blstrs::Scalar::from(1));
    assert_eq!(
        refusal_of(|proof| proof.vanilla_proof.sectors[0].comm_c = one),
        RequestError::CommR
    );
    // The published verifier passes this one: it looks at the roots, the circuit at comm_r_last.
    let root = refusal_of(|proof| proof.vanilla_proof.sectors[0].comm_r_last = one);
    assert_eq!(root, RequestError::Root { proof: 0 });
    let last_root = FIRST_PROOF + 66 * PROOF_BYTES - 64;
    assert_eq!(refusal(|bytes| bytes[last_root] ^= 1), RequestError::Root { proof: 65 });
}

#[test]
fn flipped_leaf_or_sibling_is_refused() {
    for proof in [0, 40, 65] {
        let start = FIRST_PROOF + proof * PROOF_BYTES;
        for at in [start + PROOF_BYTES - 32, start + 20, start + PROOF_BYTES - 64 - 16] {
            assert_eq!(refusal(|bytes| bytes[at] ^= 1), RequestError::Inclusion { proof });
        }
    }
}

#[test]
fn answers_to_other_challenges_are_refused() {
    let challenge = |error: RequestError| match error {
        RequestError::Challenge {
            proof,
            expected,
            actual,
        } => {
            assert_ne!(expected, actual);
            proof
        }
        other => panic!("{other}"),
    };
    assert_eq!(challenge(refusal(|bytes| bytes[0] ^= 1)), 0, "another sector id");
    let mut request = request();
    request.randomness[0] ^= 1;
    assert_eq!(challenge(request.decode().err().unwrap()), 0, "other randomness");
    let swapped = refusal_of(|proof| proof.vanilla_proof.sectors[0].inclusion_proofs.swap(3, 4));
    assert_eq!(challenge(swapped), 3);
    let repeated = refusal_of(|proof| {
        let proofs = &mut proof.vanilla_proof.sectors[0].inclusion_proofs;
        proofs[65] = proofs[64].clone();
    });
    assert_eq!(challenge(repeated), 65);
}

#[test]
fn path_index_is_read_as_the_circuit_reads_it() {
    let proof = wire::decode(&request().vanilla_proof).unwrap();
    for path in &proof.vanilla_proof.sectors[0].inclusion_proofs {
        let digits = path.path();
        let index = digits.iter().rev().fold(0, |index, (_, digit)| index * 8 + digit);
        assert_eq!(index, path.path_index());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every bit of a proof matters, and none makes the decoder panic.
    #[test]
    fn any_flipped_bit_is_refused(at in 0..WIRE_BYTES * 8) {
        refusal(|bytes| bytes[at / 8] ^= 1 << (at % 8));
    }

    /// The same for runs of bytes written over any part.
    #[test]
    fn any_overwritten_run_is_refused(at in 0..WIRE_BYTES, run in proptest::collection::vec(any::<u8>(), 9..64)) {
        refusal(|bytes| {
            let end = (at + run.len()).min(WIRE_BYTES);
            let run = &run[..end - at];
            if bytes[at..end] == *run {
                bytes[at] ^= 1;
            } else {
                bytes[at..end].copy_from_slice(run);
            }
        });
    }
}
