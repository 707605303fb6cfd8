//! Groth16 parameters (the SRS): their file format, their making, where they are kept, and whether they may be trusted.
//!
//! [`format`](mod@format) reads and writes the files that bellperson writes, byte for byte. [`generate`] makes parameters for a recorded
//! circuit from a secret that is wiped. [`store`] keeps what was made, with a sidecar that says for what and how.
//! [`trust`] opens a file for use: it is either one of the published files, or development parameters where those are
//! allowed.
//!
//! Left out: curve arithmetic beyond decoding (the fixed-base products come through [`generate::FixedBase`]), and where
//! directories are: every path is passed in.
#![forbid(unsafe_code)]

mod digest;
mod error;
pub mod format;
pub mod generate;
mod parameters;
mod progress;
pub mod store;
#[cfg(test)]
mod testing;
pub mod trust;

pub use digest::{Blake2b128, HexDigest, ParseHexError, Sha256Digest};
pub use error::SrsError;
pub use format::SubgroupCheck;
pub use parameters::{Parameters, Query, VerifyingKey};
pub use progress::{CancelToken, Cancelled, NoProgress, Progress, Work};
