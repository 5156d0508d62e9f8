//! The panic guard around every exported function, and where error texts go.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use super::handle::{Handle, Kind};
use super::log;
use crate::abi::log::{FERRONET_LOG_DEBUG, FERRONET_LOG_ERROR};
use crate::abi::status::FERRONET_ERR_PANIC;
use crate::fault;
use crate::reactor::{Error, Result};

thread_local! {
    /// Guarded calls that this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Text of the last failed call without a handle.
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    /// Where the last panic of a guarded call happened.
    static PANIC_PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Installs the panic hook, once: silent for panics of guarded calls, the previous hook for all others.
pub(super) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if DEPTH.get() == 0 {
                previous(info);
            } else if let Some(place) = info.location() {
                let _ = PANIC_PLACE.try_with(|text| text.replace(place.to_string()));
            }
        }));
    });
}

/// Runs the body of an exported function that works on a handle of that kind, and turns its outcome into a status.
/// A poisoned handle is refused.
#[inline]
pub(super) fn on_handle(pointer: *const Handle, kind: Kind, body: impl FnOnce(&'static Handle) -> Result<i64>) -> i64 {
    let handle = match Handle::resolve(pointer, kind) {
        Ok(handle) => handle,
        Err(error) => return fail(None, &error),
    };
    match caught(|| handle.check_poison().and_then(|()| body(handle))) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => fail(Some(handle), &error),
        Err(payload) => panicked(Some(handle), payload),
    }
}

/// The same for functions that must also work on poisoned handles.
pub(super) fn on_any_handle(
    pointer: *const Handle,
    kind: Kind,
    body: impl FnOnce(&'static Handle) -> Result<i64>,
) -> i64 {
    let handle = match Handle::resolve(pointer, kind) {
        Ok(handle) => handle,
        Err(error) => return fail(None, &error),
    };
    match caught(|| body(handle)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => fail(Some(handle), &error),
        Err(payload) => panicked(Some(handle), payload),
    }
}

/// Runs the body of an exported function that has no handle; its error text is kept for the calling thread.
pub(super) fn without_handle(body: impl FnOnce() -> Result<i64>) -> i64 {
    install_hook();
    match caught(body) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => fail(None, &error),
        Err(payload) => panicked(None, payload),
    }
}

#[inline]
fn caught<R>(body: impl FnOnce() -> R) -> std::result::Result<R, Box<dyn Any + Send>> {
    DEPTH.set(DEPTH.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(feature = "test-hooks")]
        super::hooks::panic_if_armed("panic");
        body()
    }));
    DEPTH.set(DEPTH.get() - 1);
    outcome
}

#[cold]
fn fail(handle: Option<&Handle>, error: &Error) -> i64 {
    // A drop of a string or a failed allocation inside must not unwind into C either.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        keep_text(handle, &error.text);
        if let Some(runtime) = handle.and_then(Handle::runtime) {
            log::emit(&runtime, FERRONET_LOG_DEBUG, || format!("status {}: {}", error.status, error.text));
        }
    }));
    if fault::take("refusal-collapsed").is_some() { i64::from(-libc::EPERM) } else { i64::from(error.status) }
}

#[cold]
fn panicked(handle: Option<&Handle>, payload: Box<dyn Any + Send>) -> i64 {
    if let Some(handle) = handle {
        handle.poison();
    }
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let place = PANIC_PLACE.with(RefCell::take);
        let message =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = message.unwrap_or("no text");
        let remedy = if handle.is_some() { "; the handle is poisoned: free it" } else { "" };
        let text = format!("panic in the library at {place}: {message}{remedy}");
        keep_text(handle, &text);
        if let Some(runtime) = handle.and_then(Handle::runtime) {
            log::emit(&runtime, FERRONET_LOG_ERROR, || text);
        }
    }));
    // The payload's own drop may panic, which would leave the library here.
    std::mem::forget(payload);
    i64::from(FERRONET_ERR_PANIC)
}

fn keep_text(handle: Option<&Handle>, text: &str) {
    let text = if fault::take("text-lost").is_some() { "" } else { text };
    match handle {
        Some(handle) => handle.set_error(text),
        None => {
            let _ = LAST_ERROR.try_with(|last| {
                let mut last = last.borrow_mut();
                last.clear();
                last.push_str(text);
            });
        }
    }
}

/// Gives the text of the calling thread's last failed call without a handle to the reader. A thread that ends, and calls
/// from one of its own destructors, has none any more.
pub(super) fn with_thread_error<R>(read: impl FnOnce(&str) -> R) -> R {
    let text = LAST_ERROR.try_with(|last| last.borrow().clone()).unwrap_or_default();
    read(&text)
}
