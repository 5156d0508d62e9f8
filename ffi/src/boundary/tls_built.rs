//! What the exported functions of TLS do.

use std::ffi::c_void;
use std::sync::Arc;

use super::codec::{self, Codec, bytes};
use super::handle::{Body, Handle, Kind};
use super::pointer::is_null;
use super::tls_regions::{inputs, output, outputs, refuse_overlap};
use super::{pointer, tls_config};
use crate::abi::record::ferronet_region;
use crate::abi::status::FERRONET_ERR_CLOSED;
use crate::abi::tls::*;
use crate::fault;
use crate::tls::{Context, Credential, Input, Names, Progress, Session, What};
use crate::{Error, Result};

#[cold]
fn freed() -> Error {
    Error::new(FERRONET_ERR_CLOSED, "the handle was freed by another thread during the call")
}

fn context_of(handle: &'static Handle) -> Result<&'static Arc<Context>> {
    match handle.body() {
        Body::TlsContext(context) => Ok(context),
        _ => Err(freed()),
    }
}

#[inline]
fn session_of(handle: &'static Handle) -> Result<&'static Codec<Session>> {
    match handle.body() {
        Body::TlsSession(session) => Ok(session),
        _ => Err(freed()),
    }
}

/// Copies as many of the bytes as there is room for, and gives the length of all.
///
/// # Safety
/// `capacity` bytes are writable at `buffer`.
unsafe fn copy(all: &[u8], buffer: *mut c_void, capacity: u64) -> Result<i64> {
    if capacity > 0 && buffer.is_null() {
        return Err(is_null("buffer"));
    }
    let length = all.len().min(usize::try_from(capacity).unwrap_or(usize::MAX));
    if length > 0 {
        // SAFETY: as promised; so many bytes are there.
        unsafe { std::ptr::copy_nonoverlapping(all.as_ptr(), buffer.cast::<u8>(), length) };
    }
    Ok(all.len() as i64)
}

/// # Safety
/// The structure and its regions name readable memory.
pub(super) unsafe fn credential_new(config: *const ferronet_tls_credential_config) -> Result<&'static Handle> {
    // SAFETY: as promised.
    let credential = Credential::new(unsafe { tls_config::credential(config) }?)?;
    Ok(Handle::make(Body::TlsCredential(Box::new(credential))))
}

/// # Safety
/// The structure, its regions and arrays name readable memory.
pub(super) unsafe fn context_new(config: *const ferronet_tls_config) -> Result<&'static Handle> {
    // SAFETY: as promised.
    let context = Context::new(unsafe { tls_config::context(config) }?)?;
    Ok(Handle::make(Body::TlsContext(context)))
}

/// # Safety
/// So many bytes are readable.
pub(super) unsafe fn context_set_ticket_keys(handle: &'static Handle, keys: *const c_void, length: u64) -> Result<i64> {
    // SAFETY: as promised.
    context_of(handle)?.set_ticket_keys(unsafe { bytes(keys, length, "keys") }?)?;
    Ok(0)
}

/// # Safety
/// So many bytes are readable.
pub(super) unsafe fn context_set_ocsp_response(
    handle: &'static Handle,
    index: u32,
    response: *const c_void,
    length: u64,
) -> Result<i64> {
    // SAFETY: as promised.
    context_of(handle)?.set_ocsp_response(index as usize, unsafe { bytes(response, length, "response") }?)?;
    Ok(0)
}

pub(super) fn context_info(handle: &'static Handle) -> Result<ferronet_tls_context_info> {
    let context = context_of(handle)?;
    Ok(tls_config::context_info(context.side(), &context.info()))
}

pub(super) fn context_clear_sessions(handle: &'static Handle) -> Result<i64> {
    context_of(handle)?.clear_sessions();
    Ok(0)
}

/// # Safety
/// So many bytes are readable.
pub(super) unsafe fn context_remove_session(handle: &'static Handle, key: *const c_void, length: u64) -> Result<i64> {
    // SAFETY: as promised.
    Ok(context_of(handle)?.remove_session(unsafe { bytes(key, length, "key") }?).into())
}

/// # Safety
/// So many bytes are writable.
pub(super) unsafe fn names(what: u32, buffer: *mut c_void, capacity: u64) -> Result<i64> {
    let what = match what {
        FERRONET_TLS_NAMES_SUITES => Names::Suites,
        FERRONET_TLS_NAMES_GROUPS => Names::Groups,
        FERRONET_TLS_NAMES_SCHEMES => Names::Schemes,
        FERRONET_TLS_NAMES_VERSIONS => Names::Versions,
        other => return Err(Error::invalid(format!("what is {other}, but it must be a FERRONET_TLS_NAMES_* value"))),
    };
    // SAFETY: as promised.
    unsafe { copy(fault::lost("tls-names-lost", crate::tls::names(what)).as_bytes(), buffer, capacity) }
}

/// # Safety
/// The structure and its regions name readable memory.
pub(super) unsafe fn session_new(
    context: &'static Handle,
    config: *const ferronet_tls_session_config,
) -> Result<&'static Handle> {
    // SAFETY: as promised.
    let session = Session::new(context_of(context)?, unsafe { tls_config::session(config) }?)?;
    Ok(Handle::make(Body::TlsSession(Box::new(Codec::new(session)))))
}

pub(super) fn session_free(handle: &'static Handle) -> Result<i64> {
    codec::free(handle, Kind::TlsSession)
}

/// Runs a step, and tells of it also when it fails.
#[inline]
fn step(
    handle: &'static Handle,
    progress: &mut ferronet_tls_progress,
    body: impl FnOnce(&mut Session) -> Result<Progress>,
) -> Result<()> {
    session_of(handle)?.enter(|session| {
        let outcome = body(session);
        let (done, outcome) = match outcome {
            Ok(done) => (done, Ok(())),
            Err(error) => (session.progress(), Err(error)),
        };
        *progress = tls_config::progress(&done);
        if fault::take("tls-progress-lost").is_some() {
            *progress = ferronet_tls_progress::default();
        }
        outcome
    })
}

/// # Safety
/// The regions name readable and writable memory.
pub(super) unsafe fn session_wrap(
    handle: &'static Handle,
    sources: *const ferronet_region,
    source_count: u32,
    target: *const ferronet_region,
    progress: &mut ferronet_tls_progress,
) -> Result<()> {
    // SAFETY: as promised; the output overlaps none of the sources.
    let (mut sources, target) = unsafe {
        let region = pointer::input(target, "output")?;
        refuse_overlap((sources, source_count), (target, 1))?;
        (inputs(sources, source_count, "sources")?, output(region, "output")?)
    };
    step(handle, progress, |session| session.wrap(sources.as_mut_slice(), target))
}

/// # Safety
/// The regions name readable and writable memory.
pub(super) unsafe fn session_unwrap(
    handle: &'static Handle,
    from: (*const ferronet_region, u32),
    to: (*const ferronet_region, u32),
    flags: u32,
    progress: &mut ferronet_tls_progress,
) -> Result<()> {
    if flags & !FERRONET_TLS_IN_PLACE != 0 {
        return Err(Error::invalid(format!("flags is {flags}, but it must be 0 or FERRONET_TLS_IN_PLACE")));
    }
    if flags & FERRONET_TLS_IN_PLACE == 0 {
        // SAFETY: as promised; the outputs overlap nothing.
        let (mut from, mut to) = unsafe {
            refuse_overlap(from, to)?;
            (inputs(from.0, from.1, "inputs")?, outputs(to.0, to.1, "outputs")?)
        };
        return step(handle, progress, |session| session.unwrap(Input::Keep(from.as_mut_slice()), to.as_mut_slice()));
    }
    if from.1 == 1 && to.1 == 0 {
        // SAFETY: as promised; it is the only region.
        let region = unsafe { output(pointer::input(from.0, "inputs")?, "inputs")? };
        return step(handle, progress, |session| session.unwrap_in_place(region));
    }
    if to.1 == 0 && from.1 > 1 {
        return Err(Error::invalid(format!(
            "FERRONET_TLS_IN_PLACE without outputs takes one input, but there are {}: pass outputs, or one input at a time",
            from.1
        )));
    }
    // SAFETY: as promised; all of them may be written, and none overlaps another.
    let (mut from, mut to) = unsafe {
        refuse_overlap((std::ptr::null(), 0), from)?;
        refuse_overlap(from, to)?;
        (outputs(from.0, from.1, "inputs")?, outputs(to.0, to.1, "outputs")?)
    };
    step(handle, progress, |session| session.unwrap(Input::Overwrite(from.as_mut_slice()), to.as_mut_slice()))
}

pub(super) fn session_task(handle: &'static Handle, progress: &mut ferronet_tls_progress) -> Result<()> {
    step(handle, progress, Session::task)
}

pub(super) fn session_close(handle: &'static Handle, progress: &mut ferronet_tls_progress) -> Result<()> {
    step(handle, progress, Session::close)
}

pub(super) fn session_end_input(handle: &'static Handle) -> Result<i64> {
    let outcome = session_of(handle)?.enter(Session::end_input);
    if fault::take("tls-end-ignored").is_none() {
        outcome?;
    }
    Ok(0)
}

pub(super) fn session_info(handle: &'static Handle) -> Result<ferronet_tls_session_info> {
    session_of(handle)?.enter(|session| Ok(tls_config::session_info(&session.info())))
}

/// # Safety
/// So many bytes are writable.
pub(super) unsafe fn session_get_bytes(
    handle: &'static Handle,
    what: u32,
    index: u32,
    buffer: *mut c_void,
    capacity: u64,
) -> Result<i64> {
    let what = match what {
        FERRONET_TLS_BYTES_ALPN => What::Alpn,
        FERRONET_TLS_BYTES_SERVER_NAME => What::ServerName,
        FERRONET_TLS_BYTES_PEER_CERTIFICATE => What::PeerCertificate,
        FERRONET_TLS_BYTES_LOCAL_CERTIFICATE => What::LocalCertificate,
        FERRONET_TLS_BYTES_OCSP_RESPONSE => What::OcspResponse,
        FERRONET_TLS_BYTES_SESSION_ID => What::SessionId,
        FERRONET_TLS_BYTES_ISSUER => What::Issuer,
        FERRONET_TLS_BYTES_PEER_SCHEMES => What::PeerSchemes,
        other => return Err(Error::invalid(format!("what is {other}, but it must be a FERRONET_TLS_BYTES_* value"))),
    };
    session_of(handle)?.enter(|session| {
        let found = session.bytes(what, index as usize).unwrap_or_default();
        // SAFETY: as promised.
        unsafe { copy(fault::lost("tls-bytes-lost", found), buffer, capacity) }
    })
}

/// # Safety
/// So many bytes are readable and writable.
pub(super) unsafe fn session_export(
    handle: &'static Handle,
    label: (*const c_void, u64),
    context: (*const c_void, u64),
    out: (*mut c_void, u64),
) -> Result<i64> {
    // SAFETY: as promised.
    let (label, context, out) = unsafe {
        (
            bytes(label.0, label.1, "label")?,
            if context.0.is_null() && context.1 == 0 { None } else { Some(bytes(context.0, context.1, "context")?) },
            output(ferronet_region { addr: out.0 as u64, len: out.1 }, "out")?,
        )
    };
    session_of(handle)?.enter(|session| session.export(label, context, out))?;
    Ok(0)
}
