//! Accepting and receiving.

use super::readiness::*;
use super::socket::{Shared, Socket};
use super::system;
use crate::abi::record::*;
use crate::abi::status::FERRONET_ERR_NO_BUFFERS;
use crate::reactor::completions::Completions;

/// Most receives of one socket in one pass, so that a fast sender starves nobody.
const RECEIVES_PER_PASS: u32 = 4;
/// Most connections accepted from one listener in one pass.
const ACCEPTS_PER_PASS: u32 = 16;

/// An operation that waits for input.
#[derive(Clone, Copy)]
pub(super) enum Read {
    Accept { user_data: u64, multishot: bool },
    Own { user_data: u64, address: u64, length: u32 },
    Lent { user_data: u64, multishot: bool },
}

/// What an attempt came to.
enum Attempt {
    /// The operation goes on, and there may be more.
    Again,
    /// The operation has had its final completion.
    Final,
    /// Nothing is left for now.
    Blocked,
}

impl Read {
    fn accepts(&self) -> bool {
        matches!(self, Self::Accept { .. })
    }

    pub(super) fn user_data(&self) -> u64 {
        match self {
            Self::Accept { user_data, .. } | Self::Own { user_data, .. } | Self::Lent { user_data, .. } => *user_data,
        }
    }
}

impl Socket {
    /// Queues an input; it is tried when the socket is served.
    ///
    /// # Safety
    /// As for `read`.
    pub(super) unsafe fn await_input(&mut self, read: Read, shared: &mut Shared, out: &mut Completions) {
        if self.reads.first().is_some_and(|first| first.accepts() != read.accepts()) {
            // A socket can either accept or receive. What it cannot do ends at once, and not behind the other.
            // SAFETY: by the caller's promise.
            if let Attempt::Final = unsafe { self.attempt(&read, shared, out) } {
                return;
            }
        }
        shared.in_flight += 1;
        self.reads.push(read);
    }

    /// # Safety
    /// As for `read`.
    unsafe fn attempt(&mut self, read: &Read, shared: &mut Shared, out: &mut Completions) -> Attempt {
        match *read {
            Read::Accept { user_data, multishot } => self.accept(user_data, multishot, shared, out),
            // SAFETY: by the caller's promise.
            Read::Own { user_data, address, length } => unsafe {
                self.receive_own(user_data, address, length, shared, out)
            },
            // SAFETY: by the caller's promise.
            Read::Lent { user_data, multishot } => unsafe { self.receive_lent(user_data, multishot, shared, out) },
        }
    }

    /// Tries the waiting inputs in order, within the budget of one pass.
    ///
    /// # Safety
    /// The memory of the operations and the lent buffers are writable.
    pub(super) unsafe fn read(&mut self, shared: &mut Shared, out: &mut Completions) {
        let mut budget = 0;
        while self.state & READABLE != 0 && out.room() > 0 {
            let Some(&read) = self.reads.first() else { return };
            let most = if read.accepts() { ACCEPTS_PER_PASS } else { RECEIVES_PER_PASS };
            // SAFETY: by the caller's promise.
            match unsafe { self.attempt(&read, shared, out) } {
                Attempt::Again => {}
                Attempt::Final => {
                    self.reads.pop();
                    shared.in_flight -= 1;
                }
                Attempt::Blocked => self.state &= !READABLE,
            }
            budget += 1;
            if budget >= most {
                return;
            }
        }
    }

    fn accept(&mut self, user_data: u64, multishot: bool, shared: &mut Shared, out: &mut Completions) -> Attempt {
        shared.syscalls += 1;
        match system::accept(self.descriptor) {
            Ok(accepted) => {
                let flags = if multishot { FERRONET_COMPLETE_MORE } else { 0 };
                out.push(ferronet_completion { flags, ..self.result(user_data, accepted) });
                if multishot { Attempt::Again } else { Attempt::Final }
            }
            Err(libc::EAGAIN) => Attempt::Blocked,
            // The connection died in the queue, or brought its own network error along: the next one may be sound.
            Err(
                libc::ECONNABORTED
                | libc::EPROTO
                | libc::ENETDOWN
                | libc::EHOSTDOWN
                | libc::EHOSTUNREACH
                | libc::ENETUNREACH
                | libc::ENOPROTOOPT,
            ) => Attempt::Again,
            Err(errno) => {
                out.push(self.result(user_data, -errno));
                Attempt::Final
            }
        }
    }

    /// # Safety
    /// `length` bytes at `address` are writable.
    unsafe fn receive_own(
        &mut self,
        user_data: u64,
        address: u64,
        length: u32,
        shared: &mut Shared,
        out: &mut Completions,
    ) -> Attempt {
        let length = length as usize;
        shared.syscalls += 1;
        // SAFETY: by the caller's promise.
        match unsafe { system::receive(self.descriptor, address, length) } {
            Err(libc::EAGAIN) if self.ended() => out.push(self.result(user_data, 0)),
            Err(libc::EAGAIN) => return Attempt::Blocked,
            Ok(received) => {
                self.after_read(received, length);
                out.push(self.result(user_data, received as i32));
            }
            Err(errno) => out.push(self.result(user_data, -errno)),
        }
        Attempt::Final
    }

    /// # Safety
    /// The lent buffers are writable.
    unsafe fn receive_lent(
        &mut self,
        user_data: u64,
        multishot: bool,
        shared: &mut Shared,
        out: &mut Completions,
    ) -> Attempt {
        let Some(lent) = shared.lent.next() else {
            // Without a buffer the socket is not read, so that the question whether it has bytes is still open.
            shared.syscalls += 1;
            if system::level(self.descriptor, libc::POLLIN) == 0 {
                return Attempt::Blocked;
            }
            self.starved = true;
            out.push(self.result(user_data, FERRONET_ERR_NO_BUFFERS));
            return Attempt::Final;
        };
        let length = lent.length as usize;
        shared.syscalls += 1;
        // SAFETY: by the caller's promise.
        match unsafe { system::receive(self.descriptor, lent.address, length) } {
            Err(libc::EAGAIN) if !self.ended() => Attempt::Blocked,
            Ok(0) | Err(libc::EAGAIN) => {
                out.push(self.result(user_data, 0));
                Attempt::Final
            }
            Ok(received) => {
                shared.lent.deliver();
                self.after_read(received, length);
                let more = if multishot { FERRONET_COMPLETE_MORE } else { 0 };
                out.push(ferronet_completion {
                    flags: FERRONET_COMPLETE_BUFFER | more,
                    buffer: u32::from(lent.identity),
                    ..self.result(user_data, received as i32)
                });
                if multishot { Attempt::Again } else { Attempt::Final }
            }
            Err(errno) => {
                out.push(self.result(user_data, -errno));
                Attempt::Final
            }
        }
    }

    /// Whether an empty queue stays so: a datagram socket says nothing else when its reading was shut down.
    fn ended(&self) -> bool {
        self.datagram && self.state & PEER_CLOSED != 0
    }

    /// Events are reported once: readable stays set until it is known that nothing is left.
    fn after_read(&mut self, received: usize, length: usize) {
        if received < length && self.short_means_drained && self.state & READ_TO_THE_END == 0 {
            self.state &= !READABLE;
        }
    }
}
