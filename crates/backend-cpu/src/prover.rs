//! The sums of a proof, phase by phase; each phase uses all threads and ends before the next begins.

use blstrs::{G1Projective, G2Projective};
use cuzk_groth16::contract::{Timeline, phase};
use cuzk_groth16::srs::Parameters;
use cuzk_groth16::{BackendError, ProofSums, ProvingAssignment, check_parameters};
use group::Group as _;

use crate::msm;
use crate::quotient::quotient;
use crate::raw::{G1, G2};
use crate::split::Split;

/// Computes the five sums of a proof and prints a line per phase. A phase without work, such as the sum of the points whose
/// scalar is 1 where no scalar is 1, prints none.
///
/// # Errors
/// Parameters that do not fit the assignment, before any work.
#[inline(never)] // A checked symbol: the program that proves must define it.
pub fn multiply(
    srs: &Parameters,
    assignment: &ProvingAssignment,
    timeline: &Timeline,
) -> Result<ProofSums, BackendError> {
    check_parameters(srs, assignment)?;
    let h = timeline.measure(phase::NTT_MSM_H, || {
        let quotient = quotient(&assignment.a, &assignment.b, &assignment.c);
        msm::weighted_sum::<G1>(&srs.h, &quotient)
    });
    let split = timeline.measure_counting(phase::PREP_MSM, || Split::new(assignment), counts);
    let mut sums = ProofSums {
        h,
        l: G1Projective::identity(),
        a: G1Projective::identity(),
        b_g1: G1Projective::identity(),
        b_g2: G2Projective::identity(),
    };
    if split.has_ones() {
        timeline.measure(phase::BATCH_ADD, || add_ones(&mut sums, srs, &split));
    }
    if split.has_rest() {
        timeline.measure(phase::TAIL_MSM, || add_tails_g1(&mut sums, srs, &split));
    }
    if !split.b.rest.is_empty() {
        timeline.measure(phase::B_G2_MSM, || {
            sums.b_g2 += msm::weighted_sum_of_terms::<G2>(&srs.b_g2, &split.scalars, &split.b.rest);
        });
    }
    Ok(sums)
}

/// What the following phases have to do: whoever reads the lines knows from it which of them must be there.
fn counts(split: &Split) -> [(&'static str, u64); 3] {
    let Split { l, a, b, .. } = split;
    let ones = l.ones.len() + a.ones.len() + b.ones.len();
    let tails = l.rest.len() + a.rest.len() + b.rest.len();
    [
        (phase::ONES, ones as u64),
        (phase::TAILS, tails as u64),
        (phase::B_TAILS, b.rest.len() as u64),
    ]
}

fn add_ones(sums: &mut ProofSums, srs: &Parameters, split: &Split) {
    sums.l += msm::sum_selected::<G1>(&srs.l, &split.l.ones);
    sums.a += msm::sum_selected::<G1>(&srs.a, &split.a.ones);
    sums.b_g1 += msm::sum_selected::<G1>(&srs.b_g1, &split.b.ones);
    sums.b_g2 += msm::sum_selected::<G2>(&srs.b_g2, &split.b.ones);
}

fn add_tails_g1(sums: &mut ProofSums, srs: &Parameters, split: &Split) {
    sums.l += msm::weighted_sum_of_terms::<G1>(&srs.l, &split.scalars, &split.l.rest);
    sums.a += msm::weighted_sum_of_terms::<G1>(&srs.a, &split.scalars, &split.a.rest);
    sums.b_g1 += msm::weighted_sum_of_terms::<G1>(&srs.b_g1, &split.scalars, &split.b.rest);
}
