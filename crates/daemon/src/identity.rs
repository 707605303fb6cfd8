//! Which program runs: its build token, and the digest and build-id of the file that was executed.
//!
//! The file is reached through `/proc/self/exe`, which names what runs even if the path has been replaced since.

use std::fs::File;
use std::io;
use std::sync::{Arc, OnceLock};
use std::thread;

use object::Object as _;
use object::read::ReadCache;
use sha2::{Digest, Sha256};

const RUNNING_PROGRAM: &str = "/proc/self/exe";

include!(concat!(env!("OUT_DIR"), "/build_token.rs"));

/// Facts about the program's file.
#[derive(Clone, Debug)]
pub struct ProgramFile {
    pub sha256: [u8; 32],
    /// Empty where the linker has written none.
    pub build_id: Vec<u8>,
}

/// Computed once, in the background from the start on.
#[derive(Clone)]
pub struct Identity(Arc<OnceLock<Result<ProgramFile, String>>>);

impl Identity {
    /// Begins to hash.
    pub fn in_background() -> io::Result<Self> {
        let identity = Self(Arc::default());
        let hashing = identity.clone();
        thread::Builder::new()
            .name("cuzk-identity".into())
            .spawn(move || drop(hashing.program_file()))?;
        Ok(identity)
    }

    /// Waits for the hash.
    ///
    /// # Errors
    /// The program's own file could not be read.
    pub fn program_file(&self) -> Result<ProgramFile, String> {
        let compute = || examine(RUNNING_PROGRAM).map_err(|error| format!("cannot read {RUNNING_PROGRAM}: {error}"));
        self.0.get_or_init(compute).clone()
    }
}

fn examine(path: &str) -> io::Result<ProgramFile> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    io::copy(&mut file, &mut hash)?;
    Ok(ProgramFile {
        sha256: hash.finalize().into(),
        build_id: build_id(file)?,
    })
}

fn build_id(file: File) -> io::Result<Vec<u8>> {
    let cache = ReadCache::new(file);
    let elf = object::File::parse(&cache).map_err(io::Error::other)?;
    let build_id = elf.build_id().map_err(io::Error::other)?;
    Ok(build_id.unwrap_or_default().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_running_file() {
        let identity = Identity::in_background().unwrap().program_file().unwrap();
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(identity.sha256, <[u8; 32]>::from(Sha256::digest(bytes)));
    }

    #[test]
    fn a_build_token_is_compiled_in() {
        assert_eq!(hex::decode(build_token()).unwrap().len(), 32);
    }
}
