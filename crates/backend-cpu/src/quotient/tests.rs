//! What is particular to this implementation; the quotient itself is tested by the conformance suite.

use super::*;

#[test]
fn a_single_row_has_an_empty_quotient() {
    assert!(quotient(&[Scalar::ONE], &[Scalar::ONE], &[Scalar::ONE]).is_empty());
    assert!(quotient(&[], &[], &[]).is_empty());
}

#[test]
#[should_panic(expected = "rows differ: 2, 1, 2")]
fn rows_of_different_length_are_refused() {
    quotient(&[Scalar::ONE; 2], &[Scalar::ONE], &[Scalar::ONE; 2]);
}
