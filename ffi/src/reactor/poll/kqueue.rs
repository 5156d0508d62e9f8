//! Waiting elsewhere than on Linux: kqueue through the `polling` crate, edge-triggered.

use std::num::NonZeroUsize;
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use super::readiness::*;
use crate::error::{Error, Result};
use crate::reactor::waker::Waker;

const EVENTS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);

pub(super) struct Poller {
    poller: Arc<polling::Poller>,
    waker: Arc<Waker>,
    events: polling::Events,
    seen: Vec<Event>,
}

// SAFETY: the event list is touched by the reactor's thread alone, and holds no thread's state.
unsafe impl Send for Poller {}

impl Poller {
    pub(super) fn new(_: Option<Arc<Waker>>) -> Result<Self> {
        let poller = polling::Poller::new().map_err(|error| Error::os(&error, "a poller for a reactor"))?;
        let poller = Arc::new(poller);
        let waker = Arc::new(Waker::new(poller.clone())?);
        let seen = Vec::with_capacity(EVENTS.get());
        Ok(Self { poller, waker, events: polling::Events::with_capacity(EVENTS), seen })
    }

    pub(super) fn waker(&self) -> Arc<Waker> {
        self.waker.clone()
    }

    /// Watches a socket in both directions until it is closed or removed.
    pub(super) fn add(&self, descriptor: RawFd, number: u32) -> Result<()> {
        let interest = polling::Event::all(number as usize);
        // SAFETY: `remove` is called before the descriptor is closed.
        unsafe { self.poller.add_with_mode(descriptor, interest, polling::PollMode::Edge) }
            .map_err(|error| Error::os(&error, format!("adding descriptor {descriptor} to the poller")))
    }

    /// Stops watching a socket; this comes before a close. One that was closed has left kqueue already.
    pub(super) fn remove(&self, descriptor: RawFd) {
        // SAFETY: the descriptor is open: its owner is about to get it back, or to close it.
        let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
        // A refusal says that the socket is not watched any more, whatever the descriptor is by now.
        let _ = self.poller.delete(borrowed);
    }

    /// Waits for events. Returns the number of system calls made.
    pub(super) fn wait(&mut self, timeout: Option<Duration>) -> Result<u64> {
        self.events.clear();
        self.seen.clear();
        self.poller.wait(&mut self.events, timeout).map_err(|error| Error::os(&error, "waiting on the poller"))?;
        self.seen.extend(self.events.iter().map(|event| Event {
            number: event.key as u32,
            state: if event.readable { READABLE } else { 0 } | if event.writable { WRITABLE } else { 0 },
        }));
        Ok(1)
    }

    /// The number of events of the last wait.
    pub(super) fn filled(&self) -> usize {
        self.seen.len()
    }

    /// An event of the last wait.
    pub(super) fn event(&self, index: usize) -> Event {
        self.seen[index]
    }
}
