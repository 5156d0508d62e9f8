//! TLS credentials, contexts, and the names that both know.

use std::ffi::{c_char, c_void};

use super::guard::{on_any_handle, on_handle, without_handle};
use super::handle::Kind;
use super::pointer::{out, sized_out};
use super::tls_calls as imp;
use crate::abi::tls::{ferronet_tls_config, ferronet_tls_context_info, ferronet_tls_credential_config};

/// A certificate chain with its key; contexts and sessions keep what they need of it. Since revision 3.
pub struct ferronet_tls_credential {
    _opaque: [u8; 0],
}

/// What TLS sessions have in common: configuration, session cache, ticket keys, statistics. Since revision 3.
pub struct ferronet_tls_context {
    _opaque: [u8; 0],
}

/// Makes a credential. Since revision 3.
///
/// The key is compared with the end entity's certificate. The memory of the key can be wiped afterwards; the library wipes its own copies.
/// Owner: the caller, until ferronet_tls_credential_free. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range, neither key nor callback), FERRONET_ERR_TOO_BIG, FERRONET_ERR_TLS_KEY (chain or key
/// unreadable, of an unsupported kind, encrypted and not to be opened with the password, or not for each other), FERRONET_ERR_FEATURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_credential_new(
    config: *const ferronet_tls_credential_config,
    out: *mut *mut ferronet_tls_credential,
) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        // SAFETY: the header asks for a structure of the size that it states, and for memory where its regions say so.
        let handle = unsafe { imp::credential_new(config) }?;
        // SAFETY: the header asks for memory for a pointer.
        unsafe { target.write(std::ptr::from_ref(handle).cast_mut().cast()) };
        Ok(0)
    }) as i32
}

/// Ends a credential. Contexts and sessions that were given it go on. Since revision 3.
///
/// Owner: the handle is gone. Threads: any, but no other call on it at the same time. Errors: those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_credential_free(credential: *mut ferronet_tls_credential) -> i32 {
    on_any_handle(credential.cast_const().cast(), Kind::TlsCredential, |handle| {
        drop(handle.end()?);
        Ok(0)
    }) as i32
}

/// Makes a context. Since revision 3.
///
/// Owner: the caller, until ferronet_tls_context_free; the credentials stay the caller's, and may be freed. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range or against another, trust not said), FERRONET_ERR_TOO_BIG,
/// FERRONET_ERR_TLS_KEY (roots or revocation lists unreadable), FERRONET_ERR_TLS_UNSUPPORTED (a version, suite or group that is unknown or left
/// out on purpose), FERRONET_ERR_UNAVAILABLE (no platform roots), FERRONET_ERR_INVALID_HANDLE and FERRONET_ERR_CLOSED (of a credential),
/// FERRONET_ERR_FEATURE, and those of the system about the key log's file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_context_new(
    config: *const ferronet_tls_config,
    out: *mut *mut ferronet_tls_context,
) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        // SAFETY: the header asks for a structure of the size that it states, and for memory where its regions say so.
        let handle = unsafe { imp::context_new(config) }?;
        // SAFETY: the header asks for memory for a pointer.
        unsafe { target.write(std::ptr::from_ref(handle).cast_mut().cast()) };
        Ok(0)
    }) as i32
}

/// Ends a context. Its sessions go on. Since revision 3.
///
/// The callbacks and their contexts must stay valid until the last of its sessions is freed. Owner: the handle is gone. Threads: any, but no
/// other call on it at the same time. Errors: those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_context_free(context: *mut ferronet_tls_context) -> i32 {
    on_any_handle(context.cast_const().cast(), Kind::TlsContext, |handle| {
        drop(handle.end()?);
        Ok(0)
    }) as i32
}

/// Replaces the keys of stateless tickets, as `ticket_keys` of the configuration. Since revision 3.
///
/// Owner: copied. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, no multiple of 48, a client's context, tickets are off), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_context_set_ticket_keys(
    context: *mut ferronet_tls_context,
    keys: *const c_void,
    length: u64,
) -> i32 {
    on_handle(context.cast_const().cast(), Kind::TlsContext, |handle| {
        // SAFETY: the header asks for that many readable bytes.
        unsafe { imp::context_set_ticket_keys(handle, keys, length) }
    }) as i32
}

/// Replaces the OCSP response that goes with the context's credential of that index. Since revision 3.
///
/// Length 0 removes it; `response` may be NULL then. Sessions that begin from now on staple it. Owner: copied. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length, no such credential), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_context_set_ocsp_response(
    context: *mut ferronet_tls_context,
    index: u32,
    response: *const c_void,
    length: u64,
) -> i32 {
    on_handle(context.cast_const().cast(), Kind::TlsContext, |handle| {
        // SAFETY: the header asks for that many readable bytes.
        unsafe { imp::context_set_ocsp_response(handle, index, response, length) }
    }) as i32
}

/// Says what a context has counted. Since revision 3.
///
/// `out->size` is set by the caller. Owner: the caller. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_context_get_info(
    context: *const ferronet_tls_context,
    out: *mut ferronet_tls_context_info,
) -> i32 {
    on_handle(context.cast(), Kind::TlsContext, |handle| {
        // SAFETY: the header asks for a structure of the size that it states.
        let target = unsafe { sized_out(out, "out") }?;
        let info = imp::context_info(handle)?;
        // SAFETY: as above.
        unsafe { target.write(&info) };
        Ok(0)
    }) as i32
}

/// Forgets every session that could be resumed through the context's cache. Since revision 3.
///
/// Tickets that clients hold stay good; new keys (ferronet_tls_context_set_ticket_keys) end those. Owner: none. Threads: any. Errors: those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_context_clear_sessions(context: *mut ferronet_tls_context) -> i32 {
    on_handle(context.cast_const().cast(), Kind::TlsContext, imp::context_clear_sessions) as i32
}

/// Forgets one session: a client's by its `session_key` (or server name), a server's by its id. Since revision 3.
///
/// Returns 1 when there was one, else 0. Owner: the key stays the caller's. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_context_remove_session(
    context: *mut ferronet_tls_context,
    key: *const c_void,
    length: u64,
) -> i32 {
    on_handle(context.cast_const().cast(), Kind::TlsContext, |handle| {
        // SAFETY: the header asks for that many readable bytes.
        unsafe { imp::context_remove_session(handle, key, length) }
    }) as i32
}

/// Copies a list of supported names, with commas in between. Since revision 3.
///
/// `what` is a FERRONET_TLS_NAMES_* value. At most `capacity` bytes are written to `buffer`, without a zero byte; `buffer` may be NULL when
/// `capacity` is 0. Returns the length of the whole list (more than `capacity`: it was cut).
/// Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (`what` unknown, NULL with a capacity), FERRONET_ERR_FEATURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_tls_names(what: u32, buffer: *mut c_char, capacity: u64) -> i64 {
    without_handle(|| {
        // SAFETY: the header asks for that many writable bytes.
        unsafe { imp::names(what, buffer.cast(), capacity) }
    })
}
