//! Functions that a checked program must define.
//!
//! Each is a non-generic `#[inline(never)]` function, so its symbol survives optimisation, and is compared demangled and
//! without the hash suffix.

/// A program that is checked, by the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// The daemon, `cuzk`.
    Daemon,
    /// The client and bench program, `cuzk-bench`.
    Bench,
}

impl Program {
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Daemon => "cuzk",
            Self::Bench => "cuzk-bench",
        }
    }
}

/// A function that must be defined, with the reason why its absence matters.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// Demangled path without hash, for instance `cuzk_groth16::prover::prove`.
    pub path: &'static str,
    pub programs: &'static [Program],
    pub purpose: &'static str,
}

/// Every checked symbol.
pub const SYMBOLS: &[Symbol] = &[
    Symbol {
        path: "cuzk_groth16::prover::prove",
        programs: &[Program::Daemon],
        purpose: "assembles a proof from a backend's sums",
    },
    Symbol {
        path: "cuzk_groth16::verifier::verify",
        programs: &[Program::Daemon],
        purpose: "verifies every proof before it is returned",
    },
    Symbol {
        path: "cuzk_backend_cpu::prover::multiply",
        programs: &[Program::Daemon],
        purpose: "the CPU backend's quotient and MSMs",
    },
    Symbol {
        path: "cuzk_srs::format::read_parameters",
        programs: &[Program::Daemon],
        purpose: "reads and checks parameter files",
    },
    Symbol {
        path: "cuzk_contract::timing::Timeline::print",
        programs: &[Program::Daemon],
        purpose: "prints timing lines",
    },
];
