//! The functions of reactors.

use super::sockets::socket;
use super::*;

const LOOP: States = States {
    closed: FERRONET_ERR_CLOSED as i64,
    unstarted: FERRONET_ERR_NOT_STARTED as i64,
    foreign: FERRONET_ERR_WRONG_THREAD as i64,
};

/// A configuration for the backend that every machine has.
pub fn config() -> ferronet_reactor_config {
    ferronet_reactor_config {
        size: size_of::<ferronet_reactor_config>() as u32,
        backend: FERRONET_BACKEND_POLL,
        ..Default::default()
    }
}

fn make_and_free(runtime: *mut c_void) -> i32 {
    let mut reactor = null_mut();
    // SAFETY: the pointers name locals, and the runtime is what the test passes.
    let status = unsafe { ferronet_reactor_new(runtime.cast(), &config(), &mut reactor) };
    if status < 0 {
        assert!(reactor.is_null(), "the output was written although the call failed");
        return status;
    }
    // SAFETY: the reactor is new.
    unsafe { ferronet_reactor_free(reactor) }
}

#[allow(unused_unsafe, reason = "some functions are safe to call")]
pub const REACTORS: &[Function] = &[
    function!(ferronet_reactor_add, Reactor, |h| ferronet_reactor_add(h.cast(), socket()).min(0), [], LOOP),
    function!(
        ferronet_reactor_close,
        Reactor,
        |h| ferronet_reactor_close(h.cast(), 0),
        [],
        States { foreign: LOOP.foreign, ..OK }
    ),
    function!(
        ferronet_reactor_free,
        Reactor,
        |h| ferronet_reactor_free(h.cast()),
        [],
        States { foreign: LOOP.foreign, ..OK }
    ),
    function!(
        ferronet_reactor_get_areas,
        Reactor,
        |h| ferronet_reactor_get_areas(h.cast(), sized!(ferronet_reactor_areas)),
        [|h| ferronet_reactor_get_areas(h.cast(), null_mut())],
        OK
    ),
    function!(
        ferronet_reactor_get_info,
        Reactor,
        |h| ferronet_reactor_get_info(h.cast(), sized!(ferronet_reactor_info)),
        [|h| ferronet_reactor_get_info(h.cast(), null_mut())],
        States { foreign: LOOP.foreign, ..OK }
    ),
    function!(
        ferronet_reactor_new,
        Runtime,
        |h| make_and_free(h),
        [|h| ferronet_reactor_new(h.cast(), &config(), null_mut())],
        OK
    ),
    function!(ferronet_reactor_remove, Reactor, |h| ferronet_reactor_remove(h.cast(), 1), [], LOOP),
    function!(
        ferronet_reactor_start,
        Reactor,
        |h| ferronet_reactor_start(h.cast()),
        [],
        States { closed: LOOP.closed, ..OK }
    ),
    function!(ferronet_reactor_submit, Reactor, |h| ferronet_reactor_submit(h.cast(), 0), [], LOOP),
    function!(ferronet_reactor_turn, Reactor, |h| ferronet_reactor_turn(h.cast(), 0, 0), [], LOOP),
    function!(ferronet_reactor_wake, Reactor, |h| ferronet_reactor_wake(h.cast()), [], OK),
];

/// Both ways to choose: the backend that every machine has, and the one that this machine prefers.
pub const BACKENDS: [u32; 2] = [FERRONET_BACKEND_POLL, FERRONET_BACKEND_AUTO];

/// A new reactor that is not started, of a runtime that is detached again.
pub fn reactor() -> *mut c_void {
    reactor_on(FERRONET_BACKEND_POLL)
}

/// The same on a chosen backend.
pub fn reactor_on(backend: u32) -> *mut c_void {
    let runtime = runtime();
    let mut reactor = null_mut();
    let config = ferronet_reactor_config { backend, ..config() };
    // SAFETY: the pointers name locals, and the runtime is new.
    let status = unsafe { ferronet_reactor_new(runtime.cast(), &config, &mut reactor) };
    assert_eq!(status, 0, "{}", last_error(runtime));
    // SAFETY: the runtime is used no more.
    assert_eq!(unsafe { ferronet_detach(runtime.cast()) }, 0);
    reactor.cast()
}

/// A new reactor that the calling thread has started.
pub fn started() -> *mut c_void {
    started_on(FERRONET_BACKEND_POLL)
}

/// The same on a chosen backend.
pub fn started_on(backend: u32) -> *mut c_void {
    let reactor = reactor_on(backend);
    // SAFETY: the reactor is new.
    assert_eq!(unsafe { ferronet_reactor_start(reactor.cast()) }, 0, "{}", last_error(reactor));
    reactor
}
