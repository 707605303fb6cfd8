//! One sparse matrix by rows, and the columns that its terms name.

use blstrs::Scalar;

use crate::coefficients::{CoefficientId, Coefficients};

/// Which side of `A * B = C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    A,
    B,
    C,
}

impl Matrix {
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];
}

/// A variable, as a column of the matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Column {
    /// Index among the inputs; 0 is ONE.
    Input(u32),
    /// Index among the auxiliaries.
    Aux(u32),
}

/// A column in 32 bits: the index, and the top bit set for an auxiliary. Its order is that of [`Column`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackedColumn(u32);

impl PackedColumn {
    const AUX: u32 = 1 << 31;

    /// `None` for an index that needs the top bit itself.
    pub(crate) fn input(index: usize) -> Option<Self> {
        u32::try_from(index)
            .ok()
            .filter(|index| index & Self::AUX == 0)
            .map(Self)
    }

    /// `None` for an index that needs the top bit itself.
    pub(crate) fn aux(index: usize) -> Option<Self> {
        Self::input(index).map(|column| Self(column.0 | Self::AUX))
    }

    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    pub(crate) const fn unpack(self) -> Column {
        match self.0 & Self::AUX {
            0 => Column::Input(self.0),
            _ => Column::Aux(self.0 & !Self::AUX),
        }
    }
}

/// A term of a row before its coefficient is interned.
pub(crate) type Term = (PackedColumn, Scalar);

/// Brings a row into its one normal form: by column, duplicates summed, zeros dropped.
pub(crate) fn normalise(row: &mut Vec<Term>) {
    if !row.is_sorted_by(|left, right| left.0 < right.0) {
        row.sort_by_key(|term| term.0);
        row.dedup_by(|later, first| {
            let duplicate = later.0 == first.0;
            if duplicate {
                first.1 += later.1;
            }
            duplicate
        });
    }
    row.retain(|term| !is_zero(&term.1));
}

fn is_zero(value: &Scalar) -> bool {
    *value == Scalar::default()
}

/// Rows of terms, one after the other.
#[derive(Default)]
pub(crate) struct SparseMatrix {
    columns: Vec<PackedColumn>,
    coefficients: Vec<CoefficientId>,
    /// For each row the number of terms up to its end.
    row_ends: Vec<usize>,
}

impl SparseMatrix {
    pub(crate) fn push_row(&mut self, normal_row: &[Term], coefficients: &mut Coefficients) {
        self.columns.extend(normal_row.iter().map(|term| term.0));
        self.coefficients
            .extend(normal_row.iter().map(|term| coefficients.intern(&term.1)));
        self.row_ends.push(self.columns.len());
    }

    pub(crate) fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (PackedColumn, CoefficientId)> + '_ {
        let start = row.checked_sub(1).map_or(0, |before| self.row_ends[before]);
        let range = start..self.row_ends[row];
        self.columns[range.clone()]
            .iter()
            .copied()
            .zip(self.coefficients[range].iter().copied())
    }
}

#[cfg(test)]
mod tests;
