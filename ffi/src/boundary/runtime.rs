//! Attach, detach, probe and the log callback.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::guard::{on_any_handle, on_handle, without_handle};
use super::handle::{Body, Handle, Kind};
use super::log::Runtime;
use super::pointer::{out, sized_input, sized_out};
use crate::abi::attach::admit;
use crate::abi::config::ferronet_caps;
use crate::abi::features::{BUILT, FERRONET_FEATURE_TLS, FERRONET_FEATURE_ZLIB};
use crate::abi::info::{FERRONET_ABI_REVISION, ferronet_attach_params};
use crate::abi::log::{FERRONET_LOG_DEBUG, FERRONET_LOG_OFF};
use crate::abi::status::FERRONET_ERR_ABI;
use crate::fault;
use crate::reactor::Error;

/// A user of the library in this process; several may be attached at once and know nothing of each other.
/// Since revision 1.
pub struct ferronet_runtime {
    _opaque: [u8; 0],
}

/// Receives a log text of `length` bytes (UTF-8, a zero byte follows) of a FERRONET_LOG_* level. Since revision 1.
///
/// It gets back its own `context`. It must not throw, unwind or jump out, and must not call ferronet_log_set or
/// ferronet_detach. Owner: the text is the library's, and valid during the call. Threads: called on any thread that
/// calls the library, one call at a time.
pub type ferronet_log_callback =
    Option<unsafe extern "C" fn(context: *mut c_void, level: i32, text: *const c_char, length: u64)>;

/// Makes the library ready for a caller, and checks that both fit together. Since revision 1.
///
/// `params` says what the caller was built for. On success `*out` is a runtime.
/// Owner: the caller, until ferronet_detach. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG, FERRONET_ERR_ABI (the caller's
/// revision is below the floor), FERRONET_ERR_FEATURE (a required feature was not built).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_attach(
    params: *const ferronet_attach_params,
    out: *mut *mut ferronet_runtime,
) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        // SAFETY: the header asks for a structure of the size that it states.
        let params = unsafe { sized_input(params, "params") }?;
        admit(&params)?;
        if params.built_for_revision > FERRONET_ABI_REVISION && fault::take("attach-strict").is_some() {
            return Err(Error::new(FERRONET_ERR_ABI, "refused by the fault \"attach-strict\""));
        }
        #[cfg(feature = "test-hooks")]
        if let Some(error) = crate::fault::environment_error() {
            return Err(Error::invalid(error));
        }
        let handle = Handle::make(Body::Runtime(Arc::new(Runtime::new(params.built_for_revision))));
        // SAFETY: the header asks for memory for a pointer.
        unsafe { target.write(std::ptr::from_ref(handle).cast_mut().cast()) };
        Ok(0)
    }) as i32
}

/// Ends a runtime: its log callback is not called any more when this returns. Since revision 1.
///
/// Reactors made from it may outlive it. Owner: the handle is gone, whatever its state was. Threads: any, but no other
/// call on the runtime at the same time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED (detached before),
/// FERRONET_ERR_BUSY (called from inside a log callback; the runtime stays).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_detach(runtime: *mut ferronet_runtime) -> i32 {
    on_any_handle(runtime.cast_const().cast(), Kind::Runtime, |handle| {
        if fault::take("detach-lost").is_some() {
            return Ok(0);
        }
        let ending = handle.claim(Kind::Runtime)?;
        if let Body::Runtime(runtime) = handle.body() {
            runtime.set_log(FERRONET_LOG_OFF, None, std::ptr::null_mut())?;
        }
        drop(ending.finish());
        Ok(0)
    }) as i32
}

/// Says what the running system allows, with a reason for everything that it does not. Since revision 1.
///
/// `out->size` is set by the caller; as much as both sides know is written, and `size` says how much that was.
/// Owner: the caller. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG (size above 4096).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_probe(out: *mut ferronet_caps) -> i32 {
    without_handle(|| {
        // SAFETY: the header asks for a structure of the size that it states.
        let target = unsafe { sized_out(out, "out") }?;
        let mut caps = crate::reactor::probe::capabilities();
        // What runs wherever it was built.
        caps.available |= BUILT & (FERRONET_FEATURE_ZLIB | FERRONET_FEATURE_TLS);
        // SAFETY: as above.
        unsafe { target.write(&fault::lost("probe-lost", caps)) };
        Ok(0)
    }) as i32
}

/// Sets where the diagnostics of a runtime and of its reactors go. Off at first. Since revision 1.
///
/// `level` is the most detailed FERRONET_LOG_* level to deliver; FERRONET_LOG_OFF or a NULL callback ends it.
/// When this returns, the previous callback is not running and will not be called again.
/// Owner: `context` stays the caller's; it must be usable from every thread until the callback is replaced or the
/// runtime is detached. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, level unknown), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED,
/// FERRONET_ERR_POISONED, FERRONET_ERR_BUSY (called from inside a log callback).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_log_set(
    runtime: *mut ferronet_runtime,
    level: i32,
    callback: ferronet_log_callback,
    context: *mut c_void,
) -> i32 {
    on_handle(runtime.cast_const().cast(), Kind::Runtime, |handle| {
        if !(FERRONET_LOG_OFF..=FERRONET_LOG_DEBUG).contains(&level) {
            return Err(Error::invalid(format!(
                "level is {level}, but levels are {FERRONET_LOG_OFF} (off) to {FERRONET_LOG_DEBUG} (debug): pass a FERRONET_LOG_* value"
            )));
        }
        if let Body::Runtime(runtime) = handle.body() {
            runtime.set_log(level, callback, context)?;
        }
        Ok(0)
    }) as i32
}
