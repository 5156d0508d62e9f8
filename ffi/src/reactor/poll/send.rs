//! Connecting and sending.

use libc::{c_int, iovec};
use socket2::SockAddr;

use super::readiness::*;
use super::socket::{Shared, Socket};
use super::system::{self, Errno};
use crate::abi::record::*;
use crate::reactor::completions::Completions;
use crate::reactor::request;

/// Most regions of one system call (IOV_MAX).
const REGIONS_PER_CALL: usize = 1024;

/// An operation that waits for room to write.
pub(super) enum Write {
    Connect { user_data: u64 },
    Send(Send),
}

/// What of a send is still to go.
pub(super) struct Send {
    user_data: u64,
    sent: usize,
    total: usize,
    flags: c_int,
    regions: Regions,
    first: usize,
}

enum Regions {
    /// The regions of a SEND.
    Pair([iovec; 2]),
    /// The caller's array, while the call that brought it runs.
    Borrowed(*const iovec, usize),
    /// A copy of that array, once the operation outlives the call.
    Copied(Box<[iovec]>),
}

/// What an attempt came to.
enum Attempt {
    Done,
    Blocked,
    Failed(Errno),
}

const EMPTY: iovec = iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };

const _: () = {
    assert!(size_of::<ferronet_region>() == size_of::<iovec>());
    assert!(std::mem::offset_of!(ferronet_region, len) == std::mem::offset_of!(iovec, iov_len));
};

impl Write {
    pub(super) fn user_data(&self) -> u64 {
        match self {
            Self::Connect { user_data } => *user_data,
            Self::Send(send) => send.user_data,
        }
    }

    /// The result of the operation if it ends now.
    pub(super) fn cancelled(&self) -> i32 {
        match self {
            Self::Send(send) if send.sent > 0 => send.sent as i32,
            _ => -libc::ECANCELED,
        }
    }
}

impl Send {
    fn new(user_data: u64, regions: &request::Regions<'_>, more: bool) -> Self {
        let total = regions.iter().map(|region| region.len as usize).sum();
        let flags = if more { system::MORE } else { 0 };
        let (regions, first) = match regions {
            request::Regions::Inline(two) => {
                let pair = two.map(|region| iovec { iov_base: region.addr as *mut _, iov_len: region.len as usize });
                (Regions::Pair(pair), usize::from(pair[0].iov_len == 0))
            }
            request::Regions::Many(array) => (Regions::Borrowed(array.as_ptr().cast(), array.len()), 0),
        };
        Self { user_data, sent: 0, total, flags, regions, first }
    }

    fn remaining(&self) -> &[iovec] {
        let regions = match &self.regions {
            Regions::Pair(pair) if pair[1].iov_len == 0 => &pair[..1],
            Regions::Pair(pair) => &pair[..],
            Regions::Copied(copy) => copy,
            Regions::Borrowed(..) => &[],
        };
        regions.get(self.first..).unwrap_or_default()
    }

    /// The regions of the next system call.
    ///
    /// # Safety
    /// A borrowed array is readable.
    unsafe fn next(&self) -> &[iovec] {
        let regions = match self.regions {
            // SAFETY: by the caller's promise.
            Regions::Borrowed(array, count) => unsafe { std::slice::from_raw_parts(array, count) },
            _ => self.remaining(),
        };
        &regions[..regions.len().min(REGIONS_PER_CALL)]
    }

    /// Copies a borrowed array, so that the operation can outlive the call.
    ///
    /// # Safety
    /// The array is readable.
    unsafe fn keep(&mut self) {
        if let Regions::Borrowed(array, count) = self.regions {
            // SAFETY: by the caller's promise.
            self.regions = Regions::Copied(unsafe { std::slice::from_raw_parts(array, count) }.into());
        }
    }

    fn advance(&mut self, mut sent: usize) {
        self.sent += sent;
        let regions = match &mut self.regions {
            Regions::Pair(pair) => &mut pair[..],
            Regions::Copied(copy) => copy,
            Regions::Borrowed(..) => &mut [],
        };
        while let Some(region) = regions.get_mut(self.first) {
            if sent < region.iov_len {
                region.iov_base = region.iov_base.wrapping_byte_add(sent);
                region.iov_len -= sent;
                return;
            }
            sent -= region.iov_len;
            *region = EMPTY;
            self.first += 1;
        }
    }

    /// Sends until all is gone or there is no room. What is empty is sent too: the socket may have ended, and a datagram
    /// may hold nothing.
    ///
    /// # Safety
    /// The regions, and a borrowed array, are readable.
    unsafe fn transmit(&mut self, descriptor: i32, short_means_full: bool, shared: &mut Shared) -> Attempt {
        loop {
            shared.syscalls += 1;
            // SAFETY: by the caller's promise.
            let regions = unsafe { self.next() };
            let all_offered = regions.len() < REGIONS_PER_CALL;
            // SAFETY: by the caller's promise.
            match unsafe { system::send(descriptor, regions, self.flags) } {
                Ok(sent) if sent >= self.total - self.sent => {
                    self.sent = self.total;
                    return Attempt::Done;
                }
                Ok(sent) => {
                    // SAFETY: by the caller's promise.
                    unsafe { self.keep() };
                    self.advance(sent);
                    if short_means_full && all_offered {
                        return Attempt::Blocked;
                    }
                }
                Err(libc::EAGAIN) => return Attempt::Blocked,
                Err(errno) => return Attempt::Failed(errno),
            }
        }
    }
}

impl Socket {
    /// Starts a CONNECT operation.
    pub(super) fn connect(&mut self, user_data: u64, address: &SockAddr, shared: &mut Shared, out: &mut Completions) {
        if matches!(self.writes.first(), Some(Write::Connect { .. })) {
            // The system would tell this one how the first one ended, and the first one nothing.
            return out.push(self.result(user_data, -libc::EALREADY));
        }
        if self.connected {
            // The system would answer one more call with the success of the first, which it took in the background.
            return out.push(self.result(user_data, -libc::EISCONN));
        }
        // What was known concerned the unconnected socket, unless the call is refused.
        let before = std::mem::take(&mut self.state);
        shared.syscalls += 1;
        match system::connect(self.descriptor, address) {
            Ok(true) => {
                self.state = before | UNTRIED;
                out.push(self.result(user_data, 0));
            }
            Ok(false) => {
                shared.in_flight += 1;
                self.writes.push(Write::Connect { user_data });
            }
            Err(errno) => {
                // While a connect that was cancelled is still under way, nothing but an event says how it ended.
                self.state = if errno == libc::EALREADY { before } else { before | UNTRIED };
                out.push(self.result(user_data, -errno));
            }
        }
    }

    /// Starts a SEND or SEND_GATHER operation: tried at once unless others are before it.
    ///
    /// # Safety
    /// The regions and the region array are readable.
    pub(super) unsafe fn send(
        &mut self,
        user_data: u64,
        regions: &request::Regions<'_>,
        more: bool,
        shared: &mut Shared,
        out: &mut Completions,
    ) {
        let mut send = Send::new(user_data, regions, more);
        if self.writes.is_empty() && self.state & WRITABLE != 0 {
            // SAFETY: by the caller's promise.
            match unsafe { send.transmit(self.descriptor, self.short_means_drained, shared) } {
                Attempt::Blocked => self.state &= !WRITABLE,
                attempt => return out.push(self.sent(&send, &attempt)),
            }
        }
        // SAFETY: by the caller's promise.
        unsafe { send.keep() };
        shared.in_flight += 1;
        self.writes.push(Write::Send(send));
    }

    fn sent(&self, send: &Send, attempt: &Attempt) -> ferronet_completion {
        match attempt {
            Attempt::Failed(errno) => {
                ferronet_completion { extra: send.sent as u64, ..self.result(send.user_data, -errno) }
            }
            _ => self.result(send.user_data, send.sent as i32),
        }
    }

    /// Goes on with the waiting outputs, in order, until there is no room.
    ///
    /// # Safety
    /// The regions of the operations are readable.
    pub(super) unsafe fn write(&mut self, shared: &mut Shared, out: &mut Completions) {
        while self.state & WRITABLE != 0 {
            let (descriptor, short_means_full) = (self.descriptor, self.short_means_drained);
            let completion = match self.writes.first_mut() {
                None => return,
                Some(Write::Connect { user_data }) => {
                    shared.syscalls += 1;
                    let user_data = *user_data;
                    let outcome = system::finish_connect(descriptor);
                    self.connected = outcome.is_ok();
                    self.result(user_data, outcome.map_or_else(|errno| -errno, |()| 0))
                }
                Some(Write::Send(send)) => {
                    // SAFETY: by the caller's promise.
                    let attempt = unsafe { send.transmit(descriptor, short_means_full, shared) };
                    if let Attempt::Blocked = attempt {
                        self.state &= !WRITABLE;
                        return;
                    }
                    match self.writes.first() {
                        Some(Write::Send(send)) => self.sent(send, &attempt),
                        _ => return,
                    }
                }
            };
            self.writes.pop();
            shared.in_flight -= 1;
            out.push(completion);
        }
    }
}
