//! Waiting on Linux: one epoll descriptor, edge-triggered, one system call per wait.
//!
//! The `polling` crate is not used here: it cannot ask for EPOLLRDHUP, without which a short read would not show that
//! the end of the stream is next, and its wait arms a timer descriptor.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use super::readiness::*;
use crate::error::{Error, Result};
use crate::reactor::waker::Waker;

/// Events taken by one wait. What does not fit comes with the next one: epoll hands ready descriptors out in turn.
const EVENTS: usize = 256;
const INTEREST: i32 = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLPRI | libc::EPOLLET;
const WAKER: u32 = 0;

pub(super) struct Poller {
    epoll: OwnedFd,
    waker: Arc<Waker>,
    events: Box<[libc::epoll_event]>,
    filled: usize,
    has_nanoseconds: bool,
}

impl Poller {
    pub(super) fn new(waker: Option<Arc<Waker>>) -> Result<Self> {
        // SAFETY: no pointer is passed.
        let descriptor = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if descriptor < 0 {
            return Err(Error::last_os("epoll_create1 for a reactor; raise RLIMIT_NOFILE if no descriptor is left"));
        }
        // SAFETY: the descriptor is new, and nothing else owns it.
        let epoll = unsafe { OwnedFd::from_raw_fd(descriptor) };
        let waker = match waker {
            Some(waker) => waker,
            None => Arc::new(Waker::new()?),
        };
        let events = vec![libc::epoll_event { events: 0, u64: 0 }; EVENTS].into_boxed_slice();
        let poller = Self { epoll, waker, events, filled: 0, has_nanoseconds: true };
        poller.register(poller.waker.descriptor(), libc::EPOLLIN | libc::EPOLLET, WAKER)?;
        Ok(poller)
    }

    pub(super) fn waker(&self) -> Arc<Waker> {
        self.waker.clone()
    }

    /// Watches a socket in both directions until it is closed or removed.
    pub(super) fn add(&self, descriptor: RawFd, number: u32) -> Result<()> {
        self.register(descriptor, INTEREST, number)
    }

    fn register(&self, descriptor: RawFd, interest: i32, number: u32) -> Result<()> {
        let mut event = libc::epoll_event { events: interest as u32, u64: u64::from(number) };
        // SAFETY: the event is valid for the call.
        if unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, descriptor, &mut event) } < 0 {
            return Err(Error::last_os(format!("adding descriptor {descriptor} to epoll")));
        }
        Ok(())
    }

    /// Stops watching a socket. One that was closed has left epoll already, unless a copy of its descriptor (`dup`, `fork`)
    /// keeps it open: so this comes before a close.
    pub(super) fn remove(&self, descriptor: RawFd) {
        // A refusal says that the socket is not watched any more, whatever the descriptor is by now.
        // SAFETY: no event is passed.
        unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_DEL, descriptor, std::ptr::null_mut()) };
    }

    /// Waits for events, and returns the number of system calls made. A signal ends the wait without events.
    pub(super) fn wait(&mut self, timeout: Option<Duration>) -> Result<u64> {
        self.filled = 0;
        match self.wait_once(timeout) {
            Ok(filled) => {
                self.filled = filled;
                Ok(1)
            }
            Err(error) => match error.raw_os_error() {
                Some(libc::EINTR) => Ok(1),
                // An older kernel, or a filter that does not know the call.
                Some(libc::ENOSYS | libc::EPERM) if self.has_nanoseconds => {
                    self.has_nanoseconds = false;
                    Ok(1 + self.wait(timeout)?)
                }
                _ => Err(Error::os(&error, "waiting on epoll")),
            },
        }
    }

    fn wait_once(&mut self, timeout: Option<Duration>) -> io::Result<usize> {
        let epoll = self.epoll.as_raw_fd();
        let (events, capacity) = (self.events.as_mut_ptr(), EVENTS as libc::c_int);
        let filled = match timeout {
            Some(timeout) if !timeout.is_zero() && self.has_nanoseconds => {
                let seconds = timeout.as_secs().min(i64::MAX as u64) as libc::time_t;
                let limit = libc::timespec { tv_sec: seconds, tv_nsec: timeout.subsec_nanos().into() };
                // SAFETY: the array holds `capacity` events, the limit is a valid timespec, and no signal mask is passed.
                unsafe {
                    libc::syscall(
                        libc::SYS_epoll_pwait2,
                        epoll,
                        events,
                        capacity,
                        &raw const limit,
                        std::ptr::null::<libc::sigset_t>(),
                        0usize,
                    ) as libc::c_int
                }
            }
            timeout => {
                // SAFETY: the array holds `capacity` events.
                unsafe { libc::epoll_wait(epoll, events, capacity, milliseconds(timeout)) }
            }
        };
        if filled < 0 { Err(io::Error::last_os_error()) } else { Ok(filled as usize) }
    }

    /// The number of events of the last wait.
    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// An event of the last wait.
    pub(super) fn event(&self, index: usize) -> Event {
        let event = self.events[index];
        Event { number: event.u64 as u32, state: state(event.events as i32) }
    }
}

/// Milliseconds for `epoll_wait`, never less than asked for.
fn milliseconds(timeout: Option<Duration>) -> libc::c_int {
    timeout.map_or(-1, |timeout| timeout.as_nanos().div_ceil(1_000_000).try_into().unwrap_or(libc::c_int::MAX))
}

fn state(events: i32) -> u8 {
    let mut state = 0;
    let mut map = |event: i32, bits: u8| {
        if events & event != 0 {
            state |= bits;
        }
    };
    map(libc::EPOLLIN, READABLE);
    map(libc::EPOLLOUT, WRITABLE);
    map(libc::EPOLLRDHUP, READABLE | PEER_CLOSED);
    map(libc::EPOLLHUP, READABLE | WRITABLE | HUNG_UP);
    map(libc::EPOLLERR, READABLE | WRITABLE | FAILED);
    map(libc::EPOLLPRI, READABLE | URGENT);
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn rounds_up_and_clamps() {
        assert_eq!(milliseconds(None), -1);
        assert_eq!(milliseconds(Some(Duration::ZERO)), 0);
        assert_eq!(milliseconds(Some(Duration::from_nanos(1))), 1);
        assert_eq!(milliseconds(Some(Duration::from_micros(1001))), 2);
        assert_eq!(milliseconds(Some(Duration::from_secs(1 << 40))), i32::MAX);
    }

    #[test]
    fn waits_no_less_than_asked_with_either_call() {
        let mut poller = Poller::new(None).unwrap();
        for nanoseconds in [true, false] {
            poller.has_nanoseconds = nanoseconds;
            let timeout = Duration::from_micros(2500);
            let begin = Instant::now();
            poller.wait(Some(timeout)).unwrap();
            assert!(begin.elapsed() >= timeout);
            assert_eq!(poller.filled(), 0);
        }
    }

    #[test]
    fn each_write_to_the_waker_is_one_event() {
        let mut poller = Poller::new(None).unwrap();
        for _ in 0..3 {
            assert!(poller.waker().sleep());
            poller.waker().wake();
            poller.wait(None).unwrap();
            assert_eq!(poller.filled(), 1);
            assert_eq!(poller.event(0).number, WAKER);
            assert!(poller.waker().awake());
            poller.wait(Some(Duration::ZERO)).unwrap();
            assert_eq!(poller.filled(), 0, "the descriptor is not read, and yet reported once");
        }
    }
}
