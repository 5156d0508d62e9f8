//! The functions of sockets.

use super::*;

/// A new socket from the system itself, so that the function under test is the first of the library to be called.
pub fn socket() -> i32 {
    // SAFETY: no pointer is passed.
    unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0) }
}

/// Calls with a new socket, and closes it.
fn with_socket(call: impl FnOnce(i32) -> i32) -> i32 {
    let fd = socket();
    let status = call(fd);
    ferronet_socket_close(fd);
    status
}

fn open_and_close() -> i32 {
    let fd = ferronet_socket_open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM);
    if fd < 0 { fd } else { ferronet_socket_close(fd) }
}

fn loopback() -> ferronet_address {
    let mut address = ferronet_address { family: FERRONET_FAMILY_IPV4, length: 4, ..Default::default() };
    address.data[..4].copy_from_slice(&[127, 0, 0, 1]);
    address
}

fn listen_again() -> i32 {
    use std::os::fd::AsRawFd;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    ferronet_socket_listen(listener.as_raw_fd(), 1)
}

/// Calls with the client's end of a connection on loopback.
fn with_connection(call: impl FnOnce(i32) -> i32) -> i32 {
    use std::os::fd::AsRawFd;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    call(client.as_raw_fd())
}

#[allow(unused_unsafe, reason = "some functions are safe to call")]
pub const SOCKETS: &[Function] = &[
    function!(
        ferronet_socket_bind,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_bind(fd, &loopback())),
        [|_h| with_socket(|fd| ferronet_socket_bind(fd, null()))],
        OK
    ),
    function!(ferronet_socket_close, Nothing, |_h| ferronet_socket_close(socket()), [], OK),
    function!(
        ferronet_socket_get_option,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_get_option(fd, 3, &mut 0)),
        [|_h| with_socket(|fd| ferronet_socket_get_option(fd, 3, null_mut()))],
        OK
    ),
    function!(
        ferronet_socket_get_raw_option,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_get_raw_option(
            fd,
            libc::SOL_SOCKET,
            libc::SO_TYPE,
            std::ptr::from_mut(&mut 0i32).cast(),
            &mut 4
        )),
        [
            |_h| with_socket(|fd| ferronet_socket_get_raw_option(
                fd,
                libc::SOL_SOCKET,
                libc::SO_TYPE,
                null_mut(),
                &mut 4
            )),
            |_h| with_socket(|fd| ferronet_socket_get_raw_option(
                fd,
                libc::SOL_SOCKET,
                libc::SO_TYPE,
                std::ptr::from_mut(&mut 0i32).cast(),
                null_mut()
            ))
        ],
        OK
    ),
    function!(ferronet_socket_listen, Nothing, |_h| listen_again(), [], OK),
    function!(
        ferronet_socket_local_address,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_local_address(fd, &mut loopback())),
        [|_h| with_socket(|fd| ferronet_socket_local_address(fd, null_mut()))],
        OK
    ),
    function!(ferronet_socket_open, Nothing, |_h| open_and_close(), [], OK),
    function!(
        ferronet_socket_peer_address,
        Nothing,
        |_h| with_connection(|fd| ferronet_socket_peer_address(fd, &mut loopback())),
        [|_h| with_connection(|fd| ferronet_socket_peer_address(fd, null_mut()))],
        OK
    ),
    function!(ferronet_socket_set_option, Nothing, |_h| with_socket(|fd| ferronet_socket_set_option(fd, 3, 1)), [], OK),
    function!(
        ferronet_socket_set_raw_option,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_set_raw_option(
            fd,
            libc::SOL_SOCKET,
            libc::SO_KEEPALIVE,
            std::ptr::from_ref(&1i32).cast(),
            4
        )),
        [|_h| with_socket(|fd| ferronet_socket_set_raw_option(fd, libc::SOL_SOCKET, libc::SO_KEEPALIVE, null(), 4))],
        OK
    ),
    function!(
        ferronet_socket_shutdown,
        Nothing,
        |_h| with_connection(|fd| ferronet_socket_shutdown(fd, FERRONET_SHUTDOWN_WRITE)),
        [],
        OK
    ),
];
