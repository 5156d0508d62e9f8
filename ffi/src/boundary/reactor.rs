//! The reactor's functions.

use std::sync::Arc;
use std::time::Duration;

use super::guard::{on_any_handle, on_handle};
use super::handle::{Body, Handle, Kind};
use super::log::{self, Runtime};
use super::pointer::{out, sized_input, sized_out};
use super::reactor_handle::Loop;
use super::runtime::ferronet_runtime;
use crate::abi::config::*;
use crate::abi::log::{FERRONET_LOG_INFO, FERRONET_LOG_WARNING};
use crate::abi::status::FERRONET_ERR_CLOSED;
use crate::fault;
use crate::reactor::{Error, Reactor};

/// The transport of one event loop. Since revision 1.
pub struct ferronet_reactor {
    _opaque: [u8; 0],
}

/// How long `ferronet_reactor_free` waits for operations of a reactor that was not closed.
const FREE_BOUND: Duration = Duration::from_millis(200);

/// Makes a reactor and chooses its backend. Since revision 1.
///
/// `config` NULL means the defaults. On success `*out` is the reactor, bound to no thread yet.
/// Owner: the caller, until ferronet_reactor_free; the runtime may be detached before. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, a value out of range), FERRONET_ERR_TOO_BIG, FERRONET_ERR_UNAVAILABLE
/// or a negated errno (the backend that was asked for is refused), and those of every handle (INVALID_HANDLE, CLOSED,
/// POISONED).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_new(
    runtime: *mut ferronet_runtime,
    config: *const ferronet_reactor_config,
    out: *mut *mut ferronet_reactor,
) -> i32 {
    on_handle(runtime.cast_const().cast(), Kind::Runtime, |handle| {
        let target = self::out(out, "out")?;
        let config = if config.is_null() {
            ferronet_reactor_config { size: size_of::<ferronet_reactor_config>() as u32, ..Default::default() }
        } else {
            // SAFETY: the header asks for a structure of the size that it states.
            unsafe { sized_input(config, "config") }?
        };
        let Body::Runtime(runtime) = handle.body() else {
            return Err(Error::new(FERRONET_ERR_CLOSED, "the runtime was detached by another thread during the call"));
        };
        let reactor = Reactor::new(&config)?;
        report_backend(runtime, &reactor.info());
        report_fallback(runtime, reactor.fallback_text());
        let any_thread = config.flags & FERRONET_REACTOR_ANY_THREAD != 0;
        let made = Handle::make(Body::Reactor(Box::new(Loop::new(reactor, any_thread, Arc::clone(runtime)))));
        // SAFETY: the header asks for memory for a pointer.
        unsafe { target.write(std::ptr::from_ref(made).cast_mut().cast()) };
        Ok(0)
    }) as i32
}

fn report_backend(runtime: &Runtime, info: &ferronet_reactor_info) {
    log::emit(runtime, FERRONET_LOG_INFO, || {
        let name = if info.backend == FERRONET_BACKEND_IO_URING { "io_uring" } else { "poll" };
        format!("a reactor was made on {name} for a caller of ABI revision {}", runtime.revision)
    });
}

fn report_fallback(runtime: &Runtime, fallback: &str) {
    if !fallback.is_empty() {
        log::emit(runtime, FERRONET_LOG_WARNING, || format!("a reactor runs on poll: {fallback}"));
    }
}

/// Binds a reactor to the calling thread; turns, submissions and sockets are that thread's from now on.
/// Since revision 1.
///
/// Again from another thread only while no socket is added and nothing is in flight; wake-ups in between are kept.
/// Owner: the handle stays the caller's. Threads: any, the later loop thread.
/// Errors: FERRONET_ERR_BUSY (sockets or operations on the earlier thread, or a call in progress), FERRONET_ERR_CLOSED,
/// a negated errno (the kernel refuses the ring), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_start(reactor: *mut ferronet_reactor) -> i32 {
    on_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        let this = Loop::of(handle)?;
        this.check_open()?;
        let fallback = this.enter(|reactor| {
            let before = reactor.fallback_text().len();
            reactor.start()?;
            this.own();
            Ok(if before == 0 { reactor.fallback_text().to_owned() } else { String::new() })
        })?;
        report_fallback(this.runtime(), &fallback);
        Ok(0)
    }) as i32
}

/// Says where the shared areas are; fixed until the reactor is freed. Since revision 1.
///
/// `out->size` is set by the caller; as much as both sides know is written, and `size` says how much that was.
/// Owner: the areas are the reactor's. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG (size above 4096), and those of
/// every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_get_areas(
    reactor: *const ferronet_reactor,
    out: *mut ferronet_reactor_areas,
) -> i32 {
    on_handle(reactor.cast(), Kind::Reactor, |handle| {
        // SAFETY: the header asks for a structure of the size that it states.
        let target = unsafe { sized_out(out, "out") }?;
        // SAFETY: as above.
        unsafe { target.write(&fault::lost("areas-lost", *Loop::of(handle)?.areas())) };
        Ok(0)
    }) as i32
}

/// Says what a reactor is and has done. Since revision 1.
///
/// `out->size` is set by the caller; as much as both sides know is written, and `size` says how much that was.
/// Owner: the caller. Threads: the loop's; any before the start and after the close.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG (size above 4096),
/// FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_get_info(
    reactor: *const ferronet_reactor,
    out: *mut ferronet_reactor_info,
) -> i32 {
    on_handle(reactor.cast(), Kind::Reactor, |handle| {
        // SAFETY: the header asks for a structure of the size that it states.
        let target = unsafe { sized_out(out, "out") }?;
        let this = Loop::of(handle)?;
        if !this.is_closed() {
            this.check_thread()?;
        }
        let info = this.enter(|reactor| Ok(reactor.info()))?;
        // SAFETY: as above.
        unsafe { target.write(&fault::lost("counters-lost", info)) };
        Ok(0)
    }) as i32
}

/// One iteration of the loop: takes the first `submitted` submission records, starts them, waits if nothing is ready,
/// and returns the number of completion records. Since revision 1.
///
/// `timeout_ns` is in nanoseconds: -1 waits without limit, 0 does not wait. The completion records are valid until the
/// next turn. What does not fit into the area is kept for the next turn, which then does not wait.
/// Owner: memory that a record names stays valid and untouched until its operation's final completion. Threads: the
/// loop's.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (more records than the area holds, timeout below -1),
/// FERRONET_ERR_NOT_STARTED, FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), a negated errno, and
/// those of every handle. A record that is wrong in itself is answered by its completion, not here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_turn(reactor: *mut ferronet_reactor, submitted: u32, timeout_ns: i64) -> i64 {
    on_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        let this = Loop::of(handle)?;
        this.check_running()?;
        #[cfg(feature = "test-hooks")]
        super::hooks::panic_if_armed("panic-turn");
        // SAFETY: the header asks for memory that stays valid until the final completion.
        this.enter(|reactor| unsafe { reactor.turn(submitted, timeout_ns) }).map(i64::from)
    })
}

/// Starts the first `submitted` submission records now; never waits, never touches completion records.
/// Since revision 1.
///
/// Owner: as for ferronet_reactor_turn. Threads: the loop's.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (more records than the area holds), FERRONET_ERR_NOT_STARTED,
/// FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), a negated errno, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_submit(reactor: *mut ferronet_reactor, submitted: u32) -> i32 {
    on_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        let this = Loop::of(handle)?;
        this.check_running()?;
        // SAFETY: the header asks for memory that stays valid until the final completion.
        this.enter(|reactor| unsafe { reactor.submit(submitted) }).map(|()| 0)
    }) as i32
}

/// Makes the loop return from its wait, or not wait the next time. Harmless after the close. Since revision 1.
///
/// Owner: the handle stays the caller's. Threads: any, also while the loop's thread is in a turn; not while
/// ferronet_reactor_free runs. Errors: those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_wake(reactor: *mut ferronet_reactor) -> i32 {
    on_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        Loop::of(handle)?.waker().wake();
        Ok(0)
    }) as i32
}

/// Takes a socket in, and returns its number (1 to 2^31 - 1) for submission records. Since revision 1.
///
/// The descriptor's blocking mode is set as the backend needs it.
/// Owner: the reactor closes the descriptor on FERRONET_OP_CLOSE and in ferronet_reactor_close; after
/// ferronet_reactor_remove it is the caller's again. Threads: the loop's.
/// Errors: FERRONET_ERR_NOT_STARTED, FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), a negated errno
/// (EBADF, ENOTSOCK; EEXIST: added already), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_add(reactor: *mut ferronet_reactor, descriptor: i32) -> i64 {
    on_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        let this = Loop::of(handle)?;
        this.check_running()?;
        this.enter(|reactor| reactor.add(descriptor)).map(i64::from)
    })
}

/// Lets a socket go; its descriptor stays open. Since revision 1.
///
/// Owner: the descriptor is the caller's again. Threads: the loop's.
/// Errors: FERRONET_ERR_UNKNOWN_SOCKET, FERRONET_ERR_BUSY (operations in flight), FERRONET_ERR_NOT_STARTED,
/// FERRONET_ERR_WRONG_THREAD, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_remove(reactor: *mut ferronet_reactor, socket: u32) -> i32 {
    on_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        let this = Loop::of(handle)?;
        this.check_running()?;
        this.enter(|reactor| reactor.remove(socket)).map(|()| 0)
    }) as i32
}

/// Cancels everything, waits up to `bound_ns` nanoseconds, and closes the descriptors of the sockets still added.
/// Since revision 1.
///
/// Returns the operations still in flight. If that is not 0, their memory and the lent buffers must never be freed: the
/// kernel may still write to them, and the library leaks its side. A second call returns the same number.
/// Owner: the handle stays the caller's, and lives until ferronet_reactor_free. Threads: the loop's; any before the
/// start.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (negative bound), FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in
/// progress), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_close(reactor: *mut ferronet_reactor, bound_ns: i64) -> i64 {
    on_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        let Ok(bound) = u64::try_from(bound_ns) else {
            return Err(Error::invalid(format!(
                "bound_ns is {bound_ns}, but a bound has 0 or more nanoseconds: pass 0 to not wait"
            )));
        };
        let left = Loop::of(handle)?.close(Duration::from_nanos(bound))?;
        Ok(left as i64 + i64::from(fault::take("close-miscounts").is_some()))
    })
}

/// Frees a reactor; one that is not closed is closed first, with a bound of 200 ms. Since revision 1.
///
/// A poisoned reactor is not closed: everything that it holds is leaked, because its state is unknown.
/// Owner: the handle is gone on success. Threads: the loop's; any before the start, after the close and when poisoned;
/// no other call on the reactor at the same time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED (freed before),
/// FERRONET_ERR_WRONG_THREAD and FERRONET_ERR_BUSY (a call in progress); the reactor stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_reactor_free(reactor: *mut ferronet_reactor) -> i32 {
    on_any_handle(reactor.cast_const().cast(), Kind::Reactor, |handle| {
        let ending = handle.claim(Kind::Reactor)?;
        let this = Loop::of(handle)?;
        let poisoned = handle.is_poisoned();
        let runtime = Arc::clone(this.runtime());
        let mut left = 0;
        if !poisoned {
            if !this.is_closed() {
                this.close(FREE_BOUND)?;
            }
            left = this.enter(|reactor| Ok(reactor.close(Duration::ZERO)))?;
        }
        let body = ending.finish();
        if poisoned || left > 0 {
            // The kernel may still use what the reactor holds.
            std::mem::forget(body);
        } else {
            drop(body);
        }
        log::emit(&runtime, FERRONET_LOG_INFO, || {
            format!("a reactor was freed{}", if poisoned { ", poisoned: what it held is leaked" } else { "" })
        });
        Ok(0)
    }) as i32
}
