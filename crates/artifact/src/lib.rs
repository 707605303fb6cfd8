//! What is in a program file and where it came from.
//!
//! [`verify`] reads a program and judges it against what the catalogue promises: the marker of each phase in memory that is
//! loaded, each checked function by its demangled name, the build token. [`VerifyReport`] is the result, [`Receipt`] binds
//! it to the sources and the build.
//!
//! A program file is untrusted. It is read once, with a limit, and parsed three times: by [`layout`], which checks every
//! bound before anything else looks at the bytes, by goblin and by object. Where they do not say the same, nothing is
//! concluded. A verdict is one of four and "could not check" is never a success: see [`Verdict`].
//!
//! [`judge`] and [`Elf::parse`] are pure functions of bytes, for tests and fuzzers.
//!
//! Left out: archives and device code, and running programs (`xtask`).
#![forbid(unsafe_code)]

pub mod elf;
pub mod file;
pub mod hash;
pub mod layout;
mod markers;
mod parsers;
pub mod receipt;
pub mod report;
pub mod strings;
mod symbols;
mod token;
pub mod unverifiable;
pub mod verdict;
mod verify;

pub use elf::Elf;
pub use file::{ByteLimit, ProgramFile, ReadError};
pub use hash::Sha256Hash;
pub use receipt::{BuildFacts, Receipt, ReceiptError};
pub use report::{ProgramFacts, VerifyReport};
pub use unverifiable::Unverifiable;
pub use verdict::{Finding, ItemKind, Reason, Verdict};
pub use verify::{Expectations, ExpectedMarker, ExpectedSymbol, judge, verify, verify_file};
