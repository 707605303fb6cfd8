//! bellperson's parameter files: big-endian, without padding, without a header that names them.
//!
//! ```text
//! alpha_g1 96 | beta_g1 96 | beta_g2 192 | gamma_g2 192 | delta_g1 96 | delta_g2 192      the verifying key
//! u32 count | ic 96 each                                                                  .. and its end; a .vk file ends here
//! u32 count | h 96 each     u32 count | l 96 each     u32 count | a 96 each
//! u32 count | b_g1 96 each  u32 count | b_g2 192 each
//! ```
//!
//! Points are affine and uncompressed. A file is read once: the counts are checked against its length before anything is
//! allocated, then it is hashed and decoded chunk by chunk, at the same time and from the same bytes. Every point must be on
//! the curve and not at infinity. The points of the verifying key are always checked to be in the subgroup of prime order,
//! the others on demand: bellperson does the same.
//!
//! Left out: what the points mean. Whether parameters fit a circuit is for [`crate::trust`] and the prover.

mod fault;
mod layout;
mod point;
mod read;
mod write;

use std::fs::File;
use std::path::Path;

use sha2::Sha256;

use crate::digest::{Blake2b128, FileHash, NoHash, Sha256Digest};
use crate::error::SrsError;
use crate::parameters::{Parameters, VerifyingKey};

pub use fault::{FormatError, KeyPoint, Place, PointFault};
pub use layout::{KeyLayout, ParametersLayout};
pub use write::{write_parameters, write_verifying_key};

use read::ReadError;

/// Whether the points of queries are checked to lie in the subgroup of prime order, which takes some hundred times as long
/// as decoding them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupCheck {
    /// Points of queries are checked to be on the curve only.
    Skip,
    EveryPoint,
}

/// Parameters as read, with the digest of the very bytes that they were decoded from.
#[derive(Debug)]
pub struct Loaded<D> {
    pub parameters: Parameters,
    /// Length of the file.
    pub bytes: u64,
    pub digest: D,
}

/// A verifying key as read, with the digests of its file.
#[derive(Debug)]
pub struct LoadedKey {
    pub key: VerifyingKey,
    pub sha256: Sha256Digest,
    pub blake2b128: Blake2b128,
}

/// Reads and checks a parameter file, and its SHA-256 on the way.
///
/// # Errors
/// When the file cannot be read, is not exactly as long as its counts say, or has a point that is not on the curve, at
/// infinity, or, where that is checked, outside the subgroup. The error names file, query, index and offset.
#[inline(never)]
pub fn read_parameters(path: &Path, subgroup: SubgroupCheck) -> Result<Loaded<Sha256Digest>, SrsError> {
    load::<Sha256>(path, subgroup)
}

/// As [`read_parameters`], with the digest that the published manifest uses.
///
/// # Errors
/// As [`read_parameters`].
pub fn read_published_parameters(path: &Path, subgroup: SubgroupCheck) -> Result<Loaded<Blake2b128>, SrsError> {
    load::<blake2b_simd::State>(path, subgroup)
}

fn load<H: FileHash>(path: &Path, subgroup: SubgroupCheck) -> Result<Loaded<H::Digest>, SrsError> {
    let (file, bytes) = open(path)?;
    let (parameters, hash) = in_file(path, read::parameters::<H, _>(&file, bytes, subgroup))?;
    let length_now = file
        .metadata()
        .map_err(|source| SrsError::io(path, "look at", source))?
        .len();
    if length_now != bytes {
        return Err(SrsError::format(path, FormatError::Changed));
    }
    Ok(Loaded {
        parameters,
        bytes,
        digest: hash.finish(),
    })
}

/// Decodes a parameter file from memory, with the same checks as [`read_parameters`].
///
/// # Errors
/// As [`read_parameters`], without a file.
pub fn parse_parameters(bytes: &[u8], subgroup: SubgroupCheck) -> Result<Parameters, FormatError> {
    in_memory(read::parameters::<NoHash, _>(bytes, bytes.len() as u64, subgroup)).map(|(parameters, NoHash)| parameters)
}

/// Reads and checks a verifying key from a file of its own, as bellperson writes it.
///
/// # Errors
/// As [`read_parameters`]; every point is checked to be in the subgroup.
pub fn read_verifying_key(path: &Path) -> Result<LoadedKey, SrsError> {
    let (file, bytes) = open(path)?;
    let (key, contents) = in_file(path, read::key_file(&file, bytes))?;
    Ok(LoadedKey {
        key,
        sha256: digest_of::<Sha256>(&contents),
        blake2b128: digest_of::<blake2b_simd::State>(&contents),
    })
}

/// Decodes the contents of a verifying key's file.
///
/// # Errors
/// As [`read_verifying_key`], without a file.
pub fn parse_verifying_key(bytes: &[u8]) -> Result<VerifyingKey, FormatError> {
    in_memory(read::key_file(bytes, bytes.len() as u64)).map(|(key, _)| key)
}

/// The counts of a parameter file, checked against its length. Reads six numbers.
///
/// # Errors
/// When the file cannot be read or is not exactly as long as its counts say.
pub fn read_layout(path: &Path) -> Result<ParametersLayout, SrsError> {
    let (file, bytes) = open(path)?;
    in_file(path, layout::parameters(&file, bytes))
}

/// Opens a regular file. Anything else, a pipe for instance, might never answer.
fn open(path: &Path) -> Result<(File, u64), SrsError> {
    let metadata = std::fs::metadata(path).map_err(|source| SrsError::io(path, "open", source))?;
    if !metadata.is_file() {
        return Err(SrsError::NotAFile { path: path.to_owned() });
    }
    let file = File::open(path).map_err(|source| SrsError::io(path, "open", source))?;
    let bytes = file
        .metadata()
        .map_err(|source| SrsError::io(path, "look at", source))?
        .len();
    Ok((file, bytes))
}

fn digest_of<H: FileHash>(bytes: &[u8]) -> H::Digest {
    let mut hash = H::new();
    hash.update(bytes);
    hash.finish()
}

fn in_file<T>(path: &Path, result: Result<T, ReadError>) -> Result<T, SrsError> {
    result.map_err(|error| match error {
        ReadError::Format(source) => SrsError::format(path, source),
        ReadError::Io(source) => SrsError::io(path, "read", source),
    })
}

fn in_memory<T>(result: Result<T, ReadError>) -> Result<T, FormatError> {
    result.map_err(|error| match error {
        ReadError::Format(error) => error,
        // Memory is read within its length, or not at all.
        ReadError::Io(_) => FormatError::Changed,
    })
}

#[cfg(test)]
mod tests;
