//! `cuzk-bench peer`: our prover against another, the same circuit, parameters and seed, process by process.
//!
//! Each pair is one process of either side, in an order that chance decides and that evens out drift. Every run counts: the
//! first one that fails, or whose proof bellperson's verifier does not accept, ends the comparison.
//!
//! Left out: receipts. What runs here was not checked against its sources, so that every figure is `UNVERIFIED`.

pub mod error;
pub mod line;
mod process;
mod program;
pub mod prove_local;
mod ratio;
mod report;
mod schedule;

use std::fmt;
use std::process::Command;
use std::time::Duration;

use bellperson::groth16::VerifyingKey;
use blstrs::{Bls12, Scalar};
use clap::ValueEnum;
use cuzk_circuits::{Seed, synthetic};
use cuzk_groth16::contract::exit::ExitCode;
use cuzk_groth16::srs::CancelToken;
use cuzk_groth16::srs::generate::SecretKind;
use cuzk_groth16::srs::store::{Entry, Store};
use serde::Serialize;

use crate::cli::PeerArguments;
use crate::output::{CommandResult, Failure, Output};
use crate::signals::Ended;
use crate::{directories, params, signals, verification};
use error::PeerError;
use line::Line;
use process::Limits;
use program::Program;

/// Whom our prover is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Peer {
    /// The CPU prover of bellperson 0.27
    BellpersonCpu,
}

impl Peer {
    /// As the peer's program names itself.
    fn name(self) -> &'static str {
        match self {
            Self::BellpersonCpu => "bellperson-cpu",
        }
    }

    /// File name of its program, and of the package that it is built from.
    fn program(self) -> &'static str {
        match self {
            Self::BellpersonCpu => "peer-bellperson",
        }
    }
}

/// One of the two programs that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Ours,
    Peer,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ours => "ours",
            Self::Peer => "peer",
        })
    }
}

/// One process of either side.
pub struct Pair {
    pub first: Side,
    pub ours: Line,
    pub peer: Line,
}

/// What both sides prove, and what their proofs are held against.
struct Statement {
    entry: Entry,
    key: VerifyingKey<Bls12>,
    public_inputs: Vec<Vec<Scalar>>,
}

/// All that the runs of a comparison share.
struct Comparison<'a> {
    arguments: &'a PeerArguments,
    statement: Statement,
    ours: Program,
    peer: Program,
    threads: usize,
    limits: Limits,
}

pub fn run(arguments: &PeerArguments, output: Output) -> CommandResult {
    let cancel = CancelToken::new();
    let ended = signals::cancel_on_signal(cancel.clone())?;
    let failure = |error: PeerError| error.into_failure(ended.by());
    let ours = program::ours().map_err(failure)?;
    let peer = program::peer(arguments.peer, arguments.peer_program.as_deref(), &cancel).map_err(failure)?;
    let comparison = Comparison {
        arguments,
        statement: statement(arguments, &cancel, &ended)?,
        ours,
        peer,
        threads: rayon::current_num_threads(),
        limits: Limits {
            timeout: Duration::from_secs(arguments.timeout_s),
            cancel,
        },
    };
    let pairs = comparison.run().map_err(failure)?;
    let report = report::Report::new(&comparison, &pairs);
    output.print(&report, || report.text())?;
    Ok(ExitCode::Ok)
}

/// Finds or makes the parameters. Their digest is checked, which also brings the file into memory before the first run.
fn statement(arguments: &PeerArguments, cancel: &CancelToken, ended: &Ended) -> Result<Statement, Failure> {
    let PeerArguments { circuit, seed, .. } = *arguments;
    let store: Store = directories::store(arguments.cache.as_deref())?;
    let (entry, _) = params::find_or_generate(&store, &circuit, SecretKind::Random, cancel, ended)?;
    let (expected, actual) = (entry.sidecar.params_sha256.to_string(), program::hash(&entry.params)?);
    if actual != expected {
        let path = entry.params;
        return Err(verification::KeyError::Digest { path, expected, actual }.into());
    }
    let key = verification::find_development_key(&store, &circuit, &entry.sidecar.vk_sha256.to_string())?;
    let partitions = synthetic::task(&circuit, Seed(seed))?.partitions.into_iter();
    let public_inputs = partitions.map(|partition| partition.public_inputs).collect();
    Ok(Statement {
        entry,
        key,
        public_inputs,
    })
}

impl Comparison<'_> {
    fn run(&self) -> Result<Vec<Pair>, PeerError> {
        let order = schedule::order(self.arguments.pairs.into(), &mut rand_core::OsRng);
        let total = order.len();
        let mut pairs = Vec::with_capacity(total);
        for (index, first) in order.into_iter().enumerate() {
            eprintln!("pair {} of {total}", index + 1);
            pairs.push(self.pair(first)?);
        }
        // Another program under the same name would make one series of two.
        self.peer.check_unchanged()?;
        Ok(pairs)
    }

    fn pair(&self, first: Side) -> Result<Pair, PeerError> {
        let (ours, peer);
        match first {
            Side::Ours => {
                ours = self.process(Side::Ours)?;
                peer = self.process(Side::Peer)?;
            }
            Side::Peer => {
                peer = self.process(Side::Peer)?;
                ours = self.process(Side::Ours)?;
            }
        }
        Ok(Pair { first, ours, peer })
    }

    /// One process, from its start to its verified proof.
    fn process(&self, side: Side) -> Result<Line, PeerError> {
        let (program, name) = match side {
            Side::Ours => (&self.ours, prove_local::NAME),
            Side::Peer => (&self.peer, self.arguments.peer.name()),
        };
        let stdout = process::output(program.label(), self.command(program), &self.limits)?;
        let line = Line::parse(&stdout).map_err(|error| program.bad_line(error))?;
        let PeerArguments { circuit, seed, .. } = *self.arguments;
        let expected = line::Expected {
            peer: name,
            circuit: &circuit.to_string(),
            seed,
            threads: self.threads,
        };
        line.check(&expected).map_err(|error| program.bad_line(error))?;
        self.verify(side, &line)?;
        Ok(line)
    }

    /// Both sides get the same arguments, and the same number of threads in every pool that they may use.
    fn command(&self, program: &Program) -> Command {
        let threads = self.threads.to_string();
        let mut command = program.command();
        command
            .args(["--circuit", &self.arguments.circuit.to_string()])
            .args(["--seed", &self.arguments.seed.to_string()])
            .arg("--params")
            .arg(&self.statement.entry.params)
            .env("RAYON_NUM_THREADS", &threads)
            .env("EC_GPU_NUM_THREADS", &threads);
        command
    }

    /// With a verifier outside the process that made the proof, which may say of itself what it likes.
    fn verify(&self, side: Side, line: &Line) -> Result<(), PeerError> {
        let Statement { key, public_inputs, .. } = &self.statement;
        verification::verify(key, &line.proof, public_inputs).map_err(|source| PeerError::Proof { side, source })?;
        if line.verified {
            Ok(())
        } else {
            Err(PeerError::OwnVerifier { side })
        }
    }
}
