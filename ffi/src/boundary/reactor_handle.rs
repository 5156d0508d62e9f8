//! What a reactor's handle holds, and which call may use it.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::handle::{Body, Handle};
use super::log::{self, Runtime};
use crate::abi::config::ferronet_reactor_areas;
use crate::abi::log::FERRONET_LOG_ERROR;
use crate::abi::status::*;
use crate::fault;
use crate::reactor::{Error, Reactor, Result, Waker};
use crate::thread;

/// A reactor with what is needed to hand it to one call at a time.
pub(super) struct Loop {
    reactor: UnsafeCell<Reactor>,
    /// A call is using `reactor`. Stays set after a panic.
    entered: AtomicBool,
    /// Number of the thread that started it; 0 before.
    owner: AtomicU64,
    closed: AtomicBool,
    /// `thread::forks` of the process that made it.
    forks: u64,
    any_thread: bool,
    areas: ferronet_reactor_areas,
    waker: Arc<Waker>,
    runtime: Arc<Runtime>,
}

impl Loop {
    pub(super) fn new(reactor: Reactor, any_thread: bool, runtime: Arc<Runtime>) -> Self {
        thread::watch_forks();
        Self {
            areas: reactor.areas(),
            waker: reactor.waker(),
            reactor: UnsafeCell::new(reactor),
            entered: AtomicBool::new(false),
            owner: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            forks: thread::forks(),
            any_thread,
            runtime,
        }
    }

    /// The reactor of a handle. A child process has no use of it: the kernel's side belongs to the parent.
    #[inline]
    pub(super) fn of(handle: &'static Handle) -> Result<&'static Self> {
        match handle.body() {
            Body::Reactor(reactor) if reactor.forks == thread::forks() => Ok(reactor),
            Body::Reactor(_) => Err(Error::new(
                FERRONET_ERR_WRONG_THREAD,
                "the process was forked after this reactor was made, and the reactor is the parent's: make another one in the child",
            )),
            _ => Err(Error::new(FERRONET_ERR_CLOSED, "the reactor was freed by another thread during the call")),
        }
    }

    pub(super) fn areas(&self) -> &ferronet_reactor_areas {
        &self.areas
    }

    #[inline]
    pub(super) fn waker(&self) -> &Waker {
        &self.waker
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Makes the calling thread the reactor's.
    pub(super) fn own(&self) {
        self.owner.store(thread::number(), Ordering::Release);
    }

    pub(super) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// Refuses threads that do not own the reactor; before the start every thread may come.
    #[inline]
    pub(super) fn check_thread(&self) -> Result<()> {
        let owner = self.owner.load(Ordering::Acquire);
        if owner == 0 || self.any_thread || owner == thread::number() || fault::peek("foreign-thread").is_some() {
            return Ok(());
        }
        Err(Error::new(
            FERRONET_ERR_WRONG_THREAD,
            format!(
                "called from thread {} (the library's count), but thread {owner} started this reactor: call from there, or configure FERRONET_REACTOR_ANY_THREAD",
                thread::number()
            ),
        ))
    }

    #[inline]
    pub(super) fn check_open(&self) -> Result<()> {
        if self.is_closed() {
            return Err(Error::new(FERRONET_ERR_CLOSED, "the reactor was closed; make a new one"));
        }
        Ok(())
    }

    #[inline]
    pub(super) fn check_running(&self) -> Result<()> {
        self.check_open()?;
        if self.owner.load(Ordering::Acquire) == 0 {
            return Err(Error::new(
                FERRONET_ERR_NOT_STARTED,
                "the reactor was not started: call ferronet_reactor_start on the loop's thread first",
            ));
        }
        self.check_thread()
    }

    /// Lends the reactor to one call at a time.
    #[inline]
    pub(super) fn enter<R>(&self, body: impl FnOnce(&mut Reactor) -> Result<R>) -> Result<R> {
        if self.entered.swap(true, Ordering::Acquire) {
            return Err(Error::new(
                FERRONET_ERR_BUSY,
                "another call on this reactor has not returned yet: only ferronet_reactor_wake may overlap it",
            ));
        }
        // SAFETY: the flag was clear, so no other reference is alive; it is cleared only after this one has ended, and
        // stays set when the body panics.
        let outcome = body(unsafe { &mut *self.reactor.get() });
        self.entered.store(false, Ordering::Release);
        outcome
    }

    /// Closes once; the operations left in flight.
    pub(super) fn close(&self, bound: Duration) -> Result<u64> {
        self.check_thread()?;
        let left = self.enter(|reactor| Ok(reactor.close(bound)))?;
        let first = !self.closed.swap(true, Ordering::AcqRel);
        if first && left > 0 {
            log::emit(&self.runtime, FERRONET_LOG_ERROR, || {
                format!(
                    "a reactor was closed with {left} operations in flight after {} ms; their memory must never be freed",
                    bound.as_millis()
                )
            });
        }
        Ok(left)
    }
}
