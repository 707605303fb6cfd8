//! What an assignment needs from parameters, checked by count before any work is done.

use cuzk_r1cs::LogDomain;
use cuzk_srs::{Parameters, Query};
use group::prime::PrimeCurveAffine;

use crate::assignment::ProvingAssignment;

/// Why parameters cannot serve an assignment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SrsMismatch {
    #[error(
        "query {query} of the parameters has {actual} points, the circuit needs {expected} \
         (hint: these parameters were made for another circuit)"
    )]
    QueryLength {
        query: Query,
        expected: usize,
        actual: usize,
    },
    #[error("delta of the parameters is the point at infinity (hint: such parameters are forged or damaged)")]
    DeltaIsIdentity,
    #[error(
        "the assignment is malformed: {a}, {b} and {c} rows in a, b and c, {inputs} inputs \
         (hint: an assignment comes from ProvingAssignment::synthesize, which appends one row per input)"
    )]
    MalformedAssignment {
        a: usize,
        b: usize,
        c: usize,
        inputs: usize,
    },
    #[error("the circuit has {rows} rows, the scalar field has domains for at most {limit}")]
    TooManyRows { rows: usize, limit: usize },
}

/// Compares the length of every query with what the assignment needs.
///
/// # Errors
/// The first difference found, in the order of the file: `ic`, `h`, `l`, `a`, `b_g1`, `b_g2`.
pub fn check_parameters(parameters: &Parameters, assignment: &ProvingAssignment) -> Result<(), SrsMismatch> {
    let domain_size = domain_size(assignment)?;
    let vk = &parameters.vk;
    if bool::from(vk.delta_g1.is_identity() | vk.delta_g2.is_identity()) {
        return Err(SrsMismatch::DeltaIsIdentity);
    }
    let a = assignment.input.len() + assignment.a_aux_density.count();
    let b = assignment.b_input_density.count() + assignment.b_aux_density.count();
    let lengths = [
        (Query::Ic, assignment.input.len(), vk.ic.len()),
        (Query::H, domain_size - 1, parameters.h.len()),
        (Query::L, assignment.aux.len(), parameters.l.len()),
        (Query::A, a, parameters.a.len()),
        (Query::BG1, b, parameters.b_g1.len()),
        (Query::BG2, b, parameters.b_g2.len()),
    ];
    match lengths.into_iter().find(|(_, expected, actual)| expected != actual) {
        None => Ok(()),
        Some((query, expected, actual)) => Err(SrsMismatch::QueryLength {
            query,
            expected,
            actual,
        }),
    }
}

/// Size of the evaluation domain, at least 1.
fn domain_size(assignment: &ProvingAssignment) -> Result<usize, SrsMismatch> {
    let ProvingAssignment {
        a, b, c, input, aux, ..
    } = assignment;
    let rows = a.len();
    let densities_fit = assignment.a_aux_density.len() == aux.len()
        && assignment.b_aux_density.len() == aux.len()
        && assignment.b_input_density.len() == input.len();
    if b.len() != rows || c.len() != rows || input.is_empty() || rows < input.len() || !densities_fit {
        return Err(SrsMismatch::MalformedAssignment {
            a: rows,
            b: b.len(),
            c: c.len(),
            inputs: input.len(),
        });
    }
    let limit = LogDomain::MAX.size();
    if rows > limit {
        return Err(SrsMismatch::TooManyRows { rows, limit });
    }
    Ok(rows.next_power_of_two())
}
