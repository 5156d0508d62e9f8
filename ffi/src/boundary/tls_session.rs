//! TLS sessions.

use std::ffi::c_void;

use super::guard::{on_any_handle, on_handle};
use super::handle::{Handle, Kind};
use super::pointer::{out, sized_out};
use super::tls::ferronet_tls_context;
use super::tls_calls as imp;
use crate::Result;
use crate::abi::record::ferronet_region;
use crate::abi::tls::{ferronet_tls_progress, ferronet_tls_session_config, ferronet_tls_session_info};

/// One TLS connection. One call at a time, from any thread. Since revision 3.
pub struct ferronet_tls_session {
    _opaque: [u8; 0],
}

/// Makes a session of a context. Since revision 3.
///
/// `config` may be NULL for a server. Nothing is sent: a client's state is FERRONET_TLS_STATE_NEW, and its first ferronet_tls_session_wrap gives the ClientHello.
/// Owner: the caller, until ferronet_tls_session_free; the context may be freed before. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range, no valid server name), FERRONET_ERR_TOO_BIG, FERRONET_ERR_TLS_UNSUPPORTED, and
/// those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_new(
    context: *mut ferronet_tls_context,
    config: *const ferronet_tls_session_config,
    out: *mut *mut ferronet_tls_session,
) -> i32 {
    on_handle(context.cast_const().cast(), Kind::TlsContext, |handle| {
        let target = self::out(out, "out")?;
        // SAFETY: the header asks for a structure of the size that it states, and for memory where its regions say so.
        let session = unsafe { imp::session_new(handle, config) }?;
        // SAFETY: the header asks for memory for a pointer.
        unsafe { target.write(std::ptr::from_ref(session).cast_mut().cast()) };
        Ok(0)
    }) as i32
}

/// Ends a session, in whatever state it is; nothing is sent. Since revision 3.
///
/// Owner: the handle is gone, and its keys are wiped. Threads: any, but no other call on it at the same time.
/// Errors: FERRONET_ERR_BUSY (another call on it has not returned; the session stays), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_free(session: *mut ferronet_tls_session) -> i32 {
    on_any_handle(session.cast_const().cast(), Kind::TlsSession, imp::session_free) as i32
}

/// Runs a step of a session and tells what it did, whether it went well or not.
///
/// # Safety
/// A pointer that is not NULL names a progress structure of the size that it states.
unsafe fn step(
    session: *mut ferronet_tls_session,
    out: *mut ferronet_tls_progress,
    body: impl FnOnce(&'static Handle, &mut ferronet_tls_progress) -> Result<()>,
) -> i32 {
    on_handle(session.cast_const().cast(), Kind::TlsSession, |handle| {
        // SAFETY: as promised.
        let target = unsafe { sized_out(out, "out") }?;
        let mut progress = ferronet_tls_progress::default();
        let outcome = body(handle, &mut progress);
        // SAFETY: as promised.
        unsafe { target.write(&progress) };
        outcome.map(|()| 0)
    }) as i32
}

/// Encrypts the sources into the output, behind what the session itself has to send. Since revision 3.
///
/// `sources` are `source_count` regions, one message; both may be 0, which sends what is pending: handshake, alert, close_notify, key
/// update, tickets. While the handshake runs no source is taken. Records are filled to 16 KiB over the borders of regions. It writes
/// as many whole records as fit; FERRONET_TLS_NEEDS_OUTPUT asks for another call with the rest of the sources. `output` is one
/// region, which no source may overlap. `out->size` is set by the caller; `out` is filled whatever the status is.
/// Owner: the memory stays the caller's, and is not used after the call. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, regions overlap), FERRONET_ERR_BUSY (another call on the session has not returned),
/// the status with which the session failed, once its alert was delivered, FERRONET_ERR_TLS_EXHAUSTED (the keys have encrypted all that
/// they may), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_wrap(
    session: *mut ferronet_tls_session,
    sources: *const ferronet_region,
    source_count: u32,
    output: *const ferronet_region,
    out: *mut ferronet_tls_progress,
) -> i32 {
    // SAFETY: the header asks for a structure of the size that it states.
    unsafe {
        step(session, out, |handle, progress| {
            // SAFETY: the header asks for regions that the caller may read and write.
            imp::session_wrap(handle, sources, source_count, output, progress)
        })
    }
}

/// Takes records from the inputs and gives their data into the outputs. Since revision 3.
///
/// `inputs` are `input_count` regions, one stream of bytes; `outputs` are `output_count` regions that are filled in order. As many records are
/// taken as are whole and fit; the handshake ends the call, so that FERRONET_TLS_EVENT_HANDSHAKE_DONE is seen before data. Of a record
/// that is not whole nothing is consumed, except in the handshake. `flags` is 0 or FERRONET_TLS_IN_PLACE, with which the inputs may be
/// overwritten; with one input, `outputs` NULL and `output_count` 0 the data then comes to lie at the beginning of that input. Early data may find no
/// room there, and neither does what an earlier call without room has decrypted: the result is then FERRONET_TLS_NEEDS_OUTPUT, and a call with outputs of
/// `needed` bytes, and with or without inputs, gives it. Without the flag the inputs stay as they are. No output may overlap an input; behind what was produced, their bytes have any value. `out->size` is set by the caller; `out` is filled whatever the status is.
/// FERRONET_TLS_STATE_NEED_TASK asks for ferronet_tls_session_task, FERRONET_TLS_STATE_NEED_WRAP for ferronet_tls_session_wrap. After an error
/// ferronet_tls_session_wrap gives the alert that tells the peer.
/// Owner: the memory stays the caller's, and is not used after the call. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, flags unknown, regions overlap), FERRONET_ERR_BUSY (another call on the session has
/// not returned), FERRONET_ERR_TLS_* (then the session has failed, and every later call returns the same), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_unwrap(
    session: *mut ferronet_tls_session,
    inputs: *const ferronet_region,
    input_count: u32,
    outputs: *const ferronet_region,
    output_count: u32,
    flags: u32,
    out: *mut ferronet_tls_progress,
) -> i32 {
    // SAFETY: the header asks for a structure of the size that it states.
    unsafe {
        step(session, out, |handle, progress| {
            // SAFETY: the header asks for regions that the caller may read and write.
            imp::session_unwrap(handle, (inputs, input_count), (outputs, output_count), flags, progress)
        })
    }
}

/// Goes on with a handshake that waits in FERRONET_TLS_STATE_NEED_TASK, callbacks included. Since revision 3.
///
/// In any other state it does nothing. `out->size` is set by the caller; `out` is filled whatever the status is.
/// Owner: the session stays the caller's. Threads: any; it may be another one than that of the connection, which must not call the session meanwhile.
/// Errors: FERRONET_ERR_BUSY (another call on the session has not returned), FERRONET_ERR_TLS_* (then the session has failed), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_task(
    session: *mut ferronet_tls_session,
    out: *mut ferronet_tls_progress,
) -> i32 {
    // SAFETY: the header asks for a structure of the size that it states.
    unsafe { step(session, out, imp::session_task) }
}

/// Ends the data that this side sends: the next ferronet_tls_session_wrap gives a close_notify (RFC 8446, 6.1). Since revision 3.
///
/// Data may still be received. In a handshake it cancels: the close_notify goes in the clear before the first key, and is left out between that and the last
/// (FERRONET_TLS_EVENT_CLOSE_NOTIFY_SENT says whether it went). A second call does nothing.
/// `out->size` is set by the caller; `out` is filled whatever the status is.
/// Owner: the session stays the caller's. Threads: one at a time.
/// Errors: FERRONET_ERR_BUSY (another call on the session has not returned), the status with which the session failed, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_close(
    session: *mut ferronet_tls_session,
    out: *mut ferronet_tls_progress,
) -> i32 {
    // SAFETY: the header asks for a structure of the size that it states.
    unsafe { step(session, out, imp::session_close) }
}

/// Says that no more bytes come from the peer: the transport has ended. Since revision 3.
///
/// Owner: the session stays the caller's. Threads: one at a time.
/// Errors: FERRONET_ERR_TLS_TRUNCATED (no close_notify came before: what was received may not be all), FERRONET_ERR_BUSY (another call on the session
/// has not returned), the status with which the session failed, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_end_input(session: *mut ferronet_tls_session) -> i32 {
    on_handle(session.cast_const().cast(), Kind::TlsSession, imp::session_end_input) as i32
}

/// Says what a session has negotiated and counted. Since revision 3.
///
/// `out->size` is set by the caller. Owner: the caller. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG, FERRONET_ERR_BUSY (another call on the session has not returned), and
/// those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_get_info(
    session: *const ferronet_tls_session,
    out: *mut ferronet_tls_session_info,
) -> i32 {
    on_handle(session.cast(), Kind::TlsSession, |handle| {
        // SAFETY: the header asks for a structure of the size that it states.
        let target = unsafe { sized_out(out, "out") }?;
        let info = imp::session_info(handle)?;
        // SAFETY: as above.
        unsafe { target.write(&info) };
        Ok(0)
    }) as i32
}

/// Copies bytes that belong to a session. Since revision 3.
///
/// `what` is a FERRONET_TLS_BYTES_* value, `index` counts where there may be several (certificates, issuers), and is 0 else. At most `capacity`
/// bytes are written to `buffer`, which may be NULL when `capacity` is 0. Returns the length of the whole (more than `capacity`: it was cut), 0 when
/// there is nothing of that kind, or not yet.
/// Owner: the caller. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (`what` unknown, NULL with a capacity), FERRONET_ERR_BUSY (another call on the session has not returned),
/// and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_get_bytes(
    session: *const ferronet_tls_session,
    what: u32,
    index: u32,
    buffer: *mut c_void,
    capacity: u64,
) -> i64 {
    on_handle(session.cast(), Kind::TlsSession, |handle| {
        // SAFETY: the header asks for that many writable bytes.
        unsafe { imp::session_get_bytes(handle, what, index, buffer, capacity) }
    })
}

/// Derives keying material that both ends of the connection share (RFC 5705; RFC 8446, 7.5). Since revision 3.
///
/// `context` NULL is no context, which in TLS 1.2 differs from an empty one. `out_length` bytes are written.
/// Owner: the caller. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, no length, the handshake is not complete, a label that TLS reserves), FERRONET_ERR_BUSY (another call on the
/// session has not returned), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_session_export(
    session: *mut ferronet_tls_session,
    label: *const c_void,
    label_length: u64,
    context: *const c_void,
    context_length: u64,
    out: *mut c_void,
    out_length: u64,
) -> i32 {
    on_handle(session.cast_const().cast(), Kind::TlsSession, |handle| {
        // SAFETY: the header asks for that many readable and writable bytes.
        unsafe { imp::session_export(handle, (label, label_length), (context, context_length), (out, out_length)) }
    }) as i32
}
