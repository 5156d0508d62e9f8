//! The functions of TLS.

use super::*;

fn config() -> ferronet_tls_config {
    ferronet_tls_config {
        size: size_of::<ferronet_tls_config>() as u32,
        side: FERRONET_TLS_SERVER,
        ..Default::default()
    }
}

/// A chain with its key.
pub fn credential_config() -> ferronet_tls_credential_config {
    static CHAIN: &[u8] = include_bytes!("../../../../verify/contract/fixtures/server.pem");
    static KEY: &[u8] = include_bytes!("../../../../verify/contract/fixtures/server.key");
    ferronet_tls_credential_config {
        size: size_of::<ferronet_tls_credential_config>() as u32,
        chain: region(CHAIN),
        key: region(KEY),
        ..Default::default()
    }
}

fn region(bytes: &[u8]) -> ferronet_region {
    ferronet_region { addr: bytes.as_ptr() as u64, len: bytes.len() as u64 }
}

/// Status of the call that makes a handle, and the handle.
type Made = (i32, *mut c_void);

/// A new credential.
pub fn new_credential() -> Made {
    let mut credential = null_mut();
    // SAFETY: the pointers name locals, and the texts live for ever.
    let status = unsafe { ferronet_tls_credential_new(&credential_config(), &mut credential) };
    (status, credential.cast())
}

/// A new context of a server.
pub fn new_context() -> Made {
    let credential = credential();
    let mut context = null_mut();
    let credentials = [credential];
    let config = ferronet_tls_config { credential_count: 1, credentials: credentials.as_ptr() as u64, ..config() };
    // SAFETY: the pointers name locals.
    let status = unsafe { ferronet_tls_context_new(&config, &mut context) };
    // SAFETY: the credential is new.
    unsafe { ferronet_tls_credential_free(credential.cast()) };
    (status, context.cast())
}

/// A new session of a server.
pub fn new_session(context: *mut c_void) -> Made {
    let mut session = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the context's values.
    let status = unsafe { ferronet_tls_session_new(context.cast(), null(), &mut session) };
    (status, session.cast())
}

fn whole((status, handle): Made) -> *mut c_void {
    assert_eq!(status, 0, "{} {}", name(status.into()), last_error(null_mut()));
    handle
}

/// A credential that works.
pub fn credential() -> *mut c_void {
    whole(new_credential())
}

/// A context that works.
pub fn context() -> *mut c_void {
    whole(new_context())
}

/// A session that works, whose context is freed already.
pub fn session() -> *mut c_void {
    let context = context();
    let session = whole(new_session(context));
    free(context);
    session
}

fn made_and_freed((status, handle): Made) -> i32 {
    assert_eq!(status < 0, handle.is_null(), "an output is written on success only");
    if !handle.is_null() {
        free(handle);
    }
    status
}

/// A context of its own, that needs no credential.
fn make_context() -> i32 {
    unsafe extern "C" fn none(
        _: *mut c_void,
        _: *const ferronet_tls_choice,
        _: *mut *mut ferronet_tls_credential,
    ) -> i32 {
        0
    }
    let mut context = null_mut();
    let config = ferronet_tls_config { choose: Some(none), ..config() };
    // SAFETY: the pointers name locals.
    let status = unsafe { ferronet_tls_context_new(&config, &mut context) };
    made_and_freed((status, context.cast()))
}

static KEYS: [u8; 96] = [7; 96];

/// An output region of its own.
fn room() -> ferronet_region {
    static mut ROOM: [u8; 20_000] = [0; 20_000];
    ferronet_region { addr: (&raw mut ROOM) as u64, len: 20_000 }
}

#[allow(unused_unsafe, reason = "some functions are safe to call")]
pub const TLS: &[Function] = &[
    function!(ferronet_tls_context_clear_sessions, Context, |h| ferronet_tls_context_clear_sessions(h.cast()), [], OK),
    function!(ferronet_tls_context_free, Context, |h| ferronet_tls_context_free(h.cast()), [], OK),
    function!(
        ferronet_tls_context_get_info,
        Context,
        |h| ferronet_tls_context_get_info(h.cast(), sized!(ferronet_tls_context_info)),
        [|h| ferronet_tls_context_get_info(h.cast(), null_mut())],
        OK
    ),
    function!(
        ferronet_tls_context_new,
        Nothing,
        |_h| make_context(),
        [|_h| ferronet_tls_context_new(null(), &mut null_mut()), |_h| ferronet_tls_context_new(&config(), null_mut())],
        OK
    ),
    function!(
        ferronet_tls_context_remove_session,
        Context,
        |h| ferronet_tls_context_remove_session(h.cast(), KEYS.as_ptr().cast(), 32),
        [|h| ferronet_tls_context_remove_session(h.cast(), null(), 32)],
        OK
    ),
    function!(
        ferronet_tls_context_set_ocsp_response,
        Context,
        |h| ferronet_tls_context_set_ocsp_response(h.cast(), 0, null(), 0),
        [|h| ferronet_tls_context_set_ocsp_response(h.cast(), 0, null(), 5)],
        OK
    ),
    function!(
        ferronet_tls_context_set_ticket_keys,
        Context,
        |h| ferronet_tls_context_set_ticket_keys(h.cast(), KEYS.as_ptr().cast(), 96),
        [|h| ferronet_tls_context_set_ticket_keys(h.cast(), null(), 48)],
        OK
    ),
    function!(ferronet_tls_credential_free, Credential, |h| ferronet_tls_credential_free(h.cast()), [], OK),
    function!(
        ferronet_tls_credential_new,
        Nothing,
        |_h| made_and_freed(new_credential()),
        [
            |_h| ferronet_tls_credential_new(null(), &mut null_mut()),
            |_h| ferronet_tls_credential_new(&credential_config(), null_mut())
        ],
        OK
    ),
    function!(
        ferronet_tls_names,
        Nothing,
        |_h| ferronet_tls_names(FERRONET_TLS_NAMES_SUITES, [0; 8].as_mut_ptr(), 8).min(0),
        [|_h| ferronet_tls_names(FERRONET_TLS_NAMES_SUITES, null_mut(), 8)],
        OK
    ),
    function!(
        ferronet_tls_session_close,
        Session,
        |h| ferronet_tls_session_close(h.cast(), sized!(ferronet_tls_progress)),
        [|h| ferronet_tls_session_close(h.cast(), null_mut())],
        OK
    ),
    function!(ferronet_tls_session_end_input, Session, |h| ferronet_tls_session_end_input(h.cast()), [], OK),
    function!(
        ferronet_tls_session_export,
        Session,
        |h| ferronet_tls_session_export(
            h.cast(),
            KEYS.as_ptr().cast(),
            10,
            null(),
            0,
            [0u8; 32].as_mut_ptr().cast(),
            32
        ),
        [
            |h| ferronet_tls_session_export(h.cast(), null(), 10, null(), 0, [0u8; 32].as_mut_ptr().cast(), 32),
            |h| ferronet_tls_session_export(h.cast(), KEYS.as_ptr().cast(), 10, null(), 0, null_mut(), 32)
        ],
        OK
    ),
    function!(ferronet_tls_session_free, Session, |h| ferronet_tls_session_free(h.cast()), [], OK),
    function!(
        ferronet_tls_session_get_bytes,
        Session,
        |h| ferronet_tls_session_get_bytes(h.cast(), FERRONET_TLS_BYTES_ALPN, 0, [0u8; 8].as_mut_ptr().cast(), 8),
        [|h| ferronet_tls_session_get_bytes(h.cast(), FERRONET_TLS_BYTES_ALPN, 0, null_mut(), 8)],
        OK
    ),
    function!(
        ferronet_tls_session_get_info,
        Session,
        |h| ferronet_tls_session_get_info(h.cast(), sized!(ferronet_tls_session_info)),
        [|h| ferronet_tls_session_get_info(h.cast(), null_mut())],
        OK
    ),
    function!(
        ferronet_tls_session_new,
        Context,
        |h| made_and_freed(new_session(h)),
        [|h| ferronet_tls_session_new(h.cast(), null(), null_mut())],
        OK
    ),
    function!(
        ferronet_tls_session_task,
        Session,
        |h| ferronet_tls_session_task(h.cast(), sized!(ferronet_tls_progress)),
        [|h| ferronet_tls_session_task(h.cast(), null_mut())],
        OK
    ),
    function!(
        ferronet_tls_session_unwrap,
        Session,
        |h| ferronet_tls_session_unwrap(h.cast(), null(), 0, null(), 0, 0, sized!(ferronet_tls_progress)),
        [
            |h| ferronet_tls_session_unwrap(h.cast(), null(), 0, null(), 0, 0, null_mut()),
            |h| ferronet_tls_session_unwrap(h.cast(), null(), 1, null(), 0, 0, sized!(ferronet_tls_progress)),
            |h| ferronet_tls_session_unwrap(h.cast(), &nowhere(1), 1, null(), 0, 0, sized!(ferronet_tls_progress)),
            |h| ferronet_tls_session_unwrap(h.cast(), null(), 0, null(), 1, 0, sized!(ferronet_tls_progress)),
            |h| ferronet_tls_session_unwrap(h.cast(), null(), 0, &nowhere(1), 1, 0, sized!(ferronet_tls_progress))
        ],
        OK
    ),
    function!(
        ferronet_tls_session_wrap,
        Session,
        |h| ferronet_tls_session_wrap(h.cast(), null(), 0, &room(), sized!(ferronet_tls_progress)),
        [
            |h| ferronet_tls_session_wrap(h.cast(), null(), 0, &room(), null_mut()),
            |h| ferronet_tls_session_wrap(h.cast(), null(), 1, &room(), sized!(ferronet_tls_progress)),
            |h| ferronet_tls_session_wrap(h.cast(), &nowhere(1), 1, &room(), sized!(ferronet_tls_progress)),
            |h| ferronet_tls_session_wrap(h.cast(), null(), 0, null(), sized!(ferronet_tls_progress)),
            |h| ferronet_tls_session_wrap(h.cast(), null(), 0, &nowhere(1), sized!(ferronet_tls_progress))
        ],
        OK
    ),
];
