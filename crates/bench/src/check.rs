//! `cuzk-bench check`: do the constraints hold for a synthetic request?

use std::ops::Range;

use anyhow::anyhow;
use cuzk_circuits::satisfaction::{CheckError, PublicInputs, Report as Checked, check_partition};
use cuzk_circuits::{ProofTask, Seed, synthetic};
use cuzk_groth16::contract::exit::ExitCode;
use serde::Serialize;

use crate::cli::CheckArguments;
use crate::output::{CommandResult, Failure, Output, SCHEMA_VERSION};

#[derive(Serialize)]
struct Report {
    schema_version: u32,
    ok: bool,
    proof_kind: String,
    seed: u64,
    partitions: Vec<Partition>,
}

#[derive(Serialize)]
struct Partition {
    /// Counted from 0.
    index: usize,
    satisfied: bool,
    /// ONE included.
    inputs: usize,
    aux: usize,
    constraints: usize,
    /// The first constraint that does not hold, or how the public inputs differ.
    problem: Option<String>,
}

pub fn run(arguments: &CheckArguments, output: Output) -> CommandResult {
    let task = synthetic::task(&arguments.proof, Seed(arguments.seed))?;
    let partitions = chosen(&task, arguments.partition)?
        .map(|index| check(&task, index))
        .collect::<Result<Vec<_>, _>>()?;
    let ok = partitions.iter().all(|partition| partition.satisfied);
    let proof_kind = arguments.proof.to_string();
    let report = Report {
        schema_version: SCHEMA_VERSION,
        ok,
        proof_kind,
        seed: arguments.seed,
        partitions,
    };
    output.print(&report, || text(&report))?;
    Ok(if ok { ExitCode::Ok } else { ExitCode::CheckFailed })
}

/// All partitions, or the one that is asked for.
fn chosen(task: &ProofTask, partition: Option<usize>) -> Result<Range<usize>, Failure> {
    let count = task.partitions.len();
    match partition {
        None => Ok(0..count),
        Some(index) if index < count => Ok(index..index + 1),
        Some(index) => {
            let message = anyhow!("{} has no partition {index} (hint: 0 to {})", task.kind, count - 1);
            Err(Failure::new(ExitCode::Usage, message))
        }
    }
}

fn check(task: &ProofTask, index: usize) -> Result<Partition, CheckError> {
    let checked = check_partition(&task.partitions[index]).map_err(|source| CheckError {
        partition: index,
        source,
    })?;
    Ok(partition(index, &checked))
}

fn partition(index: usize, checked: &Checked) -> Partition {
    let unsatisfied = checked.unsatisfied.as_ref().map(ToString::to_string);
    Partition {
        index,
        satisfied: checked.is_satisfied(),
        inputs: checked.shape.inputs,
        aux: checked.shape.aux,
        constraints: checked.shape.constraints,
        problem: unsatisfied.or_else(|| public_inputs_problem(checked.public_inputs)),
    }
}

fn public_inputs_problem(found: PublicInputs) -> Option<String> {
    match found {
        PublicInputs::Equal => None,
        PublicInputs::Count { circuit, task } => {
            Some(format!("the circuit has {circuit} public inputs, the task has {task}"))
        }
        PublicInputs::Differ { index } => Some(format!("public input {index} of circuit and task differ")),
    }
}

fn text(report: &Report) -> String {
    let line = |partition: &Partition| {
        let Partition {
            index,
            inputs,
            aux,
            constraints,
            problem,
            ..
        } = partition;
        let verdict = problem.as_deref().unwrap_or("every constraint holds");
        format!(
            "{} partition {index}: {constraints} constraints, {inputs} inputs, {aux} auxiliaries: {verdict}",
            report.proof_kind
        )
    };
    report.partitions.iter().map(line).collect::<Vec<_>>().join("\n")
}
