//! How long work reports how far it is, and learns that it is no longer wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An amount of work, in fixed-base multiplications in G1. One in G2 counts as [`Work::PER_G2_MULTIPLICATION`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(pub u64);

impl Work {
    /// What a multiplication in G2 costs against one in G1, roughly: three products in the base field for each.
    pub const PER_G2_MULTIPLICATION: u64 = 3;
}

/// Hears about progress, from any thread.
pub trait Progress: Sync {
    /// `done` grows from call to call of one thread and reaches `total` at the end; `total` stays the same.
    fn advanced(&self, done: Work, total: Work);
}

/// For callers that show nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn advanced(&self, _: Work, _: Work) {}
}

/// Tells work in other threads to stop. Clones share one state; a token that was cancelled stays so.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop. May be called from any thread, more than once.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// Once the token was cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// The caller asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;
