//! Counting of multiplications, for the one who waits.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::progress::{CancelToken, Cancelled, Progress, Work};

/// Hears from a [`FixedBase`](super::FixedBase) how far it is, and tells it to stop.
pub trait Watch: Sync {
    /// Reports that so many more multiplications are done.
    ///
    /// # Errors
    /// When the caller asked to stop: the implementation returns that at once.
    fn advance(&self, multiplications: usize) -> Result<(), Cancelled>;
}

/// Watches nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn advance(&self, _: usize) -> Result<(), Cancelled> {
        Ok(())
    }
}

/// Sums up the work of all queries.
pub(super) struct Meter<'a> {
    done: AtomicU64,
    total: Work,
    observer: &'a dyn Progress,
    cancel: &'a CancelToken,
}

impl<'a> Meter<'a> {
    pub(super) fn new(total: Work, observer: &'a dyn Progress, cancel: &'a CancelToken) -> Self {
        Self {
            done: AtomicU64::new(0),
            total,
            observer,
            cancel,
        }
    }

    pub(super) fn g1(&self) -> GroupMeter<'_> {
        GroupMeter { meter: self, weight: 1 }
    }

    pub(super) fn g2(&self) -> GroupMeter<'_> {
        GroupMeter {
            meter: self,
            weight: Work::PER_G2_MULTIPLICATION,
        }
    }
}

/// Weighs the multiplications of one group.
pub(super) struct GroupMeter<'a> {
    meter: &'a Meter<'a>,
    weight: u64,
}

impl Watch for GroupMeter<'_> {
    fn advance(&self, multiplications: usize) -> Result<(), Cancelled> {
        let Meter {
            done,
            total,
            observer,
            cancel,
        } = self.meter;
        cancel.check()?;
        let more = multiplications as u64 * self.weight;
        let done = done.fetch_add(more, Ordering::Relaxed) + more;
        observer.advanced(Work(done), *total);
        Ok(())
    }
}
