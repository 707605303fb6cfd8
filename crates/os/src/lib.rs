//! What the tools need from the operating system: sealed copies of programs, process groups that end, memory peaks.
//!
//! Linux only. [`sealed`] holds a program so that what was checked is what runs; [`group`] starts a process with all its
//! descendants in a group of their own and stops every one of them; [`memory`] reads how much a process has used.
//!
//! Nothing here reads the environment or decides what to start: commands and directories are passed in. Left out: what is
//! in a program (`cuzk-artifact`) and what it prints (`cuzk-experiment`). The one piece of unsafe code is the hook that
//! runs between fork and exec.

pub mod group;
pub mod memory;
pub mod sealed;

pub use group::{Ending, GroupError, ProcessGroup, ProcessId, Stopped};
pub use sealed::{Holding, ProgramSha256, SealError, SealedProgram, running_program_sha256};
