//! Names of statuses, and the text of the last failed call.

use std::ffi::{CStr, c_char};

use super::guard::{on_any_handle, with_thread_error, without_handle};
use super::handle::{Handle, Kind};
use super::pointer::is_null;
use crate::abi::{errno, status};
use crate::fault;
use crate::reactor::Result;

/// Name of a status: "FERRONET_OK" for 0 and above, "FERRONET_ERR_PANIC", "EADDRINUSE", or "UNKNOWN". Since revision 1.
///
/// Owner: the library; the text is constant and stays valid while the library is loaded. Never NULL.
/// Threads: any. It has no errors.
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_status_name(status: i32) -> *const c_char {
    name(status).as_ptr()
}

fn name(status: i32) -> &'static CStr {
    if fault::take("name-lost").is_some() {
        return c"UNKNOWN";
    }
    if status >= 0 {
        return c"FERRONET_OK";
    }
    let (table, number) = if status > -4096 { (errno::NAMES, -status) } else { (status::NAMES, status) };
    table.iter().find(|(value, _)| *value == number).map_or(c"UNKNOWN", |(_, name)| *name)
}

/// Copies the text of the last failed call on a handle: what failed, on what value, by which rule, and the remedy.
/// Since revision 1.
///
/// `handle` is of any kind; NULL asks for the calling thread's last failed call that had no valid handle
/// (ferronet_attach, ferronet_probe, ferronet_socket_*, the functions that make a stream or work on whole buffers, and
/// every call whose handle was refused). A text stays until the next failure. At most `capacity` bytes are written to
/// `buffer`, the zero byte included, which is always there when `capacity` is above 0; a text is never cut inside a
/// character. `capacity` 0 only asks for the
/// length, and `buffer` may be NULL then.
/// Returns the length of the whole text in bytes without the zero byte (so a result of `capacity` or more says that
/// the text was cut), 0 when nothing has failed yet.
/// Owner: the caller. Threads: any; the handle may be in use by another one. Poisoned handles work.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (`buffer` is NULL), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED (freed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_last_error(
    handle: *const core::ffi::c_void,
    buffer: *mut c_char,
    capacity: u64,
) -> i64 {
    let copy = |text: &str| -> Result<i64> {
        if capacity > 0 {
            if buffer.is_null() {
                return Err(is_null("buffer"));
            }
            let room = usize::try_from(capacity - 1).unwrap_or(usize::MAX);
            let mut length = text.len().min(room);
            while !text.is_char_boundary(length) {
                length -= 1;
            }
            // SAFETY: the header asks for `capacity` bytes; the text and its zero byte fit.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast::<u8>(), length);
                buffer.add(length).write(0);
            }
        }
        Ok(text.len() as i64)
    };
    if handle.is_null() {
        return without_handle(|| with_thread_error(copy));
    }
    on_any_handle(handle.cast::<Handle>(), Kind::Any, |handle| handle.with_error(copy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_own_status_has_its_name() {
        assert_eq!(status::NAMES.len(), status::STATUSES.len());
        for (number, text, meaning) in status::STATUSES {
            assert_eq!(name(*number).to_str(), Ok(*text));
            assert!(!meaning.is_empty());
        }
        assert_eq!(name(0), c"FERRONET_OK");
        assert_eq!(name(i32::MAX), c"FERRONET_OK");
        for unknown in [status::FERRONET_ERR_BASE, -4096, -20_000, i32::MIN, -4095] {
            assert_eq!(name(unknown), c"UNKNOWN", "{unknown}");
        }
    }

    #[test]
    fn every_errno_that_the_system_describes_has_a_name() {
        for errno in 1..200 {
            // SAFETY: strerror returns a text for every number.
            let description = unsafe { CStr::from_ptr(libc::strerror(errno)) }.to_string_lossy().into_owned();
            let known = name(-errno) != c"UNKNOWN";
            assert_eq!(known, !description.starts_with("Unknown error"), "{errno}: {description}");
        }
        assert_eq!(name(-libc::EADDRINUSE), c"EADDRINUSE");
        assert_eq!(name(-libc::EAGAIN), c"EAGAIN");
    }
}
