//! One connection: what it is, and what can be asked of it.

use std::fmt;
use std::sync::Arc;

use rustls::HandshakeKind;
use rustls::pki_types::{IpAddr, Ipv4Addr, ServerName};

use super::config::{AlpnPolicy, SessionConfig, Side};
use super::connection::Connection;
use super::context::{Context, Made};
use super::failure::Failure;
use super::info::{Progress, SessionInfo, State, What};
use super::layer::Layer;
use super::negotiation::Negotiation;
use crate::abi::status::FERRONET_ERR_TLS_TRUNCATED;
use crate::error::{Error, Result};
use crate::text::quoted;

/// One connection. It belongs to one thread at a time, which may change between calls.
///
/// After an `Err` of a call, [`Self::progress`] has the state and the alert; [`Self::wrap`] delivers the alert once.
pub struct Session {
    pub(super) context: Arc<Context>,
    pub(super) made: Option<Made>,
    pub(super) alpn_policy: AlpnPolicy,
    /// A client's peer, for rustls; until the handshake begins.
    pub(super) name: Option<ServerName<'static>>,
    /// rustls's, until the handshake is complete; its place is then the layer's.
    pub(super) connection: Option<Box<Connection>>,
    pub(super) layer: Option<Box<Layer>>,
    pub(super) negotiation: Option<Box<Negotiation>>,
    /// Records of the handshake, and what of them is not processed.
    pub(super) incoming: Vec<u8>,
    /// Bytes for the peer, from `sent` on.
    pub(super) outgoing: Vec<u8>,
    pub(super) sent: usize,
    /// Decrypted data for which there was no room.
    pub(super) held: Vec<u8>,
    pub(super) phase: Phase,
    pub(super) failure: Option<Box<Failure>>,
    pub(super) records_in: u64,
    pub(super) records_out: u64,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
}

/// How far a session is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Phase {
    /// Something came or went.
    pub started: bool,
    /// `incoming` waits for a task.
    pub task: bool,
    /// The handshake is complete.
    pub done: bool,
    /// No more data is sent.
    pub closing: bool,
    /// The close was taken note of.
    pub close_queued: bool,
    /// Our close_notify is in `outgoing`, or was delivered: between the first key and the last there is none.
    pub close_said: bool,
    /// Our close_notify was delivered.
    pub close_sent: bool,
    /// The peer's close_notify came.
    pub close_received: bool,
    /// What we send is encrypted.
    pub ciphered: bool,
    /// The handshake was counted as begun.
    pub counted: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("state", &self.state()).finish_non_exhaustive()
    }
}

impl Session {
    /// A session of a context.
    ///
    /// # Errors
    /// What is wrong in the configuration; a client without a server name that has to check it.
    pub fn new(context: &Arc<Context>, config: SessionConfig) -> Result<Self> {
        let side = context.side();
        let (made, alpn_policy) = context.made(&config)?;
        let made = match made {
            Made::Client(client) if config.no_sni => {
                let mut client = rustls::ClientConfig::clone(&client);
                client.enable_sni = false;
                Made::Client(Arc::new(client))
            }
            made => made,
        };
        let mut negotiation = Negotiation::new(side, config.user);
        negotiation.check_host = !config.no_host_check;
        let name = match side {
            Side::Server => None,
            Side::Client => Some(peer_name(config.server_name.as_deref(), config.no_host_check)?),
        };
        if side == Side::Client {
            negotiation.server_name = config.server_name.map(|name| name.trim_end_matches('.').into());
            negotiation.session_key = config.session_key.filter(|key| !key.is_empty()).map(Vec::into_boxed_slice);
        }
        Ok(Self {
            context: Arc::clone(context),
            made: Some(made),
            alpn_policy,
            name,
            connection: None,
            layer: None,
            negotiation: Some(Box::new(negotiation)),
            incoming: Vec::new(),
            outgoing: Vec::new(),
            sent: 0,
            held: Vec::new(),
            phase: Phase::default(),
            failure: None,
            records_in: 0,
            records_out: 0,
            bytes_in: 0,
            bytes_out: 0,
        })
    }

    /// What it waits for.
    pub fn state(&self) -> State {
        let pending = self.sent < self.outgoing.len();
        let phase = self.phase;
        if self.failure.is_some() {
            return if pending { State::NeedWrap } else { State::Failed };
        }
        if phase.task {
            State::NeedTask
        } else if pending || (phase.closing && !phase.close_sent) {
            State::NeedWrap
        } else if phase.closing || phase.close_received {
            State::Closing
        } else if phase.done {
            State::Open
        } else if phase.started {
            State::NeedUnwrap
        } else {
            State::New
        }
    }

    /// State and alert, with zero counts.
    pub fn progress(&self) -> Progress {
        Progress { state: self.state(), alert: self.alert(), ..Progress::default() }
    }

    pub(super) fn alert(&self) -> Option<u8> {
        self.failure.as_ref().and_then(|failure| failure.alert)
    }

    /// Says that no more data will be sent: [`Self::wrap`] then delivers close_notify.
    ///
    /// # Errors
    /// The session has failed.
    pub fn close(&mut self) -> Result<Progress> {
        if let Some(failure) = &self.failure {
            return Err(failure.error.clone());
        }
        self.phase.closing = true;
        Ok(self.progress())
    }

    /// Says that the transport gives no more bytes.
    ///
    /// # Errors
    /// `FERRONET_ERR_TLS_TRUNCATED` when the peer's close_notify did not come: what was received may be only a part. It
    /// leaves the session as it is, so that our own close_notify can still be sent.
    pub fn end_input(&mut self) -> Result<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.error.clone());
        }
        if self.phase.close_received {
            return Ok(());
        }
        let text = if self.phase.done {
            "the transport ended before the peer's close_notify: possible truncation attack"
        } else {
            "the transport ended during the handshake"
        };
        Err(Error::new(FERRONET_ERR_TLS_TRUNCATED, text))
    }

    /// What was negotiated and counted.
    pub fn info(&self) -> SessionInfo {
        let mut info = SessionInfo {
            state: self.state(),
            alert: self.alert(),
            records_in: self.records_in,
            records_out: self.records_out,
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            buffered: (self.incoming.capacity()
                + self.outgoing.capacity()
                + self.held.capacity()
                + self.layer.as_ref().map_or(0, |layer| layer.buffered())) as u64,
            ..SessionInfo::default()
        };
        if let Some(layer) = &self.layer {
            let facts = layer.facts();
            info.version = facts.version;
            info.suite = facts.suite.suite().into();
            info.group = facts.group;
            info.resumed = facts.resumed;
            info.peer_certificates = facts.peer_certificates.len() as u32;
            info.tickets_received = layer.tickets_received();
        } else if let Some(connection) = &self.connection {
            let common = connection.common();
            info.version = common.protocol_version().map_or(0, Into::into);
            info.suite = common.negotiated_cipher_suite().map_or(0, |suite| suite.suite().into());
            info.group = common.negotiated_key_exchange_group().map_or(0, |group| group.name().into());
            info.resumed = common.handshake_kind() == Some(HandshakeKind::Resumed);
            info.peer_certificates = common.peer_certificates().map_or(0, <[_]>::len) as u32;
            info.tickets_received = connection.tickets_received();
        }
        if let Some(own) = &self.negotiation {
            info.peer_scheme = own.peer_scheme;
            info.local_certificates = own.chosen.as_ref().map_or(0, |key| key.cert.len()) as u32;
            info.issuers = own.issuers.len() as u32;
        }
        info
    }

    /// One of the session's byte strings; `None` when there is none (with that index).
    pub fn bytes(&self, what: What, index: usize) -> Option<&[u8]> {
        let common = self.connection.as_ref().map(|connection| connection.common());
        let facts = self.layer.as_ref().map(|layer| layer.facts());
        let own = self.negotiation.as_deref();
        let found: Option<&[u8]> = match what {
            What::PeerCertificate => {
                let certificates = match facts {
                    Some(facts) => &facts.peer_certificates,
                    None => common?.peer_certificates()?,
                };
                return certificates.get(index).map(AsRef::as_ref);
            }
            What::LocalCertificate => return own?.chosen.as_ref()?.cert.get(index).map(AsRef::as_ref),
            What::Issuer => return own?.issuers.get(index).map(AsRef::as_ref),
            What::Alpn => match facts {
                Some(facts) => Some(&*facts.alpn),
                None => common.and_then(|common| common.alpn_protocol()),
            },
            What::ServerName => own.and_then(|own| own.server_name.as_deref()).map(str::as_bytes),
            What::OcspResponse => own.map(|own| &*own.ocsp_response),
            What::SessionId => own.map(|own| &*own.session_id),
            What::PeerSchemes => own.map(|own| &*own.peer_schemes),
        };
        found.filter(|found| index == 0 && !found.is_empty())
    }

    /// Keying material (RFC 5705; RFC 8446, 7.5). TLS 1.3 takes no context for an empty one.
    ///
    /// # Errors
    /// The handshake is not complete; nothing is asked for, or too much.
    pub fn export(&self, label: &[u8], context: Option<&[u8]>, out: &mut [u8]) -> Result<()> {
        match (&self.negotiation, &self.layer) {
            (Some(own), Some(layer)) => own.secrets.export(layer.facts().suite, label, context, out),
            _ => Err(Error::invalid("keying material can be exported once the handshake is complete: call again then")),
        }
    }

    /// The context that it was made with.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

/// What rustls checks and sends. Without a name it gets an address that stands for none.
fn peer_name(name: Option<&str>, no_host_check: bool) -> Result<ServerName<'static>> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        if no_host_check {
            return Ok(ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0; 4]))));
        }
        return Err(Error::invalid(
            "server_name is empty, but a client checks it: set it, or give up the check with FERRONET_TLS_NO_HOST_CHECK",
        ));
    };
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    ServerName::try_from(bare.trim_end_matches('.').to_owned()).map_err(|_| {
        Error::invalid(format!(
            "server_name is {}, which is neither a DNS name nor an IP address",
            quoted(name.as_bytes())
        ))
    })
}
