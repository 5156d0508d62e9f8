//! Which connections can be read.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::connection::Connection;

const EVENTS: usize = 256;

pub(crate) struct Epoll(OwnedFd);

impl Epoll {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: no pointer is passed.
        let descriptor = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nobody else's.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Reports a connection under its number while it can be read; closing it ends that.
    pub(crate) fn watch(&self, connection: &Connection, number: usize) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: number as u64 };
        let descriptor = connection.as_raw_fd();
        // SAFETY: both descriptors are open, and the call only reads the event.
        match unsafe { libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_ADD, descriptor, &raw mut event) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Adds the numbers of the connections that can be read now; never waits.
    pub(crate) fn ready(&self, numbers: &mut Vec<usize>) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS];
        // SAFETY: the pointer and the length name the array.
        let count = unsafe { libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), EVENTS as i32, 0) };
        // An interrupted call reports nothing; the next one follows at once.
        let count = usize::try_from(count).unwrap_or(0);
        numbers.extend(events[..count].iter().map(|event| event.u64 as usize));
    }
}
