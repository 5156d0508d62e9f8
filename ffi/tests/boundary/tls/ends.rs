//! Contexts and sessions through the C functions, which end with their owner.

use std::ptr::{null, null_mut};

use ferronet::abi::record::ferronet_region;
use ferronet::abi::tls::*;
use ferronet::boundary::tls::*;
use ferronet::boundary::tls_session::*;

use super::{region, unwrap, wrap};
use crate::functions::*;

/// A fixture of the contract.
macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../verify/contract/fixtures/", $name)).as_slice()
    };
}

pub static AUTHORITY: &[u8] = fixture!("authority.pem");
pub static AUTHORITY_LISTS: &[u8] = fixture!("authority.crl");
/// P-256, of "server.test", with the authority that issued it.
pub static SERVER: (&[u8], &[u8]) = (fixture!("server.pem"), fixture!("server.key"));
/// RSA, of "other.test".
pub static OTHER: (&[u8], &[u8]) = (fixture!("other.pem"), fixture!("other.key"));
/// Ed25519, of "edwards.test".
pub static EDWARDS: (&[u8], &[u8]) = (fixture!("edwards.pem"), fixture!("edwards.key"));
pub static CLIENT: (&[u8], &[u8]) = (fixture!("client.pem"), fixture!("client.key"));
/// Of "server.test", in the authority's list.
pub static REVOKED: (&[u8], &[u8]) = (fixture!("revoked.pem"), fixture!("revoked.key"));
/// The server's key under the password "contract".
pub static LOCKED: &[u8] = fixture!("locked.key");

/// Why a function failed: the name of its status, and its text.
pub type Refusal = (&'static str, String);

/// A handle that is freed at the end.
pub struct Owned(pub *mut std::ffi::c_void);

impl Drop for Owned {
    fn drop(&mut self) {
        free(self.0);
    }
}

pub fn credential_config((chain, key): (&[u8], &[u8])) -> ferronet_tls_credential_config {
    ferronet_tls_credential_config {
        size: size_of::<ferronet_tls_credential_config>() as u32,
        chain: region(chain),
        key: region(key),
        ..Default::default()
    }
}

pub fn new_credential(config: &ferronet_tls_credential_config) -> Result<Owned, Refusal> {
    let mut credential = null_mut();
    // SAFETY: the pointers name a structure of the tests and a local.
    match unsafe { ferronet_tls_credential_new(config, &mut credential) } {
        0 => Ok(Owned(credential.cast())),
        status => Err((name(status.into()), last_error(null()))),
    }
}

pub fn credential(pair: (&[u8], &[u8])) -> Owned {
    new_credential(&credential_config(pair)).unwrap()
}

pub fn server_config() -> ferronet_tls_config {
    ferronet_tls_config {
        size: size_of::<ferronet_tls_config>() as u32,
        side: FERRONET_TLS_SERVER,
        ..Default::default()
    }
}

/// A client that trusts the authority.
pub fn client_config() -> ferronet_tls_config {
    ferronet_tls_config {
        side: FERRONET_TLS_CLIENT,
        trust: FERRONET_TLS_TRUST_ROOTS,
        roots: region(AUTHORITY),
        ..server_config()
    }
}

/// A server that asks for certificates of the authority's.
pub fn asking_config() -> ferronet_tls_config {
    ferronet_tls_config {
        client_auth: FERRONET_TLS_CLIENT_AUTH_REQUIRED,
        trust: FERRONET_TLS_TRUST_ROOTS,
        roots: region(AUTHORITY),
        ..server_config()
    }
}

pub fn new_context(config: ferronet_tls_config, credentials: &[&Owned]) -> Result<Owned, Refusal> {
    let pointers: Vec<_> = credentials.iter().map(|credential| credential.0).collect();
    let config = ferronet_tls_config {
        credentials: pointers.as_ptr() as u64,
        credential_count: pointers.len() as u32,
        ..config
    };
    let mut context = null_mut();
    // SAFETY: the pointers name locals, and what the tests passed.
    match unsafe { ferronet_tls_context_new(&config, &mut context) } {
        0 => Ok(Owned(context.cast())),
        status => Err((name(status.into()), last_error(null()))),
    }
}

pub fn context(config: ferronet_tls_config, credentials: &[&Owned]) -> Owned {
    new_context(config, credentials).unwrap()
}

/// A server that shows "server.test".
pub fn server() -> Owned {
    context(server_config(), &[&credential(SERVER)])
}

pub fn session_config() -> ferronet_tls_session_config {
    ferronet_tls_session_config { size: size_of::<ferronet_tls_session_config>() as u32, ..Default::default() }
}

/// A session, and why it ended if it did.
pub struct End {
    pub handle: Owned,
    pub refused: Option<Refusal>,
}

impl End {
    pub fn new(context: &Owned, config: &ferronet_tls_session_config) -> Self {
        let mut session = null_mut();
        // SAFETY: the pointers name a structure of the tests and a local.
        let status = unsafe { ferronet_tls_session_new(context.0.cast(), config, &mut session) };
        assert_eq!(status, 0, "{}", last_error(context.0));
        Self { handle: Owned(session.cast()), refused: None }
    }

    pub fn session(&self) -> *mut ferronet_tls_session {
        self.handle.0.cast()
    }

    /// Takes what the peer has sent, and gives the data.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.refused.is_some() {
            return Vec::new();
        }
        unwrap(self.session(), bytes).unwrap_or_else(|status| {
            self.refused = Some((name(status.into()), last_error(self.handle.0)));
            Vec::new()
        })
    }

    /// What it has to send; the alert of a failure included.
    pub fn give(&self) -> Vec<u8> {
        if self.info().state == FERRONET_TLS_STATE_FAILED { Vec::new() } else { wrap(self.session(), &[]) }
    }

    pub fn info(&self) -> ferronet_tls_session_info {
        let size = size_of::<ferronet_tls_session_info>() as u32;
        let mut info = ferronet_tls_session_info { size, ..Default::default() };
        // SAFETY: the pointer names a local.
        assert_eq!(unsafe { ferronet_tls_session_get_info(self.session(), &mut info) }, 0);
        info
    }

    pub fn bytes(&self, what: u32, index: u32) -> Vec<u8> {
        let mut bytes = vec![0u8; 70_000];
        // SAFETY: the buffer has the room that is stated.
        let length = unsafe {
            ferronet_tls_session_get_bytes(self.session(), what, index, bytes.as_mut_ptr().cast(), bytes.len() as u64)
        };
        bytes.truncate(usize::try_from(length).unwrap());
        bytes
    }
}

pub struct Pair {
    pub client: End,
    pub server: End,
    /// Bytes of the server's first flight.
    pub flight: usize,
}

impl Pair {
    /// A handshake for a name, however it ends.
    pub fn of(client: &Owned, server: &Owned, host: &str) -> Self {
        let config = ferronet_tls_session_config { server_name: region(host.as_bytes()), ..session_config() };
        Self::with(client, &config, server, &session_config())
    }

    pub fn with(
        client: &Owned,
        client_config: &ferronet_tls_session_config,
        server: &Owned,
        server_config: &ferronet_tls_session_config,
    ) -> Self {
        let (client, server) = (End::new(client, client_config), End::new(server, server_config));
        let mut pair = Self { client, server, flight: 0 };
        for _ in 0..4 {
            let hello = pair.client.give();
            assert!(pair.server.take(&hello).is_empty());
            let flight = pair.server.give();
            pair.flight = if pair.flight == 0 { flight.len() } else { pair.flight };
            assert!(pair.client.take(&flight).is_empty());
        }
        pair
    }

    /// The same; it has to succeed, and data has to go both ways.
    pub fn connected(client: &Owned, server: &Owned, host: &str) -> Self {
        Self::of(client, server, host).open()
    }

    pub fn open(mut self) -> Self {
        assert_eq!((&self.client.refused, &self.server.refused), (&None, &None));
        assert_eq!([self.client.info().state, self.server.info().state], [FERRONET_TLS_STATE_OPEN; 2]);
        let sent = wrap(self.client.session(), &[region(b"to the server")]);
        assert_eq!(self.server.take(&sent), b"to the server");
        let sent = wrap(self.server.session(), &[region(b"to the client")]);
        assert_eq!(self.client.take(&sent), b"to the client");
        self
    }

    /// Status and text of the side that refused first, and what it is a matter of.
    pub fn client_refusal(&self) -> &Refusal {
        self.client
            .refused
            .as_ref()
            .unwrap_or_else(|| panic!("the client refused nothing, the server: {:?}", self.server.refused))
    }

    pub fn server_refusal(&self) -> &Refusal {
        self.server
            .refused
            .as_ref()
            .unwrap_or_else(|| panic!("the server refused nothing, the client: {:?}", self.client.refused))
    }
}

/// What a context has counted.
pub fn counts(context: &Owned) -> ferronet_tls_context_info {
    let size = size_of::<ferronet_tls_context_info>() as u32;
    let mut info = ferronet_tls_context_info { size, ..Default::default() };
    // SAFETY: the pointer names a local.
    assert_eq!(unsafe { ferronet_tls_context_get_info(context.0.cast(), &mut info) }, 0);
    info
}

/// An array of the caller's as a region.
pub fn numbers(list: &[u16]) -> ferronet_region {
    ferronet_region { addr: list.as_ptr() as u64, len: size_of_val(list) as u64 }
}
