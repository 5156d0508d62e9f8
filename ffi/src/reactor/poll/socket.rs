//! One socket: its operations in flight, and what is known of its state.

use std::os::fd::RawFd;

use super::lent::LentBuffers;
use super::queue::Queue;
use super::readiness::*;
use super::receive::Read;
use super::send::Write;
use super::system;
use crate::abi::record::*;
use crate::reactor::completions::Completions;

/// What the operations of all sockets of a backend share.
pub(super) struct Shared {
    pub(super) lent: LentBuffers,
    /// Operations without their final completion.
    pub(super) in_flight: u64,
    pub(super) syscalls: u64,
}

/// A POLL operation.
pub(super) struct Watch {
    user_data: u64,
    events: u32,
}

pub(super) struct Socket {
    pub(super) number: u32,
    pub(super) descriptor: RawFd,
    pub(super) state: u8,
    /// Whether the socket is in the list of those that are served next.
    pub(super) listed: bool,
    pub(super) short_means_drained: bool,
    /// The last receive found no lent buffer: the next one goes before those that had some.
    pub(super) starved: bool,
    pub(super) datagram: bool,
    /// A CONNECT of this socket has succeeded.
    pub(super) connected: bool,
    pub(super) reads: Queue<Read>,
    pub(super) writes: Queue<Write>,
    watches: Vec<Watch>,
}

impl Socket {
    pub(super) fn new(number: u32, descriptor: RawFd, datagram: bool) -> Self {
        Self {
            number,
            descriptor,
            state: UNTRIED,
            listed: false,
            short_means_drained: system::short_means_drained(descriptor),
            starved: false,
            datagram,
            connected: false,
            reads: Queue::default(),
            writes: Queue::default(),
            watches: Vec::new(),
        }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.reads.len() + self.writes.len() + self.watches.len()
    }

    /// Whether anything can be tried now.
    pub(super) fn is_ready(&self) -> bool {
        self.state & READABLE != 0 && !self.reads.is_empty() || self.state & WRITABLE != 0 && !self.writes.is_empty()
    }

    /// A final completion of this socket.
    pub(super) fn result(&self, user_data: u64, result: i32) -> ferronet_completion {
        ferronet_completion { user_data, result, socket: self.number, ..Default::default() }
    }

    /// Takes in the state that an event reports, and ends the POLL operations that waited for it.
    pub(super) fn report(&mut self, state: u8, shared: &mut Shared, out: &mut Completions) {
        self.state |= state;
        if self.watches.is_empty() {
            return;
        }
        let occurred = self.occurred(state, shared);
        let (number, watches) = (self.number, &mut self.watches);
        watches.retain(|watch| {
            let events = occurred & reported(watch.events);
            if events != 0 {
                shared.in_flight -= 1;
                out.push(ferronet_completion {
                    user_data: watch.user_data,
                    result: events as i32,
                    socket: number,
                    ..Default::default()
                });
            }
            events == 0
        });
    }

    #[cfg(target_os = "linux")]
    fn occurred(&self, state: u8, _shared: &mut Shared) -> u32 {
        let bits = [
            (READABLE, FERRONET_POLL_IN),
            (WRITABLE, FERRONET_POLL_OUT),
            (PEER_CLOSED, FERRONET_POLL_RDHUP),
            (FAILED, FERRONET_POLL_ERR),
            (HUNG_UP, FERRONET_POLL_HUP),
        ];
        bits.iter().filter(|(bit, _)| state & bit != 0).fold(0, |events, (_, event)| events | event)
    }

    /// Elsewhere events tell readable from writable only; the rest is asked for.
    #[cfg(not(target_os = "linux"))]
    fn occurred(&self, _state: u8, shared: &mut Shared) -> u32 {
        shared.syscalls += 1;
        level(self.descriptor, FERRONET_POLL_IN | FERRONET_POLL_OUT | FERRONET_POLL_RDHUP)
    }

    /// Starts a POLL operation. What has happened before counts: events are reported once, and may be over.
    pub(super) fn watch(&mut self, user_data: u64, events: u32, shared: &mut Shared, out: &mut Completions) {
        let wanted = reported(events);
        let ended = self.state & (PEER_CLOSED | HUNG_UP | FAILED) != 0;
        // On Linux the end of a connection that has not been reported yet is still to be reported.
        if ended || events & (FERRONET_POLL_IN | FERRONET_POLL_OUT) != 0 || cfg!(not(target_os = "linux")) {
            shared.syscalls += 1;
            let found = level(self.descriptor, wanted) & wanted;
            if found != 0 {
                return out.push(self.result(user_data, found as i32));
            }
        }
        shared.in_flight += 1;
        self.watches.push(Watch { user_data, events });
    }

    /// Ends the operations that match with a final completion each, and returns their number.
    pub(super) fn cancel(&mut self, matches: impl Fn(u64) -> bool, shared: &mut Shared, out: &mut Completions) -> i32 {
        let number = self.number;
        let mut found = 0;
        let mut end = |user_data, result| {
            found += 1;
            out.push(ferronet_completion { user_data, result, socket: number, ..Default::default() });
        };
        self.reads.extract(|read| matches(read.user_data()), |read| end(read.user_data(), -libc::ECANCELED));
        self.writes.extract(|write| matches(write.user_data()), |write| end(write.user_data(), write.cancelled()));
        self.watches.retain(|watch| {
            let hit = matches(watch.user_data);
            if hit {
                end(watch.user_data, -libc::ECANCELED);
            }
            !hit
        });
        shared.in_flight -= found as u64;
        found
    }
}

/// The events that a POLL operation reports: what was asked for, and what is always reported (io_uring cannot leave out
/// the peer's close either).
fn reported(asked: u32) -> u32 {
    asked | FERRONET_POLL_RDHUP | FERRONET_POLL_ERR | FERRONET_POLL_HUP
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
const POLL_RDHUP: libc::c_short = libc::POLLRDHUP;

/// The present state as `FERRONET_POLL_*` bits.
fn level(descriptor: RawFd, asked: u32) -> u32 {
    let map = [
        (FERRONET_POLL_IN, libc::POLLIN),
        (FERRONET_POLL_OUT, libc::POLLOUT),
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        (FERRONET_POLL_RDHUP, POLL_RDHUP),
        (FERRONET_POLL_ERR, libc::POLLERR),
        (FERRONET_POLL_HUP, libc::POLLHUP),
    ];
    let events = map.iter().filter(|(bit, _)| asked & bit != 0).fold(0, |events, (_, event)| events | event);
    let found = system::level(descriptor, events);
    let bits = map.iter().filter(|(_, event)| found & event != 0).fold(0, |bits, (bit, _)| bits | bit);
    if cfg!(any(target_os = "linux", target_os = "freebsd")) || bits & FERRONET_POLL_HUP == 0 {
        bits
    } else {
        // Where there is no POLLRDHUP, the end of the peer's direction shows as POLLHUP.
        bits | FERRONET_POLL_RDHUP & asked
    }
}
