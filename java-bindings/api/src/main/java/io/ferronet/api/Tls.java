package io.ferronet.api;

/** Constants of TLS: the {@code FERRONET_TLS_*} values of the C header. Since revision 3. */
public final class Tls {
    /** {@code side}: the end that opens the connection. */
    public static final int CLIENT = 1;
    /** {@code side}: the end that accepts it. */
    public static final int SERVER = 2;

    /** TLS 1.2, RFC 5246; the number on the wire. */
    public static final int VERSION_1_2 = 0x0303;
    /** TLS 1.3, RFC 8446; the number on the wire. */
    public static final int VERSION_1_3 = 0x0304;

    /** {@code client_auth}: the server asks for no certificate. */
    public static final int CLIENT_AUTH_NONE = 0;
    /** {@code client_auth}: the server asks, and takes a client without one; a certificate that is sent is checked. */
    public static final int CLIENT_AUTH_OPTIONAL = 1;
    /** {@code client_auth}: a client without a certificate is refused ({@link Status#TLS_NO_CERTIFICATE}). */
    public static final int CLIENT_AUTH_REQUIRED = 2;

    /** {@code trust}: not said. Refused where a peer's certificate has to be judged: for clients, and for servers that ask for one. */
    public static final int TRUST_UNSET = 0;
    /** {@code trust}: the certificates in {@code roots}. A peer's certificate of X.509 version 1 is refused. */
    public static final int TRUST_ROOTS = 1;
    /** {@code trust}: the operating system's store. */
    public static final int TRUST_PLATFORM = 2;
    /** {@code trust}: the {@code verify} callback. Of the peer's certificates only the first one's public key is read here, whatever their version. */
    public static final int TRUST_CALLBACK = 3;
    /** {@code trust}: any certificate is taken, whoever shows it. Protects from nobody who is on the path. */
    public static final int TRUST_INSECURE_NONE = 4;

    /** Context flag: no session tickets (RFC 5077; RFC 8446, 4.6.1) are issued, and none is asked for. */
    public static final int NO_TICKETS = 1;
    /** Context flag: no session is kept for resumption. */
    public static final int NO_SESSION_CACHE = 2;
    /** Context flag: every flight of the handshake is a task ({@link #STATE_NEED_TASK}). */
    public static final int TASKS = 4;
    /** Context flag: a server follows the client's order of cipher suites instead of its own. */
    public static final int CLIENT_ORDER = 8;
    /** Context flag: early data (RFC 8446, 2.3), which can be replayed. */
    public static final int EARLY_DATA = 16;
    /** Context flag: certificates are compressed with zlib where the peer agrees (RFC 8879). */
    public static final int COMPRESS_CERTIFICATES = 32;
    /**
     * Context flag: no session is resumed. A server issues neither tickets nor session ids, a client asks for none and keeps none; as
     * {@link #NO_TICKETS} and {@link #NO_SESSION_CACHE} together. Refused with {@link #EARLY_DATA} and with {@code ticket_keys}. Since
     * revision 4.
     */
    public static final int NO_RESUMPTION = 64;

    /** {@code alpn_policy}: no protocol in common ends the handshake, with the alert no_application_protocol (RFC 7301, 3.2). */
    public static final int ALPN_FATAL = 0;
    /** {@code alpn_policy}: no protocol in common goes on without one. */
    public static final int ALPN_ACCEPT = 1;

    /** {@code crl_policy}: only the end entity's certificate is looked for in {@code crls}, not those above it. */
    public static final int CRL_END_ENTITY = 1;
    /** {@code crl_policy}: a certificate that no list covers is taken. */
    public static final int CRL_ALLOW_UNKNOWN = 2;
    /** {@code crl_policy}: a list past its nextUpdate time (RFC 5280, 5.1.2.5) is refused. */
    public static final int CRL_ENFORCE_EXPIRY = 4;

    /** Session flag: a client does not send {@code server_name} (RFC 6066, 3); it still checks it. */
    public static final int NO_SNI = 1;
    /** Session flag: the name in the certificate is not compared with {@code server_name}; the chain is still checked. */
    public static final int NO_HOST_CHECK = 2;

    /** Unwrap flag: the input may be overwritten, and is then decrypted where it lies. */
    public static final int IN_PLACE = 1;

    /** {@code result}: the call did all it could; nothing is missing. */
    public static final int OK = 0;
    /** {@code result}: the rest of a record, or the peer's next flight, is missing. */
    public static final int NEEDS_INPUT = 1;
    /** {@code result}: the output is too small for the next record; {@code needed} says how much it takes. */
    public static final int NEEDS_OUTPUT = 2;
    /** {@code result}: unwrap: the peer's close_notify was received. wrap: ours was sent, so that no data is taken. */
    public static final int CLOSED = 3;

    /** {@code state}: nothing has happened yet. */
    public static final int STATE_NEW = 0;
    /** {@code state}: the handshake waits for the peer's bytes. */
    public static final int STATE_NEED_UNWRAP = 1;
    /** {@code state}: bytes wait for {@code ferronet_tls_session_wrap}: handshake, alert or close_notify. */
    public static final int STATE_NEED_WRAP = 2;
    /** {@code state}: the handshake waits for {@code ferronet_tls_session_task}. */
    public static final int STATE_NEED_TASK = 3;
    /** {@code state}: the handshake is complete; data goes both ways. */
    public static final int STATE_OPEN = 4;
    /** {@code state}: a close_notify was sent or received. */
    public static final int STATE_CLOSING = 5;
    /** {@code state}: the session has failed, and its alert was delivered. */
    public static final int STATE_FAILED = 6;

    /** {@code events}: the handshake became complete in this call. */
    public static final int EVENT_HANDSHAKE_DONE = 1;
    /** {@code events}: the peer's close_notify came in this call. */
    public static final int EVENT_CLOSE_NOTIFY_RECEIVED = 2;
    /** {@code events}: this call put our close_notify into the output. */
    public static final int EVENT_CLOSE_NOTIFY_SENT = 4;
    /** {@code events}: the peer sent a session ticket. */
    public static final int EVENT_TICKET_RECEIVED = 8;
    /** {@code events}: the peer changed its keys (RFC 8446, 4.6.3). */
    public static final int EVENT_KEY_UPDATE = 16;

    /** {@code ferronet_tls_session_get_bytes}: the protocol that ALPN chose (RFC 7301). */
    public static final int BYTES_ALPN = 1;
    /** {@code ferronet_tls_session_get_bytes}: the server name that was sent or received, as text. */
    public static final int BYTES_SERVER_NAME = 2;
    /** {@code ferronet_tls_session_get_bytes}: a certificate of the peer's, DER, the end entity's first. */
    public static final int BYTES_PEER_CERTIFICATE = 3;
    /** {@code ferronet_tls_session_get_bytes}: a certificate that we sent, DER, the end entity's first. */
    public static final int BYTES_LOCAL_CERTIFICATE = 4;
    /** {@code ferronet_tls_session_get_bytes}: the OCSP response that the server stapled, DER (RFC 6066, 8). */
    public static final int BYTES_OCSP_RESPONSE = 5;
    /** {@code ferronet_tls_session_get_bytes}: an id of the session, at most 32 bytes. */
    public static final int BYTES_SESSION_ID = 6;
    /** {@code ferronet_tls_session_get_bytes}: a name of an authority that the server takes client certificates of, DER. */
    public static final int BYTES_ISSUER = 7;
    /** {@code ferronet_tls_session_get_bytes}: the signature schemes that the peer takes, two bytes each, big-endian (RFC 8446, 4.2.3). */
    public static final int BYTES_PEER_SCHEMES = 8;

    /** {@code ferronet_tls_names}: cipher suites, each as IANA=OPENSSL, the preferred first. */
    public static final int NAMES_SUITES = 1;
    /** {@code ferronet_tls_names}: key-exchange groups, the preferred first. */
    public static final int NAMES_GROUPS = 2;
    /** {@code ferronet_tls_names}: signature schemes by their names in RFC 8446. */
    public static final int NAMES_SCHEMES = 3;
    /** {@code ferronet_tls_names}: protocol versions, "TLSv1.2" and "TLSv1.3". */
    public static final int NAMES_VERSIONS = 4;

    /** {@code flags} of {@code ferronet_tls_verification}: the certificate must be for {@code server_name}. */
    public static final int VERIFY_HOST = 1;

    private Tls() {
    }
}
