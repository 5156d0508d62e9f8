//! What a backend does for the reactor.

use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use super::completions::Completions;
use super::waker::Waker;
use crate::abi::config::ferronet_reactor_info;
use crate::abi::record::ferronet_submission;
use crate::error::Result;

/// io_uring or poll. The reactor has checked the thread, the state and the counts before it calls.
pub(crate) trait Backend: Send {
    /// Binds to the calling thread. Called again, from another thread, only while `idle`.
    fn start(&mut self) -> Result<()>;

    /// Takes and starts all records; immediate results go to `out`. Never waits.
    ///
    /// # Safety
    /// Memory that a record names stays valid until the operation's final completion.
    unsafe fn submit(&mut self, records: &[ferronet_submission], out: &mut Completions);

    /// One loop pass: takes and starts the records, waits if nothing is ready and `out` is empty, collects results.
    /// No timeout means no limit; zero means not to wait.
    ///
    /// # Safety
    /// As for `submit`.
    unsafe fn poll(
        &mut self,
        records: &[ferronet_submission],
        timeout: Option<Duration>,
        out: &mut Completions,
    ) -> Result<()>;

    /// Takes a socket in, whose descriptor stays the caller's until a CLOSE operation or `close`.
    fn add(&mut self, descriptor: RawFd) -> Result<u32>;

    /// Lets a socket go, with its descriptor open.
    fn remove(&mut self, socket: u32) -> Result<()>;

    /// Cancels everything, waits up to the bound, closes the descriptors of the sockets, and returns the operations
    /// still in flight. What those use is leaked on purpose.
    fn close(&mut self, bound: Duration, out: &mut Completions) -> u64;

    /// Wakes this backend's wait; the same one for the backend's whole life.
    fn waker(&self) -> Arc<Waker>;

    /// Whether no socket is added and nothing is in flight.
    fn idle(&self) -> bool;

    /// LEND records for the buffers that are lent, so that another backend can take them over. Only while `idle`.
    fn lent(&self) -> Vec<ferronet_submission> {
        Vec::new()
    }

    /// Fills `backend`, `ring_features`, `sockets`, `in_flight`, `lent` and `syscalls`.
    fn describe(&self, info: &mut ferronet_reactor_info);
}
