//! The end of a socket, and of the reactor.
//!
//! A request in flight holds a reference to its socket's file: closing the descriptor alone would tell the peer nothing.
//! CLOSE therefore queues the cancels of all requests and, behind them, the close of the descriptor, and one `enter`
//! runs both and the deferred work that drops the references. The last reference sends FIN, or RST, before it returns.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use io_uring::{opcode, types};

use super::buffers::BufferRing;
use super::ops::{self, Kind, NONE, Ops};
use super::start::status_of;
use super::{UringBackend, retried};
use crate::abi::record::ferronet_submission;
use crate::fault;
use crate::reactor::completions::Completions;

/// How long requests that the kernel does not give up at once may hold a CLOSE up, in steps and in their number.
const CLOSE_STEP: Duration = Duration::from_millis(2);
const CLOSE_STEPS: u32 = 50;
/// After this long, cancels are asked for again.
const SHUTDOWN_STEP: Duration = Duration::from_millis(10);

/// What operations use that were in flight when their reactor ended: kept until the process ends.
static LEFT_BEHIND: Mutex<Vec<(Ops, Option<BufferRing>)>> = Mutex::new(Vec::new());

/// Closes a descriptor; it is gone even if an interruption is reported.
fn close_descriptor(descriptor: libc::c_int) -> i32 {
    // SAFETY: the descriptor was handed to the reactor, which closes it once.
    if unsafe { libc::close(descriptor) } == 0 {
        return 0;
    }
    let error = io::Error::last_os_error();
    if error.raw_os_error() == Some(libc::EINTR) { 0 } else { status_of(&error) }
}

impl UringBackend {
    pub(super) fn start_close(&mut self, record: &ferronet_submission, out: &mut Completions) {
        let number = record.socket;
        self.send_without_waiting(number, out);
        self.cancel(number, None, out);
        let Some(socket) = self.sockets.get(number) else { return };
        // Whoever gets the same descriptor from the system after the close may add it.
        self.descriptors.release(socket.descriptor);
        if socket.first == NONE {
            self.ring.count_syscall();
            let result = close_descriptor(socket.descriptor);
            self.sockets.remove(number);
            Self::push_completion(out, number, record.user_data, result);
            return;
        }
        let descriptor = socket.descriptor;
        let index = self.new_op(Kind::Close, record);
        let closed = match self.issue(index) {
            Ok(()) => None,
            Err(_) => {
                self.ring.count_syscall();
                Some(close_descriptor(descriptor))
            }
        };
        if let Some(socket) = self.sockets.get_mut(number) {
            socket.closing = Some(index);
            socket.closed = closed;
        }
        self.closings.push(number);
    }

    /// Makes the kernel carry out the CLOSEs of this call, so that the peers know when it returns.
    pub(super) fn finish_closings(&mut self, out: &mut Completions) {
        for step in 0..=CLOSE_STEPS {
            let (wait, limit) = if step == 0 { (0, None) } else { (1, Some(CLOSE_STEP)) };
            let outcome = self.enter(wait, true, limit);
            self.collect_all(out);
            let sockets = &self.sockets;
            self.closings.retain(|&number| sockets.get(number).is_some());
            if self.closings.is_empty() || outcome.is_err_and(|error| !retried(&error)) {
                break;
            }
        }
        // What is left completes in later turns.
        self.closings.clear();
    }

    /// Cancels everything, waits up to the bound, closes all descriptors, and returns what is still in flight.
    pub(super) fn close_all(&mut self, bound: Duration, out: &mut Completions) -> u64 {
        self.shutting_down = true;
        // Before the first enter: the index of a ring is one of the thread that registered it, and this may be another.
        self.ring.unregister_descriptor();
        for number in self.sockets.numbers() {
            self.cancel_for_good(number, out);
        }
        let deadline = Instant::now().checked_add(bound);
        let mut step = 0;
        let mut before = self.ops.len();
        let mut stuck = false;
        while self.ops.len() > 0 {
            if stuck {
                self.push_cancel_any();
            }
            let left = deadline.map_or(SHUTDOWN_STEP, |deadline| deadline.saturating_duration_since(Instant::now()));
            // The first pass must not wait: what can be cancelled is done when it returns.
            let wait = u32::from(step > 0);
            let outcome = self.enter(wait, true, (wait > 0).then(|| left.min(SHUTDOWN_STEP)));
            self.collect_all(out);
            // What has ended already is taken in however short the bound is.
            stuck = step > 0 && self.ops.len() == before;
            if outcome.is_err_and(|error| !retried(&error)) || (stuck && left.is_zero()) {
                break;
            }
            before = self.ops.len();
            step += 1;
        }
        for number in self.sockets.numbers() {
            // The descriptor of a socket whose CLOSE was taken is the kernel's to close, and its number may be in use again.
            if let Some(socket) = self.sockets.remove(number).filter(|socket| socket.closing.is_none()) {
                self.ring.count_syscall();
                if socket.first != NONE {
                    // What is in flight keeps the connection: the peer must learn of the end all the same.
                    // SAFETY: no pointer is passed.
                    unsafe { libc::shutdown(socket.descriptor, libc::SHUT_RDWR) };
                }
                close_descriptor(socket.descriptor);
            }
        }
        self.leaked = self.ops.len() as u64;
        if self.leaked > 0 {
            // The kernel may still use what these operations and the buffer ring hold.
            let left = (std::mem::take(&mut self.ops), self.lent.take_ring());
            LEFT_BEHIND.lock().unwrap_or_else(PoisonError::into_inner).push(left);
        }
        self.leaked
    }

    /// Ends the operations that wait in the library, and cancels the rest one by one: the kernel looks for the next one of
    /// "any" from the start each time.
    fn cancel_for_good(&mut self, number: u32, out: &mut Completions) {
        self.cancel_waiting(number, out);
        let mut index = self.sockets.get(number).map_or(NONE, |socket| socket.first);
        while index != NONE {
            let op = self.ops.get(index);
            op.cancelled = true;
            if op.kind != Kind::Close && fault::take("uring-cancel").is_none() {
                self.push_cancel(index);
            }
            index = self.ops.next(index);
        }
    }

    /// For what one cancel did not end.
    fn push_cancel_any(&mut self) {
        if fault::take("uring-cancel").is_some() {
            return;
        }
        let entry = opcode::AsyncCancel2::new(types::CancelBuilder::any()).build();
        // SAFETY: the entry points to no memory. A failure shows in what stays in flight.
        let _ = unsafe { self.push(entry.user_data(ops::cancel_key(u64::from(NONE)))) };
    }
}
