//! Jobs in flight: overlap, waiting, cancelling, callers that go away, and the daemon's end.

mod common;

use std::time::Duration;

use common::*;
use cuzk_proto::v1::{self, await_proof_response::Status};
use rustix::process::Signal;

/// Long enough to act while it is being proved, short enough for a test.
const BENCH: &str = "bench:13:0.5";
const DEVELOPMENT: &[&str] = &["--allow-development-parameters"];

#[test]
fn synthesis_of_one_proof_overlaps_with_the_proving_of_another() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        daemon
            .proving()
            .await
            .preload_srs(v1::PreloadSrsRequest {
                circuit_id: BENCH.into(),
            })
            .await
            .unwrap();
        let (one, two) = tokio::join!(
            daemon.prove_synthetic("one", BENCH, 1),
            daemon.prove_synthetic("two", BENCH, 2)
        );
        assert_eq!(
            (status(&one.unwrap()), status(&two.unwrap())),
            (Status::Completed, Status::Completed)
        );
    });
    let stderr = daemon.stderr();
    let synthesis = |job| span(&stderr, job, "synth_ms");
    let (first, second) = if synthesis("one").0 < synthesis("two").0 {
        ("one", "two")
    } else {
        ("two", "one")
    };
    let synthesis = synthesis(second);
    let proving = (
        span(&stderr, first, "ntt_msm_h_ms").0,
        span(&stderr, first, "verify_ms").1,
    );
    let overlap = synthesis.1.min(proving.1) - synthesis.0.max(proving.0);
    let shorter = (synthesis.1 - synthesis.0).min(proving.1 - proving.0);
    assert!(
        overlap >= shorter / 2.0,
        "overlap {overlap} ms of {shorter} ms:\n{stderr}"
    );
}

#[test]
fn a_wait_ends_at_its_timeout_and_a_cancelled_job_answers_everyone() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        let proof = daemon.prove_synthetic("one", BENCH, 1);
        let meanwhile = async {
            daemon.wait_until_in_progress(1).await;
            let mut client = daemon.proving().await;
            let wait = v1::AwaitProofRequest {
                job_id: "one".into(),
                timeout_ms: 1,
            };
            let waited = client.await_proof(wait).await.unwrap().into_inner();
            assert_eq!(waited.status(), Status::Timeout);
            client
                .cancel_proof(v1::CancelProofRequest { job_id: "one".into() })
                .await
                .unwrap()
                .into_inner()
        };
        let (proof, cancelled) = tokio::join!(proof, meanwhile);
        assert!(cancelled.was_running);
        assert_eq!(status(&proof.unwrap()), Status::Cancelled);
        let again = v1::CancelProofRequest { job_id: "one".into() };
        // As soon as the stage has let go of it, the job is over.
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(daemon.proving().await.cancel_proof(again).await.is_ok());
    });
}

#[test]
fn a_caller_that_goes_away_cancels_its_job_and_nobody_elses() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        let stays = daemon.prove_synthetic("stays", BENCH, 1);
        let meanwhile = async {
            daemon.wait_until_in_progress(1).await;
            for name in ["goes-1", "goes-2", "goes-3"] {
                let goes = daemon.prove_synthetic(name, BENCH, 2);
                let _ = tokio::time::timeout(Duration::from_millis(20), goes).await;
            }
        };
        let (stays, ()) = tokio::join!(stays, meanwhile);
        assert_eq!(status(&stays.unwrap()), Status::Completed);
        while daemon.bench_jobs().await != (0, 0) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let metrics = daemon
            .proving()
            .await
            .get_metrics(v1::GetMetricsRequest {})
            .await
            .unwrap()
            .into_inner();
        let cancelled = metrics
            .prometheus_text
            .lines()
            .find(|line| line.starts_with("cuzk_proofs_cancelled_total"));
        assert!(
            cancelled.is_some_and(|line| line != "cuzk_proofs_cancelled_total 0"),
            "{}",
            metrics.prometheus_text
        );
    });
}

#[test]
fn equal_requests_in_flight_share_one_job() {
    let place = Place::new().with_parameters(BENCH);
    let daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        let first = daemon.prove_synthetic("one", BENCH, 1);
        let second = async {
            daemon.wait_until_in_progress(1).await;
            let other = daemon.prove_synthetic("one", BENCH, 2).await.unwrap_err();
            assert_eq!(other.code(), tonic::Code::AlreadyExists, "{other}");
            daemon.prove_synthetic("one", BENCH, 1).await
        };
        let (first, second) = tokio::join!(first, second);
        assert_eq!(
            first.unwrap().result.unwrap().proof,
            second.unwrap().result.unwrap().proof
        );
    });
}

#[test]
fn a_signal_lets_the_job_in_flight_finish_and_takes_no_more() {
    let place = Place::new().with_parameters(BENCH);
    let mut daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        let channel = daemon.channel().await;
        let in_flight = daemon.prove_synthetic("one", BENCH, 1);
        let meanwhile = async {
            daemon.wait_until_in_progress(1).await;
            daemon.signal(Signal::TERM);
            while !daemon.stderr().contains("SIGTERM: draining") {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            prove_synthetic(channel, "late", BENCH, 2).await.unwrap_err()
        };
        let (in_flight, late) = tokio::join!(in_flight, meanwhile);
        assert_eq!(late.code(), tonic::Code::Unavailable, "{late}");
        assert_eq!(status(&in_flight.unwrap()), Status::Completed);
    });
    assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.stderr());
    assert!(daemon.stderr().ends_with("cuzk: drained\n"), "{}", daemon.stderr());
    assert!(!place.socket().exists());
}

#[test]
fn what_is_not_finished_in_time_is_lost_and_named() {
    let place = Place::new().with_parameters(BENCH);
    let mut daemon = place.serve(&["--allow-development-parameters", "--grace-period-s", "0"]);
    runtime().block_on(async {
        let in_flight = daemon.prove_synthetic("one", BENCH, 1);
        let meanwhile = async {
            daemon.wait_until_in_progress(1).await;
            daemon.signal(Signal::INT);
        };
        let (in_flight, ()) = tokio::join!(in_flight, meanwhile);
        assert_eq!(status(&in_flight.unwrap()), Status::Failed, "who waits is answered");
    });
    assert_eq!(daemon.wait().code(), Some(124), "{}", daemon.stderr());
    assert!(daemon.stderr().contains("1 jobs are lost: one"), "{}", daemon.stderr());
}

#[test]
fn a_second_signal_ends_at_once() {
    let place = Place::new().with_parameters(BENCH);
    let mut daemon = place.serve(DEVELOPMENT);
    runtime().block_on(async {
        // Several, so that draining takes longer than the second signal.
        let jobs = (0..8).map(|seed| daemon.prove_synthetic("", BENCH, seed));
        let jobs = futures_join(jobs);
        let meanwhile = async {
            daemon.wait_until_in_progress(1).await;
            daemon.signal(Signal::TERM);
            while !daemon.stderr().contains("draining") {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            daemon.signal(Signal::TERM);
        };
        tokio::join!(jobs, meanwhile);
    });
    assert_eq!(daemon.wait().code(), Some(143), "{}", daemon.stderr());
    assert!(!place.socket().exists());
}

/// Runs them all; how they end is of no interest here.
async fn futures_join<F: Future>(futures: impl Iterator<Item = F>) {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if futures.is_empty() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}
