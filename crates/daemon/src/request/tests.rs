//! Which requests are read, and with which status the others are refused.

use cuzk_circuits::{Seed, synthetic};

use super::*;

fn submit() -> v1::SubmitProofRequest {
    let request = synthetic::winning_request(Seed(1)).unwrap();
    v1::SubmitProofRequest {
        request_id: "winning-1".into(),
        proof_kind: v1::ProofKind::WinningPost.into(),
        miner_id: request.miner_id.0,
        randomness: request.randomness.to_vec().into(),
        vanilla_proofs: vec![request.vanilla_proof.into()],
        ..Default::default()
    }
}

#[track_caller]
fn refused(change: impl FnOnce(&mut v1::SubmitProofRequest), code: Code, expected: &str) {
    let mut submit = submit();
    change(&mut submit);
    let status = Status::from(read(&submit).unwrap_err());
    assert_eq!(status.code(), code, "{status}");
    assert!(
        status.message().contains(expected),
        "{expected:?} is missing in: {status}"
    );
}

#[test]
fn a_request_in_the_form_of_curio_is_read() {
    let request = read(&submit()).unwrap();
    assert_eq!(request.id.unwrap().as_str(), "winning-1");
    assert_eq!(request.priority, Priority::Critical);
    assert!(request.winning.decode().is_ok());
}

#[test]
fn the_single_proof_field_serves_as_well() {
    let mut single = submit();
    single.vanilla_proof = single.vanilla_proofs.remove(0);
    single.request_id.clear();
    let request = read(&single).unwrap();
    assert_eq!(request.fingerprint, read(&submit()).unwrap().fingerprint);
    assert_eq!(request.id, None);
}

#[test]
fn the_fingerprint_covers_content_and_not_name_or_urgency() {
    let original = read(&submit()).unwrap().fingerprint;
    let with = |change: fn(&mut v1::SubmitProofRequest)| {
        let mut submit = submit();
        change(&mut submit);
        read(&submit).unwrap().fingerprint
    };
    assert_eq!(with(|submit| submit.request_id = "other".into()), original);
    assert_eq!(with(|submit| submit.priority = v1::Priority::Low.into()), original);
    assert_ne!(with(|submit| submit.miner_id += 1), original);
    assert_ne!(with(|submit| submit.randomness = vec![7; 32].into()), original);
}

#[test]
fn wrong_fields_are_refused_by_name() {
    use Code::{InvalidArgument, Unimplemented};
    refused(|submit| submit.proof_kind = 0, InvalidArgument, "unknown proof kind 0");
    refused(|submit| submit.proof_kind = 99, InvalidArgument, "WINNING_POST");
    refused(
        |submit| submit.proof_kind = 1,
        Unimplemented,
        "POREP_SEAL_COMMIT is not available yet",
    );
    refused(|submit| submit.priority = 9, InvalidArgument, "unknown priority 9");
    refused(
        |submit| submit.request_id = "a\nCUZK_TIMING: total_ms=1".into(),
        InvalidArgument,
        "request id",
    );
    refused(
        |submit| submit.request_id = "x".repeat(1 << 20),
        InvalidArgument,
        "64 characters",
    );
    refused(
        |submit| submit.sector_size = 64 << 30,
        InvalidArgument,
        "sector_size 68719476736",
    );
    refused(
        |submit| submit.registered_proof = 4,
        InvalidArgument,
        "registered_proof 4",
    );
    refused(
        |submit| submit.randomness = vec![0; 31].into(),
        InvalidArgument,
        "randomness of 31 bytes",
    );
    refused(
        |submit| submit.vanilla_proofs.clear(),
        InvalidArgument,
        "0 vanilla proofs",
    );
    refused(
        |submit| submit.vanilla_proofs.push(vec![1].into()),
        InvalidArgument,
        "2 vanilla proofs",
    );
    refused(
        |submit| submit.vanilla_proof = vec![1].into(),
        InvalidArgument,
        "both given",
    );
    refused(
        |submit| submit.vanilla_proofs = vec![vec![0; 1 << 24].into()],
        InvalidArgument,
        "actual 16777216",
    );
}

#[test]
fn a_timeout_of_zero_is_none() {
    assert_eq!(deadline(0), None);
    assert!(deadline(1000).unwrap() > Instant::now());
}
