//! From a checked configuration to rustls's own.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::{Resumption, TicketRequest, Tls12Resumption};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::server::NoServerSessionStorage;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ServerConfig, SupportedCipherSuite, SupportedProtocolVersion, compress};

use super::cache::{ClientCache, ServerCache, ServerCacheOf, WithoutTickets};
use super::config::{AlpnPolicy, ClientAuth, Config, SessionConfig};
use super::failure::explained;
use super::keylog::SecretLog;
use super::names;
use super::record::protocols;
use super::resolver::Resolver;
use super::tickets::{Tickets, TicketsOf};
use super::verifier::PeerVerifier;
use crate::abi::status::{FERRONET_ERR_TLS_KEY, FERRONET_ERR_TLS_UNSUPPORTED};
use crate::error::{Error, Result};

const TLS_1_2: u32 = 0x0303;
const TLS_1_3: u32 = 0x0304;
/// Seconds; RFC 8446, 4.6.1.
const LONGEST: u32 = 604_800;

/// What sessions may override.
#[derive(Clone)]
pub(super) struct Shape {
    pub min_version: u32,
    pub max_version: u32,
    pub suites: Vec<SupportedCipherSuite>,
    pub groups: Vec<&'static dyn SupportedKxGroup>,
    /// Each with its length byte.
    pub alpn: Vec<u8>,
    pub alpn_policy: AlpnPolicy,
    pub client_auth: ClientAuth,
}

impl Shape {
    pub(super) fn new(config: &Config) -> Result<Self> {
        let shape = Self {
            min_version: version("min_version", config.min_version, TLS_1_2)?,
            max_version: version("max_version", config.max_version, TLS_1_3)?,
            suites: names::suites(&config.suites)?,
            groups: names::groups(&config.groups)?,
            alpn: checked_alpn(&config.alpn)?,
            alpn_policy: config.alpn_policy,
            client_auth: config.client_auth,
        };
        shape.versions()?;
        Ok(shape)
    }

    /// The shape with a session's values; `None` when it has none.
    pub(super) fn with(&self, config: &SessionConfig) -> Result<Option<Self>> {
        let versions = config.min_version != 0 || config.max_version != 0;
        let lists = config.suites.is_some() || config.groups.is_some() || config.alpn.is_some();
        let client_auth = config.client_auth.is_some_and(|auth| auth != self.client_auth);
        if !versions && !lists && !client_auth {
            return Ok(None);
        }
        let mut shape = self.clone();
        shape.min_version = version("min_version", config.min_version, self.min_version)?;
        shape.max_version = version("max_version", config.max_version, self.max_version)?;
        if let Some(suites) = &config.suites {
            shape.suites = names::suites(suites)?;
        }
        if let Some(groups) = &config.groups {
            shape.groups = names::groups(groups)?;
        }
        if let Some(alpn) = &config.alpn {
            shape.alpn = checked_alpn(alpn)?;
        }
        shape.client_auth = config.client_auth.unwrap_or(self.client_auth);
        shape.versions()?;
        Ok(Some(shape))
    }

    /// Versions in the range for which there is a suite.
    fn versions(&self) -> Result<Vec<&'static SupportedProtocolVersion>> {
        if self.min_version > self.max_version {
            return Err(Error::invalid(format!(
                "min_version is 0x{:04x}, above max_version 0x{:04x}: exchange them",
                self.min_version, self.max_version
            )));
        }
        let range = self.min_version..=self.max_version;
        let versions: Vec<_> = [(TLS_1_3, &TLS13), (TLS_1_2, &TLS12)]
            .into_iter()
            .filter(|(number, version)| {
                range.contains(number) && self.suites.iter().any(|suite| suite.version().version == version.version)
            })
            .map(|(_, version)| version)
            .collect();
        if versions.is_empty() {
            return Err(Error::invalid(format!(
                "suites hold none for the versions 0x{:04x} to 0x{:04x}: add one, or change the versions",
                self.min_version, self.max_version
            )));
        }
        Ok(versions)
    }

    fn provider(&self, base: &CryptoProvider) -> Arc<CryptoProvider> {
        Arc::new(CryptoProvider { cipher_suites: self.suites.clone(), kx_groups: self.groups.clone(), ..base.clone() })
    }

    fn protocols(&self) -> Vec<Vec<u8>> {
        protocols(&self.alpn).map(<[u8]>::to_vec).collect()
    }
}

/// What sessions share.
pub(super) struct Shared {
    pub base: CryptoProvider,
    pub resolver: Arc<Resolver>,
    pub log: Arc<SecretLog>,
    pub verifier: Option<Arc<PeerVerifier>>,
    pub client_cache: Option<Arc<ClientCache>>,
    pub asks_for_tickets: bool,
    pub server_cache: Option<Arc<ServerCache>>,
    pub tickets: Option<Arc<Tickets>>,
    pub client_order: bool,
    pub compress: bool,
    pub ticket_count: usize,
    pub early_data: u32,
}

impl Shared {
    pub(super) fn client(&self, shape: &Shape) -> Result<Arc<ClientConfig>> {
        let Some(verifier) = &self.verifier else {
            return Err(Error::invalid("trust is not set: a client has to judge the server's certificate"));
        };
        let mut config = ClientConfig::builder_with_provider(shape.provider(&self.base))
            .with_protocol_versions(&shape.versions()?)
            .map_err(|error| refused(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(verifier) as _)
            .with_client_cert_resolver(Arc::clone(&self.resolver) as _);
        config.alpn_protocols = shape.protocols();
        config.key_log = Arc::clone(&self.log) as _;
        config.resumption = match &self.client_cache {
            Some(cache) if self.asks_for_tickets => Resumption::store(Arc::clone(cache) as _),
            Some(cache) => Resumption::store(Arc::new(WithoutTickets(Arc::clone(cache))))
                .tls12_resumption(Tls12Resumption::SessionIdOnly),
            None => Resumption::disabled(),
        };
        if !self.asks_for_tickets {
            // RFC 9149: a server that knows the extension sends none then.
            config.send_ticket_request = Some(TicketRequest { new_session_count: 0, resumption_count: 0 });
        }
        // rustls's unbuffered client does not tell whether the server took early data: what it refused would be lost.
        config.enable_early_data = false;
        config.enable_secret_extraction = true;
        if !self.compress {
            config.cert_compressors = Vec::new();
            config.cert_decompressors = Vec::new();
        }
        Ok(Arc::new(config))
    }

    pub(super) fn server(&self, shape: &Shape) -> Result<Arc<ServerConfig>> {
        let builder = ServerConfig::builder_with_provider(shape.provider(&self.base))
            .with_protocol_versions(&shape.versions()?)
            .map_err(|error| refused(&error))?;
        let builder = match (&self.verifier, shape.client_auth) {
            (_, ClientAuth::None) => builder.with_no_client_auth(),
            (Some(verifier), auth) if verifier.client_auth == auth => {
                builder.with_client_cert_verifier(Arc::clone(verifier) as _)
            }
            (Some(verifier), client_auth) => builder
                .with_client_cert_verifier(Arc::new(PeerVerifier { client_auth, ..PeerVerifier::clone(verifier) })),
            (None, _) => {
                return Err(Error::invalid("trust is not set: a server that asks for certificates has to judge them"));
            }
        };
        let mut config = builder.with_cert_resolver(Arc::clone(&self.resolver) as _);
        config.alpn_protocols = shape.protocols();
        config.key_log = Arc::clone(&self.log) as _;
        config.ignore_client_order = !self.client_order;
        config.session_storage = match &self.server_cache {
            Some(cache) => Arc::new(ServerCacheOf { cache: Arc::clone(cache), client_auth: shape.client_auth }),
            None => Arc::new(NoServerSessionStorage {}),
        };
        if let Some(tickets) = &self.tickets {
            config.ticketer = Arc::new(TicketsOf { tickets: Arc::clone(tickets), client_auth: shape.client_auth });
        }
        config.send_tls13_tickets = self.ticket_count;
        // A client that asks for fewer (RFC 9149) gets no more.
        config.max_tls13_tickets = self.ticket_count;
        config.max_early_data_size = self.early_data;
        config.enable_secret_extraction = true;
        if self.compress {
            config.cert_compressors = compress::default_cert_compressors().to_vec();
            config.cert_decompressors = compress::default_cert_decompressors().to_vec();
        } else {
            config.cert_compressors = Vec::new();
            config.cert_decompressors = Vec::new();
        }
        Ok(Arc::new(config))
    }
}

fn refused(error: &rustls::Error) -> Error {
    Error::new(FERRONET_ERR_TLS_KEY, format!("the configuration was refused: {}", explained(error)))
}

fn version(name: &str, value: u32, default: u32) -> Result<u32> {
    match value {
        0 => Ok(default),
        TLS_1_2 | TLS_1_3 => Ok(value),
        0x0300..=0x0302 => Err(Error::new(
            FERRONET_ERR_TLS_UNSUPPORTED,
            format!("{name} is 0x{value:04x}, but versions below TLS 1.2 (0x0303) are not supported (RFC 8996)"),
        )),
        _ => Err(Error::invalid(format!(
            "{name} is 0x{value:04x}, but it must be 0x0303 (TLS 1.2), 0x0304 (TLS 1.3), or 0 for the default"
        ))),
    }
}

fn checked_alpn(alpn: &[u8]) -> Result<Vec<u8>> {
    let named: usize = protocols(alpn).filter(|name| !name.is_empty()).map(|name| 1 + name.len()).sum();
    if named != alpn.len() {
        return Err(Error::invalid(format!(
            "alpn is no list of names with a length byte each (RFC 7301, 3.1): only {named} of {} bytes are",
            alpn.len()
        )));
    }
    Ok(alpn.to_vec())
}

/// Seconds for which a session can be resumed.
pub(super) fn timeout(seconds: u32) -> Result<Duration> {
    const DEFAULT: u32 = 300;
    match seconds {
        0 => Ok(Duration::from_secs(DEFAULT.into())),
        1..=LONGEST => Ok(Duration::from_secs(seconds.into())),
        _ => Err(Error::invalid(format!(
            "session_timeout_s is {seconds}, but at most {LONGEST} (a week) are allowed (RFC 8446, 4.6.1)"
        ))),
    }
}
