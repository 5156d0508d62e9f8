//! What sessions have in common.

use std::fmt;
use std::sync::{Arc, RwLock};

use rustls::{ClientConfig, ServerConfig};

use super::assembly::{Shape, Shared, timeout};
use super::cache::{ClientCache, ServerCache};
use super::config::{AlpnPolicy, ClientAuth, Config, SessionConfig, Side, Trust};
use super::counters::Counters;
use super::credential::Credential;
use super::der;
use super::info::ContextInfo;
use super::keylog::SecretLog;
use super::native;
use super::resolver::Resolver;
use super::tickets::Tickets;
use super::verifier::{Judge, PeerVerifier};
use crate::error::{Error, Result};

/// RFC 8446 allows more, but rustls takes no handshake message above it.
const MAX_CERTIFICATE_BYTES: u64 = 65_535;
const DEFAULT_CACHE: u32 = 20_480;
const DEFAULT_TICKETS: u32 = 2;
const MOST_TICKETS: u32 = 100;
const DEFAULT_EARLY_DATA: u32 = 16_384;

/// What sessions have in common: configuration, caches, ticket keys, counters. Any thread.
pub struct Context {
    side: Side,
    shape: Shape,
    shared: Shared,
    made: Made,
    counters: Arc<Counters>,
    deferred: bool,
}

/// rustls's configuration of a side.
#[derive(Clone)]
pub(super) enum Made {
    Client(Arc<ClientConfig>),
    Server(Arc<ServerConfig>),
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("side", &self.side).finish_non_exhaustive()
    }
}

impl Context {
    /// Reads and checks the configuration.
    ///
    /// # Errors
    /// What is wrong in it, by which rule, and the remedy.
    pub fn new(config: Config) -> Result<Arc<Self>> {
        let mut config = config;
        config.no_tickets |= config.no_resumption;
        config.no_session_cache |= config.no_resumption;
        let counters = Arc::<Counters>::default();
        let shape = Shape::new(&config)?;
        check(&config)?;
        let lifetime = timeout(config.session_timeout_s)?;
        let base = native::provider()?;
        let verifier = verifier(&config, &base)?;
        let deferred = config.tasks
            || config.trust == Trust::Callback
            || config.chooser.is_some()
            || config.credentials.iter().any(Credential::is_external);

        let capacity = if config.session_cache_size == 0 { DEFAULT_CACHE } else { config.session_cache_size };
        let cached = !config.no_session_cache;
        let server = config.side == Side::Server;
        let with_tickets = server && !config.no_tickets && !config.early_data;
        let tickets = if with_tickets {
            Some(Arc::new(Tickets::new(&config.ticket_keys, lifetime, Arc::clone(&counters))?))
        } else {
            None
        };
        zeroize::Zeroize::zeroize(&mut config.ticket_keys);
        let ticket_count = if config.ticket_count == 0 { DEFAULT_TICKETS } else { config.ticket_count };
        let shared = Shared {
            base,
            resolver: Arc::new(Resolver { credentials: RwLock::new(config.credentials), chooser: config.chooser }),
            log: Arc::new(SecretLog::new(config.key_log_path.as_deref(), config.key_log)?),
            verifier,
            client_cache: (cached && !server)
                .then(|| Arc::new(ClientCache::new(capacity as usize, lifetime, Arc::clone(&counters)))),
            asks_for_tickets: !config.no_tickets,
            server_cache: (cached && server)
                .then(|| Arc::new(ServerCache::new(capacity as usize, lifetime, Arc::clone(&counters)))),
            ticket_count: if tickets.is_some() || cached { ticket_count as usize } else { 0 },
            tickets,
            client_order: config.client_order,
            compress: config.compress_certificates,
            early_data: match (config.early_data, config.max_early_data) {
                (false, _) => 0,
                (true, 0) => DEFAULT_EARLY_DATA,
                (true, bytes) => bytes,
            },
        };
        let made = make(&shared, config.side, &shape)?;
        Ok(Arc::new(Self { side: config.side, shape, shared, made, counters, deferred }))
    }

    /// Replaces the keys of tickets: 48 bytes each (16 of name, 32 of key). The first encrypts, all decrypt.
    ///
    /// # Errors
    /// No key, a length that is no multiple of 48, or the context issues no tickets.
    pub fn set_ticket_keys(&self, keys: &[u8]) -> Result<()> {
        match &self.shared.tickets {
            Some(tickets) => tickets.set_keys(keys),
            None => Err(Error::invalid(
                "this context issues no tickets: only a server has keys for them, without NO_TICKETS, NO_RESUMPTION and EARLY_DATA",
            )),
        }
    }

    /// Replaces the OCSP response of the credential with that index, from the next handshake on; empty for none.
    ///
    /// # Errors
    /// There is no such credential.
    pub fn set_ocsp_response(&self, index: usize, der: &[u8]) -> Result<()> {
        if self.shared.resolver.replace(index, |credential| credential.with_ocsp_response(der)) {
            return Ok(());
        }
        let count = self.shared.resolver.with(<[Credential]>::len);
        Err(Error::invalid(format!("index is {index}, but the context has {count} credentials")))
    }

    /// Counters and the size of the cache.
    pub fn info(&self) -> ContextInfo {
        let server = self.shared.server_cache.as_ref().map_or(0, |cache| cache.len());
        let client = self.shared.client_cache.as_ref().map_or(0, |cache| cache.len());
        ContextInfo { cache_entries: (server + client) as u64, ..self.counters.info() }
    }

    /// Forgets every session.
    pub fn clear_sessions(&self) {
        if let Some(cache) = &self.shared.server_cache {
            cache.clear();
        }
        if let Some(cache) = &self.shared.client_cache {
            cache.clear();
        }
    }

    /// Forgets the sessions under a key (client), or with an id (server), and tells whether there was one.
    pub fn remove_session(&self, key: &[u8]) -> bool {
        let server = self.shared.server_cache.as_ref().is_some_and(|cache| cache.remove(key));
        let client = self.shared.client_cache.as_ref().is_some_and(|cache| cache.remove(key));
        server || client
    }

    /// Which end its sessions are.
    pub fn side(&self) -> Side {
        self.side
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Whether handshakes go on in tasks only.
    pub(super) fn is_deferred(&self) -> bool {
        self.deferred
    }

    /// The configuration of a session, its ALPN policy and its protocols.
    pub(super) fn made(&self, config: &SessionConfig) -> Result<(Made, AlpnPolicy)> {
        let policy = config.alpn_policy.unwrap_or(self.shape.alpn_policy);
        let made = match self.shape.with(config)? {
            None => self.made.clone(),
            Some(shape) => make(&self.shared, self.side, &shape)?,
        };
        Ok((made, policy))
    }
}

fn make(shared: &Shared, side: Side, shape: &Shape) -> Result<Made> {
    Ok(match side {
        Side::Client => Made::Client(shared.client(shape)?),
        Side::Server => Made::Server(shared.server(shape)?),
    })
}

/// What contradicts itself.
fn check(config: &Config) -> Result<()> {
    let server = config.side == Side::Server;
    if server && config.credentials.is_empty() && config.chooser.is_none() {
        return Err(Error::invalid("a server needs a credential, or a chooser of credentials"));
    }
    if !server && config.client_auth != ClientAuth::None {
        return Err(Error::invalid("client_auth is set, but it is for servers: leave it out"));
    }
    if config.trust == Trust::Callback && config.verifier.is_none() {
        return Err(Error::invalid("trust is the callback, but there is none: set verify"));
    }
    if config.trust != Trust::Callback && config.verifier.is_some() {
        return Err(Error::invalid(
            "verify is set, but trust is not the callback: set trust to FERRONET_TLS_TRUST_CALLBACK",
        ));
    }
    if config.max_certificate_bytes > MAX_CERTIFICATE_BYTES {
        return Err(Error::invalid(format!(
            "max_certificate_bytes is {}, but at most {MAX_CERTIFICATE_BYTES} can be received",
            config.max_certificate_bytes
        )));
    }
    if config.ticket_count > MOST_TICKETS {
        return Err(Error::invalid(format!(
            "ticket_count is {}, but at most {MOST_TICKETS} are sent",
            config.ticket_count
        )));
    }
    if !config.ticket_keys.is_empty() && (!server || config.no_tickets || config.early_data) {
        return Err(Error::invalid(
            "ticket_keys are set, but this context issues no stateless tickets: they are for servers without NO_TICKETS, NO_RESUMPTION and EARLY_DATA",
        ));
    }
    if config.early_data && config.no_session_cache {
        return Err(Error::invalid(
            "early data needs the session cache, without which a replay cannot be told: leave NO_SESSION_CACHE and NO_RESUMPTION out",
        ));
    }
    Ok(())
}

fn verifier(config: &Config, base: &rustls::crypto::CryptoProvider) -> Result<Option<Arc<PeerVerifier>>> {
    let provider = Arc::new(base.clone());
    let roots =
        if config.roots.is_empty() { None } else { Some(native::roots(&der::certificates("roots", &config.roots)?)?) };
    let lists = if config.crls.is_empty() { Vec::new() } else { der::revocation_lists("crls", &config.crls)? };
    let server = config.side == Side::Server;
    if !lists.is_empty() && config.trust != Trust::Roots {
        return Err(Error::invalid(
            "crls are set, but they are looked at with trust in roots only: set FERRONET_TLS_TRUST_ROOTS, or leave them out",
        ));
    }
    let judge = match (config.trust, &config.verifier) {
        (Trust::Unset, _) if roots.is_some() => {
            return Err(Error::invalid("roots are set, but trust is not: set it to FERRONET_TLS_TRUST_ROOTS"));
        }
        (Trust::Unset, _) if !server => {
            return Err(Error::invalid(
                "trust is not set: a client has to judge the server's certificate; FERRONET_TLS_TRUST_INSECURE_NONE takes any",
            ));
        }
        (Trust::Unset, _) if config.client_auth != ClientAuth::None => {
            return Err(Error::invalid("trust is not set: a server that asks for certificates has to judge them"));
        }
        (Trust::Unset, _) => return Ok(None),
        (Trust::Roots, _) => {
            let Some(roots) = &roots else {
                return Err(Error::invalid("trust is in roots, but there are none: set roots"));
            };
            if server {
                Judge::Client(native::client_verifier(&provider, roots, &lists, config.crl_policy)?)
            } else {
                Judge::Server(native::server_verifier(&provider, roots, &lists, config.crl_policy)?)
            }
        }
        (Trust::Platform, _) if server => {
            return Err(Error::invalid(
                "trust is the platform's, which judges servers only: set roots for clients' certificates",
            ));
        }
        (Trust::Platform, _) => Judge::Server(native::platform_verifier(&provider)?),
        (Trust::Callback, Some(hook)) => Judge::Hook(Arc::clone(hook)),
        (Trust::Callback, None) => return Err(Error::invalid("trust is the callback, but there is none: set verify")),
        (Trust::InsecureNone, _) => Judge::Nobody,
    };
    let max_bytes =
        if config.max_certificate_bytes == 0 { MAX_CERTIFICATE_BYTES } else { config.max_certificate_bytes };
    Ok(Some(Arc::new(PeerVerifier {
        judge,
        client_auth: config.client_auth,
        algorithms: provider.signature_verification_algorithms,
        max_bytes: max_bytes as usize,
        hints: roots.map(|roots| roots.subjects().into()).unwrap_or_default(),
    })))
}
