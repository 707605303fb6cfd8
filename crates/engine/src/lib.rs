//! The engine: accepts jobs, runs them through two stages, verifies every proof, remembers results for a while.
//!
//! ```text
//! submit ──▶ queue ──▶ synthesis thread ──▶ ready ──▶ proving thread ──▶ verified ──▶ outcome
//!                      └ parameters, loaded beside it when they are not in memory
//! ```
//!
//! The unit of both stages is a partition. Both queues are bounded and ordered by priority, then by age; the synthesis stage
//! takes its next partition only when there is room behind it, so that the choice is made as late as possible and a deadline
//! proof waits for at most the partition in work.
//!
//! Left out: the wire and its messages (`cuzk-daemon`), where parameter files are found on a machine (passed in as a
//! [`ParameterSource`]), several devices. Nothing here reads the environment; clock, random source and file roots come in
//! through [`Dependencies`].
#![forbid(unsafe_code)]

mod engine;
mod error;
mod job;
mod parameters;
mod proving;
mod queue;
mod registry;
mod status;
mod synthesis;
mod trusted_files;

pub use engine::{Cancellation, Dependencies, Drained, Engine, EngineConfig, Lookup, Position, StartError, Ticket};
pub use error::{JobError, StageName, SubmitError};
pub use job::{Completed, Fingerprint, JobRequest, Outcome, Priority, Timings};
pub use parameters::{Eviction, Fetched, LoadedParameters, ParameterError, ParameterSource};
pub use status::{Family, FamilyStatus, ParametersStatus, Status};
pub use trusted_files::TrustedFiles;
