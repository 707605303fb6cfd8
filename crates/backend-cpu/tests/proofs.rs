//! Whole proofs, against bellperson from both sides.

mod support;

use bellperson::groth16::{create_proof, prepare_verifying_key, verify_proof};
use blstrs::{G1Affine, G2Affine, Scalar};
use cuzk_backend_cpu::CpuBackend;
use cuzk_groth16::contract::Timeline;
use cuzk_groth16::proof::ProofElement;
use cuzk_groth16::srs::{Parameters, Query};
use cuzk_groth16::{
    Backend, BackendError, Blinding, PreparedVerifyingKey, Proof, ProofDecodeError, ProveError, ProvingAssignment,
    SrsMismatch, SynthesisCapacityHint, VerifyError, prove, verify,
};
use ff::Field;
use group::prime::PrimeCurveAffine;
use proptest::prelude::*;
use support::{BellpersonProof, Gate, Gates, any_gates, parameters, source};

fn synthesize(circuit: &Gates) -> ProvingAssignment {
    ProvingAssignment::synthesize(circuit.clone(), SynthesisCapacityHint::default()).unwrap()
}

fn prove_with(parameters: &Parameters, assignment: &ProvingAssignment, blinding: &Blinding) -> Proof {
    prove(&CpuBackend, parameters, assignment, blinding, &Timeline::silent()).unwrap()
}

/// Both provers give the same bytes, both verifiers accept them, and neither accepts another public input.
fn check_against_bellperson(circuit: &Gates) {
    let (theirs, ours) = parameters(circuit);
    let assignment = synthesize(circuit);
    assert_eq!(assignment.first_unsatisfied(), None);
    let blinding = Blinding::random(&mut source());
    let proof = prove_with(&ours, &assignment, &blinding);

    let their_proof = create_proof(circuit.clone(), &theirs, blinding.r, blinding.s).unwrap();
    let mut their_bytes = Vec::new();
    their_proof.write(&mut their_bytes).unwrap();
    assert_eq!(proof.to_bytes().as_slice(), their_bytes, "the provers differ");

    let inputs = assignment.public_inputs();
    let ours_read_by_them = BellpersonProof::read(&proof.to_bytes()[..]).unwrap();
    assert!(verify_proof(&prepare_verifying_key(&theirs.vk), &ours_read_by_them, inputs).unwrap());
    let key = PreparedVerifyingKey::new(&ours.vk);
    assert_eq!(verify(&key, &Proof::from_bytes(&their_bytes).unwrap(), inputs), Ok(()));
    for index in 0..inputs.len() {
        let mut wrong = inputs.to_vec();
        wrong[index] += Scalar::ONE;
        assert_eq!(verify(&key, &proof, &wrong), Err(VerifyError::Invalid), "input {index}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_circuits(circuit in any_gates(60)) {
        check_against_bellperson(&circuit);
    }
}

#[test]
fn every_kind_of_value_at_once() {
    check_against_bellperson(&Gates::mixed(700));
}

#[test]
fn all_zero_and_all_one_witnesses() {
    check_against_bellperson(&Gates::bits([false; 90]));
    check_against_bellperson(&Gates::bits([true; 90]));
}

#[test]
fn domains_that_are_full_and_that_are_one_short() {
    // One input row; 15 and 16 rows, then 17.
    for bits in [14, 15, 16] {
        check_against_bellperson(&Gates::bits((0..bits).map(|bit| bit % 3 == 0)));
    }
}

#[test]
fn circuits_with_next_to_nothing_in_them() {
    check_against_bellperson(&Gates(vec![]));
    check_against_bellperson(&Gates(vec![Gate::EmptyRow]));
    check_against_bellperson(&Gates(vec![Gate::EmptyRow; 3]));
    check_against_bellperson(&Gates(vec![Gate::Expose(0)]));
    check_against_bellperson(&Gates(vec![Gate::Bit(false)]));
}

#[test]
fn a_witness_that_does_not_satisfy_gives_no_valid_proof() {
    let circuit = Gates::mixed(20);
    let (_, parameters) = parameters(&circuit);
    let mut assignment = synthesize(&circuit);
    assignment.aux[4] += Scalar::ONE;
    let proof = prove_with(&parameters, &assignment, &Blinding::random(&mut source()));
    let key = PreparedVerifyingKey::new(&parameters.vk);
    assert_eq!(
        verify(&key, &proof, assignment.public_inputs()),
        Err(VerifyError::Invalid)
    );
}

#[test]
fn blinding_hides_and_differs() {
    let circuit = Gates::mixed(20);
    let (_, parameters) = parameters(&circuit);
    let assignment = synthesize(&circuit);
    let mut source = source();
    let key = PreparedVerifyingKey::new(&parameters.vk);
    let proofs = [(); 2].map(|()| prove_with(&parameters, &assignment, &Blinding::random(&mut source)));
    assert!(proofs[0].a != proofs[1].a && proofs[0].b != proofs[1].b && proofs[0].c != proofs[1].c);
    assert!(
        proofs
            .iter()
            .all(|proof| verify(&key, proof, assignment.public_inputs()).is_ok())
    );
    let bare = prove_with(
        &parameters,
        &assignment,
        &Blinding {
            r: Scalar::ZERO,
            s: Scalar::ZERO,
        },
    );
    assert_eq!(verify(&key, &bare, assignment.public_inputs()), Ok(()));
}

/// A proof with its key and inputs, to be tampered with.
fn proven() -> (PreparedVerifyingKey, Proof, Vec<Scalar>) {
    let circuit = Gates::mixed(20);
    let (_, parameters) = parameters(&circuit);
    let assignment = synthesize(&circuit);
    let proof = prove_with(&parameters, &assignment, &Blinding::random(&mut source()));
    (
        PreparedVerifyingKey::new(&parameters.vk),
        proof,
        assignment.public_inputs().to_vec(),
    )
}

#[test]
fn every_flipped_bit_is_refused() {
    let (key, proof, inputs) = proven();
    let bytes = proof.to_bytes();
    let mut decoded = 0;
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes;
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok(proof) = Proof::from_bytes(&flipped) {
            decoded += 1;
            assert_eq!(verify(&key, &proof, &inputs), Err(VerifyError::Invalid), "bit {bit}");
        }
    }
    // The three signs decode; other bits leave the curve or its subgroup.
    assert!(decoded >= 3, "{decoded}");
}

#[test]
fn exchanged_and_infinite_points_are_refused() {
    let (key, proof, inputs) = proven();
    assert_eq!(verify(&key, &proof, &inputs), Ok(()));
    let forged = [
        Proof {
            a: proof.c,
            c: proof.a,
            ..proof.clone()
        },
        Proof {
            a: G1Affine::identity(),
            ..proof.clone()
        },
        Proof {
            b: G2Affine::identity(),
            ..proof.clone()
        },
        Proof {
            c: G1Affine::identity(),
            ..proof
        },
    ];
    for proof in forged {
        assert_eq!(verify(&key, &proof, &inputs), Err(VerifyError::Invalid));
    }
}

#[test]
fn another_number_of_inputs_is_refused() {
    let (key, proof, inputs) = proven();
    assert_eq!(key.public_inputs(), 2);
    for actual in [0, 1, 3] {
        let inputs: Vec<_> = inputs.iter().copied().cycle().take(actual).collect();
        assert_eq!(
            verify(&key, &proof, &inputs),
            Err(VerifyError::InputCount { expected: 2, actual })
        );
    }
}

#[test]
fn bytes_that_are_no_proof_are_refused() {
    let (_, proof, _) = proven();
    let bytes = proof.to_bytes();
    for actual in [0, 191, 193] {
        let bytes: Vec<_> = bytes.iter().copied().cycle().take(actual).collect();
        assert_eq!(Proof::from_bytes(&bytes), Err(ProofDecodeError::Length { actual }));
    }
    let with = |at: usize, replacement: &[u8]| {
        let mut bytes = bytes;
        bytes[at..at + replacement.len()].copy_from_slice(replacement);
        Proof::from_bytes(&bytes).unwrap_err()
    };
    let mut infinity = [0; 96];
    infinity[0] = 0xc0;
    assert_eq!(
        with(0, &infinity[..48]),
        ProofDecodeError::Infinity {
            element: ProofElement::A
        }
    );
    assert_eq!(
        with(48, &infinity),
        ProofDecodeError::Infinity {
            element: ProofElement::B
        }
    );
    assert_eq!(
        with(144, &infinity[..48]),
        ProofDecodeError::Infinity {
            element: ProofElement::C
        }
    );
    // x = 1 is on no point of the curve; x = 4 is on one outside of the subgroup.
    let x = |x: u8| {
        let mut point = [0; 48];
        point[0] = 0x80;
        point[47] = x;
        point
    };
    assert_eq!(
        with(0, &x(1)),
        ProofDecodeError::NotAPoint {
            element: ProofElement::A
        }
    );
    assert!(
        bool::from(G1Affine::from_compressed_unchecked(&x(4)).is_some()),
        "on the curve"
    );
    assert_eq!(
        with(144, &x(4)),
        ProofDecodeError::NotAPoint {
            element: ProofElement::C
        }
    );
    // Not canonical: the field's modulus and more.
    assert_eq!(
        with(0, &[0x9f; 48]),
        ProofDecodeError::NotAPoint {
            element: ProofElement::A
        }
    );
}

#[test]
fn keys_that_anyone_could_forge_for_are_refused() {
    let (_, proof, inputs) = proven();
    let (_, parameters) = parameters(&Gates::mixed(20));
    for forge in [
        |vk: &mut cuzk_groth16::srs::VerifyingKey| vk.gamma_g2 = G2Affine::identity(),
        |vk: &mut cuzk_groth16::srs::VerifyingKey| vk.delta_g2 = G2Affine::identity(),
        |vk: &mut cuzk_groth16::srs::VerifyingKey| vk.alpha_g1 = G1Affine::identity(),
    ] {
        let mut vk = parameters.vk.clone();
        forge(&mut vk);
        assert_eq!(
            verify(&PreparedVerifyingKey::new(&vk), &proof, &inputs),
            Err(VerifyError::DegenerateKey)
        );
    }
    let no_inputs = cuzk_groth16::srs::VerifyingKey {
        ic: Vec::new(),
        ..parameters.vk
    };
    let refused = verify(&PreparedVerifyingKey::new(&no_inputs), &proof, &[]);
    assert_eq!(refused, Err(VerifyError::InputCount { expected: 0, actual: 0 }));
}

/// What a test does to parameters.
type Change = fn(&mut Parameters);

#[test]
fn parameters_of_another_circuit_are_refused_with_the_difference() {
    let assignment = synthesize(&Gates::mixed(20));
    let refusal = |change: Change| {
        let (_, mut parameters) = parameters(&Gates::mixed(20));
        change(&mut parameters);
        let blinding = Blinding::random(&mut source());
        let direct = CpuBackend.multiply(&parameters, &assignment, &Timeline::silent());
        match prove(&CpuBackend, &parameters, &assignment, &blinding, &Timeline::silent()) {
            Err(ProveError::Srs(mismatch)) => {
                assert!(matches!(direct, Err(BackendError::Srs(same)) if same == mismatch));
                mismatch
            }
            other => panic!("{other:?}"),
        }
    };
    let shortened: [(Query, Change); 6] = [
        (Query::Ic, |parameters| {
            parameters.vk.ic.pop();
        }),
        (Query::H, |parameters| {
            parameters.h.pop();
        }),
        (Query::L, |parameters| {
            parameters.l.pop();
        }),
        (Query::A, |parameters| {
            parameters.a.pop();
        }),
        (Query::BG1, |parameters| {
            parameters.b_g1.pop();
        }),
        (Query::BG2, |parameters| {
            parameters.b_g2.pop();
        }),
    ];
    for (query, shorten) in shortened {
        let mismatch = refusal(shorten);
        let SrsMismatch::QueryLength {
            query: named,
            expected,
            actual,
        } = mismatch
        else {
            panic!("{mismatch:?}")
        };
        assert_eq!((named, actual), (query, expected - 1));
        let message = mismatch.to_string();
        assert!(
            message.contains(&format!("query {query} ")) && message.contains("(hint: "),
            "{message}"
        );
    }
    let mismatch = refusal(|parameters| *parameters = support::parameters(&Gates::mixed(40)).1);
    assert!(
        matches!(
            mismatch,
            SrsMismatch::QueryLength {
                query: Query::H,
                expected: 31,
                actual: 63
            }
        ),
        "{mismatch:?}"
    );
    assert_eq!(
        refusal(|parameters| parameters.vk.delta_g1 = G1Affine::identity()),
        SrsMismatch::DeltaIsIdentity
    );
}

#[test]
fn malformed_assignments_are_refused() {
    let (_, parameters) = parameters(&Gates(vec![Gate::Free(3)]));
    let whole = synthesize(&Gates(vec![Gate::Free(3)]));
    let broken: [fn(&mut ProvingAssignment); 4] = [
        |assignment| {
            assignment.b.pop();
        },
        |assignment| {
            assignment.aux.pop();
        },
        |assignment| assignment.input.push(Scalar::ONE),
        |assignment| *assignment = ProvingAssignment::default(),
    ];
    for break_it in broken {
        let mut assignment = whole.clone();
        break_it(&mut assignment);
        let refused = CpuBackend.multiply(&parameters, &assignment, &Timeline::silent());
        assert!(matches!(
            refused,
            Err(BackendError::Srs(SrsMismatch::MalformedAssignment { .. }))
        ));
    }
}
