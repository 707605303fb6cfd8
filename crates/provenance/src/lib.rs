//! Which sources and which settings a program was built from: the source digest and the build token.
//!
//! A build script calls [`build_script::emit`], which puts the token into the program; a checker computes the token again
//! from the sources as they are and from what cargo reported about the build, and compares. Only what both sides can know
//! enters the token: nothing in it depends on time, on the machine or on where the checkout lies.
//!
//! A program that ships needs three lines. In `Cargo.toml`, `cuzk-provenance` as a build dependency; the build script
//!
//! ```text
//! fn main() {
//!     cuzk_provenance::build_script::emit();
//! }
//! ```
//!
//! and, in the program, the file that the build script has written. It defines `build_token()`, which returns the token as
//! 64 hexadecimal digits, and the static bytes that a checker finds ([`MARKER_PREFIX`]); call the function somewhere, or the
//! linker drops both:
//!
//! ```text
//! include!(concat!(env!("OUT_DIR"), "/build_token.rs"));
//! ```
//!
//! Left out: reading programs (`cuzk-artifact`), and inputs outside the workspace such as system libraries and RUSTFLAGS.
#![forbid(unsafe_code)]

pub mod build_script;
mod digest;
mod error;
mod token;
mod tree;

pub use digest::{BuildToken, SourceDigest};
pub use error::ProvenanceError;
pub use token::{DebugAssertions, Features, MARKER_PREFIX, ProfileFacts, RustcVersion, TokenInputs};
pub use tree::{Change, FileDigest, SourceTree};
