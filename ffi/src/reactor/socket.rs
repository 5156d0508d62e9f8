//! Sockets before and beside the reactor: open, bind, listen, names, shutdown, close.

use std::io;
use std::os::fd::{IntoRawFd, OwnedFd, RawFd};

use socket2::{Domain, Socket, Type};

use super::address;
use crate::abi::record::*;
use crate::error::{Error, Result};

/// Opens a socket, close-on-exec and with no signal on a broken connection. IPv6 sockets are dual stack.
/// `family` is `FERRONET_FAMILY_*`, `kind` is `FERRONET_SOCKET_*`; the descriptor is the caller's.
pub fn open(family: u32, kind: u32) -> Result<RawFd> {
    let (domain, family_name) = match family {
        FERRONET_FAMILY_IPV4 => (Domain::IPV4, "IPv4"),
        FERRONET_FAMILY_IPV6 => (Domain::IPV6, "IPv6"),
        FERRONET_FAMILY_UNIX => (Domain::UNIX, "Unix"),
        #[cfg(target_os = "linux")]
        FERRONET_FAMILY_VSOCK => (Domain::VSOCK, "vsock"),
        _ => {
            return Err(Error::invalid(format!(
                "socket open: family {family} is not available; use FERRONET_FAMILY_IPV4 (4), _IPV6 (6), _UNIX (1) or, on Linux, _VSOCK (40)"
            )));
        }
    };
    let (kind, kind_name) = match kind {
        FERRONET_SOCKET_STREAM => (Type::STREAM, "stream"),
        FERRONET_SOCKET_DATAGRAM => (Type::DGRAM, "datagram"),
        _ => {
            return Err(Error::invalid(format!(
                "socket open: kind {kind} is unknown; use FERRONET_SOCKET_STREAM (1) or FERRONET_SOCKET_DATAGRAM (2)"
            )));
        }
    };
    let socket = Socket::new(domain, kind, None).map_err(|error| {
        let remedy = match error.raw_os_error() {
            Some(libc::EMFILE) => "; raise RLIMIT_NOFILE or close descriptors",
            Some(libc::EAFNOSUPPORT) => "; the kernel has this family switched off, use another one",
            _ => "",
        };
        Error { text: format!("socket open: {family_name} {kind_name}: {error}{remedy}"), ..Error::os(&error, "") }
    })?;
    if family == FERRONET_FAMILY_IPV6 {
        socket.set_only_v6(false).map_err(|error| Error::os(&error, "socket open: switching IPV6_V6ONLY off"))?;
    }
    Ok(OwnedFd::from(socket).into_raw_fd())
}

/// Binds to a local address; port 0 lets the system choose.
pub fn bind(descriptor: RawFd, local: &ferronet_address) -> Result<()> {
    let system = address::to_system(local)?;
    // SAFETY: the address is valid for its length.
    let status = unsafe { libc::bind(descriptor, system.as_ptr().cast(), system.len()) };
    if status == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let remedy = match error.raw_os_error() {
        Some(libc::EADDRINUSE) => {
            "; another socket has it: choose another port (0 lets the system choose), or stop its owner"
        }
        Some(libc::EADDRNOTAVAIL) => {
            "; no interface of this machine has that address: use a local one, or the wildcard address"
        }
        Some(libc::EACCES) => {
            "; ports below the system's limit (1024 by default) and this path need a privilege: use a higher port or another path"
        }
        Some(libc::EINVAL) => "; the socket may be bound already, or be of another family than the address",
        Some(libc::EAFNOSUPPORT) => "; the socket is of another family than the address",
        _ => "",
    };
    Err(Error { text: format!("bind to {local}: {error}{remedy}"), ..Error::os(&error, "") })
}

/// Listens. The backlog is passed on as it is (0 means the system's least), bounded by the system's own limit.
pub fn listen(descriptor: RawFd, backlog: i32) -> Result<()> {
    if backlog < 0 {
        return Err(Error::invalid(format!(
            "listen: backlog {backlog} is negative; use 0 or a positive number of connections"
        )));
    }
    // SAFETY: no pointer is passed.
    check(unsafe { libc::listen(descriptor, backlog) }, || format!("listen with backlog {backlog}"))
}

/// The local address.
pub fn local_address(descriptor: RawFd) -> Result<ferronet_address> {
    let system = address::query(libc::getsockname, descriptor).map_err(|error| Error::os(&error, "local address"))?;
    address::from_system(&system)
}

/// The peer's address; ENOTCONN without a peer.
pub fn peer_address(descriptor: RawFd) -> Result<ferronet_address> {
    let system = address::query(libc::getpeername, descriptor).map_err(|error| Error::os(&error, "peer address"))?;
    address::from_system(&system)
}

/// Shuts a direction down (`FERRONET_SHUTDOWN_*`).
pub fn shutdown(descriptor: RawFd, direction: u32) -> Result<()> {
    let how = shutdown_how(direction).ok_or_else(|| {
        Error::invalid(format!("shutdown: direction {direction} is unknown; use 0 (read), 1 (write) or 2 (both)"))
    })?;
    // SAFETY: no pointer is passed.
    check(unsafe { libc::shutdown(descriptor, how) }, || format!("shutdown of direction {direction}"))
}

/// The system's number of a shutdown direction.
pub(crate) fn shutdown_how(direction: u32) -> Option<libc::c_int> {
    match direction {
        FERRONET_SHUTDOWN_READ => Some(libc::SHUT_RD),
        FERRONET_SHUTDOWN_WRITE => Some(libc::SHUT_WR),
        FERRONET_SHUTDOWN_BOTH => Some(libc::SHUT_RDWR),
        _ => None,
    }
}

/// Closes a descriptor that is not added to a reactor. It is gone even when an error is reported.
pub fn close(descriptor: RawFd) -> Result<()> {
    // SAFETY: no pointer is passed; a descriptor that is not open is an error of the call.
    let status = unsafe { libc::close(descriptor) };
    if status < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) {
        return Ok(());
    }
    check(status, || format!("close of descriptor {descriptor}"))
}

fn check(status: libc::c_int, what: impl Fn() -> String) -> Result<()> {
    if status < 0 { Err(Error::last_os(what())) } else { Ok(()) }
}

/// Whether the descriptor is a datagram socket; what is no socket is refused.
pub(crate) fn is_datagram(descriptor: RawFd) -> Result<bool> {
    let mut kind: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the output is an int of the given length.
    let status =
        unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &mut length) };
    check(status, || format!("reactor add: descriptor {descriptor} is not an open socket; add sockets only"))?;
    Ok(kind == libc::SOCK_DGRAM)
}

/// Sets or clears O_NONBLOCK.
pub(crate) fn set_nonblocking(descriptor: RawFd, nonblocking: bool) -> Result<()> {
    // SAFETY: no pointer is passed.
    let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
    check(flags, || format!("reading the flags of descriptor {descriptor}"))?;
    let wanted = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    if wanted == flags {
        return Ok(());
    }
    // SAFETY: no pointer is passed.
    check(unsafe { libc::fcntl(descriptor, libc::F_SETFL, wanted) }, || {
        format!("setting the blocking mode of descriptor {descriptor}")
    })
}

/// Takes a descriptor for the length of a test or a call that closes it.
#[cfg(test)]
pub(crate) fn owned(descriptor: RawFd) -> OwnedFd {
    // SAFETY: the callers pass a descriptor that they have just opened.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::status::FERRONET_ERR_INVALID_ARGUMENT;
    use std::net::{SocketAddr, TcpStream};
    use std::os::fd::AsRawFd;

    fn loopback(text: &str) -> ferronet_address {
        text.parse::<SocketAddr>().unwrap().into()
    }

    #[test]
    fn listens_on_both_ip_families_and_names_both_ends() {
        for (family, host) in [(FERRONET_FAMILY_IPV4, "127.0.0.1:0"), (FERRONET_FAMILY_IPV6, "[::1]:0")] {
            let listener = owned(open(family, FERRONET_SOCKET_STREAM).unwrap());
            bind(listener.as_raw_fd(), &loopback(host)).unwrap();
            listen(listener.as_raw_fd(), 0).unwrap();
            let local = local_address(listener.as_raw_fd()).unwrap();
            assert_ne!(local.port, 0);
            let client = TcpStream::connect(local.ip().unwrap()).unwrap();
            assert_eq!(peer_address(client.as_raw_fd()).unwrap(), local);
            assert_eq!(peer_address(listener.as_raw_fd()).unwrap_err().status, -libc::ENOTCONN);
        }
    }

    #[test]
    fn an_ipv6_wildcard_listener_accepts_ipv4() {
        let listener = owned(open(FERRONET_FAMILY_IPV6, FERRONET_SOCKET_STREAM).unwrap());
        bind(listener.as_raw_fd(), &loopback("[::]:0")).unwrap();
        listen(listener.as_raw_fd(), 1).unwrap();
        let port = local_address(listener.as_raw_fd()).unwrap().port as u16;
        TcpStream::connect(("127.0.0.1", port)).unwrap();
    }

    #[test]
    fn sockets_are_closed_on_exec() {
        let socket = owned(open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_DATAGRAM).unwrap());
        // SAFETY: no pointer is passed.
        assert_eq!(unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_GETFD) } & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn abstract_names_come_back_from_the_kernel_as_they_were() {
        let mut name = format!("\0ferronet-{}", std::process::id()).into_bytes();
        name.extend([0, b'x', 0]);
        let wanted = ferronet_address::unix(&name).unwrap();
        let socket = owned(open(FERRONET_FAMILY_UNIX, FERRONET_SOCKET_STREAM).unwrap());
        assert_eq!(local_address(socket.as_raw_fd()).unwrap().name(), Some(&b""[..]));
        bind(socket.as_raw_fd(), &wanted).unwrap();
        assert_eq!(local_address(socket.as_raw_fd()).unwrap(), wanted);
    }

    #[test]
    fn unix_paths_come_back_from_the_kernel_as_they_were() {
        let path = std::env::temp_dir().join(format!("ferronet-{}.sock", std::process::id()));
        let wanted = ferronet_address::unix(path.to_str().unwrap().as_bytes()).unwrap();
        let socket = owned(open(FERRONET_FAMILY_UNIX, FERRONET_SOCKET_STREAM).unwrap());
        bind(socket.as_raw_fd(), &wanted).unwrap();
        let found = local_address(socket.as_raw_fd()).unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(found, wanted);
    }

    #[test]
    fn refusals_say_what_and_why() {
        let socket = owned(open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM).unwrap());
        let descriptor = socket.as_raw_fd();
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let in_use = bind(descriptor, &taken.local_addr().unwrap().into()).unwrap_err();
        assert_eq!(in_use.status, -libc::EADDRINUSE);
        assert!(in_use.text.contains(&taken.local_addr().unwrap().to_string()), "{}", in_use.text);
        let foreign = bind(descriptor, &loopback("192.0.2.1:0")).unwrap_err();
        assert_eq!(foreign.status, -libc::EADDRNOTAVAIL);
        assert!(foreign.text.contains("192.0.2.1"), "{}", foreign.text);
        assert_eq!(open(9, 1).unwrap_err().status, FERRONET_ERR_INVALID_ARGUMENT);
        assert_eq!(open(FERRONET_FAMILY_IPV4, 9).unwrap_err().status, FERRONET_ERR_INVALID_ARGUMENT);
        assert_eq!(listen(descriptor, -1).unwrap_err().status, FERRONET_ERR_INVALID_ARGUMENT);
        assert_eq!(shutdown(descriptor, 3).unwrap_err().status, FERRONET_ERR_INVALID_ARGUMENT);
        assert_eq!(shutdown(descriptor, 2).unwrap_err().status, -libc::ENOTCONN);
        assert_eq!(close(-1).unwrap_err().status, -libc::EBADF);
    }
}
