//! What a context counts.

use std::sync::atomic::{AtomicU64, Ordering};

use super::info::ContextInfo;

/// Counters of a context; exact sums, in no particular order.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub handshakes_started: AtomicU64,
    pub handshakes_done: AtomicU64,
    pub handshakes_failed: AtomicU64,
    pub handshakes_resumed: AtomicU64,
    pub cache_hits: AtomicU64,
    pub cache_misses: AtomicU64,
    pub cache_timeouts: AtomicU64,
    pub cache_full: AtomicU64,
    pub tickets_issued: AtomicU64,
    pub tickets_resumed: AtomicU64,
    pub tickets_renewed: AtomicU64,
    pub tickets_failed: AtomicU64,
}

impl Counters {
    /// Counts one.
    pub(super) fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// What was counted; the cache's size is not among it.
    pub(super) fn info(&self) -> ContextInfo {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ContextInfo {
            handshakes_started: get(&self.handshakes_started),
            handshakes_done: get(&self.handshakes_done),
            handshakes_failed: get(&self.handshakes_failed),
            handshakes_resumed: get(&self.handshakes_resumed),
            cache_entries: 0,
            cache_hits: get(&self.cache_hits),
            cache_misses: get(&self.cache_misses),
            cache_timeouts: get(&self.cache_timeouts),
            cache_full: get(&self.cache_full),
            tickets_issued: get(&self.tickets_issued),
            tickets_resumed: get(&self.tickets_resumed),
            tickets_renewed: get(&self.tickets_renewed),
            tickets_failed: get(&self.tickets_failed),
        }
    }
}
