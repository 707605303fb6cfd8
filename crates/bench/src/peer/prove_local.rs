//! `cuzk-bench prove-local`: one proof by our CPU backend, measured in one process. The counterpart of the peers' programs.
//!
//! Step for step what they do: read the parameters, prove, look at the memory, verify with bellperson, print a
//! [`Line`]. What each duration spans is said there.

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bellperson::groth16::VerifyingKey;
use blstrs::Bls12;
use cuzk_backend_cpu::CpuBackend;
use cuzk_circuits::{CircuitInstance, Seed, synthetic};
use cuzk_groth16::contract::Timeline;
use cuzk_groth16::contract::exit::ExitCode;
use cuzk_groth16::srs::Parameters;
use cuzk_groth16::srs::format::{SubgroupCheck, read_parameters};
use cuzk_groth16::{Blinding, Proof, prove, synthesize_circuits_batch};
use cuzk_os::ProcessId;
use cuzk_os::memory::peak_resident_set;

use crate::cli::ProveLocalArguments;
use crate::output::{CommandResult, SCHEMA_VERSION};
use crate::peer::line::Line;
use crate::verification;

/// What the line calls our prover.
pub const NAME: &str = "cuzk-cpu";

/// The proofs of all partitions, and what they cost.
struct Measured {
    proofs: Vec<Proof>,
    synthesis: Duration,
    prove: Duration,
    total: Duration,
}

pub fn run(arguments: &ProveLocalArguments) -> CommandResult {
    let ProveLocalArguments { circuit, seed, params } = arguments;
    let parameters = read_parameters(params, SubgroupCheck::Skip)?.parameters;
    let partitions = synthetic::task(circuit, Seed(*seed))?.partitions.into_iter();
    let (circuits, public_inputs): (Vec<_>, Vec<_>) = partitions
        .map(|partition| (partition.circuit, partition.public_inputs))
        .unzip();
    let measured = measure(circuits, &parameters)?;
    let peak_memory_kib = peak_resident_set(ProcessId(std::process::id()))?.0;
    let proof: Vec<_> = measured.proofs.iter().flat_map(Proof::to_bytes).collect();
    let verified = verification::verify(&read_key(params)?, &proof, &public_inputs).is_ok();
    print(&Line {
        schema_version: SCHEMA_VERSION,
        peer: NAME.to_owned(),
        circuit: circuit.to_string(),
        seed: *seed,
        threads: rayon::current_num_threads(),
        synthesis_s: measured.synthesis.as_secs_f64(),
        prove_s: measured.prove.as_secs_f64(),
        total_s: measured.total.as_secs_f64(),
        peak_memory_kib,
        proof,
        verified,
        debug_assertions: cfg!(debug_assertions),
    })?;
    Ok(if verified { ExitCode::Ok } else { ExitCode::ProofInvalid })
}

fn measure(circuits: Vec<CircuitInstance>, parameters: &Parameters) -> anyhow::Result<Measured> {
    let blindings: Vec<_> = circuits
        .iter()
        .map(|_| Blinding::random(&mut rand_core::OsRng))
        .collect();
    let timeline = Timeline::silent();
    let start = Instant::now();
    let assignments = synthesize_circuits_batch(circuits)?;
    let synthesised = Instant::now();
    let proofs = assignments
        .iter()
        .zip(&blindings)
        .map(|(assignment, blinding)| prove(&CpuBackend, parameters, assignment, blinding, &timeline))
        .collect::<Result<_, _>>()?;
    let proved = Instant::now();
    drop(assignments); // The peers' calls give back their memory before they return.
    let end = Instant::now();
    Ok(Measured {
        proofs,
        synthesis: synthesised - start,
        prove: proved - synthesised,
        total: end - start,
    })
}

/// The verifying key at the beginning of a parameter file, read by bellperson.
fn read_key(params: &Path) -> anyhow::Result<VerifyingKey<Bls12>> {
    let context = || format!("cannot read a verifying key from {}", params.display());
    let file = File::open(params).with_context(context)?;
    VerifyingKey::read(BufReader::new(file)).with_context(context)
}

fn print(line: &Line) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{}", serde_json::to_string(line)?)?;
    Ok(stdout.flush()?)
}
