//! `prove` against daemons that are honest, mistaken and lying. The proof is judged by bellperson, so the daemon here is only
//! a server that answers with what a test gives it.

mod common;

use std::sync::Mutex;

use common::*;
use cuzk_backend_cpu::CpuBackend;
use cuzk_circuits::{ProofKind, Seed, record, synthetic};
use cuzk_groth16::contract::Timeline;
use cuzk_groth16::srs::format::{SubgroupCheck, read_parameters};
use cuzk_groth16::srs::generate::Secret;
use cuzk_groth16::srs::store::{Entry, Generation, IfBusy, Store};
use cuzk_groth16::srs::{CancelToken, NoProgress};
use cuzk_groth16::{Blinding, prove, synthesize_circuits_batch};
use cuzk_proto::control::development_server::{Development, DevelopmentServer};
use cuzk_proto::control::{ProveSyntheticRequest, ProveSyntheticResponse};
use cuzk_proto::v1::{AwaitProofResponse, await_proof_response::Status as JobStatus};
use cuzk_proto::{DEVELOPMENT_PARAMETERS_METADATA, FAILURE_METADATA, PROOF_INVALID_FAILURE, VERIFYING_KEY_METADATA};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::{Request, Response, Status};

const KIND: &str = "bench:5:0.5";

/// A server with one answer, on a socket beside a cache with parameters.
struct Place {
    dir: TempDir,
    entry: Entry,
}

struct OneAnswer(Mutex<Option<Result<Response<ProveSyntheticResponse>, Status>>>);

#[tonic::async_trait]
impl Development for OneAnswer {
    async fn prove_synthetic(
        &self,
        _: Request<ProveSyntheticRequest>,
    ) -> Result<Response<ProveSyntheticResponse>, Status> {
        self.0.lock().unwrap().take().unwrap()
    }
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let generation = Generation {
            circuit_id: KIND,
            circuit: &record(&kind()).unwrap(),
            secret: &Secret::random(&mut rand_core::OsRng),
            arithmetic: &CpuBackend,
            observer: &NoProgress,
            cancel: &CancelToken::new(),
            if_busy: IfBusy::Fail,
        };
        let entry = Store::new(dir.path().join("development"))
            .generate(&generation)
            .unwrap();
        Self { dir, entry }
    }

    fn vk_sha256(&self) -> String {
        self.entry.sidecar.vk_sha256.to_string()
    }

    /// What an honest daemon answers.
    fn proof(&self, seed: u64) -> Vec<u8> {
        let srs = read_parameters(&self.entry.params, SubgroupCheck::Skip)
            .unwrap()
            .parameters;
        let task = synthetic::task(&kind(), Seed(seed)).unwrap();
        let circuits = task.partitions.into_iter().map(|partition| partition.circuit).collect();
        let assignment = synthesize_circuits_batch(circuits).unwrap().remove(0);
        let blinding = Blinding::random(&mut rand_core::OsRng);
        prove(&CpuBackend, &srs, &assignment, &blinding, &Timeline::silent())
            .unwrap()
            .to_bytes()
            .to_vec()
    }

    /// Runs `prove` against a server that gives this answer.
    fn run(&self, answer: Result<Response<ProveSyntheticResponse>, Status>) -> (i32, Value) {
        let socket = self.dir.path().join("s");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(async { UnixListener::bind(&socket).unwrap() });
        let service = DevelopmentServer::new(OneAnswer(Mutex::new(Some(answer))));
        let server = tonic::transport::Server::builder().add_service(service);
        runtime.spawn(server.serve_with_incoming(UnixListenerStream::new(listener)));
        let cache = self.dir.path().to_str().unwrap();
        let socket_text = socket.to_str().unwrap();
        let result = json(&[
            "prove",
            "--socket",
            socket_text,
            "--proof",
            KIND,
            "--request-id",
            "j",
            "--seed",
            "7",
            "--cache",
            cache,
        ]);
        runtime.shutdown_background();
        std::fs::remove_file(&socket).unwrap();
        result
    }
}

fn kind() -> ProofKind {
    KIND.parse().unwrap()
}

fn completed(proof: Vec<u8>, vk_sha256: &str) -> Response<ProveSyntheticResponse> {
    let status = JobStatus::Completed.into();
    let result = AwaitProofResponse {
        job_id: "j".into(),
        status,
        proof,
        total_ms: 12,
        ..Default::default()
    };
    let mut response = Response::new(ProveSyntheticResponse {
        result: Some(result),
        ..Default::default()
    });
    response
        .metadata_mut()
        .insert(VERIFYING_KEY_METADATA, vk_sha256.parse().unwrap());
    response
        .metadata_mut()
        .insert(DEVELOPMENT_PARAMETERS_METADATA, "true".parse().unwrap());
    response
}

#[test]
fn an_honest_proof_is_verified_by_bellperson_and_reported() {
    let place = Place::new();
    let proof = place.proof(7);
    let (code, report) = place.run(Ok(completed(proof.clone(), &place.vk_sha256())));
    assert_eq!(code, 0, "{report}");
    assert_eq!(
        (&report["ok"], &report["verified_by_bellperson"]),
        (&true.into(), &true.into())
    );
    assert_eq!(
        (&report["proof_kind"], &report["seed"], &report["request_id"]),
        (&KIND.into(), &7.into(), &"j".into())
    );
    assert_eq!(report["proof"], hex::encode(proof));
    assert_eq!(
        (&report["development_parameters"], &report["server"]["total_ms"]),
        (&true.into(), &12.into())
    );
}

#[test]
fn proofs_that_bellperson_does_not_accept_end_in_23() {
    let place = Place::new();
    let of_another_statement = place.proof(8);
    let mut damaged = place.proof(7);
    damaged[1] ^= 1;
    let short = place.proof(7)[..191].to_vec();
    for proof in [of_another_statement, damaged, short, vec![], vec![0; 192]] {
        let (code, document) = place.run(Ok(completed(proof, &place.vk_sha256())));
        assert_eq!(
            (code, &document["ok"], &document["error"]["code"]),
            (23, &false.into(), &23.into()),
            "{document}"
        );
    }
}

#[test]
fn a_daemon_cannot_choose_a_key_of_its_own() {
    let place = Place::new();
    let (code, document) = place.run(Ok(completed(place.proof(7), &"ab".repeat(32))));
    assert_eq!(code, 1);
    assert!(
        document["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no verifying key"),
        "{document}"
    );

    std::fs::write(&place.entry.vk, b"damaged").unwrap();
    let (code, document) = place.run(Ok(completed(place.proof(7), &place.vk_sha256())));
    assert_eq!(code, 1);
    assert!(
        document["error"]["message"].as_str().unwrap().contains("SHA-256"),
        "{document}"
    );
}

#[test]
fn a_proof_that_the_daemon_itself_found_invalid_ends_in_23_and_other_failures_in_1() {
    let place = Place::new();
    let failed = || {
        let status = JobStatus::Failed.into();
        let result = AwaitProofResponse {
            status,
            error_message: "because".into(),
            ..Default::default()
        };
        Response::new(ProveSyntheticResponse {
            result: Some(result),
            ..Default::default()
        })
    };
    let mut invalid = failed();
    invalid
        .metadata_mut()
        .insert(FAILURE_METADATA, PROOF_INVALID_FAILURE.parse().unwrap());
    assert_eq!(place.run(Ok(invalid)).0, 23);
    let (code, document) = place.run(Ok(failed()));
    assert_eq!(code, 1);
    assert!(
        document["error"]["message"].as_str().unwrap().contains("because"),
        "{document}"
    );
    let (code, document) = place.run(Err(Status::resource_exhausted("full")));
    assert!(
        code == 1 && document["error"]["message"].as_str().unwrap().contains("full"),
        "{document}"
    );
    assert_eq!(place.run(Err(Status::deadline_exceeded("slow"))).0, 124);
}

#[test]
fn an_answer_about_another_job_is_refused() {
    let place = Place::new();
    let mut answer = completed(place.proof(7), &place.vk_sha256());
    answer.get_mut().result.as_mut().unwrap().job_id = "k".into();
    let (code, report) = place.run(Ok(answer));
    assert_eq!(code, 1, "{report}");
    let message = report["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("asked about job j, the daemon answers about k"),
        "{message}"
    );
}

#[test]
fn a_deadline_that_tonic_ends_is_a_timeout() {
    let (code, report) = Place::new().run(Err(Status::cancelled("Timeout expired")));
    assert_eq!((code, &report["error"]["code"]), (124, &124.into()), "{report}");
}
