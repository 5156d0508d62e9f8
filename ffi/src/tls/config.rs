//! What contexts, credentials and sessions are made from.

use std::path::PathBuf;
use std::sync::Arc;

use super::credential::Credential;
use super::hooks::{Chooser, KeyLog, Signer, Verifier};

/// Which end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Opens it.
    Client,
    /// Accepts it.
    Server,
}

/// Whether a server asks for the client's certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientAuth {
    /// It does not.
    #[default]
    None,
    /// It asks, and takes a client without one; one that is sent is judged.
    Optional,
    /// A client without one is refused.
    Required,
}

/// Who judges the peer's certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Not said: refused where certificates have to be judged.
    #[default]
    Unset,
    /// The certificates in [`Config::roots`]. A peer's certificate of X.509 version 1 is refused.
    Roots,
    /// The operating system's store; for clients.
    Platform,
    /// [`Config::verifier`]. Of the peer's certificates only the first one's public key is read here, whatever their version.
    Callback,
    /// Nobody: any certificate is taken.
    InsecureNone,
}

/// What happens when both sides name protocols (ALPN) and none is in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlpnPolicy {
    /// The handshake ends with the alert no_application_protocol.
    #[default]
    Fatal,
    /// It goes on without a protocol.
    Accept,
}

/// How [`Config::crls`] are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrlPolicy {
    /// Only the end entity's certificate is looked for.
    pub end_entity_only: bool,
    /// A certificate that no list covers is taken.
    pub allow_unknown: bool,
    /// A list past its nextUpdate is refused.
    pub enforce_expiry: bool,
}

/// Everything that sessions have in common. Numbers that are zero, and texts that are empty, mean the default.
#[derive(Clone)]
pub struct Config {
    /// Which end.
    pub side: Side,
    /// Every handshake flight is a task, also without callbacks.
    pub tasks: bool,
    /// A server issues no tickets, and a client asks for none.
    pub no_tickets: bool,
    /// Sessions are not kept for resumption.
    pub no_session_cache: bool,
    /// No session is resumed: as [`Self::no_tickets`] and [`Self::no_session_cache`] together.
    pub no_resumption: bool,
    /// A server follows the client's order of suites.
    pub client_order: bool,
    /// A server takes early data. A client sends none in any case.
    pub early_data: bool,
    /// Certificates are compressed with zlib where the peer agrees.
    pub compress_certificates: bool,
    /// Whether a server asks for a certificate.
    pub client_auth: ClientAuth,
    /// Who judges the peer.
    pub trust: Trust,
    /// Oldest version, as on the wire; default TLS 1.2.
    pub min_version: u32,
    /// Newest version, as on the wire; default TLS 1.3.
    pub max_version: u32,
    /// No protocol in common.
    pub alpn_policy: AlpnPolicy,
    /// How revocation lists are used.
    pub crl_policy: CrlPolicy,
    /// Certificates with their keys, the default first.
    pub credentials: Vec<Credential>,
    /// Trusted authorities, PEM or concatenated DER.
    pub roots: Vec<u8>,
    /// Revocation lists, PEM or concatenated DER.
    pub crls: Vec<u8>,
    /// Cipher suites by IANA or OpenSSL name, `:` or `,` in between; the order is the preference.
    pub suites: String,
    /// Groups by name, in the order of preference.
    pub groups: String,
    /// Protocols, each as a length byte and its name, in the order of preference.
    pub alpn: Vec<u8>,
    /// A file to which key log lines are added.
    pub key_log_path: Option<PathBuf>,
    /// Sessions kept; default 20,480.
    pub session_cache_size: u32,
    /// Seconds for which a session can be resumed; default 300, at most 604,800.
    pub session_timeout_s: u32,
    /// TLS 1.3 tickets for each handshake of a server; default 2.
    pub ticket_count: u32,
    /// Bytes of early data that a server takes; default 16,384 with [`Self::early_data`].
    pub max_early_data: u32,
    /// Bytes that the peer's chain may have; default, and at most, 65,535.
    pub max_certificate_bytes: u64,
    /// Keys of tickets, 48 bytes each (16 of name, 32 of key); the first encrypts. Empty: random ones that rotate.
    pub ticket_keys: Vec<u8>,
    /// Judges certificates, with [`Trust::Callback`].
    pub verifier: Option<Arc<dyn Verifier>>,
    /// Chooses the credential instead of [`Self::credentials`].
    pub chooser: Option<Arc<dyn Chooser>>,
    /// Receives the key log.
    pub key_log: Option<Arc<dyn KeyLog>>,
}

impl Config {
    /// The defaults of a side.
    pub fn new(side: Side) -> Self {
        Self {
            side,
            tasks: false,
            no_tickets: false,
            no_session_cache: false,
            no_resumption: false,
            client_order: false,
            early_data: false,
            compress_certificates: false,
            client_auth: ClientAuth::None,
            trust: Trust::Unset,
            min_version: 0,
            max_version: 0,
            alpn_policy: AlpnPolicy::Fatal,
            crl_policy: CrlPolicy::default(),
            credentials: Vec::new(),
            roots: Vec::new(),
            crls: Vec::new(),
            suites: String::new(),
            groups: String::new(),
            alpn: Vec::new(),
            key_log_path: None,
            session_cache_size: 0,
            session_timeout_s: 0,
            ticket_count: 0,
            max_early_data: 0,
            max_certificate_bytes: 0,
            ticket_keys: Vec::new(),
            verifier: None,
            chooser: None,
            key_log: None,
        }
    }
}

/// A certificate chain with its key, or with a [`Signer`] for it.
#[derive(Clone, Default)]
pub struct CredentialConfig {
    /// Certificates, the end entity's first; PEM or concatenated DER.
    pub chain: Vec<u8>,
    /// Private key, PEM or DER, of PKCS#8, PKCS#1 or SEC1. Empty with a signer.
    pub key: Vec<u8>,
    /// Password of an encrypted PKCS#8 key.
    pub password: Vec<u8>,
    /// OCSP response to staple, DER; empty for none.
    pub ocsp_response: Vec<u8>,
    /// Server names that it serves, commas in between; `*.` stands for one label. Empty: those of the certificate.
    pub names: String,
    /// Signs instead of [`Self::key`].
    pub signer: Option<Arc<dyn Signer>>,
    /// Schemes (RFC 8446, 4.2.3) that the signer offers, in the order of preference. Empty: all of the key's type.
    pub schemes: Vec<u16>,
}

/// What is special to a session; `None` and zero mean the context's value.
#[derive(Clone, Debug, Default)]
pub struct SessionConfig {
    /// A client does not send its `server_name`.
    pub no_sni: bool,
    /// The name in the certificate is not compared.
    pub no_host_check: bool,
    /// Any number; callbacks get it back.
    pub user: u64,
    /// The peer's DNS name or IP address, of a client.
    pub server_name: Option<String>,
    /// What a client's session is kept under; default the server name.
    pub session_key: Option<Vec<u8>>,
    /// Oldest version.
    pub min_version: u32,
    /// Newest version.
    pub max_version: u32,
    /// Whether a server asks for a certificate.
    pub client_auth: Option<ClientAuth>,
    /// No protocol in common.
    pub alpn_policy: Option<AlpnPolicy>,
    /// Protocols, as in [`Config::alpn`].
    pub alpn: Option<Vec<u8>>,
    /// Suites, as in [`Config::suites`].
    pub suites: Option<String>,
    /// Groups, as in [`Config::groups`].
    pub groups: Option<String>,
}
