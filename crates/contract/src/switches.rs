//! The optimisation switches: what each changes, where, and what proves that it was on.

/// When a switch is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchKind {
    CompileTime,
    RunTime,
}

/// Whether the code behind a switch exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchState {
    Available,
    /// The switch is named so that its id is taken; a build refuses to set it.
    Due,
}

/// One optimisation that can be on or off.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Short id, as on the command line.
    pub id: &'static str,
    /// What it changes, one sentence.
    pub title: &'static str,
    /// Directory that holds its code.
    pub place: &'static str,
    pub kind: SwitchKind,
    pub state: SwitchState,
    /// The measured fact that only its on-path can produce.
    pub evidence: &'static str,
}

/// Every switch.
pub const SWITCHES: &[Switch] = &[
    Switch {
        id: "a1",
        title: "linear-combination indexer stored in SmallVec instead of Vec",
        place: "crates/bellpepper-core",
        kind: SwitchKind::CompileTime,
        state: SwitchState::Due,
        evidence: "heap allocations per constraint",
    },
    Switch {
        id: "a2",
        title: "vectors pre-sized from a SynthesisCapacityHint",
        place: "crates/groth16",
        kind: SwitchKind::RunTime,
        state: SwitchState::Due,
        evidence: "reallocations during synthesis",
    },
    Switch {
        id: "a4",
        title: "B_G2 MSMs in parallel on several CUDA streams",
        place: "cuda/groth16",
        kind: SwitchKind::RunTime,
        state: SwitchState::Due,
        evidence: "overlapping event times of two B_G2 kernels",
    },
    Switch {
        id: "b1",
        title: "a, b, c pinned with cudaHostRegister before upload",
        place: "cuda/groth16",
        kind: SwitchKind::RunTime,
        state: SwitchState::Due,
        evidence: "bytes registered and pin_abc_ms",
    },
    Switch {
        id: "d4",
        title: "MSM window size tuned per MSM instead of one shared size",
        place: "cuda/msm",
        kind: SwitchKind::RunTime,
        state: SwitchState::Due,
        evidence: "windows per MSM, not all equal",
    },
];
