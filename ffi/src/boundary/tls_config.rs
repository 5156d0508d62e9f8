//! C's structures of TLS in Rust's terms, and back.

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Arc;

use super::codec::bytes;
use super::handle::{Body, Handle, Kind};
use super::pointer::{is_null, sized_input};
use super::tls_hooks::{Choose, Lines, Sign, Verify};
use crate::abi::record::ferronet_region;
use crate::abi::tls::*;
use crate::fault;
use crate::tls::{
    AlpnPolicy, ClientAuth, Config, ContextInfo, Credential, CredentialConfig, CrlPolicy, Outcome, Progress,
    SessionConfig, SessionInfo, Side, State, Trust,
};
use crate::{Error, Result};

#[cold]
fn unknown(name: &str, value: u32, allowed: &str) -> Error {
    Error::invalid(format!("{name} is {value}, but it must be {allowed}"))
}

/// # Safety
/// The bytes of the region are readable during the call that asked.
unsafe fn content<'a>(region: ferronet_region, name: &str) -> Result<&'a [u8]> {
    // SAFETY: as promised.
    unsafe { bytes(region.addr as *const c_void, region.len, name) }
}

/// # Safety
/// As for [`content`].
unsafe fn text(region: ferronet_region, name: &str) -> Result<String> {
    // SAFETY: as promised.
    let bytes = unsafe { content(region, name) }?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(Error::invalid(format!("{name} is no UTF-8 at byte {}: pass text", error.valid_up_to()))),
    }
}

fn filled<T>(value: T, is_empty: impl FnOnce(&T) -> bool) -> Option<T> {
    if is_empty(&value) { None } else { Some(value) }
}

/// A context pointer of a callback; NULL is as good as any other.
fn context_of(context: Option<NonNull<c_void>>) -> *mut c_void {
    context.map_or(std::ptr::null_mut(), NonNull::as_ptr)
}

/// # Safety
/// A pointer that is not NULL names as many readable bytes as its size field says, and its regions name readable memory.
pub(super) unsafe fn credential(pointer: *const ferronet_tls_credential_config) -> Result<CredentialConfig> {
    // SAFETY: as promised.
    let given = unsafe { sized_input(pointer, "config") }?;
    if given.flags != 0 {
        return Err(unknown("flags", given.flags, "zero"));
    }
    // SAFETY: as promised.
    let (chain, key, password, ocsp_response, names, schemes) = unsafe {
        (
            content(given.chain, "chain")?,
            content(given.key, "key")?,
            content(given.password, "password")?,
            content(given.ocsp_response, "ocsp_response")?,
            text(given.names, "names")?,
            content(given.schemes, "schemes")?,
        )
    };
    if chain.is_empty() {
        return Err(Error::invalid("chain is empty: pass the certificates, the end entity's first"));
    }
    if key.is_empty() && given.sign.is_none() {
        return Err(Error::invalid(
            "there is neither key nor sign: pass the private key, or a callback that signs with it",
        ));
    }
    if schemes.len() % 2 != 0 {
        return Err(Error::invalid(format!("schemes has {} bytes, but each scheme is a uint16_t", schemes.len())));
    }
    Ok(CredentialConfig {
        chain: chain.to_vec(),
        key: key.to_vec(),
        password: password.to_vec(),
        ocsp_response: ocsp_response.to_vec(),
        names,
        signer: given.sign.map(|sign| Arc::new(Sign::new(sign, context_of(given.sign_context))) as _),
        schemes: schemes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect(),
    })
}

fn client_auth(value: u32) -> Result<ClientAuth> {
    match value {
        FERRONET_TLS_CLIENT_AUTH_NONE => Ok(ClientAuth::None),
        FERRONET_TLS_CLIENT_AUTH_OPTIONAL => Ok(ClientAuth::Optional),
        FERRONET_TLS_CLIENT_AUTH_REQUIRED => Ok(ClientAuth::Required),
        other => Err(unknown("client_auth", other, "a FERRONET_TLS_CLIENT_AUTH_* value")),
    }
}

fn alpn_policy(value: u32) -> Result<AlpnPolicy> {
    match value {
        FERRONET_TLS_ALPN_FATAL => Ok(AlpnPolicy::Fatal),
        FERRONET_TLS_ALPN_ACCEPT => Ok(AlpnPolicy::Accept),
        other => Err(unknown("alpn_policy", other, "FERRONET_TLS_ALPN_FATAL or FERRONET_TLS_ALPN_ACCEPT")),
    }
}

/// # Safety
/// An address that is not 0 names that many pointers.
unsafe fn credentials(address: u64, count: u32) -> Result<Vec<Credential>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if address == 0 {
        return Err(is_null("credentials"));
    }
    let read = |index: u32| {
        // SAFETY: as promised; C gives no alignment.
        let pointer = unsafe { (address as *const *const Handle).add(index as usize).read_unaligned() };
        match Handle::resolve(pointer, Kind::TlsCredential)?.body() {
            Body::TlsCredential(credential) => Ok(Credential::clone(credential)),
            _ => Err(Error::invalid(format!("credential {index} was freed by another thread during the call"))),
        }
    };
    (0..count).map(read).collect()
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> Result<PathBuf> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PathBuf::from(text)),
        Err(_) => Err(Error::invalid("key_log_path is no UTF-8: pass text")),
    }
}

/// # Safety
/// A pointer that is not NULL names as many readable bytes as its size field says, and its regions and arrays name readable memory.
pub(super) unsafe fn context(pointer: *const ferronet_tls_config) -> Result<Config> {
    // SAFETY: as promised.
    let given = unsafe { sized_input(pointer, "config") }?;
    let side = match given.side {
        FERRONET_TLS_CLIENT => Side::Client,
        FERRONET_TLS_SERVER => Side::Server,
        other => return Err(unknown("side", other, "FERRONET_TLS_CLIENT or FERRONET_TLS_SERVER")),
    };
    let flags = FERRONET_TLS_NO_TICKETS
        | FERRONET_TLS_NO_SESSION_CACHE
        | FERRONET_TLS_TASKS
        | FERRONET_TLS_CLIENT_ORDER
        | FERRONET_TLS_EARLY_DATA
        | FERRONET_TLS_COMPRESS_CERTIFICATES
        | FERRONET_TLS_NO_RESUMPTION;
    if given.flags & !flags != 0 {
        return Err(unknown(
            "flags",
            given.flags,
            "context flags: FERRONET_TLS_NO_TICKETS to FERRONET_TLS_NO_RESUMPTION",
        ));
    }
    let trust = match given.trust {
        FERRONET_TLS_TRUST_UNSET => Trust::Unset,
        FERRONET_TLS_TRUST_ROOTS => Trust::Roots,
        FERRONET_TLS_TRUST_PLATFORM => Trust::Platform,
        FERRONET_TLS_TRUST_CALLBACK => Trust::Callback,
        FERRONET_TLS_TRUST_INSECURE_NONE => Trust::InsecureNone,
        other => return Err(unknown("trust", other, "a FERRONET_TLS_TRUST_* value")),
    };
    let trust = if fault::take("tls-trust-ignored").is_some() { Trust::InsecureNone } else { trust };
    let crl_bits = FERRONET_TLS_CRL_END_ENTITY | FERRONET_TLS_CRL_ALLOW_UNKNOWN | FERRONET_TLS_CRL_ENFORCE_EXPIRY;
    if given.crl_policy & !crl_bits != 0 {
        return Err(unknown("crl_policy", given.crl_policy, "FERRONET_TLS_CRL_* bits"));
    }
    let flag = |bit: u32| given.flags & bit != 0;
    // SAFETY: as promised.
    let (roots, crls, alpn, key_log_path, ticket_keys) = unsafe {
        (
            content(given.roots, "roots")?,
            content(given.crls, "crls")?,
            content(given.alpn, "alpn")?,
            content(given.key_log_path, "key_log_path")?,
            content(given.ticket_keys, "ticket_keys")?,
        )
    };
    Ok(Config {
        side,
        tasks: flag(FERRONET_TLS_TASKS),
        no_tickets: flag(FERRONET_TLS_NO_TICKETS),
        no_session_cache: flag(FERRONET_TLS_NO_SESSION_CACHE),
        no_resumption: flag(FERRONET_TLS_NO_RESUMPTION) && fault::take("tls-no-resumption-ignored").is_none(),
        client_order: flag(FERRONET_TLS_CLIENT_ORDER),
        early_data: flag(FERRONET_TLS_EARLY_DATA),
        compress_certificates: flag(FERRONET_TLS_COMPRESS_CERTIFICATES),
        client_auth: client_auth(given.client_auth)?,
        trust,
        min_version: given.min_version,
        max_version: given.max_version,
        alpn_policy: alpn_policy(given.alpn_policy)?,
        crl_policy: CrlPolicy {
            end_entity_only: given.crl_policy & FERRONET_TLS_CRL_END_ENTITY != 0,
            allow_unknown: given.crl_policy & FERRONET_TLS_CRL_ALLOW_UNKNOWN != 0,
            enforce_expiry: given.crl_policy & FERRONET_TLS_CRL_ENFORCE_EXPIRY != 0,
        },
        // SAFETY: as promised.
        credentials: unsafe { credentials(given.credentials, given.credential_count) }?,
        roots: roots.to_vec(),
        crls: crls.to_vec(),
        // SAFETY: as promised.
        suites: unsafe { text(given.suites, "suites") }?,
        // SAFETY: as promised.
        groups: unsafe { text(given.groups, "groups") }?,
        alpn: alpn.to_vec(),
        key_log_path: if key_log_path.is_empty() { None } else { Some(path(key_log_path)?) },
        session_cache_size: given.session_cache_size,
        session_timeout_s: given.session_timeout_s,
        ticket_count: given.ticket_count,
        max_early_data: given.max_early_data,
        max_certificate_bytes: given.max_certificate_bytes,
        ticket_keys: ticket_keys.to_vec(),
        verifier: given.verify.map(|verify| Arc::new(Verify::new(verify, context_of(given.verify_context))) as _),
        chooser: given.choose.map(|choose| Arc::new(Choose::new(choose, context_of(given.choose_context))) as _),
        key_log: given.key_log.map(|log| Arc::new(Lines::new(log, context_of(given.key_log_context))) as _),
    })
}

/// # Safety
/// A pointer that is not NULL names as many readable bytes as its size field says, and its regions name readable memory.
pub(super) unsafe fn session(pointer: *const ferronet_tls_session_config) -> Result<SessionConfig> {
    if pointer.is_null() {
        return Ok(SessionConfig::default());
    }
    // SAFETY: as promised.
    let given = unsafe { sized_input(pointer, "config") }?;
    if given.flags & !(FERRONET_TLS_NO_SNI | FERRONET_TLS_NO_HOST_CHECK) != 0 {
        return Err(unknown("flags", given.flags, "FERRONET_TLS_NO_SNI and FERRONET_TLS_NO_HOST_CHECK bits"));
    }
    // SAFETY: as promised.
    let (server_name, session_key, alpn, suites, groups) = unsafe {
        (
            text(given.server_name, "server_name")?,
            content(given.session_key, "session_key")?,
            content(given.alpn, "alpn")?,
            text(given.suites, "suites")?,
            text(given.groups, "groups")?,
        )
    };
    Ok(SessionConfig {
        no_sni: given.flags & FERRONET_TLS_NO_SNI != 0,
        no_host_check: given.flags & FERRONET_TLS_NO_HOST_CHECK != 0,
        user: given.user,
        server_name: filled(server_name, String::is_empty),
        session_key: filled(session_key.to_vec(), Vec::is_empty),
        min_version: given.min_version,
        max_version: given.max_version,
        client_auth: match given.client_auth {
            0 => None,
            other => Some(client_auth(other - 1)?),
        },
        alpn_policy: match given.alpn_policy {
            0 => None,
            other => Some(alpn_policy(other - 1)?),
        },
        alpn: filled(alpn.to_vec(), Vec::is_empty),
        suites: filled(suites, String::is_empty),
        groups: filled(groups, String::is_empty),
    })
}

const fn state(state: State) -> u32 {
    match state {
        State::New => FERRONET_TLS_STATE_NEW,
        State::NeedUnwrap => FERRONET_TLS_STATE_NEED_UNWRAP,
        State::NeedWrap => FERRONET_TLS_STATE_NEED_WRAP,
        State::NeedTask => FERRONET_TLS_STATE_NEED_TASK,
        State::Open => FERRONET_TLS_STATE_OPEN,
        State::Closing => FERRONET_TLS_STATE_CLOSING,
        State::Failed => FERRONET_TLS_STATE_FAILED,
    }
}

fn alert(alert: Option<u8>) -> u32 {
    alert.map_or(0, |number| 1 + u32::from(number))
}

#[inline]
pub(super) fn progress(done: &Progress) -> ferronet_tls_progress {
    ferronet_tls_progress {
        size: 0,
        result: match done.outcome {
            Outcome::Ok => FERRONET_TLS_OK,
            Outcome::NeedsInput => FERRONET_TLS_NEEDS_INPUT,
            Outcome::NeedsOutput => FERRONET_TLS_NEEDS_OUTPUT,
            Outcome::Closed => FERRONET_TLS_CLOSED,
        },
        state: state(done.state),
        // The bits are the same.
        events: done.events,
        consumed: done.consumed as u64,
        produced: done.produced as u64,
        needed: done.needed as u64,
        alert: alert(done.alert),
        records: done.records,
    }
}

pub(super) fn session_info(info: &SessionInfo) -> ferronet_tls_session_info {
    ferronet_tls_session_info {
        size: 0,
        state: state(info.state),
        version: info.version.into(),
        suite: info.suite.into(),
        group: info.group.into(),
        resumed: info.resumed.into(),
        peer_scheme: info.peer_scheme.into(),
        peer_certificates: info.peer_certificates,
        local_certificates: info.local_certificates,
        issuers: info.issuers,
        tickets_received: info.tickets_received,
        alert: alert(info.alert),
        records_in: info.records_in,
        records_out: info.records_out,
        bytes_in: info.bytes_in,
        bytes_out: info.bytes_out,
        buffered: info.buffered,
    }
}

pub(super) fn context_info(side: Side, info: &ContextInfo) -> ferronet_tls_context_info {
    ferronet_tls_context_info {
        size: 0,
        side: side_number(side),
        handshakes_started: info.handshakes_started,
        handshakes_done: info.handshakes_done,
        handshakes_failed: info.handshakes_failed,
        handshakes_resumed: info.handshakes_resumed,
        cache_entries: info.cache_entries,
        cache_hits: info.cache_hits,
        cache_misses: info.cache_misses,
        cache_timeouts: info.cache_timeouts,
        cache_full: info.cache_full,
        tickets_issued: info.tickets_issued,
        tickets_resumed: info.tickets_resumed,
        tickets_renewed: info.tickets_renewed,
        tickets_failed: info.tickets_failed,
    }
}

pub(super) const fn side_number(side: Side) -> u32 {
    match side {
        Side::Client => FERRONET_TLS_CLIENT,
        Side::Server => FERRONET_TLS_SERVER,
    }
}
