//! System calls of the poll backend: never blocking, never raising SIGPIPE, repeated when a signal cuts them short.

use std::io;
use std::os::fd::RawFd;

use libc::{c_int, iovec};

use crate::reactor::socket;

/// What the system refuses with.
pub(super) type Errno = c_int;

#[cfg(not(target_os = "macos"))]
const SEND_FLAGS: c_int = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
/// SO_NOSIGPIPE is set on the socket instead.
#[cfg(target_os = "macos")]
const SEND_FLAGS: c_int = libc::MSG_DONTWAIT;

/// The flag for a send that more data follows.
#[cfg(target_os = "linux")]
pub(super) const MORE: c_int = libc::MSG_MORE;
#[cfg(not(target_os = "linux"))]
pub(super) const MORE: c_int = 0;

fn errno() -> Errno {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

fn retry(mut call: impl FnMut() -> isize) -> Result<usize, Errno> {
    loop {
        let result = call();
        if result >= 0 {
            return Ok(result as usize);
        }
        match errno() {
            libc::EINTR => {}
            libc::EWOULDBLOCK => return Err(libc::EAGAIN),
            errno => return Err(errno),
        }
    }
}

/// # Safety
/// `length` bytes at `address` are writable.
pub(super) unsafe fn receive(descriptor: RawFd, address: u64, length: usize) -> Result<usize, Errno> {
    // SAFETY: by the caller's promise.
    retry(|| unsafe { libc::recv(descriptor, address as *mut _, length, libc::MSG_DONTWAIT) })
}

/// # Safety
/// Every region is readable.
pub(super) unsafe fn send(descriptor: RawFd, regions: &[iovec], flags: c_int) -> Result<usize, Errno> {
    if let [region] = regions {
        // SAFETY: by the caller's promise.
        return retry(|| unsafe { libc::send(descriptor, region.iov_base, region.iov_len, flags | SEND_FLAGS) });
    }
    // SAFETY: all-zero is a message without name, regions and control data.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = regions.as_ptr().cast_mut();
    message.msg_iovlen = regions.len() as _;
    // SAFETY: the message names regions that are readable by the caller's promise; the system does not write to them.
    retry(|| unsafe { libc::sendmsg(descriptor, &message, flags | SEND_FLAGS) })
}

/// A new connection: close-on-exec and non-blocking.
pub(super) fn accept(descriptor: RawFd) -> Result<RawFd, Errno> {
    if let Some(errno) = crate::fault::take("accept") {
        return Err(errno as Errno);
    }
    #[cfg(not(target_os = "macos"))]
    let accepted = retry(|| {
        // SAFETY: no address is asked for.
        unsafe {
            libc::accept4(
                descriptor,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK,
            ) as isize
        }
    })? as RawFd;
    #[cfg(target_os = "macos")]
    let accepted = {
        // SAFETY: no address is asked for.
        let accepted =
            retry(|| unsafe { libc::accept(descriptor, std::ptr::null_mut(), std::ptr::null_mut()) as isize })?
                as RawFd;
        // SAFETY: no pointer is passed.
        unsafe { libc::fcntl(accepted, libc::F_SETFD, libc::FD_CLOEXEC) };
        // SAFETY: no pointer is passed.
        unsafe { libc::fcntl(accepted, libc::F_SETFL, libc::O_NONBLOCK) };
        accepted
    };
    Ok(accepted)
}

/// Begins to connect: true when the connection stands already.
pub(super) fn connect(descriptor: RawFd, address: &socket2::SockAddr) -> Result<bool, Errno> {
    // SAFETY: the address is valid for its length.
    if unsafe { libc::connect(descriptor, address.as_ptr().cast(), address.len()) } == 0 {
        return Ok(true);
    }
    match errno() {
        libc::EINPROGRESS | libc::EINTR => Ok(false),
        errno => Err(errno),
    }
}

/// Ends a connect that was under way.
pub(super) fn finish_connect(descriptor: RawFd) -> Result<(), Errno> {
    // A socket that was shut down before it connected reports its end all the time.
    let outcome =
        pending_error(descriptor).and_then(|()| socket::peer_address(descriptor).map(drop).map_err(|_| libc::ENOTCONN));
    #[cfg(target_os = "linux")]
    if outcome.is_err() {
        // Linux refuses the next connect of this socket unless the failed one is dissolved.
        // SAFETY: an all-zero address is valid, and its family is AF_UNSPEC.
        let none: libc::sockaddr = unsafe { std::mem::zeroed() };
        // SAFETY: the address is valid for its size.
        unsafe { libc::connect(descriptor, &none, size_of::<libc::sockaddr>() as libc::socklen_t) };
    }
    outcome
}

/// Takes the pending error of a socket.
fn pending_error(descriptor: RawFd) -> Result<(), Errno> {
    let mut error: c_int = 0;
    let mut length = size_of::<c_int>() as libc::socklen_t;
    // SAFETY: the output is an int of the given length.
    let status =
        unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_ERROR, (&raw mut error).cast(), &mut length) };
    match (status, error) {
        (0, 0) => Ok(()),
        (0, error) => Err(error),
        _ => Err(errno()),
    }
}

pub(super) fn shutdown(descriptor: RawFd, how: c_int) -> Result<(), Errno> {
    // SAFETY: no pointer is passed.
    if unsafe { libc::shutdown(descriptor, how) } == 0 { Ok(()) } else { Err(errno()) }
}

/// Closes; the descriptor is gone whatever comes back.
pub(super) fn close(descriptor: RawFd) -> Result<(), Errno> {
    // SAFETY: the descriptor belongs to the socket that goes away here.
    if unsafe { libc::close(descriptor) } == 0 {
        return Ok(());
    }
    match errno() {
        libc::EINTR => Ok(()),
        errno => Err(errno),
    }
}

/// The present state of a socket, as `poll` bits. Does not wait.
pub(super) fn level(descriptor: RawFd, events: libc::c_short) -> libc::c_short {
    let mut entry = libc::pollfd { fd: descriptor, events, revents: 0 };
    // SAFETY: one entry is passed.
    match retry(|| unsafe { libc::poll(&mut entry, 1, 0) as isize }) {
        Ok(_) => entry.revents,
        Err(_) => libc::POLLERR,
    }
}

/// Whether a short read means that nothing is left. TCP cuts a read short for no other reason (urgent data is seen
/// apart); Unix sockets do, at passed descriptors, and a datagram is short by itself.
#[cfg(target_os = "linux")]
pub(super) fn short_means_drained(descriptor: RawFd) -> bool {
    let mut protocol: c_int = 0;
    let mut length = size_of::<c_int>() as libc::socklen_t;
    // SAFETY: the output is an int of the given length.
    let status = unsafe {
        libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_PROTOCOL, (&raw mut protocol).cast(), &mut length)
    };
    status == 0 && protocol == libc::IPPROTO_TCP
}

/// Elsewhere the end of the stream is not reported apart from data, so that only a refused read shows the bottom.
#[cfg(not(target_os = "linux"))]
pub(super) fn short_means_drained(_descriptor: RawFd) -> bool {
    false
}

/// Keeps a broken connection from raising SIGPIPE where a send cannot say so.
pub(super) fn prepare(descriptor: RawFd) {
    #[cfg(target_os = "macos")]
    {
        let on: c_int = 1;
        // SAFETY: the value is an int of the given length.
        unsafe {
            libc::setsockopt(
                descriptor,
                libc::SOL_SOCKET,
                libc::SO_NOSIGPIPE,
                (&raw const on).cast(),
                size_of::<c_int>() as libc::socklen_t,
            )
        };
    }
    #[cfg(not(target_os = "macos"))]
    let _ = descriptor;
}
