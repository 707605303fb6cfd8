//! What a build promises and a run must show.
//!
//! One catalogue names every phase of a proof, every optimisation switch, every marker string and checked symbol, and the
//! exit codes of the tools. Programs that prove use single constants from it ([`phase`]) at the place where they print; the
//! whole tables ([`phase::PHASES`], [`symbols::SYMBOLS`], [`switches::SWITCHES`]) are referenced by `xtask` only, so that a
//! marker found in a checked program is there because the code that prints it is there.
//!
//! Left out: reading of timing lines (`cuzk-experiment`) and of program files (`cuzk-artifact`). No dependencies.
#![forbid(unsafe_code)]

pub mod exit;
pub mod phase;
pub mod switches;
pub mod symbols;
pub mod timing;

pub use phase::PhaseMarker;
pub use timing::{JobId, PartitionIndex, ProcessClock, Timeline, TimingSink};
