//! The program `peer-bellperson`: bellperson's CPU prover on this project's circuits, measured in one process.
//!
//! It reads the parameters, makes one proof, verifies it and prints one line of JSON. `cuzk-bench prove-local` does the same
//! with our prover, step for step; `cuzk-bench peer` runs both and compares.
//!
//! Left out: repetition and statistics. One process is one sample, so that no allocator, cache or thread pool that an earlier
//! proof has warmed flatters a later one.
#![forbid(unsafe_code)]

mod moments;
mod proving;

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bellperson::groth16::Parameters;
use blstrs::Bls12;
use clap::Parser;
use cuzk_circuits::{ProofKind, Seed, synthetic};
use cuzk_contract::exit::ExitCode;
use cuzk_os::ProcessId;
use cuzk_os::memory::peak_resident_set;
use serde::Serialize;

use crate::proving::Measured;

const SCHEMA_VERSION: u32 = 1;
const PEER: &str = "bellperson-cpu";
/// Large enough that reading the file is not a matter of system calls.
const READ_BUFFER_BYTES: usize = 1 << 24;

#[derive(Parser)]
#[command(
    name = "peer-bellperson",
    version,
    about = "Proves once with bellperson 0.27 on the CPU and prints one line of JSON",
    after_help = "\
Example:
  peer-bellperson --circuit bench:16:0.9 --seed 1 --params ~/.cache/cuzk/development/bench-16-0.9-0123456789abcdef.params

Exit codes: 0 proved and verified, 1 no proof, 2 usage, 23 the proof does not verify."
)]
struct Arguments {
    /// winning-32g or bench:K:F
    #[arg(long, value_name = "CIRCUIT")]
    circuit: ProofKind,
    /// Decides every input
    #[arg(long, value_name = "N")]
    seed: u64,
    /// Parameter file of the circuit
    #[arg(long, value_name = "FILE")]
    params: PathBuf,
}

/// What is printed. `cuzk-bench peer` refuses a line with any other field.
#[derive(Serialize)]
struct Line {
    schema_version: u32,
    peer: &'static str,
    circuit: String,
    seed: u64,
    threads: usize,
    /// From a circuit with its witness to bellperson's assignment.
    synthesis_s: f64,
    /// From the assignment to the proof: what bellperson logs as `prover time`.
    prove_s: f64,
    /// Both, and giving back the memory.
    total_s: f64,
    /// Highest resident memory of the process when the proof was made.
    peak_memory_kib: u64,
    /// Hexadecimal, partition after partition.
    proof: String,
    verified: bool,
    /// Whether this program is a test build.
    debug_assertions: bool,
}

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    let code = run(&arguments).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::CheckFailed
    });
    code.into()
}

fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let parameters = read_parameters(&arguments.params)?;
    let task = synthetic::task(&arguments.circuit, Seed(arguments.seed))?;
    let (circuits, public_inputs): (Vec<_>, Vec<_>) = task
        .partitions
        .into_iter()
        .map(|partition| (partition.circuit, partition.public_inputs))
        .unzip();
    let measured = proving::measure(circuits, &parameters)?;
    let peak_memory_kib = peak_resident_set(ProcessId(std::process::id()))?.0;
    let verified = proving::verify(&parameters.vk, &measured.proofs, &public_inputs);
    print(&line(arguments, &measured, peak_memory_kib, verified)?)?;
    Ok(if verified { ExitCode::Ok } else { ExitCode::ProofInvalid })
}

/// All points in memory and decoded, before anything is measured. bellperson can also map the file and decode the points while
/// it proves, which would count against it here.
fn read_parameters(path: &Path) -> anyhow::Result<Parameters<Bls12>> {
    let context = || format!("cannot read parameters from {}", path.display());
    let file = File::open(path).with_context(context)?;
    Parameters::read(BufReader::with_capacity(READ_BUFFER_BYTES, file), false).with_context(context)
}

fn line(arguments: &Arguments, measured: &Measured, peak_memory_kib: u64, verified: bool) -> anyhow::Result<Line> {
    Ok(Line {
        schema_version: SCHEMA_VERSION,
        peer: PEER,
        circuit: arguments.circuit.to_string(),
        seed: arguments.seed,
        threads: rayon::current_num_threads(),
        synthesis_s: measured.synthesis.as_secs_f64(),
        prove_s: measured.prove.as_secs_f64(),
        total_s: measured.total.as_secs_f64(),
        peak_memory_kib,
        proof: hex::encode(proving::bytes(&measured.proofs)?),
        verified,
        debug_assertions: cfg!(debug_assertions),
    })
}

fn print(line: &Line) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{}", serde_json::to_string(line)?)?;
    Ok(stdout.flush()?)
}
