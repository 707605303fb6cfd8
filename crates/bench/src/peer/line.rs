//! The one line of JSON that a program prints for one proof: ours and the peers' alike.
//!
//! What is compared, on both sides: `synthesis_s` runs from a circuit with its witness to the assignment; `prove_s` from there
//! to the proof, with transforms, multi-scalar products, blinding and assembly, and with the conversion of the assignment to
//! whatever form the prover wants; `total_s` is both and the giving back of their memory. Reading parameters, making the
//! witness's inputs and verifying are on neither side's clock. `peak_memory_kib` is the process's, parameters included.

use std::str;

use serde::{Deserialize, Serialize};

use crate::output::SCHEMA_VERSION;

/// No line is longer: the proofs of a hundred partitions fit.
pub const MAX_LINE_BYTES: u64 = 1 << 16;
/// The times are printed as decimal numbers, so that their sum may be off by a little.
const ROUNDING_S: f64 = 1e-6;

/// One proof and what it cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub schema_version: u32,
    /// The prover: `bellperson-cpu`, or ours.
    pub peer: String,
    pub circuit: String,
    pub seed: u64,
    pub threads: usize,
    pub synthesis_s: f64,
    pub prove_s: f64,
    pub total_s: f64,
    pub peak_memory_kib: u64,
    /// Partition after partition.
    #[serde(with = "hex::serde")]
    pub proof: Vec<u8>,
    /// By the program itself.
    pub verified: bool,
    /// Whether the program is a test build, whose times nobody should quote.
    pub debug_assertions: bool,
}

/// What a line has to be about.
pub struct Expected<'a> {
    pub peer: &'a str,
    pub circuit: &'a str,
    pub seed: u64,
    pub threads: usize,
}

/// What is printed is not the result that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    #[error("more than {MAX_LINE_BYTES} bytes")]
    TooLong,
    #[error("it has {lines} lines, expected 1")]
    LineCount { lines: usize },
    #[error("it is no text")]
    NotText(#[from] str::Utf8Error),
    #[error("it is not the JSON of a result")]
    Json(#[from] serde_json::Error),
    #[error("schema_version is {actual}, expected {SCHEMA_VERSION} (hint: build the peer again)")]
    Version { actual: u32 },
    #[error("{field} is {actual}, expected {expected}")]
    Field {
        field: &'static str,
        expected: String,
        actual: String,
    },
    #[error("{field} is {value}, which nothing can cost")]
    Impossible { field: &'static str, value: f64 },
    #[error("synthesis_s and prove_s are {parts} together, more than total_s, {total}")]
    Sum { parts: f64, total: f64 },
}

/// Looked at first: a later version may have other fields.
#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

impl Line {
    /// Reads what a program has printed.
    pub fn parse(stdout: &[u8]) -> Result<Self, LineError> {
        if stdout.len() as u64 > MAX_LINE_BYTES {
            return Err(LineError::TooLong);
        }
        let text = str::from_utf8(stdout)?;
        let lines = text.lines().count();
        if lines != 1 {
            return Err(LineError::LineCount { lines });
        }
        let Version { schema_version } = serde_json::from_str(text)?;
        if schema_version != SCHEMA_VERSION {
            return Err(LineError::Version { actual: schema_version });
        }
        let line: Self = serde_json::from_str(text)?;
        line.check_costs()?;
        Ok(line)
    }

    fn check_costs(&self) -> Result<(), LineError> {
        let Self {
            synthesis_s,
            prove_s,
            total_s,
            ..
        } = *self;
        let costs = [
            ("synthesis_s", synthesis_s),
            ("prove_s", prove_s),
            ("total_s", total_s),
            ("peak_memory_kib", self.peak_memory_kib as f64),
        ];
        let impossible = |&(_, value): &(_, f64)| !(value.is_finite() && value > 0.0);
        if let Some((field, value)) = costs.into_iter().find(impossible) {
            return Err(LineError::Impossible { field, value });
        }
        let parts = synthesis_s + prove_s;
        if parts > total_s + ROUNDING_S {
            return Err(LineError::Sum { parts, total: total_s });
        }
        Ok(())
    }

    /// Whether the line is about what was asked for.
    pub fn check(&self, expected: &Expected<'_>) -> Result<(), LineError> {
        let Expected {
            peer,
            circuit,
            seed,
            threads,
        } = *expected;
        same("peer", peer, self.peer.as_str())?;
        same("circuit", circuit, self.circuit.as_str())?;
        same("seed", seed, self.seed)?;
        same("threads", threads, self.threads)
    }
}

fn same<T: PartialEq + ToString>(field: &'static str, expected: T, actual: T) -> Result<(), LineError> {
    if expected == actual {
        return Ok(());
    }
    let (expected, actual) = (expected.to_string(), actual.to_string());
    Err(LineError::Field {
        field,
        expected,
        actual,
    })
}

#[cfg(test)]
mod tests;
