//! The reactor: submissions in, completions out, on io_uring or on poll.
//!
//! One reactor serves one event loop. The loop's thread writes submission records into a fixed area, calls `turn`, and
//! reads the completion records that it returns. Backends differ in how they get there, never in what they report.

pub mod address;
mod area;
mod backend;
#[cfg(feature = "test-hooks")]
mod broken;
mod choose;
mod completions;
mod descriptors;
pub mod option;
mod poll;
pub mod probe;
mod request;
mod settings;
mod slots;
pub mod socket;
#[cfg(all(target_os = "linux", feature = "io-uring"))]
mod uring;
mod waker;

use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use crate::abi::config::{
    FERRONET_BACKEND_AUTO, FERRONET_REASON_NONE, ferronet_reactor_areas, ferronet_reactor_config, ferronet_reactor_info,
};
use crate::abi::record::{ferronet_completion, ferronet_submission};
use crate::abi::status::{FERRONET_ERR_BUSY, FERRONET_ERR_CLOSED, FERRONET_ERR_NOT_STARTED, FERRONET_ERR_WRONG_THREAD};
use crate::thread;

pub use crate::error::{Error, Result};
use area::Area;
use backend::Backend;
use completions::Completions;
use settings::Settings;
pub use waker::Waker;

/// One event loop's transport. Since revision 1.
///
/// It is made on any thread, and belongs from `start` on to the thread that called `start`; a configuration with
/// `FERRONET_REACTOR_ANY_THREAD` lets any one thread at a time drive it. Only the [`Waker`] is for all threads.
pub struct Reactor {
    // The order matters on drop: the backend goes before the areas that its caller wrote to.
    backend: Box<dyn Backend>,
    submissions: Area<ferronet_submission>,
    completions: Completions,
    settings: Settings,
    /// Number of the thread that started it.
    thread: Option<u64>,
    closed: bool,
    left_in_flight: u64,
    fallback_reason: u32,
    fallback_status: i32,
    fallback_text: String,
    turns: u64,
    submitted: u64,
    #[cfg(feature = "test-hooks")]
    broken: broken::Broken,
}

impl Reactor {
    /// Checks the configuration (a value out of range is named in the error) and chooses the backend. Any thread.
    pub fn new(config: &ferronet_reactor_config) -> Result<Self> {
        let settings = Settings::from_config(config)?;
        let choice = choose::choose(&settings)?;
        Ok(Self {
            backend: choice.backend,
            submissions: Area::new(settings.submission_capacity as usize),
            completions: Completions::new(settings.completion_capacity as usize),
            settings,
            thread: None,
            closed: false,
            left_in_flight: 0,
            fallback_reason: choice.fallback_reason,
            fallback_status: choice.fallback_status,
            fallback_text: choice.fallback_text,
            turns: 0,
            submitted: 0,
            #[cfg(feature = "test-hooks")]
            broken: broken::Broken::default(),
        })
    }

    /// Binds the reactor to the calling thread. Again from another thread only while no socket is added and nothing is
    /// in flight (`FERRONET_ERR_BUSY` otherwise); wake-ups in between are kept.
    pub fn start(&mut self) -> Result<()> {
        self.check_open()?;
        let caller = thread::number();
        if self.thread == Some(caller) {
            return Ok(());
        }
        if self.thread.is_some() && !self.backend.idle() {
            return Err(Error::new(
                FERRONET_ERR_BUSY,
                "reactor start: the reactor runs on another thread and still has sockets or operations; remove or close them there first",
            ));
        }
        if let Err(error) = self.backend.start() {
            self.fall_back(error)?;
        }
        self.thread = Some(caller);
        Ok(())
    }

    /// AUTO goes on with poll when the ring is refused on the thread that starts the reactor.
    fn fall_back(&mut self, error: Error) -> Result<()> {
        if self.settings.backend != FERRONET_BACKEND_AUTO || self.fallback_reason != FERRONET_REASON_NONE {
            return Err(error);
        }
        let Some(refusal) = probe::refusal_of(&error) else { return Err(error) };
        let mut choice = choose::fall_back(&self.settings, Some(self.backend.waker()), refusal)?;
        choice.backend.start()?;
        let lent = self.backend.lent();
        // SAFETY: the caller keeps lent buffers valid until they are delivered, whatever backend holds them.
        unsafe { choice.backend.submit(&lent, &mut self.completions) };
        self.backend = choice.backend;
        self.fallback_reason = choice.fallback_reason;
        self.fallback_status = choice.fallback_status;
        self.fallback_text = choice.fallback_text;
        Ok(())
    }

    /// Where the shared records are. Fixed for the reactor's life; `size` is left 0.
    pub fn areas(&self) -> ferronet_reactor_areas {
        ferronet_reactor_areas {
            size: 0,
            submission_capacity: self.settings.submission_capacity,
            submissions: self.submissions.address(),
            completions: self.completions.area().address(),
            completion_capacity: self.settings.completion_capacity,
            lent_capacity: self.settings.lent_capacity,
        }
    }

    /// What the reactor is and has done; `size` is left 0.
    pub fn info(&self) -> ferronet_reactor_info {
        let mut info = ferronet_reactor_info::default();
        self.backend.describe(&mut info);
        info.requested_backend = self.settings.backend;
        info.fallback_reason = self.fallback_reason;
        info.fallback_status = self.fallback_status;
        info.turns = self.turns;
        info.submissions = self.submitted;
        info.completions = self.completions.delivered();
        info.wakeups = self.backend.waker().writes();
        info
    }

    /// One loop iteration: takes the first `submitted` records of the submission area, starts them, waits up to
    /// `timeout_ns` (-1: no limit, 0: do not wait) if nothing is ready, and returns the number of completion records,
    /// valid until the next `turn`. What does not fit into the area is kept for the next turn, which then does not wait.
    ///
    /// # Safety
    /// Memory that the records name stays valid, and is not written to by others, until each final completion.
    pub unsafe fn turn(&mut self, submitted: u32, timeout_ns: i64) -> Result<u32> {
        self.check_running()?;
        self.check_submitted(submitted)?;
        if timeout_ns < -1 {
            return Err(Error::invalid(format!(
                "reactor turn: timeout {timeout_ns} ns is negative; use nanoseconds, 0 (do not wait) or -1 (no limit)"
            )));
        }
        self.turns += 1;
        self.submitted += u64::from(submitted);
        self.completions.open();
        #[cfg(feature = "test-hooks")]
        let timeout_ns = crate::fault::take("no-wait").map_or(timeout_ns, |_| 0);
        let timeout = u64::try_from(timeout_ns).ok().map(Duration::from_nanos);
        #[cfg(feature = "test-hooks")]
        self.broken.records(&mut self.submissions.records_mut()[..submitted as usize]);
        let records = self.submissions.records(submitted as usize);
        // SAFETY: the caller's promise is the one that the backend asks for.
        let outcome = unsafe { self.backend.poll(records, timeout, &mut self.completions) };
        #[cfg(feature = "test-hooks")]
        self.broken.completions(&mut self.completions);
        let count = self.completions.seal();
        // Results that were collected before a failure must reach the caller; the failure comes again if it lasts.
        if count == 0 { outcome.map(|()| 0) } else { Ok(count) }
    }

    /// Starts the first `submitted` records of the submission area now. Never waits, never touches completion records.
    ///
    /// # Safety
    /// As for `turn`.
    pub unsafe fn submit(&mut self, submitted: u32) -> Result<()> {
        self.check_running()?;
        self.check_submitted(submitted)?;
        self.submitted += u64::from(submitted);
        #[cfg(feature = "test-hooks")]
        self.broken.records(&mut self.submissions.records_mut()[..submitted as usize]);
        let records = self.submissions.records(submitted as usize);
        // SAFETY: the caller's promise is the one that the backend asks for.
        unsafe { self.backend.submit(records, &mut self.completions) };
        Ok(())
    }

    /// Takes a socket in and returns its number (1 to 2^31 - 1). Its descriptor is the reactor's to close after a CLOSE
    /// operation or `close`, and the caller's again after `remove`.
    pub fn add(&mut self, descriptor: RawFd) -> Result<u32> {
        self.check_running()?;
        self.backend.add(descriptor)
    }

    /// Lets a socket go; its descriptor stays open and is the caller's. `FERRONET_ERR_BUSY` while operations are in flight.
    pub fn remove(&mut self, socket: u32) -> Result<()> {
        self.check_running()?;
        self.backend.remove(socket)
    }

    /// Cancels everything, waits up to the bound, closes the descriptors of the sockets still added, and returns the
    /// operations still in flight: their memory and the lent buffers must then never be freed.
    pub fn close(&mut self, bound: Duration) -> u64 {
        if !self.closed {
            self.closed = true;
            self.left_in_flight = self.backend.close(bound, &mut self.completions);
        }
        self.left_in_flight
    }

    /// The waker of this reactor, the same for its whole life.
    pub fn waker(&self) -> Arc<Waker> {
        self.backend.waker()
    }

    /// Why AUTO did not take io_uring, and the remedy; empty if it did, or was not asked to choose.
    pub fn fallback_text(&self) -> &str {
        &self.fallback_text
    }

    /// The submission area.
    pub fn submissions(&mut self) -> &mut [ferronet_submission] {
        self.submissions.records_mut()
    }

    /// The first `count` records of the completion area.
    pub fn completions(&self, count: u32) -> &[ferronet_completion] {
        self.completions.area().records(count as usize)
    }

    fn check_open(&self) -> Result<()> {
        if self.closed {
            return Err(Error::new(FERRONET_ERR_CLOSED, "the reactor was closed; make a new one"));
        }
        Ok(())
    }

    fn check_running(&self) -> Result<()> {
        self.check_open()?;
        let Some(owner) = self.thread else {
            return Err(Error::new(
                FERRONET_ERR_NOT_STARTED,
                "the reactor was not started; call start on the loop's thread first",
            ));
        };
        let caller = thread::number();
        if !self.settings.any_thread && owner != caller && crate::fault::take("foreign-thread").is_none() {
            return Err(Error::new(
                FERRONET_ERR_WRONG_THREAD,
                format!("called from thread {caller}; the reactor belongs to thread {owner}, which started it"),
            ));
        }
        Ok(())
    }

    fn check_submitted(&self, submitted: u32) -> Result<()> {
        if submitted > self.settings.submission_capacity {
            return Err(Error::invalid(format!(
                "submitted is {submitted}, but the submission area holds {} records: submit in parts, or configure a larger submission_capacity",
                self.settings.submission_capacity
            )));
        }
        Ok(())
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        self.close(Duration::from_millis(200));
    }
}
