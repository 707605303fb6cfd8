//! The wire: types, clients and servers of `cuzk.v1` (Filecoin clients) and `cuzk.control.v1` (this project's own tools).
//!
//! All of it is generated from the files under `proto/`. Left out: what a message means to the engine, and limits per proof
//! kind (`cuzk-daemon`).
#![forbid(unsafe_code)]

/// Names and numbers that existing clients use; fixed.
pub mod v1 {
    pub use crate::generated::cuzk::v1::*;
}

/// Identity of a running daemon, and proofs for development.
pub mod control {
    pub use crate::generated::cuzk::control::v1::*;
}

/// Largest message that a daemon takes and a client sends, in bytes. A PoRep vanilla proof needs 51 MB; limits per proof kind
/// are the daemon's.
pub const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// Response metadata: present and `true` where the proof was made with development parameters.
pub const DEVELOPMENT_PARAMETERS_METADATA: &str = "cuzk-development-parameters";

/// Response metadata: SHA-256 of the verifying key that the proof was checked with, hexadecimal.
pub const VERIFYING_KEY_METADATA: &str = "cuzk-verifying-key-sha256";

/// Response metadata of a failed job: what kind of failure, where that matters to a program. The text is in `error_message`.
pub const FAILURE_METADATA: &str = "cuzk-failure";

/// Value of [`FAILURE_METADATA`]: the proof was made and did not verify.
pub const PROOF_INVALID_FAILURE: &str = "proof-invalid";

/// The nesting follows the package names, because generated code refers from one package to the other by relative paths.
mod generated {
    pub mod cuzk {
        pub mod v1 {
            tonic::include_proto!("cuzk.v1");
        }
        pub mod control {
            pub mod v1 {
                tonic::include_proto!("cuzk.control.v1");
            }
        }
    }
}
