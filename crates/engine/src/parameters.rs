//! Parameters in memory: loaded once per circuit, shared by the proofs that use them, evicted on request.
//!
//! Left out: a memory budget. What is loaded stays until somebody evicts it.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use cuzk_circuits::ProofKind;
use cuzk_groth16::PreparedVerifyingKey;
use cuzk_groth16::srs::Parameters;
use cuzk_groth16::srs::trust::Provenance;

/// Parameters with the key that their proofs are verified with.
pub struct LoadedParameters {
    pub srs: Parameters,
    /// From the trusted key's own file, never from within the proving file.
    pub key: PreparedVerifyingKey,
    pub verifying_key_sha256: [u8; 32],
    pub provenance: Provenance,
    /// Size of the parameter file.
    pub bytes: u64,
}

/// Where parameters come from. Called at most once at a time per circuit.
pub trait ParameterSource: Send + Sync {
    /// Finds, checks and reads the parameters of a circuit.
    ///
    /// # Errors
    /// Nothing trusted was found, or what was found does not stand up to its checks.
    fn load(&self, kind: &ProofKind) -> Result<LoadedParameters, ParameterError>;
}

/// There are no parameters for a circuit.
#[derive(Debug, thiserror::Error)]
#[error("no parameters for {circuit_id}: {source}")]
pub struct ParameterError {
    pub circuit_id: String,
    pub source: Box<dyn Error + Send + Sync>,
}

impl ParameterError {
    pub fn new(kind: &ProofKind, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            circuit_id: kind.to_string(),
            source: source.into(),
        }
    }
}

/// How parameters were obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    FromMemory,
    FromFile,
}

/// What an eviction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    NotLoaded,
    /// `freed_bytes` is 0 where a proof in work still holds the parameters; they go when it is done.
    Evicted {
        freed_bytes: u64,
    },
}

/// One circuit's place. The lock is held while loading, so that a second caller waits for the first one's result.
type Slot = Arc<Mutex<Option<Arc<LoadedParameters>>>>;

pub(crate) struct ParameterCache {
    source: Arc<dyn ParameterSource>,
    slots: Mutex<HashMap<ProofKind, Slot>>,
}

impl ParameterCache {
    pub fn new(source: Arc<dyn ParameterSource>) -> Self {
        Self {
            source,
            slots: Mutex::new(HashMap::new()),
        }
    }

    /// What is in memory now; never waits for a load.
    pub fn in_memory(&self, kind: &ProofKind) -> Option<Arc<LoadedParameters>> {
        let slot = lock(&self.slots).get(kind).cloned()?;
        peek(&slot)
    }

    /// From memory, or loaded now, or by somebody else while this call waits.
    pub fn get(&self, kind: &ProofKind) -> Result<(Arc<LoadedParameters>, Fetched), ParameterError> {
        let slot = lock(&self.slots).entry(*kind).or_default().clone();
        let mut place = lock(&slot);
        if let Some(loaded) = &*place {
            return Ok((loaded.clone(), Fetched::FromMemory));
        }
        match self.source.load(kind) {
            Ok(loaded) => Ok((place.insert(Arc::new(loaded)).clone(), Fetched::FromFile)),
            Err(error) => {
                // Ids are chosen by callers: a failed one must not stay in the map.
                lock(&self.slots).remove(kind);
                Err(error)
            }
        }
    }

    pub fn evict(&self, kind: &ProofKind) -> Eviction {
        let slot = lock(&self.slots).remove(kind);
        match slot.as_ref().and_then(peek).as_ref() {
            None => Eviction::NotLoaded,
            // Two holders: the slot that was just taken out, and this very reference.
            Some(loaded) => {
                let freed_bytes = if Arc::strong_count(loaded) <= 2 {
                    loaded.bytes
                } else {
                    0
                };
                Eviction::Evicted { freed_bytes }
            }
        }
    }

    /// Everything in memory, in no order.
    pub fn list(&self) -> Vec<(ProofKind, Arc<LoadedParameters>)> {
        let slots = lock(&self.slots);
        slots
            .iter()
            .filter_map(|(kind, slot)| Some((*kind, peek(slot)?)))
            .collect()
    }
}

/// The loaded parameters, `None` also while they are being loaded.
fn peek(slot: &Slot) -> Option<Arc<LoadedParameters>> {
    match slot.try_lock() {
        Ok(place) => place.clone(),
        Err(TryLockError::Poisoned(place)) => place.into_inner().clone(),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A panic in a load leaves its slot empty and the map whole, so a poisoned lock is safe to use.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
