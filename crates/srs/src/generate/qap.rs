//! The columns of the circuit's matrices as polynomials, evaluated at tau.

use cuzk_r1cs::{Column, Matrix, RecordedCircuit};
use rayon::prelude::*;

use crate::progress::{CancelToken, Cancelled};

use super::wiped::Wiped;

/// Rows between two looks at the cancel token.
const ROWS_PER_CHECK: usize = 1 << 10;

/// For each variable, inputs first, the value at tau of its polynomials in A, B and C.
pub(super) struct ColumnSums {
    pub(super) a: Wiped,
    pub(super) b: Wiped,
    pub(super) c: Wiped,
}

/// Sums `coefficient * L_row(tau)` over each column. One thread per matrix: rows scatter into all columns.
pub(super) fn evaluate(
    circuit: &RecordedCircuit,
    lagrange: &[blstrs::Scalar],
    cancel: &CancelToken,
) -> Result<ColumnSums, Cancelled> {
    let sums = Matrix::ALL
        .into_par_iter()
        .map(|matrix| column_sums(circuit, matrix, lagrange, cancel));
    let sums: Vec<Result<Wiped, Cancelled>> = sums.collect();
    let [a, b, c] = sums.try_into().ok().expect("one result for each matrix");
    Ok(ColumnSums { a: a?, b: b?, c: c? })
}

fn column_sums(
    circuit: &RecordedCircuit,
    matrix: Matrix,
    lagrange: &[blstrs::Scalar],
    cancel: &CancelToken,
) -> Result<Wiped, Cancelled> {
    let shape = circuit.shape();
    let mut sums = Wiped::zeros(shape.variables());
    for (row, value) in lagrange.iter().enumerate().take(shape.rows()) {
        if row % ROWS_PER_CHECK == 0 {
            cancel.check()?;
        }
        for (column, coefficient) in circuit.row(matrix, row) {
            let index = match column {
                Column::Input(index) => index as usize,
                Column::Aux(index) => shape.inputs + index as usize,
            };
            sums[index] += coefficient * value;
        }
    }
    Ok(sums)
}
