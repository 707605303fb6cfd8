//! The timing lines of a proof on the CPU.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Instant;

use cuzk_backend_cpu::CpuBackend;
use cuzk_groth16::contract::{JobId, PartitionIndex, ProcessClock, Timeline, TimingSink};
use cuzk_groth16::{Blinding, ProvingAssignment, SynthesisCapacityHint, prove};
use support::{Gates, parameters, source};

#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl TimingSink for Lines {
    fn write_line(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

/// Key, duration and start of each line of one proof.
fn phases_of(circuit: &Gates) -> Vec<(String, f64, f64)> {
    let (_, parameters) = parameters(circuit);
    let assignment = ProvingAssignment::synthesize(circuit.clone(), SynthesisCapacityHint::default()).unwrap();
    let lines = Arc::new(Lines::default());
    let clock = ProcessClock::starting_at(Instant::now());
    let timeline = Timeline::new(clock, lines.clone(), JobId::new("job").unwrap(), PartitionIndex(1));
    prove(
        &CpuBackend,
        &parameters,
        &assignment,
        &Blinding::random(&mut source()),
        &timeline,
    )
    .unwrap();
    let lines = lines.0.lock().unwrap();
    lines.iter().map(|line| phase(line)).collect()
}

fn phase(line: &str) -> (String, f64, f64) {
    let pairs: Vec<_> = line
        .trim_end()
        .strip_prefix("CUZK_TIMING: ")
        .unwrap()
        .split(' ')
        .collect();
    let number = |pair: &str, key: &str| pair.strip_prefix(key).unwrap().parse::<f64>().unwrap();
    let (key, duration) = pairs[0].split_once('=').unwrap();
    assert_eq!(pairs[2..4], ["job=job", "partition=1"]);
    (key.to_owned(), duration.parse().unwrap(), number(pairs[1], "start_ms="))
}

#[test]
fn every_phase_once_in_order_and_none_overlapping() {
    let phases = phases_of(&Gates::mixed(3000));
    let keys: Vec<_> = phases.iter().map(|(key, ..)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "ntt_msm_h_ms",
            "prep_msm_ms",
            "batch_add_ms",
            "tail_msm_ms",
            "b_g2_msm_ms",
            "assemble_ms"
        ]
    );
    for pair in phases.windows(2) {
        let ((key, duration, start), (next_key, _, next_start)) = (&pair[0], &pair[1]);
        assert!(start + duration <= next_start + 0.002, "{key} overlaps {next_key}");
    }
    let (first, last) = (&phases[0], &phases[phases.len() - 1]);
    let accounted: f64 = phases.iter().map(|(_, duration, _)| duration).sum();
    let whole = last.2 + last.1 - first.2;
    // What lies between the phases is next to nothing; the margin is for a thread that waits for a busy machine.
    assert!(accounted > 0.9 * whole, "{accounted} of {whole} ms");
}

#[test]
fn a_phase_without_work_is_absent() {
    let keys: Vec<_> = phases_of(&Gates::bits([true; 20]))
        .into_iter()
        .map(|(key, ..)| key)
        .collect();
    assert_eq!(keys, ["ntt_msm_h_ms", "prep_msm_ms", "batch_add_ms", "assemble_ms"]);
}
