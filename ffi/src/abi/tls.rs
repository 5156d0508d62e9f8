//! TLS: sides, versions, policies, events, the size-prefixed structures, and the callbacks.
#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_void};
use core::ptr::NonNull;

use super::record::ferronet_region;
use crate::boundary::tls::ferronet_tls_credential;

/// `side`: the end that opens the connection. Since revision 3.
pub const FERRONET_TLS_CLIENT: u32 = 1;
/// `side`: the end that accepts it. Since revision 3.
pub const FERRONET_TLS_SERVER: u32 = 2;

/// TLS 1.2, RFC 5246; the number on the wire. Since revision 3.
pub const FERRONET_TLS_VERSION_1_2: u32 = 0x0303;
/// TLS 1.3, RFC 8446; the number on the wire. Since revision 3.
pub const FERRONET_TLS_VERSION_1_3: u32 = 0x0304;

/// `client_auth`: the server asks for no certificate. Since revision 3.
pub const FERRONET_TLS_CLIENT_AUTH_NONE: u32 = 0;
/// `client_auth`: the server asks, and takes a client without one; a certificate that is sent is checked. Since revision 3.
pub const FERRONET_TLS_CLIENT_AUTH_OPTIONAL: u32 = 1;
/// `client_auth`: a client without a certificate is refused (FERRONET_ERR_TLS_NO_CERTIFICATE). Since revision 3.
pub const FERRONET_TLS_CLIENT_AUTH_REQUIRED: u32 = 2;

/// `trust`: not said. Refused where a peer's certificate has to be judged: for clients, and for servers that ask for one.
/// Since revision 3.
pub const FERRONET_TLS_TRUST_UNSET: u32 = 0;
/// `trust`: the certificates in `roots`. A peer's certificate of X.509 version 1 is refused. Since revision 3.
pub const FERRONET_TLS_TRUST_ROOTS: u32 = 1;
/// `trust`: the operating system's store. Since revision 3.
pub const FERRONET_TLS_TRUST_PLATFORM: u32 = 2;
/// `trust`: the `verify` callback. Of the peer's certificates only the first one's public key is read here, whatever their version. Since revision 3.
pub const FERRONET_TLS_TRUST_CALLBACK: u32 = 3;
/// `trust`: any certificate is taken, whoever shows it. Protects from nobody who is on the path. Since revision 3.
pub const FERRONET_TLS_TRUST_INSECURE_NONE: u32 = 4;

/// Context flag: no session tickets (RFC 5077; RFC 8446, 4.6.1) are issued, and none is asked for. Since revision 3.
pub const FERRONET_TLS_NO_TICKETS: u32 = 1;
/// Context flag: no session is kept for resumption. Since revision 3.
pub const FERRONET_TLS_NO_SESSION_CACHE: u32 = 2;
/// Context flag: every flight of the handshake is a task (FERRONET_TLS_STATE_NEED_TASK). Since revision 3.
pub const FERRONET_TLS_TASKS: u32 = 4;
/// Context flag: a server follows the client's order of cipher suites instead of its own. Since revision 3.
pub const FERRONET_TLS_CLIENT_ORDER: u32 = 8;
/// Context flag: a server takes early data (RFC 8446, 2.3), which can be replayed: ferronet_tls_session_unwrap gives it before
/// FERRONET_TLS_EVENT_HANDSHAKE_DONE. It then keeps its sessions itself, each for one resumption, instead of issuing stateless tickets. A client sends no
/// early data, with or without this flag. Since revision 3.
pub const FERRONET_TLS_EARLY_DATA: u32 = 16;
/// Context flag: certificates are compressed with zlib where the peer agrees (RFC 8879). Since revision 3.
pub const FERRONET_TLS_COMPRESS_CERTIFICATES: u32 = 32;
/// Context flag: no session is resumed. A server issues neither tickets nor session ids, a client asks for none and keeps none; as
/// FERRONET_TLS_NO_TICKETS and FERRONET_TLS_NO_SESSION_CACHE together. Refused with FERRONET_TLS_EARLY_DATA and with `ticket_keys`.
/// Since revision 4.
pub const FERRONET_TLS_NO_RESUMPTION: u32 = 64;

/// `alpn_policy`: no protocol in common ends the handshake, with the alert no_application_protocol (RFC 7301, 3.2).
/// Since revision 3.
pub const FERRONET_TLS_ALPN_FATAL: u32 = 0;
/// `alpn_policy`: no protocol in common goes on without one. Since revision 3.
pub const FERRONET_TLS_ALPN_ACCEPT: u32 = 1;

/// `crl_policy`: only the end entity's certificate is looked for in `crls`, not those above it. Since revision 3.
pub const FERRONET_TLS_CRL_END_ENTITY: u32 = 1;
/// `crl_policy`: a certificate that no list covers is taken. Since revision 3.
pub const FERRONET_TLS_CRL_ALLOW_UNKNOWN: u32 = 2;
/// `crl_policy`: a list past its nextUpdate time (RFC 5280, 5.1.2.5) is refused. Since revision 3.
pub const FERRONET_TLS_CRL_ENFORCE_EXPIRY: u32 = 4;

/// Session flag: a client does not send `server_name` (RFC 6066, 3); it still checks it. Since revision 3.
pub const FERRONET_TLS_NO_SNI: u32 = 1;
/// Session flag: the name in the certificate is not compared with `server_name`; the chain is still checked. Since revision 3.
pub const FERRONET_TLS_NO_HOST_CHECK: u32 = 2;

/// Unwrap flag: the input may be overwritten, and is then decrypted where it lies. Since revision 3.
pub const FERRONET_TLS_IN_PLACE: u32 = 1;

/// `result`: the call did all it could; nothing is missing. Since revision 3.
pub const FERRONET_TLS_OK: u32 = 0;
/// `result`: the rest of a record, or the peer's next flight, is missing. Since revision 3.
pub const FERRONET_TLS_NEEDS_INPUT: u32 = 1;
/// `result`: the output is too small for the next record; `needed` says how much it takes. Since revision 3.
pub const FERRONET_TLS_NEEDS_OUTPUT: u32 = 2;
/// `result`: unwrap: the peer's close_notify was received. wrap: ours was sent, so that no data is taken. Since revision 3.
pub const FERRONET_TLS_CLOSED: u32 = 3;

/// `state`: nothing has happened yet. Since revision 3.
pub const FERRONET_TLS_STATE_NEW: u32 = 0;
/// `state`: the handshake waits for the peer's bytes. Since revision 3.
pub const FERRONET_TLS_STATE_NEED_UNWRAP: u32 = 1;
/// `state`: bytes wait for ferronet_tls_session_wrap: handshake, alert or close_notify. Since revision 3.
pub const FERRONET_TLS_STATE_NEED_WRAP: u32 = 2;
/// `state`: the handshake waits for ferronet_tls_session_task. Since revision 3.
pub const FERRONET_TLS_STATE_NEED_TASK: u32 = 3;
/// `state`: the handshake is complete; data goes both ways. Since revision 3.
pub const FERRONET_TLS_STATE_OPEN: u32 = 4;
/// `state`: a close_notify was sent or received. Since revision 3.
pub const FERRONET_TLS_STATE_CLOSING: u32 = 5;
/// `state`: the session has failed, and its alert was delivered. Since revision 3.
pub const FERRONET_TLS_STATE_FAILED: u32 = 6;

/// `events`: the handshake became complete in this call. Since revision 3.
pub const FERRONET_TLS_EVENT_HANDSHAKE_DONE: u32 = 1;
/// `events`: the peer's close_notify came in this call. Since revision 3.
pub const FERRONET_TLS_EVENT_CLOSE_NOTIFY_RECEIVED: u32 = 2;
/// `events`: this call put our close_notify into the output. Since revision 3.
pub const FERRONET_TLS_EVENT_CLOSE_NOTIFY_SENT: u32 = 4;
/// `events`: the peer sent a session ticket. Since revision 3.
pub const FERRONET_TLS_EVENT_TICKET_RECEIVED: u32 = 8;
/// `events`: the peer changed its keys (RFC 8446, 4.6.3). Since revision 3.
pub const FERRONET_TLS_EVENT_KEY_UPDATE: u32 = 16;

/// ferronet_tls_session_get_bytes: the protocol that ALPN chose (RFC 7301). Since revision 3.
pub const FERRONET_TLS_BYTES_ALPN: u32 = 1;
/// ferronet_tls_session_get_bytes: the server name that was sent or received, as text. Since revision 3.
pub const FERRONET_TLS_BYTES_SERVER_NAME: u32 = 2;
/// ferronet_tls_session_get_bytes: a certificate of the peer's, DER, the end entity's first. Since revision 3.
pub const FERRONET_TLS_BYTES_PEER_CERTIFICATE: u32 = 3;
/// ferronet_tls_session_get_bytes: a certificate that we sent, DER, the end entity's first. Since revision 3.
pub const FERRONET_TLS_BYTES_LOCAL_CERTIFICATE: u32 = 4;
/// ferronet_tls_session_get_bytes: the OCSP response that the server stapled, DER (RFC 6066, 8). Since revision 3.
pub const FERRONET_TLS_BYTES_OCSP_RESPONSE: u32 = 5;
/// ferronet_tls_session_get_bytes: an id of the session, at most 32 bytes. Since revision 3.
pub const FERRONET_TLS_BYTES_SESSION_ID: u32 = 6;
/// ferronet_tls_session_get_bytes: a name of an authority that the server takes client certificates of, DER. Since revision 3.
pub const FERRONET_TLS_BYTES_ISSUER: u32 = 7;
/// ferronet_tls_session_get_bytes: the signature schemes that the peer takes, two bytes each, big-endian (RFC 8446, 4.2.3).
/// Since revision 3.
pub const FERRONET_TLS_BYTES_PEER_SCHEMES: u32 = 8;

/// ferronet_tls_names: cipher suites, each as IANA=OPENSSL, the preferred first. Since revision 3.
pub const FERRONET_TLS_NAMES_SUITES: u32 = 1;
/// ferronet_tls_names: key-exchange groups, the preferred first. Since revision 3.
pub const FERRONET_TLS_NAMES_GROUPS: u32 = 2;
/// ferronet_tls_names: signature schemes by their names in RFC 8446. Since revision 3.
pub const FERRONET_TLS_NAMES_SCHEMES: u32 = 3;
/// ferronet_tls_names: protocol versions, "TLSv1.2" and "TLSv1.3". Since revision 3.
pub const FERRONET_TLS_NAMES_VERSIONS: u32 = 4;

/// `flags` of ferronet_tls_verification: the certificate must be for `server_name`. Since revision 3.
pub const FERRONET_TLS_VERIFY_HOST: u32 = 1;

/// Judges the peer's certificates. Since revision 3.
///
/// It gets back its own `context`. 0 accepts; a number above 0 refuses with that alert (RFC 8446, 6.2; 42 is
/// bad_certificate); below 0 says that the judgement itself failed (handshake_failure is sent, FERRONET_ERR_TLS_CALLBACK
/// returned). It must not throw, unwind or jump out, and must not call a function on the same session.
/// Owner: the request and what it names are the library's, and valid during the call. Threads: called inside
/// ferronet_tls_session_task, on its thread.
pub type ferronet_tls_verify_callback =
    Option<unsafe extern "C" fn(context: *mut c_void, request: *const ferronet_tls_verification) -> i32>;

/// Signs a message with a key that the library does not hold. Since revision 3.
///
/// It gets back its own `context`, and the session's `user`. `scheme` is the number of RFC 8446, 4.2.3; the message is not
/// hashed yet. Returns the bytes written to `out`, of `capacity`, or a negative number (FERRONET_ERR_TLS_CALLBACK is
/// returned then). It must not throw, unwind or jump out, and must not call a function on the same session.
/// Owner: the memory is the library's, and valid during the call. Threads: called inside ferronet_tls_session_task, on its
/// thread; for several sessions at a time.
pub type ferronet_tls_sign_callback = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        user: u64,
        scheme: u32,
        message: *const u8,
        length: u64,
        out: *mut u8,
        capacity: u64,
    ) -> i64,
>;

/// Chooses the credential of a session: a server's for a ClientHello, a client's for a CertificateRequest. Since revision 3.
///
/// It gets back its own `context`. It writes a credential to `*out`, which holds NULL at first, and returns 0. NULL means none: a server
/// sends an alert then, a client no certificate. A negative number says that the choice failed (FERRONET_ERR_TLS_CALLBACK).
/// It must not throw, unwind or jump out, and must not call a function on the same session.
/// Owner: the credential stays the caller's, and may be freed once the callback has returned. The request is the library's, and
/// valid during the call. Threads: called inside ferronet_tls_session_task, on its thread.
pub type ferronet_tls_choose_callback = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        request: *const ferronet_tls_choice,
        out: *mut *mut ferronet_tls_credential,
    ) -> i32,
>;

/// Receives a line of the NSS key log format, with which whoever has it can read the connection. Since revision 3.
///
/// It gets back its own `context`, and the session's `user`. `line` is text of `length` bytes without a line end (a zero byte follows):
/// label, client random and secret. It must not throw, unwind or jump out, and must not call a function on the same session.
/// Owner: the text is the library's, and valid during the call. Threads: called inside wrap, unwrap or task of a session, on
/// their thread.
pub type ferronet_tls_key_log_callback =
    Option<unsafe extern "C" fn(context: *mut c_void, user: u64, line: *const c_char, length: u64)>;

/// A certificate chain with its key. Size-prefixed; all memory is copied. Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ferronet_tls_credential_config {
    /// Bytes of this structure that the caller fills.
    pub size: u32,
    /// Must be zero.
    pub flags: u32,
    /// Certificates, the end entity's first: PEM, or DER one behind the other.
    pub chain: ferronet_region,
    /// Private key: PEM or DER, of PKCS#8, PKCS#1 or SEC1. Empty with `sign`.
    pub key: ferronet_region,
    /// Password of an encrypted PKCS#8 key, UTF-8.
    pub password: ferronet_region,
    /// OCSP response to staple, DER (RFC 6066, 8). Empty for none.
    pub ocsp_response: ferronet_region,
    /// Server names that it serves, as text with commas in between; "*." in front stands for one label. Empty: the names in the certificate.
    pub names: ferronet_region,
    /// Signs in place of `key`. NULL: `key` does.
    pub sign: ferronet_tls_sign_callback,
    /// Given back to `sign`.
    pub sign_context: Option<NonNull<c_void>>,
    /// Schemes that `sign` offers, the preferred first: an array of uint16_t, numbers of RFC 8446, 4.2.3. Empty: all of the certificate's
    /// key type.
    pub schemes: ferronet_region,
}

/// Everything that sessions have in common. Size-prefixed; zero means the default of each field; all memory is copied.
/// Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ferronet_tls_config {
    /// Bytes of this structure that the caller fills.
    pub size: u32,
    /// FERRONET_TLS_CLIENT or FERRONET_TLS_SERVER.
    pub side: u32,
    /// Context flags.
    pub flags: u32,
    /// FERRONET_TLS_CLIENT_AUTH_*, of a server.
    pub client_auth: u32,
    /// FERRONET_TLS_TRUST_*.
    pub trust: u32,
    /// Oldest version, FERRONET_TLS_VERSION_*; default 1.2.
    pub min_version: u32,
    /// Newest version; default 1.3.
    pub max_version: u32,
    /// FERRONET_TLS_ALPN_FATAL or FERRONET_TLS_ALPN_ACCEPT.
    pub alpn_policy: u32,
    /// FERRONET_TLS_CRL_* bits.
    pub crl_policy: u32,
    /// Pointers at `credentials`.
    pub credential_count: u32,
    /// Address of an array of ferronet_tls_credential *. A server takes the first whose names hold the client's server name and whose key
    /// fits the client's signature schemes, else the first that fits; a client the first that fits the server's request.
    pub credentials: u64,
    /// Certificates of authorities for FERRONET_TLS_TRUST_ROOTS: PEM, or DER one behind the other. A server also names them to its clients.
    pub roots: ferronet_region,
    /// Certificate revocation lists: PEM, or DER one behind the other. Empty: revocation is not checked.
    pub crls: ferronet_region,
    /// Cipher suites, the preferred first: IANA or OpenSSL names with ':' or ',' in between. Empty: all.
    pub suites: ferronet_region,
    /// Key-exchange groups, the preferred first: names with ':' or ',' in between (X25519, secp256r1 or P-256, secp384r1 or P-384, X25519MLKEM768).
    /// Empty: all.
    pub groups: ferronet_region,
    /// ALPN protocols, the preferred first, each as a length byte and its name (RFC 7301, 3.1). Empty: none.
    pub alpn: ferronet_region,
    /// Name of a file to which key log lines are added. Empty for none.
    pub key_log_path: ferronet_region,
    /// Sessions kept for resumption; default 20,480.
    pub session_cache_size: u32,
    /// Seconds for which a session can be resumed; default 300, at most 604,800 (RFC 8446, 4.6.1).
    pub session_timeout_s: u32,
    /// Tickets that a server sends after a TLS 1.3 handshake; default 2. FERRONET_TLS_NO_TICKETS is for none.
    pub ticket_count: u32,
    /// Bytes of early data that a server takes, with FERRONET_TLS_EARLY_DATA; default 16,384.
    pub max_early_data: u32,
    /// Bytes that a peer's chain may have, at most 65,535; default 65,535.
    pub max_certificate_bytes: u64,
    /// Keys of stateless tickets, 48 bytes each: 16 of name, 32 of key. The first encrypts, all decrypt. Empty: random keys
    /// that are replaced by themselves.
    pub ticket_keys: ferronet_region,
    /// Judges the peer's certificates, for FERRONET_TLS_TRUST_CALLBACK.
    pub verify: ferronet_tls_verify_callback,
    /// Given back to `verify`.
    pub verify_context: Option<NonNull<c_void>>,
    /// Chooses the credential in place of `credentials`. NULL: the library does.
    pub choose: ferronet_tls_choose_callback,
    /// Given back to `choose`.
    pub choose_context: Option<NonNull<c_void>>,
    /// Receives the key log. NULL for none.
    pub key_log: ferronet_tls_key_log_callback,
    /// Given back to `key_log`.
    pub key_log_context: Option<NonNull<c_void>>,
}

/// What is special to a session. Size-prefixed; zero, or an empty region, means the context's value; all memory is copied.
/// Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ferronet_tls_session_config {
    /// Bytes of this structure that the caller fills.
    pub size: u32,
    /// Session flags.
    pub flags: u32,
    /// Any number; callbacks get it back.
    pub user: u64,
    /// The peer's DNS name or IP address, as text, for a client. It is checked, and a DNS name is sent. Empty only
    /// with FERRONET_TLS_NO_HOST_CHECK.
    pub server_name: ferronet_region,
    /// What a client's session is kept under for resumption, for example host:port. Empty: the server name.
    pub session_key: ferronet_region,
    /// FERRONET_TLS_VERSION_*.
    pub min_version: u32,
    /// FERRONET_TLS_VERSION_*.
    pub max_version: u32,
    /// 1 + FERRONET_TLS_CLIENT_AUTH_*.
    pub client_auth: u32,
    /// 1 + FERRONET_TLS_ALPN_FATAL or FERRONET_TLS_ALPN_ACCEPT.
    pub alpn_policy: u32,
    /// As in ferronet_tls_config.
    pub alpn: ferronet_region,
    /// As in ferronet_tls_config.
    pub suites: ferronet_region,
    /// As in ferronet_tls_config.
    pub groups: ferronet_region,
}

/// What a call has done, and what comes next. Size-prefixed, filled by the library; also when the call fails. Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_tls_progress {
    /// Bytes of this structure that the caller provides.
    pub size: u32,
    /// FERRONET_TLS_OK, NEEDS_INPUT, NEEDS_OUTPUT or CLOSED.
    pub result: u32,
    /// FERRONET_TLS_STATE_*: what the session waits for.
    pub state: u32,
    /// FERRONET_TLS_EVENT_* bits of this call.
    pub events: u32,
    /// Bytes of input that this call took, counted through all regions.
    pub consumed: u64,
    /// Bytes that this call wrote to the output.
    pub produced: u64,
    /// With NEEDS_OUTPUT: bytes of output that the next record takes. With NEEDS_INPUT: bytes that its input has in all, 0 when
    /// that is not known yet.
    pub needed: u64,
    /// 1 + the number of the alert that was received, or that the failure of this session sends (RFC 8446, 6); 0 for none. None is sent by a handshake
    /// of TLS 1.2 that fails, other than by the peer's doing, once it has begun to encrypt: the peer then sees the transport end.
    pub alert: u32,
    /// Records that this call took or wrote.
    pub records: u32,
}

/// What a session has negotiated and counted. Size-prefixed, filled by the library. Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_tls_session_info {
    /// Bytes of this structure that the caller provides.
    pub size: u32,
    /// FERRONET_TLS_STATE_*.
    pub state: u32,
    /// FERRONET_TLS_VERSION_*; 0 before it is known.
    pub version: u32,
    /// IANA number of the cipher suite; 0 before it is known.
    pub suite: u32,
    /// IANA number of the key-exchange group; 0 for none.
    pub group: u32,
    /// 1 when an earlier session was resumed.
    pub resumed: u32,
    /// Signature scheme of the peer's proof (RFC 8446, 4.2.3); 0 for none.
    pub peer_scheme: u32,
    /// Certificates of the peer's.
    pub peer_certificates: u32,
    /// Certificates that we sent.
    pub local_certificates: u32,
    /// Names at FERRONET_TLS_BYTES_ISSUER.
    pub issuers: u32,
    /// Session tickets received.
    pub tickets_received: u32,
    /// 1 + the number of the alert that was received, or that the session's failure sends; 0 for none.
    pub alert: u32,
    /// Records of data received.
    pub records_in: u64,
    /// Records of data sent.
    pub records_out: u64,
    /// Bytes of data received, decrypted.
    pub bytes_in: u64,
    /// Bytes of data sent, before encryption.
    pub bytes_out: u64,
    /// Bytes of heap that the session's own buffers hold now.
    pub buffered: u64,
}

/// What a context has counted. Size-prefixed, filled by the library. Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_tls_context_info {
    /// Bytes of this structure that the caller provides.
    pub size: u32,
    /// FERRONET_TLS_CLIENT or FERRONET_TLS_SERVER.
    pub side: u32,
    /// Handshakes that began.
    pub handshakes_started: u64,
    /// Handshakes that became complete.
    pub handshakes_done: u64,
    /// Handshakes that failed.
    pub handshakes_failed: u64,
    /// Handshakes that resumed a session.
    pub handshakes_resumed: u64,
    /// Sessions in the cache now.
    pub cache_entries: u64,
    /// Sessions that were found in the cache.
    pub cache_hits: u64,
    /// Sessions that were asked for and not found.
    pub cache_misses: u64,
    /// Sessions that were found and too old.
    pub cache_timeouts: u64,
    /// Sessions that were dropped because the cache was full.
    pub cache_full: u64,
    /// Tickets issued.
    pub tickets_issued: u64,
    /// Tickets that resumed a session.
    pub tickets_resumed: u64,
    /// Tickets that were encrypted with a key other than the first, and so renewed.
    pub tickets_renewed: u64,
    /// Tickets that could not be decrypted or were too old.
    pub tickets_failed: u64,
}

/// What a verify callback judges. Size-prefixed, filled by the library. Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_tls_verification {
    /// Bytes of this structure that the library knows.
    pub size: u32,
    /// Our side: FERRONET_TLS_CLIENT judges a server's certificates.
    pub side: u32,
    /// The session's `user`.
    pub user: u64,
    /// FERRONET_TLS_VERIFY_HOST.
    pub flags: u32,
    /// Regions at `certificates`.
    pub certificate_count: u32,
    /// Address of an array of ferronet_region, DER, the end entity's first.
    pub certificates: u64,
    /// A client's `server_name`, as text.
    pub server_name: ferronet_region,
    /// OCSP response that the server stapled, DER; empty for none.
    pub ocsp_response: ferronet_region,
}

/// What a choose callback decides by. Size-prefixed, filled by the library. Since revision 3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_tls_choice {
    /// Bytes of this structure that the library knows.
    pub size: u32,
    /// Our side.
    pub side: u32,
    /// The session's `user`.
    pub user: u64,
    /// The server name that the client sent, as text; empty for none. For a client: its own `server_name`.
    pub server_name: ferronet_region,
    /// ALPN protocols that the client offers, each as a length byte and its name; for a server.
    pub alpn: ferronet_region,
    /// Address of an array of uint16_t: signature schemes that the peer takes, the preferred first (RFC 8446, 4.2.3).
    pub schemes: u64,
    /// Address of an array of uint16_t: cipher suites that the client offers; for a server.
    pub suites: u64,
    /// Address of an array of ferronet_region: names of the authorities that the peer trusts, DER; may be empty.
    pub issuers: u64,
    /// Numbers at `schemes`.
    pub scheme_count: u32,
    /// Numbers at `suites`.
    pub suite_count: u32,
    /// Regions at `issuers`.
    pub issuer_count: u32,
    /// Zero.
    pub reserved: u32,
}
