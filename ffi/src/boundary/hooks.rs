//! Functions for tests, compiled only with the feature `test-hooks` and never part of a shipped library.

use std::ffi::{CStr, c_char, c_void};

use super::guard::{on_handle, without_handle};
use super::handle::Kind;
use super::pointer::is_null;
use crate::fault;
use crate::reactor::Error;
use crate::text::quoted;

/// Panics when the fault is armed: `panic` in every guarded call, `panic-turn` in a turn.
pub(super) fn panic_if_armed(name: &str) {
    if fault::take(name).is_some() {
        panic_now(format!("injected by the fault \"{name}\""));
    }
}

#[expect(clippy::panic, reason = "what the guard catches is tested with real panics")]
fn panic_now(text: String) -> ! {
    std::panic::panic_any(text)
}

/// Test hook: panics inside the guard of a runtime or reactor, or (NULL) of a call without a handle. Since revision 1.
///
/// Owner: the handle stays the caller's. Threads: any. Errors: FERRONET_ERR_PANIC, FERRONET_ERR_POISONED.
#[cfg(feature = "test-hooks")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_test_panic(handle: *mut c_void) -> i32 {
    let panic = || panic_now("asked for by ferronet_test_panic".into());
    if handle.is_null() {
        return without_handle(panic) as i32;
    }
    on_handle(handle.cast_const().cast(), Kind::Any, |_| panic()) as i32
}

/// Test hook: arms the named fault of the process for `count` uses; -1 is for ever, 0 disarms it. Since revision 1.
///
/// Owner: `name` stays the caller's. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, empty or not UTF-8).
#[cfg(feature = "test-hooks")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_test_fault(name: *const c_char, argument: i64, count: i64) -> i32 {
    without_handle(|| {
        if name.is_null() {
            return Err(is_null("name"));
        }
        // SAFETY: the header asks for a text that ends with a zero byte.
        let name = unsafe { CStr::from_ptr(name) };
        match name.to_str() {
            Ok(name) if !name.is_empty() => fault::arm(name, argument, count),
            _ => {
                return Err(Error::invalid(format!(
                    "name is {}, but a fault has a name in UTF-8",
                    quoted(name.to_bytes())
                )));
            }
        }
        Ok(0)
    }) as i32
}
