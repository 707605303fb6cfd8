//! Where generated parameters are kept: three files that stand together.
//!
//! `winning-32g-0123456789abcdef.params`, `.vk` and `.json`: the circuit id, the beginning of the circuit's digest, and the
//! [`Sidecar`] that says what they are. Parameters from a seeded secret have `insecure-` and the seed before that name.
//!
//! Files are written under temporary names, synchronised and renamed, the sidecar last: without it nothing is usable. A
//! generator holds a lock on `.lock` as long as it lives, so whoever gets the lock may remove what a dead one left.
//!
//! Left out: where the directory is, which the caller says, and whether parameters may be used ([`crate::trust`]).

mod disk;
mod lock;
mod sidecar;

use std::io;
use std::path::{Path, PathBuf};

use cuzk_r1cs::{CircuitDigest, RecordedCircuit};

use crate::error::SrsError;
use crate::format::{write_parameters, write_verifying_key};
use crate::generate::{FixedBase, Secret, SecretKind, generate};
use crate::parameters::Parameters;
use crate::progress::{CancelToken, Progress};

pub use sidecar::Sidecar;

use disk::{Create, Partial, Written};
use lock::GeneratorLock;

/// Longest circuit id that becomes a file name.
const MAX_CIRCUIT_ID_BYTES: usize = 64;

/// A directory of generated parameters.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    create: Create,
}

/// What to do while another process makes the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfBusy {
    /// Wait until it has made them, or has died.
    Wait,
    /// Return [`SrsError::Busy`].
    Fail,
}

/// All that making parameters takes.
pub struct Generation<'a> {
    pub circuit_id: &'a str,
    pub circuit: &'a RecordedCircuit,
    pub secret: &'a Secret,
    pub arithmetic: &'a dyn FixedBase,
    pub observer: &'a dyn Progress,
    pub cancel: &'a CancelToken,
    pub if_busy: IfBusy,
}

/// Parameters in a store: all three files are there, and of the right length.
#[derive(Clone, Debug)]
pub struct Entry {
    pub params: PathBuf,
    pub vk: PathBuf,
    pub sidecar_path: PathBuf,
    pub sidecar: Sidecar,
}

impl Store {
    /// `root` is created when something is written.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            create: disk::create,
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Looks parameters up. Their contents are checked when they are opened, see [`crate::trust::open_checked`].
    ///
    /// # Errors
    /// When the sidecar is damaged or contradicts its files or its name; a hint says what to do.
    pub fn find(&self, circuit_id: &str, digest: CircuitDigest, kind: SecretKind) -> Result<Option<Entry>, SrsError> {
        self.find_files(self.files(circuit_id, digest, kind)?, circuit_id, digest, kind)
    }

    fn find_files(
        &self,
        files: Files,
        circuit_id: &str,
        digest: CircuitDigest,
        kind: SecretKind,
    ) -> Result<Option<Entry>, SrsError> {
        let Some(sidecar) = Sidecar::read_if_present(&files.sidecar)? else {
            return Ok(None);
        };
        let Some(params_bytes) = length_if_present(&files.params)? else {
            return Ok(None);
        };
        if length_if_present(&files.vk)?.is_none() {
            return Ok(None);
        }
        if sidecar.circuit_id != circuit_id || sidecar.circuit_digest != digest || sidecar.secret != kind {
            return Err(SrsError::sidecar(
                &files.sidecar,
                "it describes other parameters than its name does",
            ));
        }
        if sidecar.params_bytes != params_bytes {
            let problem = format!(
                "it says {} bytes, the parameter file has {params_bytes}",
                sidecar.params_bytes
            );
            return Err(SrsError::sidecar(&files.sidecar, problem));
        }
        Ok(Some(Entry {
            params: files.params,
            vk: files.vk,
            sidecar_path: files.sidecar,
            sidecar,
        }))
    }

    /// Makes parameters and keeps them, or finds those that another generator has made meanwhile.
    ///
    /// # Errors
    /// On cancel, when another generator holds the lock, when the disk is full, and as [`generate`]. Nothing usable and no
    /// temporary file is left then.
    pub fn generate(&self, generation: &Generation<'_>) -> Result<Entry, SrsError> {
        let &Generation {
            circuit_id,
            circuit,
            secret,
            arithmetic,
            observer,
            cancel,
            if_busy,
        } = generation;
        let (digest, kind) = (circuit.digest(), secret.kind());
        let files = self.files(circuit_id, digest, kind)?;
        std::fs::create_dir_all(&self.root).map_err(|source| SrsError::io(&self.root, "create", source))?;
        let _lock = GeneratorLock::acquire(&files.lock, if_busy, cancel)?;
        files.remove_leftovers()?;
        if let Some(entry) = self.find_files(files.clone(), circuit_id, digest, kind)? {
            return Ok(entry);
        }
        let parameters = generate(circuit, secret, arithmetic, observer, cancel)?;
        let sidecar = |params: &Written, vk: &Written| Sidecar {
            circuit_id: circuit_id.to_owned(),
            circuit_digest: digest,
            shape: circuit.shape(),
            params_bytes: params.bytes,
            params_sha256: params.sha256,
            vk_sha256: vk.sha256,
            secret: kind,
        };
        self.keep(files, &parameters, cancel, sidecar)
    }

    /// Writes all three files, then gives them their names.
    fn keep(
        &self,
        files: Files,
        parameters: &Parameters,
        cancel: &CancelToken,
        sidecar: impl FnOnce(&Written, &Written) -> Sidecar,
    ) -> Result<Entry, SrsError> {
        let write = |path: &Path, contents: &dyn Fn(&mut dyn io::Write) -> io::Result<()>| {
            Partial::write(self.create, path, cancel, contents)
        };
        let params = write(&files.params, &|out| write_parameters(parameters, out))?;
        let vk = write(&files.vk, &|out| write_verifying_key(&parameters.vk, out))?;
        let sidecar = sidecar(params.written(), vk.written());
        let json = write(&files.sidecar, &|out| out.write_all(sidecar.to_json().as_bytes()))?;
        // In this order: files without a sidecar are not usable, a sidecar must not stand beside files that it does not
        // describe, not even after a kill in between.
        disk::remove_if_present(&files.sidecar)?;
        params.publish()?;
        vk.publish()?;
        disk::sync_directory(&self.root)?;
        json.publish()?;
        disk::sync_directory(&self.root)?;
        Ok(Entry {
            params: files.params,
            vk: files.vk,
            sidecar_path: files.sidecar,
            sidecar,
        })
    }

    fn files(&self, circuit_id: &str, digest: CircuitDigest, kind: SecretKind) -> Result<Files, SrsError> {
        let valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".:-".contains(&byte);
        let starts_well = circuit_id.starts_with(|first: char| first.is_ascii_alphanumeric());
        if !starts_well || circuit_id.len() > MAX_CIRCUIT_ID_BYTES || !circuit_id.bytes().all(valid) {
            let id = circuit_id.chars().take(MAX_CIRCUIT_ID_BYTES).collect();
            return Err(SrsError::CircuitId {
                id,
                max: MAX_CIRCUIT_ID_BYTES,
            });
        }
        let name = circuit_id.replace(':', "-");
        let prefix = match kind {
            SecretKind::Random => String::new(),
            SecretKind::InsecureSeeded { seed } => format!("insecure-{seed}-"),
        };
        let stem = format!("{prefix}{name}-{}", &digest.to_string()[..16]);
        let path = |extension: &str| self.root.join(format!("{stem}.{extension}"));
        Ok(Files {
            params: path("params"),
            vk: path("vk"),
            sidecar: path("json"),
            lock: path("lock"),
        })
    }
}

/// The paths of one entry.
#[derive(Clone)]
struct Files {
    params: PathBuf,
    vk: PathBuf,
    sidecar: PathBuf,
    lock: PathBuf,
}

impl Files {
    /// Removes temporary files. Only the holder of the lock writes them, so these are a dead generator's.
    fn remove_leftovers(&self) -> Result<(), SrsError> {
        for path in [&self.params, &self.vk, &self.sidecar] {
            let partial = disk::partial_path(path);
            match std::fs::remove_file(&partial) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(SrsError::io(&partial, "remove", error)),
            }
        }
        Ok(())
    }
}

fn length_if_present(path: &Path) -> Result<Option<u64>, SrsError> {
    match std::fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SrsError::io(path, "look at", error)),
    }
}

#[cfg(test)]
mod tests;
