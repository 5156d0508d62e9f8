//! Every option against the kernel.

use std::os::fd::{AsRawFd, OwnedFd};

use super::*;
use crate::abi::record::*;
use crate::abi::status::FERRONET_ERR_INVALID_ARGUMENT;
use crate::reactor::socket;

fn tcp(family: u32) -> OwnedFd {
    socket::owned(socket::open(family, FERRONET_SOCKET_STREAM).unwrap())
}

/// Reads an option past the code under test.
fn kernel(descriptor: i32, level: c_int, name: c_int) -> c_int {
    let mut value = 0;
    get_system(descriptor, level, name, &mut value).unwrap();
    value
}

#[cfg(target_os = "linux")]
#[test]
fn every_option_reaches_the_kernel_and_comes_back() {
    use libc::*;
    let cases = [
        (FERRONET_OPTION_RCVBUF, 65_536, 131_072, SOL_SOCKET, SO_RCVBUF),
        (FERRONET_OPTION_SNDBUF, 65_536, 131_072, SOL_SOCKET, SO_SNDBUF),
        (FERRONET_OPTION_KEEPALIVE, 1, 1, SOL_SOCKET, SO_KEEPALIVE),
        (FERRONET_OPTION_REUSEADDR, 1, 1, SOL_SOCKET, SO_REUSEADDR),
        (FERRONET_OPTION_REUSEPORT, 1, 1, SOL_SOCKET, SO_REUSEPORT),
        (FERRONET_OPTION_BROADCAST, 1, 1, SOL_SOCKET, SO_BROADCAST),
        (FERRONET_OPTION_TOS, 0x10, 0x10, IPPROTO_IP, IP_TOS),
        (FERRONET_OPTION_FREEBIND, 1, 1, IPPROTO_IP, IP_FREEBIND),
        (FERRONET_OPTION_BIND_ADDRESS_NO_PORT, 1, 1, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT),
        (FERRONET_OPTION_TCP_NODELAY, 1, 1, IPPROTO_TCP, TCP_NODELAY),
        (FERRONET_OPTION_TCP_CORK, 1, 1, IPPROTO_TCP, TCP_CORK),
        (FERRONET_OPTION_TCP_KEEPIDLE, 77, 77, IPPROTO_TCP, TCP_KEEPIDLE),
        (FERRONET_OPTION_TCP_KEEPINTVL, 7, 7, IPPROTO_TCP, TCP_KEEPINTVL),
        (FERRONET_OPTION_TCP_KEEPCNT, 5, 5, IPPROTO_TCP, TCP_KEEPCNT),
        (FERRONET_OPTION_TCP_USER_TIMEOUT, 1500, 1500, IPPROTO_TCP, TCP_USER_TIMEOUT),
        (FERRONET_OPTION_TCP_NOTSENT_LOWAT, 16_384, 16_384, IPPROTO_TCP, TCP_NOTSENT_LOWAT),
        (FERRONET_OPTION_TCP_DEFER_ACCEPT, 1, 1, IPPROTO_TCP, TCP_DEFER_ACCEPT),
        (FERRONET_OPTION_TCP_FASTOPEN_CONNECT, 1, 1, IPPROTO_TCP, TCP_FASTOPEN_CONNECT),
    ];
    for (option, value, read, level, system) in cases {
        let socket = tcp(FERRONET_FAMILY_IPV4);
        let descriptor = socket.as_raw_fd();
        set(descriptor, option, value).unwrap();
        assert_eq!(get(descriptor, option).unwrap(), read, "{}", name(option));
        assert_eq!(i64::from(kernel(descriptor, level, system)), read, "{}", name(option));
        if matches!(find(option).unwrap().form, Form::Switch) {
            set(descriptor, option, 0).unwrap();
            assert_eq!(get(descriptor, option).unwrap(), 0, "{}", name(option));
        }
    }
}

#[test]
fn linger_has_an_off_state_and_zero() {
    let socket = tcp(FERRONET_FAMILY_IPV4);
    for value in [-1, 0, 9, -1] {
        set(socket.as_raw_fd(), FERRONET_OPTION_LINGER, value).unwrap();
        assert_eq!(get(socket.as_raw_fd(), FERRONET_OPTION_LINGER).unwrap(), value);
    }
}

#[test]
fn ipv6_sockets_have_their_own_names() {
    let socket = tcp(FERRONET_FAMILY_IPV6);
    let descriptor = socket.as_raw_fd();
    assert_eq!(get(descriptor, FERRONET_OPTION_V6ONLY).unwrap(), 0, "dual stack is the default");
    set(descriptor, FERRONET_OPTION_V6ONLY, 1).unwrap();
    assert_eq!(kernel(descriptor, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY), 1);
    set(descriptor, FERRONET_OPTION_TOS, 0x20).unwrap();
    assert_eq!(get(descriptor, FERRONET_OPTION_TOS).unwrap(), 0x20);
    assert_eq!(kernel(descriptor, libc::IPPROTO_IPV6, libc::IPV6_TCLASS), 0x20);
    #[cfg(target_os = "linux")]
    assert_eq!(kernel(descriptor, libc::IPPROTO_IP, libc::IP_TOS), 0x20, "IPv4 traffic of the socket has it too");
}

#[test]
fn a_listener_takes_a_fast_open_queue() {
    let socket = tcp(FERRONET_FAMILY_IPV4);
    let descriptor = socket.as_raw_fd();
    socket::bind(descriptor, &"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap().into()).unwrap();
    socket::listen(descriptor, 8).unwrap();
    set(descriptor, FERRONET_OPTION_TCP_FASTOPEN, 5).unwrap();
    assert_eq!(get(descriptor, FERRONET_OPTION_TCP_FASTOPEN).unwrap(), 5);
}

#[test]
fn reading_the_pending_error_clears_it() {
    let socket = tcp(FERRONET_FAMILY_IPV4);
    assert_eq!(get(socket.as_raw_fd(), FERRONET_OPTION_ERROR).unwrap(), 0);
    let error = set(socket.as_raw_fd(), FERRONET_OPTION_ERROR, 0).unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_INVALID_ARGUMENT);
}

#[test]
fn raw_options_pass_bytes_both_ways() {
    let socket = tcp(FERRONET_FAMILY_IPV4);
    let descriptor = socket.as_raw_fd();
    set_raw(descriptor, libc::SOL_SOCKET, libc::SO_KEEPALIVE, &1i32.to_ne_bytes()).unwrap();
    let mut value = [0; 16];
    assert_eq!(get_raw(descriptor, libc::SOL_SOCKET, libc::SO_KEEPALIVE, &mut value).unwrap(), 4);
    assert_ne!(i32::from_ne_bytes(value[..4].try_into().unwrap()), 0);
    let error = set_raw(descriptor, libc::SOL_SOCKET, 9999, &[0; 4]).unwrap_err();
    assert_eq!(error.status, -libc::ENOPROTOOPT);
    assert!(error.text.contains("9999"), "{}", error.text);
    assert_eq!(get_raw(-1, libc::SOL_SOCKET, libc::SO_KEEPALIVE, &mut value).unwrap_err().status, -libc::EBADF);
}

#[test]
fn refusals_name_option_value_rule_and_remedy() {
    let socket = tcp(FERRONET_FAMILY_IPV4);
    let descriptor = socket.as_raw_fd();
    let cases: [(i32, i64, i32, &[&str]); 9] = [
        (
            FERRONET_OPTION_RCVBUF,
            -5,
            FERRONET_ERR_INVALID_ARGUMENT,
            &["FERRONET_OPTION_RCVBUF = -5", "from 1 to 2147483647", "bytes"],
        ),
        (FERRONET_OPTION_KEEPALIVE, 2, FERRONET_ERR_INVALID_ARGUMENT, &["FERRONET_OPTION_KEEPALIVE = 2", "0 or 1"]),
        (FERRONET_OPTION_LINGER, -2, FERRONET_ERR_INVALID_ARGUMENT, &["= -2", "-1 for off"]),
        (FERRONET_OPTION_TOS, 256, FERRONET_ERR_INVALID_ARGUMENT, &["= 256", "from 0 to 255"]),
        (FERRONET_OPTION_TCP_KEEPCNT, 0, FERRONET_ERR_INVALID_ARGUMENT, &["= 0", "from 1 to 127"]),
        (
            FERRONET_OPTION_TCP_USER_TIMEOUT,
            1 << 40,
            FERRONET_ERR_INVALID_ARGUMENT,
            &["= 1099511627776", "milliseconds"],
        ),
        (FERRONET_OPTION_V6ONLY, 1, FERRONET_ERR_UNSUPPORTED_OPTION, &["FERRONET_OPTION_V6ONLY", "IPv6 socket"]),
        (0, 1, FERRONET_ERR_UNSUPPORTED_OPTION, &["socket option 0", "level and name"]),
        (9999, 1, FERRONET_ERR_UNSUPPORTED_OPTION, &["socket option 9999"]),
    ];
    for (option, value, status, words) in cases {
        let error = set(descriptor, option, value).unwrap_err();
        assert_eq!(error.status, status, "{}", error.text);
        words.iter().for_each(|word| assert!(error.text.contains(word), "{word}: {}", error.text));
    }
    let datagram = socket::owned(socket::open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_DATAGRAM).unwrap());
    let error = set(datagram.as_raw_fd(), FERRONET_OPTION_TCP_NODELAY, 1).unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_UNSUPPORTED_OPTION, "{}", error.text);
    assert_eq!(set(-1, FERRONET_OPTION_KEEPALIVE, 1).unwrap_err().status, -libc::EBADF);
}
