//! The log callback: off by default, one sink for each attach, and gone when it was replaced.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::Mutex;

use ferronet::abi::log::*;
use ferronet::abi::status::*;
use ferronet::boundary::reactor::*;
use ferronet::boundary::runtime::*;

use crate::functions::*;

#[derive(Default)]
struct Sink {
    lines: Mutex<Vec<(i32, String)>>,
    /// Called from inside the callback with this runtime.
    reentrant: Mutex<Option<Sent>>,
    statuses: Mutex<Vec<i32>>,
}

unsafe extern "C" fn receive(context: *mut c_void, level: i32, text: *const c_char, length: u64) {
    // SAFETY: the context is the test's sink.
    let sink = unsafe { &*context.cast::<Sink>() };
    // SAFETY: the library passes a text of that length, which a zero byte follows.
    let (bytes, end) = unsafe {
        (std::slice::from_raw_parts(text.cast::<u8>(), length as usize).to_vec(), *text.add(length as usize))
    };
    assert_eq!(end, 0);
    sink.lines.lock().unwrap().push((level, String::from_utf8(bytes).unwrap()));
    if let Some(runtime) = *sink.reentrant.lock().unwrap() {
        // SAFETY: the runtime lives; the calls must be refused.
        let statuses =
            unsafe { [ferronet_log_set(runtime.0.cast(), 0, None, null_mut()), ferronet_detach(runtime.0.cast())] };
        sink.statuses.lock().unwrap().extend(statuses);
    }
}

impl Sink {
    fn context(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    fn set(&self, runtime: *mut c_void, level: i32) {
        // SAFETY: the sink outlives the runtime in every test.
        assert_eq!(unsafe { ferronet_log_set(runtime.cast(), level, Some(receive), self.context()) }, 0);
    }

    fn take(&self) -> Vec<(i32, String)> {
        std::mem::take(&mut self.lines.lock().unwrap())
    }
}

/// A call that fails on the runtime, which the debug level reports.
fn fail(runtime: *mut c_void) {
    // SAFETY: the pointers name locals.
    assert_eq!(unsafe { ferronet_reactor_new(runtime.cast(), &config(), null_mut()) }, FERRONET_ERR_INVALID_ARGUMENT);
}

#[test]
fn nothing_is_delivered_before_it_is_asked_for() {
    let (sink, runtime) = (Sink::default(), runtime());
    fail(runtime);
    sink.set(runtime, FERRONET_LOG_OFF);
    fail(runtime);
    sink.set(runtime, FERRONET_LOG_INFO);
    fail(runtime);
    assert_eq!(sink.take(), []);
    free(runtime);
}

#[test]
fn failed_calls_are_delivered_at_the_debug_level() {
    let (sink, runtime) = (Sink::default(), runtime());
    sink.set(runtime, FERRONET_LOG_DEBUG);
    fail(runtime);
    let lines = sink.take();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].0, FERRONET_LOG_DEBUG);
    assert!(
        lines[0].1.contains("out is NULL") && lines[0].1.contains(&FERRONET_ERR_INVALID_ARGUMENT.to_string()),
        "{lines:?}"
    );
    free(runtime);
}

#[test]
fn reactors_report_to_the_runtime_that_made_them() {
    let (sink, other_sink) = (Sink::default(), Sink::default());
    let (runtime, other) = (runtime(), runtime());
    sink.set(runtime, FERRONET_LOG_DEBUG);
    other_sink.set(other, FERRONET_LOG_DEBUG);
    let mut reactor = null_mut();
    // SAFETY: the pointers name locals; no record is submitted.
    unsafe {
        assert_eq!(ferronet_reactor_new(runtime.cast(), &config(), &mut reactor), 0);
        assert_eq!(ferronet_reactor_submit(reactor, 0), FERRONET_ERR_NOT_STARTED);
        assert_eq!(ferronet_reactor_free(reactor), 0);
    }
    let levels: Vec<i32> = sink.take().iter().map(|line| line.0).collect();
    assert_eq!(levels, [FERRONET_LOG_INFO, FERRONET_LOG_DEBUG, FERRONET_LOG_INFO]);
    assert_eq!(other_sink.take(), []);
    free(runtime);
    free(other);
}

#[test]
fn a_callback_is_not_called_after_it_was_replaced_or_its_runtime_detached() {
    let (sink, runtime) = (Sink::default(), runtime());
    sink.set(runtime, FERRONET_LOG_DEBUG);
    let mut reactor = null_mut();
    // SAFETY: the pointers name locals; no record is submitted.
    unsafe {
        assert_eq!(ferronet_reactor_new(runtime.cast(), &config(), &mut reactor), 0);
        assert_eq!(ferronet_log_set(runtime.cast(), FERRONET_LOG_DEBUG, None, null_mut()), 0);
        sink.take();
        fail(runtime);
        sink.set(runtime, FERRONET_LOG_DEBUG);
        assert_eq!(ferronet_detach(runtime.cast()), 0);
        assert_eq!(ferronet_reactor_submit(reactor, 0), FERRONET_ERR_NOT_STARTED);
        assert_eq!(ferronet_reactor_free(reactor), 0);
    }
    assert_eq!(sink.take(), []);
}

#[test]
fn a_callback_that_calls_back_is_refused_instead_of_hanging() {
    let (sink, runtime) = (Sink::default(), runtime());
    sink.set(runtime, FERRONET_LOG_DEBUG);
    *sink.reentrant.lock().unwrap() = Some(Sent(runtime));
    fail(runtime);
    assert_eq!(*sink.statuses.lock().unwrap(), [FERRONET_ERR_BUSY, FERRONET_ERR_BUSY]);
    assert_eq!(sink.take().len(), 1, "a failure inside the callback is not delivered");
    *sink.reentrant.lock().unwrap() = None;
    free(runtime);
}

#[test]
fn replacing_the_callback_from_many_threads_loses_nothing() {
    let (sink, runtime) = (Sink::default(), runtime());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (sink, sent) = (&sink, Sent(runtime));
            scope.spawn(move || {
                let sent = sent;
                for _ in 0..200 {
                    sink.set(sent.0, FERRONET_LOG_DEBUG);
                    fail(sent.0);
                }
            });
        }
    });
    assert_eq!(sink.take().len(), 800);
    free(runtime);
}
