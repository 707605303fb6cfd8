//! The counts of a circuit and the evaluation domain that they need.

use std::fmt;

use blstrs::Scalar;
use ff::PrimeField;

/// How many variables and constraints a circuit has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Public inputs, with the constant ONE, which is the first of them.
    pub inputs: usize,
    /// Auxiliary (private) variables.
    pub aux: usize,
    /// Constraints of the circuit itself, without the rows that are appended for the inputs.
    pub constraints: usize,
}

impl Shape {
    /// Rows of the matrices: the constraints, and one row per input.
    pub const fn rows(&self) -> usize {
        self.constraints.saturating_add(self.inputs)
    }

    /// Columns of the matrices: inputs and auxiliaries.
    pub const fn variables(&self) -> usize {
        self.inputs.saturating_add(self.aux)
    }

    /// The smallest domain with a point for each row.
    ///
    /// # Panics
    /// For more rows than the largest domain has points. No circuit that was recorded has so many.
    pub fn log_domain(&self) -> LogDomain {
        let log = self.rows().checked_next_power_of_two().map(usize::trailing_zeros);
        log.and_then(LogDomain::new)
            .expect("more rows than the scalar field's largest domain has points")
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} inputs, {} auxiliaries, {} constraints",
            self.inputs, self.aux, self.constraints
        )
    }
}

/// Size of an evaluation domain as a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogDomain(u32);

impl LogDomain {
    /// The largest: the scalar field has no root of unity of a higher power of two as its order.
    pub const MAX: Self = Self(Scalar::S);

    /// `None` above [`LogDomain::MAX`].
    pub const fn new(log: u32) -> Option<Self> {
        if log <= Self::MAX.0 { Some(Self(log)) } else { None }
    }

    pub const fn get(self) -> u32 {
        self.0
    }

    /// Number of points.
    pub const fn size(self) -> usize {
        1 << self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_domain(constraints: usize, inputs: usize) -> u32 {
        Shape {
            inputs,
            aux: 7,
            constraints,
        }
        .log_domain()
        .get()
    }

    #[test]
    fn domain_is_the_next_power_of_two_of_all_rows() {
        assert_eq!(log_domain(0, 1), 0);
        assert_eq!(log_domain(1, 1), 1);
        assert_eq!(log_domain(2, 1), 2);
        assert_eq!(log_domain((1 << 16) - 2, 2), 16);
        assert_eq!(log_domain((1 << 16) - 1, 2), 17);
    }

    #[test]
    fn domains_end_with_the_two_adicity_of_the_field() {
        assert_eq!(LogDomain::new(32).map(LogDomain::size), Some(1 << 32));
        assert_eq!(LogDomain::new(33), None);
    }

    #[test]
    fn a_shape_reads_as_counts() {
        let shape = Shape {
            inputs: 2,
            aux: 3,
            constraints: 4,
        };
        assert_eq!(shape.to_string(), "2 inputs, 3 auxiliaries, 4 constraints");
        assert_eq!((shape.rows(), shape.variables()), (6, 5));
    }
}
