//! Real programs, whole and damaged: every verdict is earned, and nothing makes the readers fall over.
//!
//! `fixture` builds the programs, `verdicts` holds what must be proved or failed, `hostile` what must not be believed,
//! `survey` reads programs of the system.
#![allow(
    clippy::disallowed_methods,
    reason = "tests compile and strip programs with the tools that are installed"
)]

mod fixture;
mod hostile;
mod survey;
mod verdicts;
