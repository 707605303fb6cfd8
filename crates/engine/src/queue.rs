//! A blocking queue ordered by rank, bounded by whoever pushes: the pusher asks for room first.
//!
//! Left out: several consumers with different wishes; each stage has one thread.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::job::Rank;

pub(crate) struct RankedQueue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    capacity: usize,
}

struct State<T> {
    /// Ranks are unique: sequence and partition number are part of them.
    items: BTreeMap<Rank, T>,
    closed: bool,
}

impl<T> RankedQueue<T> {
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                items: BTreeMap::new(),
                closed: false,
            }),
            changed: Condvar::new(),
            capacity,
        }
    }

    /// Blocks until there is room; `false` when the queue is closed. Room stays while nobody else pushes.
    pub fn wait_for_room(&self) -> bool {
        let full = |state: &mut State<T>| !state.closed && state.items.len() >= self.capacity;
        let state = self
            .changed
            .wait_while(self.lock(), full)
            .unwrap_or_else(PoisonError::into_inner);
        !state.closed
    }

    /// Adds an item, whether there is room or not. On a closed queue the item is dropped.
    pub fn push(&self, rank: Rank, item: T) {
        let mut state = self.lock();
        if !state.closed {
            state.items.insert(rank, item);
            self.changed.notify_all();
        }
    }

    /// Blocks until there is an item and takes the one of the first rank; `None` when the queue is closed.
    pub fn pop(&self) -> Option<T> {
        let empty = |state: &mut State<T>| !state.closed && state.items.is_empty();
        let mut state = self
            .changed
            .wait_while(self.lock(), empty)
            .unwrap_or_else(PoisonError::into_inner);
        let first = state.items.pop_first().map(|(_, item)| item);
        self.changed.notify_all();
        first
    }

    /// Takes out every item of which `chosen` says so.
    pub fn remove(&self, chosen: impl Fn(&T) -> bool) -> Vec<T> {
        let removed = self
            .lock()
            .items
            .extract_if(.., |_, item| chosen(item))
            .map(|(_, item)| item)
            .collect();
        self.changed.notify_all();
        removed
    }

    /// Number of items that will be taken before `rank`.
    pub fn ahead_of(&self, rank: Rank) -> usize {
        self.lock().items.range(..rank).count()
    }

    /// Wakes and releases everyone; what is in the queue is dropped.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let dropped = std::mem::take(&mut state.items);
        drop(state);
        drop(dropped);
        self.changed.notify_all();
    }

    /// No invariant spans a panic: each change of the state is a single call.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
