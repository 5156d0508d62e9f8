//! Callbacks into a GraalVM Native Image: C functions that enter an isolate and call a Java method.
//!
//! A Java method that C may call takes the calling thread's own pointer in its isolate, but a callback's context is the same on every thread. So the
//! functions here stand in between: they find the thread, attach it when it is foreign to the isolate, call, and detach it again. They are part of the
//! static library only, and no part of the C surface: `java-bindings/native-image` of the same release is their only caller.

use std::ffi::{c_char, c_int, c_void};

use crate::abi::status::{FERRONET_ERR_ABI, FERRONET_ERR_INVALID_ARGUMENT, FERRONET_OK};
use crate::abi::tls::{ferronet_tls_choice, ferronet_tls_verification};
use crate::boundary::tls::ferronet_tls_credential;

/// The layout of `Isolate` and `Callbacks` that both sides mean.
const LAYOUT: u32 = 1;

/// A thread inside of an isolate; NULL for none.
type Thread = *mut c_void;

/// What a callback's context points to. It is the caller's, and stays for as long as the callback may be called.
#[repr(C)]
pub struct Isolate {
    handle: *mut c_void,
    current_thread: unsafe extern "C" fn(*mut c_void) -> Thread,
    attach_thread: unsafe extern "C" fn(*mut c_void) -> Thread,
    detach_thread: unsafe extern "C" fn(Thread) -> c_int,
    verify: unsafe extern "C" fn(Thread, *const ferronet_tls_verification) -> i32,
    choose: unsafe extern "C" fn(Thread, *const ferronet_tls_choice, *mut *mut ferronet_tls_credential) -> i32,
    key_log: unsafe extern "C" fn(Thread, u64, *const c_char, u64),
    sign: unsafe extern "C" fn(Thread, u64, u32, *const u8, u64, *mut u8, u64) -> i64,
    log: unsafe extern "C" fn(Thread, u64, i32, *const c_char, u64),
    /// Given to `log`: which receiver is meant.
    receiver: u64,
}

/// The functions, for a configuration.
#[repr(C)]
pub struct Callbacks {
    verify: unsafe extern "C" fn(*mut c_void, *const ferronet_tls_verification) -> i32,
    choose: unsafe extern "C" fn(*mut c_void, *const ferronet_tls_choice, *mut *mut ferronet_tls_credential) -> i32,
    key_log: unsafe extern "C" fn(*mut c_void, u64, *const c_char, u64),
    sign: unsafe extern "C" fn(*mut c_void, u64, u32, *const u8, u64, *mut u8, u64) -> i64,
    log: unsafe extern "C" fn(*mut c_void, i32, *const c_char, u64),
}

/// Writes the functions to `*out`. `layout` is the one that the caller was written for.
///
/// # Safety
/// `out` is NULL or room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_image_callbacks(layout: u32, out: *mut Callbacks) -> i32 {
    if layout != LAYOUT {
        return FERRONET_ERR_ABI;
    }
    if out.is_null() {
        return FERRONET_ERR_INVALID_ARGUMENT;
    }
    // SAFETY: not NULL, and room for them as the caller promises.
    unsafe { out.write(Callbacks { verify, choose, key_log, sign, log }) };
    FERRONET_OK
}

/// Calls `action` with this thread inside of the isolate; `otherwise` when it cannot get in.
///
/// # Safety
/// `context` points to an `Isolate` whose functions are those of a living isolate.
unsafe fn inside<R>(context: *mut c_void, otherwise: R, action: impl FnOnce(&Isolate, Thread) -> R) -> R {
    // SAFETY: as the caller promises.
    let isolate = unsafe { &*context.cast::<Isolate>() };
    // SAFETY: the isolate's own function with its own handle.
    let known = unsafe { (isolate.current_thread)(isolate.handle) };
    if !known.is_null() {
        return action(isolate, known);
    }
    // SAFETY: as above.
    let attached = unsafe { (isolate.attach_thread)(isolate.handle) };
    if attached.is_null() {
        return otherwise;
    }
    let result = action(isolate, attached);
    // SAFETY: this thread was attached above, and nothing of it is left in the isolate.
    unsafe { (isolate.detach_thread)(attached) };
    result
}

unsafe extern "C" fn verify(context: *mut c_void, request: *const ferronet_tls_verification) -> i32 {
    // SAFETY: the context came with this function; the method takes what the library gives.
    unsafe { inside(context, -1, |isolate, thread| (isolate.verify)(thread, request)) }
}

unsafe extern "C" fn choose(
    context: *mut c_void,
    request: *const ferronet_tls_choice,
    out: *mut *mut ferronet_tls_credential,
) -> i32 {
    // SAFETY: as in `verify`.
    unsafe { inside(context, -1, |isolate, thread| (isolate.choose)(thread, request, out)) }
}

unsafe extern "C" fn key_log(context: *mut c_void, user: u64, line: *const c_char, length: u64) {
    // SAFETY: as in `verify`.
    unsafe { inside(context, (), |isolate, thread| (isolate.key_log)(thread, user, line, length)) }
}

unsafe extern "C" fn sign(
    context: *mut c_void,
    user: u64,
    scheme: u32,
    message: *const u8,
    length: u64,
    out: *mut u8,
    capacity: u64,
) -> i64 {
    // SAFETY: as in `verify`.
    unsafe {
        inside(context, -1, |isolate, thread| (isolate.sign)(thread, user, scheme, message, length, out, capacity))
    }
}

unsafe extern "C" fn log(context: *mut c_void, level: i32, text: *const c_char, length: u64) {
    // SAFETY: as in `verify`.
    unsafe { inside(context, (), |isolate, thread| (isolate.log)(thread, isolate.receiver, level, text, length)) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr::{null, null_mut};

    use super::*;

    thread_local! {
        /// This thread in the isolate of the tests, how often it was attached and detached, and what was called last.
        static KNOWN: Cell<usize> = const { Cell::new(0) };
        static ATTACHED: Cell<usize> = const { Cell::new(0) };
        static DETACHED: Cell<usize> = const { Cell::new(0) };
        static CALLED: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
    }

    const HANDLE: usize = 0x1000;
    const NEW_THREAD: usize = 0x2000;

    unsafe extern "C" fn current(handle: *mut c_void) -> Thread {
        assert_eq!(handle as usize, HANDLE);
        KNOWN.get() as Thread
    }
    unsafe extern "C" fn attach(handle: *mut c_void) -> Thread {
        assert_eq!(handle as usize, HANDLE);
        ATTACHED.set(ATTACHED.get() + 1);
        NEW_THREAD as Thread
    }
    unsafe extern "C" fn refuse(_: *mut c_void) -> Thread {
        null_mut()
    }
    unsafe extern "C" fn detach(thread: Thread) -> c_int {
        assert_eq!(thread as usize, NEW_THREAD);
        DETACHED.set(DETACHED.get() + 1);
        0
    }
    unsafe extern "C" fn java_verify(thread: Thread, _: *const ferronet_tls_verification) -> i32 {
        CALLED.set((thread as usize, 1));
        42
    }
    unsafe extern "C" fn java_choose(
        thread: Thread,
        _: *const ferronet_tls_choice,
        _: *mut *mut ferronet_tls_credential,
    ) -> i32 {
        CALLED.set((thread as usize, 2));
        43
    }
    unsafe extern "C" fn java_key_log(thread: Thread, user: u64, _: *const c_char, length: u64) {
        CALLED.set((thread as usize, user + length));
    }
    unsafe extern "C" fn java_sign(
        thread: Thread,
        user: u64,
        scheme: u32,
        _: *const u8,
        length: u64,
        _: *mut u8,
        capacity: u64,
    ) -> i64 {
        CALLED.set((thread as usize, user + u64::from(scheme) + length + capacity));
        44
    }
    unsafe extern "C" fn java_log(thread: Thread, receiver: u64, level: i32, _: *const c_char, length: u64) {
        CALLED.set((thread as usize, receiver + u64::from(level.unsigned_abs()) + length));
    }

    fn isolate() -> Isolate {
        Isolate {
            handle: HANDLE as *mut c_void,
            current_thread: current,
            attach_thread: attach,
            detach_thread: detach,
            verify: java_verify,
            choose: java_choose,
            key_log: java_key_log,
            sign: java_sign,
            log: java_log,
            receiver: 7000,
        }
    }

    fn callbacks() -> Callbacks {
        let mut out = MaybeUninit::uninit();
        // SAFETY: `out` is room for them.
        assert_eq!(unsafe { ferronet_image_callbacks(LAYOUT, out.as_mut_ptr()) }, FERRONET_OK);
        // SAFETY: written, as the status says.
        unsafe { out.assume_init() }
    }

    /// Calls every callback; each must reach its method on `thread` and give back what that gives.
    fn call_all(thread: usize) {
        let (all, isolate) = (callbacks(), isolate());
        let context = (&raw const isolate).cast_mut().cast::<c_void>();
        // SAFETY: the context is an isolate whose functions take anything.
        unsafe {
            assert_eq!((all.verify)(context, null()), 42);
            assert_eq!(CALLED.get(), (thread, 1));
            assert_eq!((all.choose)(context, null(), null_mut()), 43);
            assert_eq!(CALLED.get(), (thread, 2));
            (all.key_log)(context, 10, null(), 5);
            assert_eq!(CALLED.get(), (thread, 15));
            assert_eq!((all.sign)(context, 1, 20, null(), 300, null_mut(), 4000), 44);
            assert_eq!(CALLED.get(), (thread, 4321));
            (all.log)(context, 3, null(), 40);
            assert_eq!(CALLED.get(), (thread, 7043));
        }
    }

    #[test]
    fn a_thread_of_the_isolate_is_used_as_it_is() {
        KNOWN.set(0x3000);
        call_all(0x3000);
        assert_eq!((ATTACHED.get(), DETACHED.get()), (0, 0));
    }

    #[test]
    fn a_foreign_thread_is_attached_for_each_call_and_detached_after_it() {
        call_all(NEW_THREAD);
        assert_eq!((ATTACHED.get(), DETACHED.get()), (5, 5));
    }

    #[test]
    fn a_thread_that_cannot_be_attached_fails_the_callback() {
        let (all, isolate) = (callbacks(), Isolate { attach_thread: refuse, ..isolate() });
        let context = (&raw const isolate).cast_mut().cast::<c_void>();
        // SAFETY: as in `call_all`.
        unsafe {
            assert_eq!((all.verify)(context, null()), -1);
            assert_eq!((all.choose)(context, null(), null_mut()), -1);
            assert_eq!((all.sign)(context, 0, 0, null(), 0, null_mut(), 0), -1);
            (all.key_log)(context, 0, null(), 0);
            (all.log)(context, 1, null(), 0);
        }
        assert_eq!((CALLED.get(), DETACHED.get()), ((0, 0), 0));
    }

    #[test]
    fn another_layout_and_no_room_are_refused() {
        let mut out = MaybeUninit::uninit();
        // SAFETY: `out` is room for them, or NULL.
        unsafe {
            assert_eq!(ferronet_image_callbacks(LAYOUT + 1, out.as_mut_ptr()), FERRONET_ERR_ABI);
            assert_eq!(ferronet_image_callbacks(LAYOUT, null_mut()), FERRONET_ERR_INVALID_ARGUMENT);
        }
    }
}
