//! The conformance suite of all backends, on this one.

use cuzk_backend_cpu::CpuBackend;
use cuzk_groth16::conformance;

#[test]
fn transforms() {
    conformance::transforms_follow_their_definition(&CpuBackend, 10);
}

#[test]
fn large_transforms() {
    conformance::large_transforms_are_right_where_it_can_be_known(&CpuBackend, 16);
}

#[test]
fn quotients() {
    conformance::quotients_divide(&CpuBackend, &[1, 2, 3, 4, 5, 64, 100, 1025, 8192, 8193]);
}

#[test]
fn sums() {
    conformance::sums_follow_their_definition(&CpuBackend, &conformance::SUM_LENGTHS);
}

#[test]
fn sums_of_equal_terms() {
    conformance::sums_of_equal_terms_are_right(&CpuBackend, 300);
}
