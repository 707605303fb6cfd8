//! The phases of a proof: the literal each is printed with, who prints it, and whether every proof shows it.
//!
//! A marker is the beginning of the line that reports the phase. It is a constant, so the literal lands in the crate that
//! prints it, and a marker outside the catalogue cannot be printed: [`PhaseMarker`] has no public constructor.

/// The fixed beginning of a phase's timing line, for instance `CUZK_TIMING: synth_ms=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhaseMarker(&'static str);

/// What every timing line starts with.
pub const LINE_PREFIX: &str = "CUZK_TIMING: ";

impl PhaseMarker {
    /// The bytes that a program which prints this phase must contain.
    pub const fn literal(self) -> &'static str {
        self.0
    }

    /// The key alone, for instance `synth_ms`.
    pub fn key(self) -> &'static str {
        &self.0[LINE_PREFIX.len()..self.0.len() - 1]
    }
}

macro_rules! marker {
    ($key:literal) => {
        PhaseMarker(concat!("CUZK_TIMING: ", $key, "="))
    };
}

/// Waiting between admission and the start of synthesis. Not part of the total.
pub const QUEUE: PhaseMarker = marker!("queue_ms");
/// Running the circuit: witness and evaluations a, b, c.
pub const SYNTH: PhaseMarker = marker!("synth_ms");
/// Waiting for the backend while it proves another job.
pub const BACKEND_WAIT: PhaseMarker = marker!("backend_wait_ms");
/// Reading and checking the parameter file; absent when it was loaded before.
pub const SRS_LOAD: PhaseMarker = marker!("srs_load_ms");
/// Registering a, b, c as pinned host memory (switch B1).
pub const PIN_ABC: PhaseMarker = marker!("pin_abc_ms");
/// The quotient's NTTs and the H MSM.
pub const NTT_MSM_H: PhaseMarker = marker!("ntt_msm_h_ms");
/// Splitting scalars into 0, 1 and the rest.
pub const PREP_MSM: PhaseMarker = marker!("prep_msm_ms");
/// Sums of the points whose scalar is 1, in L, A, B_G1 and B_G2.
pub const BATCH_ADD: PhaseMarker = marker!("batch_add_ms");
/// MSMs of the remaining scalars in L, A and B_G1.
pub const TAIL_MSM: PhaseMarker = marker!("tail_msm_ms");
/// MSM of the remaining scalars in B_G2.
pub const B_G2_MSM: PhaseMarker = marker!("b_g2_msm_ms");
/// Blinding and assembly of the proof from the five sums.
pub const ASSEMBLE: PhaseMarker = marker!("assemble_ms");
/// Verification of the finished proof.
pub const VERIFY: PhaseMarker = marker!("verify_ms");
/// From the start of synthesis to the verified proof.
pub const TOTAL: PhaseMarker = marker!("total_ms");

/// When a phase's line appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// In each proof of the backends named by [`Phase::printed_by`].
    EveryProof,
    /// Only when the work was done: a phase that was not done is absent, never 0.000.
    WhenDone,
    /// Whenever the count of this name, printed with another phase of the same proof, is not zero.
    WhenCounted(&'static str),
    /// Not printed by any backend that exists yet; seeing it makes a measurement invalid.
    NotYet,
}

/// How a phase's span counts in the accounting of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accounting {
    /// Part of the total: the union of these spans is what is accounted for.
    Part,
    /// The total itself.
    Total,
    /// Before the total begins.
    Outside,
}

/// One row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    pub marker: PhaseMarker,
    /// Package whose code contains the print site.
    pub printed_by: &'static str,
    pub presence: Presence,
    pub accounting: Accounting,
    /// One line for tables and reports.
    pub title: &'static str,
}

/// Count printed with [`PREP_MSM`]: scalars equal to one over all queries.
pub const ONES: &str = "ones";
/// Count printed with [`PREP_MSM`]: scalars that are neither 0 nor 1, in L, A and B_G1.
pub const TAILS: &str = "tails";
/// Count printed with [`PREP_MSM`]: scalars that are neither 0 nor 1, in B_G2.
pub const B_TAILS: &str = "b_tails";

macro_rules! phases {
    ($($marker:ident $by:literal $presence:ident$(($count:ident))? $accounting:ident $title:literal;)*) => {
        /// Every phase, in the order in which a proof goes through them.
        pub const PHASES: &[Phase] = &[$(Phase {
            marker: $marker,
            printed_by: $by,
            presence: Presence::$presence$(($count))?,
            accounting: Accounting::$accounting,
            title: $title,
        },)*];
    };
}

phases! {
    QUEUE        "cuzk-engine"      WhenDone   Outside "waiting for synthesis to start";
    SYNTH        "cuzk-engine"      EveryProof Part    "synthesis: witness and a, b, c";
    BACKEND_WAIT "cuzk-engine"      WhenDone   Part    "waiting for the backend";
    SRS_LOAD     "cuzk-engine"      WhenDone   Part    "reading the parameter file";
    PIN_ABC      "cuzk-cuda-sys"    NotYet     Part    "pinning a, b, c";
    NTT_MSM_H    "cuzk-backend-cpu" EveryProof Part    "quotient NTTs and H MSM";
    PREP_MSM     "cuzk-backend-cpu" EveryProof Part    "splitting scalars into 0, 1, rest";
    BATCH_ADD    "cuzk-backend-cpu" WhenCounted(ONES) Part    "sums of points with scalar 1";
    TAIL_MSM     "cuzk-backend-cpu" WhenCounted(TAILS) Part    "tail MSMs of L, A, B_G1";
    B_G2_MSM     "cuzk-backend-cpu" WhenCounted(B_TAILS) Part    "tail MSM of B_G2";
    ASSEMBLE     "cuzk-groth16"     EveryProof Part    "blinding and assembly";
    VERIFY       "cuzk-engine"      EveryProof Part    "verification";
    TOTAL        "cuzk-engine"      EveryProof Total   "total";
}

/// The catalogue's row for a key such as `synth_ms`.
pub fn by_key(key: &str) -> Option<&'static Phase> {
    PHASES.iter().find(|phase| phase.marker.key() == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_story_keep_their_names() {
        for key in [
            "pin_abc_ms",
            "ntt_msm_h_ms",
            "batch_add_ms",
            "tail_msm_ms",
            "b_g2_msm_ms",
        ] {
            assert!(by_key(key).is_some(), "{key} is missing");
        }
    }

    #[test]
    fn every_key_is_unique_and_carries_its_unit() {
        for (idx, phase) in PHASES.iter().enumerate() {
            let key = phase.marker.key();
            assert!(key.ends_with("_ms"), "{key}");
            assert_eq!(phase.marker.literal(), format!("{LINE_PREFIX}{key}="));
            assert!(
                PHASES[idx + 1..].iter().all(|other| other.marker != phase.marker),
                "{key} twice"
            );
        }
    }

    #[test]
    fn there_is_one_total() {
        let totals = PHASES
            .iter()
            .filter(|phase| phase.accounting == Accounting::Total)
            .count();
        assert_eq!(totals, 1);
    }
}
