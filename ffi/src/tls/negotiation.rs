//! What a handshake knows and finds out, within reach of the hooks that rustls calls.
//!
//! rustls shares its configuration between sessions, and its hooks get no word of which session they are called for. So
//! each step of a session lends its [`Negotiation`] to the thread for as long as it runs.

use std::cell::RefCell;
use std::sync::Arc;

use rustls::sign::CertifiedKey;

use super::config::Side;
use super::exporter::Secrets;
use super::record::FirstMessage;
use super::schedule::{Schedule, Secret};
use crate::error::Error;

/// The handshake of one session, and what stays of it.
pub(super) struct Negotiation {
    pub side: Side,
    pub user: u64,
    /// The name that a client wants, or that a server was asked for.
    pub server_name: Option<Box<str>>,
    /// What a client's session is kept under.
    pub session_key: Option<Box<[u8]>>,
    pub check_host: bool,
    /// A server's, until the ClientHello is whole.
    pub first: FirstMessage,
    /// Needed until the handshake is complete.
    pub hello: Option<Box<Hello>>,
    /// What we showed.
    pub chosen: Option<Arc<CertifiedKey>>,
    pub ocsp_response: Box<[u8]>,
    pub issuers: Box<[Box<[u8]>]>,
    /// Two bytes each, as on the wire.
    pub peer_schemes: Box<[u8]>,
    pub peer_scheme: u16,
    pub session_id: Box<[u8]>,
    pub tickets_received: u32,
    pub secrets: Secrets,
    /// A server's, until the handshake is complete.
    pub schedule: Option<Box<Schedule>>,
    /// What we encrypt under, with TLS 1.3, until the handshake is complete.
    pub writing: Option<Box<Secret>>,
    /// Why a hook of ours ended the handshake.
    pub failure: Option<Error>,
}

/// What a client offers, as its ClientHello says.
#[derive(Default)]
pub(super) struct Hello {
    pub server_name: Option<String>,
    /// Each with its length byte.
    pub alpn: Vec<u8>,
    pub suites: Vec<u16>,
    pub schemes: Vec<u16>,
    /// The newest version.
    pub version: u16,
}

impl Negotiation {
    pub(super) fn new(side: Side, user: u64) -> Self {
        Self {
            side,
            user,
            server_name: None,
            session_key: None,
            check_host: true,
            first: FirstMessage::default(),
            hello: None,
            chosen: None,
            ocsp_response: Box::default(),
            issuers: Box::default(),
            peer_schemes: Box::default(),
            peer_scheme: 0,
            session_id: Box::default(),
            tickets_received: 0,
            secrets: Secrets::default(),
            schedule: None,
            writing: None,
            failure: None,
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Box<Negotiation>>> = const { RefCell::new(None) };
}

/// Gives a negotiation back to its session, also after a panic.
struct Lent<'a> {
    home: &'a mut Option<Box<Negotiation>>,
    outer: Option<Box<Negotiation>>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        *self.home = CURRENT.replace(self.outer.take());
    }
}

/// Runs a step with the negotiation of its session. A step inside a hook of another one is no trouble.
pub(super) fn during<R>(home: &mut Option<Box<Negotiation>>, step: impl FnOnce() -> R) -> R {
    let outer = CURRENT.replace(home.take());
    let _lent = Lent { home, outer };
    step()
}

/// Looks at the negotiation of the running step; `None` outside of one. The closure must not run hooks.
pub(super) fn with<R>(look: impl FnOnce(&mut Negotiation) -> R) -> Option<R> {
    CURRENT.with_borrow_mut(|current| current.as_deref_mut().map(look))
}

/// Keeps why the handshake ends here.
pub(super) fn fail(error: Error) {
    with(|negotiation| {
        negotiation.failure.get_or_insert(error);
    });
}
