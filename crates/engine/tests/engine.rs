//! The engine from outside: order, overlap, identity of requests, faults, cancelling, draining.

mod common;

use std::sync::atomic::Ordering;
use std::time::Duration;

use common::*;
use cuzk_circuits::{Seed, synthetic};
use cuzk_engine::*;
use cuzk_groth16::contract::phase;
use cuzk_groth16::srs::trust::Provenance;
use cuzk_groth16::{PreparedVerifyingKey, Proof, verify};

#[test]
fn a_proof_verifies_and_says_that_its_parameters_are_for_development() {
    let bench = Bench::new(Mode::Prove);
    let completed = completed(&mut bench.engine.submit(request("one", 1, Priority::Normal)).unwrap());
    let task = synthetic::task(&kind(), Seed(1)).unwrap();
    let proof = Proof::from_bytes(&completed.proof_bytes()).unwrap();
    let key = PreparedVerifyingKey::new(&parameters().vk);
    verify(&key, &proof, &task.partitions[0].public_inputs).unwrap();
    assert_eq!(
        (completed.proofs.len(), completed.provenance),
        (1, Provenance::Development)
    );
    assert_eq!(completed.verifying_key_sha256, [7; 32]);
    assert!(completed.timings.total >= completed.timings.backend);
}

#[test]
fn every_phase_of_a_proof_is_printed_once_and_lies_within_the_total() {
    let bench = Bench::new(Mode::Prove);
    completed(&mut bench.engine.submit(request("one", 1, Priority::Normal)).unwrap());
    let spans = bench.lines.spans("one");
    let (_, begin, end) = spans
        .iter()
        .find(|(key, ..)| key == phase::TOTAL.key())
        .unwrap()
        .clone();
    for phase in phase::PHASES
        .iter()
        .filter(|phase| phase.presence == phase::Presence::EveryProof)
    {
        let key = phase.marker.key();
        let found: Vec<_> = spans.iter().filter(|(found, ..)| found == key).collect();
        let [(_, from, to)] = found[..] else {
            panic!("{key} is printed {} times", found.len())
        };
        assert!(
            *from >= begin - 0.001 && *to <= end + 0.001,
            "{key} lies outside the total"
        );
    }
    assert!(bench.lines.keys("one").contains(&phase::SRS_LOAD.key().to_owned()));
}

#[test]
fn parameters_are_loaded_once() {
    let bench = Bench::new(Mode::Prove);
    completed(&mut bench.engine.submit(request("one", 1, Priority::Normal)).unwrap());
    completed(&mut bench.engine.submit(request("two", 2, Priority::Normal)).unwrap());
    assert_eq!(bench.source.loads.load(Ordering::Relaxed), 1);
    assert!(
        !bench.lines.keys("two").contains(&phase::SRS_LOAD.key().to_owned()),
        "a phase not done is absent"
    );
    assert_eq!(bench.engine.preload(&kind()).unwrap(), Fetched::FromMemory);
    assert_eq!(bench.engine.status().parameters[0].users, 0);
    assert_eq!(bench.engine.evict(&kind()), Eviction::Evicted { freed_bytes: 1000 });
    assert_eq!(bench.engine.evict(&kind()), Eviction::NotLoaded);
    assert_eq!(bench.engine.preload(&kind()).unwrap(), Fetched::FromFile);
}

#[test]
fn parameters_in_use_survive_their_eviction() {
    let bench = Bench::new(Mode::Hold);
    let mut ticket = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    bench.wait_until_entered(1);
    assert_eq!(bench.engine.status().parameters[0].users, 1);
    assert_eq!(bench.engine.evict(&kind()), Eviction::Evicted { freed_bytes: 0 });
    bench.gate.set(Mode::Prove);
    completed(&mut ticket);
}

#[test]
fn the_next_proof_is_synthesised_while_this_one_is_in_the_backend() {
    let bench = Bench::new(Mode::Hold);
    let mut first = bench.engine.submit(request("first", 1, Priority::Normal)).unwrap();
    bench.wait_until_entered(1);
    let mut second = bench.engine.submit(request("second", 2, Priority::Normal)).unwrap();
    wait_until(|| bench.lines.keys("second").contains(&phase::SYNTH.key().to_owned()));
    assert!(
        !bench.lines.keys("first").contains(&phase::TOTAL.key().to_owned()),
        "the first one is still held"
    );
    std::thread::sleep(Duration::from_millis(5));
    bench.gate.set(Mode::Prove);
    completed(&mut first);
    completed(&mut second);
    assert!(
        bench
            .lines
            .keys("second")
            .contains(&phase::BACKEND_WAIT.key().to_owned())
    );
}

/// Submits three jobs behind a held one, lets everything go, and returns the order in which they passed the backend.
fn order_behind_a_held_job(ready_partitions: usize, all_synthesised: bool) -> Vec<String> {
    let bench = Bench::with(
        Mode::Hold,
        Sizes {
            ready_partitions,
            ..SIZES
        },
        parameters().vk.clone(),
    );
    let held = bench.engine.submit(request("held", 0, Priority::Low)).unwrap();
    bench.wait_until_entered(1);
    let mut tickets = vec![held];
    for (seed, (name, priority)) in (1..).zip([
        ("low", Priority::Low),
        ("normal", Priority::Normal),
        ("critical", Priority::Critical),
    ]) {
        tickets.push(bench.engine.submit(request(name, seed, priority)).unwrap());
        if all_synthesised || name == "low" {
            wait_until(|| bench.lines.keys(name).contains(&phase::SYNTH.key().to_owned()));
        }
    }
    bench.gate.set(Mode::Prove);
    tickets.iter_mut().for_each(|ticket| drop(completed(ticket)));
    bench.gate.passed.lock().unwrap().clone()
}

#[test]
fn urgent_jobs_overtake_in_the_queue_for_synthesis() {
    assert_eq!(order_behind_a_held_job(1, false), ["held", "low", "critical", "normal"]);
}

#[test]
fn urgent_jobs_overtake_in_the_queue_for_the_backend() {
    assert_eq!(order_behind_a_held_job(3, true), ["held", "critical", "normal", "low"]);
}

#[test]
fn the_same_request_joins_its_job_and_another_one_under_its_name_is_refused() {
    let bench = Bench::new(Mode::Hold);
    let mut first = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    let mut again = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    let mut joined = bench.engine.join(&id("one"), fingerprint(1)).unwrap().unwrap();
    let other = bench.engine.submit(request("one", 2, Priority::Normal));
    assert!(matches!(other, Err(SubmitError::OtherContent { .. })));
    assert!(bench.engine.join(&id("one"), fingerprint(2)).is_err());
    assert!(bench.engine.join(&id("two"), fingerprint(1)).unwrap().is_none());
    bench.gate.set(Mode::Prove);
    let proofs = [&mut first, &mut again, &mut joined].map(|ticket| completed(ticket).proof_bytes());
    assert!(proofs.iter().all(|proof| *proof == proofs[0]), "one job, one proof");
    assert_eq!(bench.gate.entered.load(Ordering::SeqCst), 1);

    // Over and done, the name is free: a retry is a new job, with new blinding.
    let fresh = completed(&mut bench.engine.submit(request("one", 1, Priority::Normal)).unwrap());
    assert_ne!(fresh.proof_bytes(), proofs[0]);
}

#[test]
fn a_full_engine_refuses() {
    let bench = Bench::with(
        Mode::Hold,
        Sizes {
            accepted_jobs: 2,
            ..SIZES
        },
        parameters().vk.clone(),
    );
    let mut one = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    let _two = bench.engine.submit(request("two", 2, Priority::Normal)).unwrap();
    let refused = bench.engine.submit(request("three", 3, Priority::Critical));
    assert!(matches!(refused, Err(SubmitError::Full { limit: 2 })));
    bench.gate.set(Mode::Prove);
    completed(&mut one);
    wait_until(|| bench.engine.submit(request("four", 4, Priority::Normal)).is_ok());
}

#[test]
fn a_proof_that_does_not_verify_is_an_error_and_not_a_proof() {
    let mut key = parameters().vk.clone();
    key.ic.swap(0, 1);
    let bench = Bench::with(Mode::Prove, SIZES, key);
    let error = failed(&mut bench.engine.submit(request("one", 1, Priority::Normal)).unwrap());
    assert!(matches!(*error, JobError::ProofInvalid { .. }), "{error}");
    assert!(
        !bench.lines.keys("one").contains(&phase::TOTAL.key().to_owned()),
        "no total without a verified proof"
    );
    assert_eq!(bench.engine.status().families[0].failed, 1);
}

#[test]
fn a_panic_costs_one_job() {
    let bench = Bench::new(Mode::Panic);
    let error = failed(&mut bench.engine.submit(request("one", 1, Priority::Normal)).unwrap());
    let JobError::Panicked {
        stage: StageName::Proving,
        message,
        ..
    } = &*error
    else {
        panic!("{error}")
    };
    assert!(message.contains("told to panic"));
    bench.gate.set(Mode::Prove);
    completed(&mut bench.engine.submit(request("two", 2, Priority::Normal)).unwrap());
}

#[test]
fn a_circuit_without_witness_fails_its_job_only() {
    let bench = Bench::new(Mode::Prove);
    let mut blank = request("blank", 1, Priority::Normal);
    blank.task.partitions[0].circuit = cuzk_circuits::blank(&kind());
    let error = failed(&mut bench.engine.submit(blank).unwrap());
    assert!(matches!(*error, JobError::Synthesis(_)), "{error}");
    completed(&mut bench.engine.submit(request("two", 2, Priority::Normal)).unwrap());
}

#[test]
fn missing_parameters_fail_the_job_with_the_circuit_id() {
    let bench = Bench::new(Mode::Prove);
    let mut request = request("one", 1, Priority::Normal);
    request.task = synthetic::task(&"bench:9:0".parse().unwrap(), Seed(1)).unwrap();
    let error = failed(&mut bench.engine.submit(request).unwrap());
    assert_eq!(error.to_string(), "no parameters for bench:9:0: no such file");
}

#[test]
fn cancelling_removes_a_queued_job_and_discards_the_result_of_a_running_one() {
    let bench = Bench::new(Mode::Hold);
    let mut running = bench
        .engine
        .submit_lasting(request("running", 1, Priority::Normal))
        .unwrap();
    bench.wait_until_entered(1);
    let mut ready = bench
        .engine
        .submit_lasting(request("ready", 2, Priority::Normal))
        .unwrap();
    wait_until(|| bench.lines.keys("ready").contains(&phase::SYNTH.key().to_owned()));
    let mut queued = bench
        .engine
        .submit_lasting(request("queued", 3, Priority::Normal))
        .unwrap();

    assert_eq!(bench.engine.cancel(&id("queued")), Cancellation::WasQueued);
    assert_eq!(bench.engine.cancel(&id("ready")), Cancellation::WasRunning);
    assert_eq!(bench.engine.cancel(&id("running")), Cancellation::WasRunning);
    for ticket in [&mut queued, &mut ready, &mut running] {
        assert!(matches!(outcome(ticket), Outcome::Cancelled));
    }
    let again = bench.engine.submit(request("running", 1, Priority::Normal));
    assert!(matches!(again, Err(SubmitError::StillStopping { .. })));
    assert_eq!(bench.engine.cancel(&id("unknown")), Cancellation::Unknown);

    bench.gate.set(Mode::Prove);
    assert_eq!(bench.engine.drain(WAIT), Drained::Everything);
    assert_eq!(bench.engine.cancel(&id("running")), Cancellation::AlreadyOver);
    assert_eq!(
        *bench.gate.passed.lock().unwrap(),
        ["running"],
        "what was not begun is not proved"
    );
    assert_eq!(bench.engine.status().families[0].cancelled, 3);
}

#[test]
fn a_job_that_nobody_waits_for_is_dropped_unless_it_was_submitted_to_last() {
    let bench = Bench::new(Mode::Hold);
    let _held = bench.engine.submit(request("held", 0, Priority::Normal)).unwrap();
    bench.wait_until_entered(1);
    let _next = bench.engine.submit(request("next", 9, Priority::Normal)).unwrap();
    wait_until(|| bench.lines.keys("next").contains(&phase::SYNTH.key().to_owned()));

    drop(bench.engine.submit(request("abandoned", 1, Priority::Normal)).unwrap());
    assert!(matches!(
        bench.engine.find(&id("abandoned")),
        Some(Lookup::Finished(Outcome::Cancelled))
    ));
    let first = bench.engine.submit(request("shared", 2, Priority::Normal)).unwrap();
    let second = bench.engine.submit(request("shared", 2, Priority::Normal)).unwrap();
    drop(first);
    assert!(
        matches!(bench.engine.find(&id("shared")), Some(Lookup::InFlight(_))),
        "somebody still waits"
    );
    drop(
        bench
            .engine
            .submit_lasting(request("lasting", 3, Priority::Normal))
            .unwrap(),
    );

    bench.gate.set(Mode::Prove);
    assert_eq!(bench.engine.drain(WAIT), Drained::Everything);
    assert!(matches!(
        bench.engine.find(&id("lasting")),
        Some(Lookup::Finished(Outcome::Completed(_)))
    ));
    drop(second);
}

#[test]
fn a_caller_who_comes_back_finds_the_abandoned_job_in_work() {
    let bench = Bench::new(Mode::Hold);
    let first = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    bench.wait_until_entered(1);
    drop(first);
    let mut second = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    bench.gate.set(Mode::Prove);
    completed(&mut second);
    assert_eq!(bench.gate.entered.load(Ordering::SeqCst), 1);
}

#[test]
fn results_are_kept_for_late_callers_and_not_for_ever() {
    let bench = Bench::new(Mode::Prove);
    for seed in 0..6 {
        completed(
            &mut bench
                .engine
                .submit(request(&format!("job-{seed}"), seed, Priority::Normal))
                .unwrap(),
        );
    }
    let kept = |seed: u64| bench.engine.find(&id(&format!("job-{seed}"))).is_some();
    assert_eq!(
        (0..6).map(kept).collect::<Vec<_>>(),
        [false, false, true, true, true, true]
    );
}

#[test]
fn draining_finishes_what_was_accepted_and_takes_nothing_new() {
    let bench = Bench::new(Mode::Hold);
    let mut one = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    let mut two = bench.engine.submit(request("two", 2, Priority::Normal)).unwrap();
    bench.engine.stop_admission();
    let refused = bench.engine.submit(request("three", 3, Priority::Critical));
    assert!(matches!(refused, Err(SubmitError::Draining)));
    bench.gate.set(Mode::Prove);
    assert_eq!(bench.engine.drain(WAIT), Drained::Everything);
    completed(&mut one);
    completed(&mut two);
}

#[test]
fn what_is_not_finished_within_the_grace_period_is_named_and_answered() {
    let bench = Bench::new(Mode::Hold);
    let mut stuck = bench.engine.submit(request("stuck", 1, Priority::Normal)).unwrap();
    bench.wait_until_entered(1);
    assert_eq!(
        bench.engine.drain(Duration::from_millis(10)),
        Drained::Lost(vec![id("stuck")])
    );
    assert!(matches!(*failed(&mut stuck), JobError::Stopped));
    bench.gate.set(Mode::Prove);
}

#[test]
fn dropping_the_engine_answers_those_who_wait() {
    let bench = Bench::new(Mode::Hold);
    let mut stuck = bench.engine.submit(request("stuck", 1, Priority::Normal)).unwrap();
    bench.wait_until_entered(1);
    drop(bench.engine);
    assert!(matches!(*failed(&mut stuck), JobError::Stopped));
    bench.gate.set(Mode::Prove);
}

#[test]
fn the_status_counts_what_waits_and_what_is_in_work() {
    let bench = Bench::new(Mode::Hold);
    let mut one = bench.engine.submit(request("one", 1, Priority::Normal)).unwrap();
    bench.wait_until_entered(1);
    let _two = bench.engine.submit(request("two", 2, Priority::Normal)).unwrap();
    wait_until(|| bench.lines.keys("two").contains(&phase::SYNTH.key().to_owned()));
    let three = bench.engine.submit(request("three", 3, Priority::Low)).unwrap();
    let four = bench.engine.submit(request("four", 4, Priority::High)).unwrap();
    assert_eq!((four.position(), three.position()), (Position(0), Position(1)));
    let status = bench.engine.status();
    let family = &status.families[0];
    assert_eq!(
        (family.family, family.pending, family.in_progress),
        (Family::Bench, 2, 2)
    );
    assert_eq!(status.proving, Some(id("one")));
    bench.gate.set(Mode::Prove);
    completed(&mut one);
    assert_eq!(bench.engine.drain(WAIT), Drained::Everything);
    assert_eq!(bench.engine.status().families[0].completed, 4);
}
