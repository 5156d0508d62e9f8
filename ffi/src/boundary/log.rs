//! What a runtime handle and its reactors share: the caller's revision, and the log callback.

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::runtime::ferronet_log_callback;
use crate::abi::log::FERRONET_LOG_OFF;
use crate::abi::status::FERRONET_ERR_BUSY;
use crate::fault;
use crate::reactor::{Error, Result};

struct Sink {
    callback: ferronet_log_callback,
    context: *mut c_void,
}

// SAFETY: the library only hands the context back; `ferronet_log_set` asks for one that every thread may use.
unsafe impl Send for Sink {}

/// The part of an attach that reactors keep alive after `ferronet_detach`.
pub(crate) struct Runtime {
    /// Revision that the caller was built for.
    pub(crate) revision: u32,
    level: AtomicI32,
    sink: Mutex<Sink>,
}

impl Runtime {
    pub(crate) fn new(revision: u32) -> Self {
        let sink = Sink { callback: None, context: std::ptr::null_mut() };
        Self { revision, level: AtomicI32::new(FERRONET_LOG_OFF), sink: Mutex::new(sink) }
    }

    /// Replaces the callback. When this returns, no call of the previous one is running.
    pub(crate) fn set_log(&self, level: i32, callback: ferronet_log_callback, context: *mut c_void) -> Result<()> {
        if IN_CALLBACK.get() {
            return Err(Error::new(
                FERRONET_ERR_BUSY,
                "called from inside a log callback, which it would wait for; change the log or detach after the callback has returned",
            ));
        }
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        *sink = Sink { callback, context };
        self.level.store(if callback.is_some() { level } else { FERRONET_LOG_OFF }, Ordering::Release);
        Ok(())
    }
}

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Delivers a text if the level asks for it. Texts that arise inside a log callback are dropped.
pub(crate) fn emit(runtime: &Runtime, level: i32, text: impl FnOnce() -> String) {
    let ignored = fault::take("log-level-ignored").is_some();
    let wanted = |runtime: &Runtime| ignored || level <= runtime.level.load(Ordering::Acquire);
    if !wanted(runtime) || IN_CALLBACK.get() || fault::take("log-lost").is_some() {
        return;
    }
    let mut text = text();
    let length = text.len() as u64;
    text.push('\0');
    let sink = runtime.sink.lock().unwrap_or_else(PoisonError::into_inner);
    // The level may have changed before the lock was taken.
    if !wanted(runtime) {
        return;
    }
    if let Some(callback) = sink.callback {
        IN_CALLBACK.set(true);
        // SAFETY: `ferronet_log_set` promises a callback that may be called with its context from any thread.
        unsafe { callback(sink.context, level, text.as_ptr().cast::<c_char>(), length) };
        IN_CALLBACK.set(false);
    }
}
