//! Requests, right and wrong, as a client on the socket sees them answered.

mod common;

use std::fs;
use std::time::{Duration, Instant};

use common::*;
use cuzk_groth16::{PreparedVerifyingKey, Proof, verify};
use cuzk_proto::v1::{self, await_proof_response::Status};
use tonic::Code;

const BENCH: &str = "bench:8:0.9";
const DEVELOPMENT: &[&str] = &["--allow-development-parameters"];

#[test]
fn a_synthetic_proof_comes_back_verified_and_says_that_it_is_for_development() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(DEVELOPMENT);
    let response = runtime().block_on(daemon.prove_synthetic("one", BENCH, 5)).unwrap();
    assert_eq!(status(&response), Status::Completed);
    assert!(response.development_parameters);

    let sidecars = fs::read_dir(place.path("cache/development"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let vk_path = sidecars
        .into_iter()
        .find(|path| path.extension().is_some_and(|extension| extension == "vk"))
        .unwrap();
    let key = cuzk_groth16::srs::format::read_verifying_key(&vk_path).unwrap();
    assert_eq!(response.verifying_key_sha256, key.sha256.to_string());
    let task = cuzk_circuits::synthetic::task(&BENCH.parse().unwrap(), cuzk_circuits::Seed(5)).unwrap();
    let result = response.result.unwrap();
    let proof = Proof::from_bytes(&result.proof).unwrap();
    verify(
        &PreparedVerifyingKey::new(&key.key),
        &proof,
        &task.partitions[0].public_inputs,
    )
    .unwrap();
    assert!(result.total_ms <= 60_000 && result.job_id == "one");
    assert_eq!(response.public_inputs[0].scalars.len(), 1);
}

#[test]
fn wrong_requests_are_refused_with_a_reason_and_the_daemon_serves_on() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        let mut client = daemon.proving().await;
        let mut refused = async |change: fn(&mut v1::SubmitProofRequest), code, expected: &str| {
            let mut submit = winning("wrong", 1);
            change(&mut submit);
            let status = client
                .prove(v1::ProveRequest { submit: Some(submit) })
                .await
                .unwrap_err();
            assert_eq!(status.code(), code, "{status}");
            assert!(
                status.message().contains(expected),
                "{expected:?} is missing in: {status}"
            );
        };
        let code = Code::InvalidArgument;
        refused(|submit| submit.proof_kind = 77, code, "unknown proof kind 77").await;
        refused(|submit| submit.proof_kind = 2, Code::Unimplemented, "SNAP_DEALS_UPDATE").await;
        refused(|submit| submit.vanilla_proofs[0].truncate(100), code, "ends inside").await;
        refused(
            |submit| submit.vanilla_proofs = vec![b"{\"json\": true}".to_vec().into()],
            code,
            "bincode",
        )
        .await;
        refused(flip_a_byte_of_the_path, code, "vanilla proof").await;
        refused(
            |submit| submit.randomness = vec![7; 32].into(),
            code,
            "challenged was leaf",
        )
        .await;
        refused(|submit| submit.request_id = "with space".into(), code, "request id").await;

        let empty = client.prove(v1::ProveRequest { submit: None }).await.unwrap_err();
        assert_eq!(empty.code(), Code::InvalidArgument);
        let unknown = daemon.prove_synthetic("x", "porep-32g", 1).await.unwrap_err();
        assert!(
            unknown.code() == Code::InvalidArgument && unknown.message().contains("winning-32g"),
            "{unknown}"
        );
        assert_eq!(
            status(&daemon.prove_synthetic("right", BENCH, 1).await.unwrap()),
            Status::Completed
        );
    });
}

/// In the middle: a hash of an inclusion path.
fn flip_a_byte_of_the_path(submit: &mut v1::SubmitProofRequest) {
    let mut proof = submit.vanilla_proofs[0].to_vec();
    let middle = proof.len() / 2;
    proof[middle] ^= 1;
    submit.vanilla_proofs = vec![proof.into()];
}

#[test]
fn noise_of_100_mib_is_refused_quickly_and_in_bounded_memory() {
    const NOISE_BYTES: usize = 100 << 20;
    let place = Place::new();
    let daemon = place.serve(&[]);
    let mut state = 1u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(NOISE_BYTES)
    .collect();
    let start = Instant::now();
    runtime().block_on(async {
        let mut submit = winning("noise", 1);
        submit.vanilla_proofs = vec![noise.into()];
        let request = v1::ProveRequest { submit: Some(submit) };
        let status = daemon.proving().await.prove(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        assert!(status.message().contains("104857600"), "{status}");
    });
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    let memory = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kib: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // The message while it is received, a growing buffer of it, and the program.
    assert!(peak_kib << 10 < 4 * NOISE_BYTES, "peak memory {peak_kib} KiB");
}

#[test]
fn a_message_above_the_limit_is_refused_before_it_is_received() {
    let place = Place::new();
    let daemon = place.serve(&[]);
    runtime().block_on(async {
        let mut submit = winning("huge", 1);
        submit.vanilla_proofs = vec![vec![0; cuzk_proto::MAX_MESSAGE_BYTES].into()];
        let mut client = daemon.proving().await.max_encoding_message_size(usize::MAX);
        let status = client
            .prove(v1::ProveRequest { submit: Some(submit) })
            .await
            .unwrap_err();
        assert_eq!(status.code(), Code::OutOfRange, "{status}");
        assert_eq!(daemon.bench_jobs().await, (0, 0), "and the daemon serves on");
    });
}

#[test]
fn development_parameters_are_refused_where_they_are_not_allowed() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(&[]);
    runtime().block_on(async {
        let synthetic = daemon.prove_synthetic("one", BENCH, 1).await.unwrap_err();
        assert_eq!(synthetic.code(), Code::PermissionDenied);
        assert!(
            synthetic.message().contains("--allow-development-parameters"),
            "{synthetic}"
        );
        let preload = v1::PreloadSrsRequest {
            circuit_id: BENCH.into(),
        };
        let preload = daemon.proving().await.preload_srs(preload).await.unwrap_err();
        assert_eq!(preload.code(), Code::FailedPrecondition);
        assert!(preload.message().contains("not allowed"), "{preload}");
    });
}

#[test]
fn a_winning_request_without_parameters_fails_with_what_to_do() {
    let place = Place::new();
    let daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        let mut client = daemon.proving().await;
        let prove = v1::ProveRequest {
            submit: Some(winning("w", 1)),
        };
        let result = client.prove(prove).await.unwrap().into_inner().result.unwrap();
        assert_eq!(result.status(), Status::Failed);
        assert!(
            result.error_message.contains("cuzk-bench params --proof winning-32g"),
            "{}",
            result.error_message
        );

        // Submitted and awaited, it is the same story; the result is kept.
        let submitted = client.submit_proof(winning("", 1)).await.unwrap().into_inner();
        assert_eq!(submitted.job_id, "job-1", "the daemon has chosen a name");
        let wait = v1::AwaitProofRequest {
            job_id: submitted.job_id,
            timeout_ms: 0,
        };
        for _ in 0..2 {
            let awaited = client.await_proof(wait.clone()).await.unwrap().into_inner();
            assert_eq!(awaited.status(), Status::Failed);
        }
        let status = client.get_status(v1::GetStatusRequest {}).await.unwrap().into_inner();
        assert_eq!((status.total_proofs_completed, status.total_proofs_failed), (0, 2));
        assert_eq!(status.queues[0].proof_kind, "winning-post");
    });
    assert!(daemon.stderr().contains("cuzk: job w failed"), "{}", daemon.stderr());
}

#[test]
fn parameters_are_preloaded_listed_and_evicted() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        let mut client = daemon.proving().await;
        let preload = v1::PreloadSrsRequest {
            circuit_id: BENCH.into(),
        };
        assert!(
            !client
                .preload_srs(preload.clone())
                .await
                .unwrap()
                .into_inner()
                .already_loaded
        );
        assert!(client.preload_srs(preload).await.unwrap().into_inner().already_loaded);

        let status = client.get_status(v1::GetStatusRequest {}).await.unwrap().into_inner();
        let [srs] = &status.loaded_srs[..] else {
            panic!("{status:?}")
        };
        assert_eq!((srs.circuit_id.as_str(), srs.ref_count), (BENCH, 0));
        assert!(srs.size_bytes > 864);

        let evict = v1::EvictSrsRequest {
            circuit_id: BENCH.into(),
        };
        let evicted = client.evict_srs(evict.clone()).await.unwrap().into_inner();
        assert_eq!((evicted.was_loaded, evicted.freed_bytes), (true, srs.size_bytes));
        assert!(!client.evict_srs(evict).await.unwrap().into_inner().was_loaded);
        let unknown = v1::PreloadSrsRequest {
            circuit_id: "snap-32g".into(),
        };
        assert_eq!(
            client.preload_srs(unknown).await.unwrap_err().code(),
            Code::InvalidArgument
        );
    });
}

#[test]
fn unknown_jobs_are_not_found() {
    let place = Place::new();
    let daemon = place.serve(&[]);
    runtime().block_on(async {
        let mut client = daemon.proving().await;
        let wait = v1::AwaitProofRequest {
            job_id: "nobody".into(),
            timeout_ms: 1,
        };
        assert_eq!(client.await_proof(wait).await.unwrap_err().code(), Code::NotFound);
        let cancel = v1::CancelProofRequest {
            job_id: "nobody".into(),
        };
        assert_eq!(client.cancel_proof(cancel).await.unwrap_err().code(), Code::NotFound);
    });
}

/// A later version of a message: one field that this daemon does not know.
#[derive(Clone, PartialEq, prost::Message)]
struct LaterRequest {
    #[prost(string, tag = "1")]
    job_id: String,
    #[prost(string, tag = "1000")]
    from_the_future: String,
}

#[test]
fn unknown_fields_are_ignored_and_unknown_methods_refused() {
    let place = Place::new();
    let daemon = place.serve(&[]);
    runtime().block_on(async {
        let call = async |method: &'static str| {
            let mut client = tonic::client::Grpc::new(daemon.channel().await);
            client.ready().await.unwrap();
            let codec = tonic_prost::ProstCodec::<LaterRequest, v1::GetStatusResponse>::default();
            let request = LaterRequest {
                job_id: String::new(),
                from_the_future: "x".repeat(1000),
            };
            client
                .unary(tonic::Request::new(request), method.parse().unwrap(), codec)
                .await
        };
        assert!(call("/cuzk.v1.ProvingEngine/GetStatus").await.is_ok());
        let unknown_method = call("/cuzk.v1.ProvingEngine/ProveFaster").await.unwrap_err();
        assert_eq!(unknown_method.code(), Code::Unimplemented);
        let unknown_service = call("/cuzk.v2.ProvingEngine/Prove").await.unwrap_err();
        assert_eq!(unknown_service.code(), Code::Unimplemented);
    });
}
