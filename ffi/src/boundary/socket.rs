//! Functions on sockets that need no reactor.

use std::ffi::c_void;

use super::guard::without_handle;
use super::pointer::{input, is_null, out};
use crate::abi::record::ferronet_address;
use crate::reactor::{option, socket};

/// Opens a socket of a FERRONET_FAMILY_* and a FERRONET_SOCKET_* kind. Since revision 1.
///
/// It is close-on-exec, and an IPv6 socket takes IPv4 connections too until FERRONET_OPTION_V6ONLY is set.
/// Returns the descriptor. Owner: the caller, until ferronet_socket_close or, once it is added, FERRONET_OP_CLOSE.
/// Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (unknown family or kind), a negated errno (EMFILE,
/// EAFNOSUPPORT).
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_socket_open(family: u32, kind: u32) -> i32 {
    without_handle(|| socket::open(family, kind).map(i64::from)) as i32
}

/// Binds a socket to a local address; port 0 lets the system choose. Since revision 1.
///
/// Owner: `address` stays the caller's. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, malformed address), a negated errno (EADDRINUSE, EADDRNOTAVAIL,
/// EACCES).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_socket_bind(fd: i32, address: *const ferronet_address) -> i32 {
    without_handle(|| {
        // SAFETY: the header asks for an address record.
        let address = unsafe { input(address, "address") }?;
        socket::bind(fd, &address).map(|()| 0)
    }) as i32
}

/// Makes a bound stream socket listen; `backlog` is a number of connections. Since revision 1.
///
/// 0 is passed on as it is (the system's least); the system caps large values (net.core.somaxconn on Linux).
/// Owner: the descriptor stays the caller's. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (negative backlog), a negated errno (EADDRINUSE, EOPNOTSUPP).
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_socket_listen(fd: i32, backlog: i32) -> i32 {
    without_handle(|| socket::listen(fd, backlog).map(|()| 0)) as i32
}

/// Reads the local address of a socket. Since revision 1.
///
/// Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno (EBADF, ENOTSOCK).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_socket_local_address(fd: i32, out: *mut ferronet_address) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        let address = socket::local_address(fd)?;
        // SAFETY: the header asks for memory for an address record.
        unsafe { target.write(address) };
        Ok(0)
    }) as i32
}

/// Reads the peer's address of a connected socket. Since revision 1.
///
/// Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno (ENOTCONN, EBADF).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_socket_peer_address(fd: i32, out: *mut ferronet_address) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        let address = socket::peer_address(fd)?;
        // SAFETY: the header asks for memory for an address record.
        unsafe { target.write(address) };
        Ok(0)
    }) as i32
}

/// Shuts down a direction (FERRONET_SHUTDOWN_*) of a connected socket. Since revision 1.
///
/// Owner: the descriptor stays the caller's. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (unknown direction), a negated errno (ENOTCONN, EBADF).
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_socket_shutdown(fd: i32, direction: u32) -> i32 {
    without_handle(|| socket::shutdown(fd, direction).map(|()| 0)) as i32
}

/// Closes a descriptor that is not added to a reactor. Since revision 1.
///
/// Owner: the descriptor is gone, also when an error is reported. Threads: any. Errors: a negated errno (EBADF, EIO).
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_socket_close(fd: i32) -> i32 {
    without_handle(|| socket::close(fd).map(|()| 0)) as i32
}

/// Sets a FERRONET_OPTION_* of a socket; each option's own comment has the unit of its value. Since revision 1.
///
/// Owner: the descriptor stays the caller's. Threads: any.
/// Errors: FERRONET_ERR_UNSUPPORTED_OPTION (unknown here, or not for this kind of socket),
/// FERRONET_ERR_INVALID_ARGUMENT
/// (value out of range), a negated errno (EBADF, EPERM, ENOPROTOOPT).
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_socket_set_option(fd: i32, option: i32, value: i64) -> i32 {
    without_handle(|| option::set(fd, option, value).map(|()| 0)) as i32
}

/// Reads a FERRONET_OPTION_* of a socket. Since revision 1.
///
/// Owner: the caller. Threads: any.
/// Errors: FERRONET_ERR_UNSUPPORTED_OPTION, FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno (EBADF, ENOPROTOOPT).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_socket_get_option(fd: i32, option: i32, out: *mut i64) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        let value = option::get(fd, option)?;
        // SAFETY: the header asks for memory for a number.
        unsafe { target.write(value) };
        Ok(0)
    }) as i32
}

/// Sets an option by the platform's own level and name (setsockopt) from `length` bytes at `value`. Since revision 1.
///
/// Owner: `value` stays the caller's. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length), a
/// negated errno.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_socket_set_raw_option(
    fd: i32,
    level: i32,
    name: i32,
    value: *const c_void,
    length: u32,
) -> i32 {
    without_handle(|| {
        let bytes: &[u8] = match (value.is_null(), length) {
            (_, 0) => &[],
            (true, _) => return Err(is_null("value")),
            // SAFETY: the header asks for `length` readable bytes.
            (false, length) => unsafe { std::slice::from_raw_parts(value.cast(), length as usize) },
        };
        option::set_raw(fd, level, name, bytes).map(|()| 0)
    }) as i32
}

/// Reads an option by the platform's own level and name (getsockopt). Since revision 1.
///
/// `*length` holds the capacity of `value` in bytes before, and the length of what was read after.
/// Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_socket_get_raw_option(
    fd: i32,
    level: i32,
    name: i32,
    value: *mut c_void,
    length: *mut u32,
) -> i32 {
    without_handle(|| {
        // SAFETY: the header asks for memory for the length.
        let capacity = unsafe { input(length.cast_const(), "length") }?;
        if value.is_null() {
            return Err(is_null("value"));
        }
        // The caller's memory may be uninitialised, and is written only on success.
        let mut bytes = vec![0u8; capacity.min(MAXIMUM_RAW) as usize];
        let written = option::get_raw(fd, level, name, &mut bytes)?.min(bytes.len());
        // SAFETY: the header asks for `*length` writable bytes; no more than that were read.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast(), written);
            length.write_unaligned(written as u32);
        }
        Ok(0)
    }) as i32
}

/// No socket option is longer (the largest are TCP_INFO and filters of a few pages).
const MAXIMUM_RAW: u32 = 1 << 20;
