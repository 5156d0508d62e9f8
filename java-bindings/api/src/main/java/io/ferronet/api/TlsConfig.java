package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_config}: offsets in bytes. Everything that sessions have in common. Size-prefixed; zero means the default of
 * each field; all memory is copied. Since revision 3.
 */
public final class TlsConfig {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 232;

    /** {@code uint32_t}: bytes of this structure that the caller fills. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: {@link Tls#CLIENT} or {@link Tls#SERVER}. */
    public static final int OFFSET_SIDE = 4;
    /** {@code uint32_t}: context flags. */
    public static final int OFFSET_FLAGS = 8;
    /** {@code uint32_t}: {@code Tls.CLIENT_AUTH}, of a server. */
    public static final int OFFSET_CLIENT_AUTH = 12;
    /** {@code uint32_t}: {@code Tls.TRUST}. */
    public static final int OFFSET_TRUST = 16;
    /** {@code uint32_t}: oldest version, {@code Tls.VERSION}; default 1.2. */
    public static final int OFFSET_MIN_VERSION = 20;
    /** {@code uint32_t}: newest version; default 1.3. */
    public static final int OFFSET_MAX_VERSION = 24;
    /** {@code uint32_t}: {@link Tls#ALPN_FATAL} or {@link Tls#ALPN_ACCEPT}. */
    public static final int OFFSET_ALPN_POLICY = 28;
    /** {@code uint32_t}: {@code Tls.CRL} bits. */
    public static final int OFFSET_CRL_POLICY = 32;
    /** {@code uint32_t}: pointers at {@code credentials}. */
    public static final int OFFSET_CREDENTIAL_COUNT = 36;
    /**
     * {@code uint64_t}: address of an array of {@code ferronet_tls_credential} *. A server takes the first whose names hold the client's server
     * name and whose key fits the client's signature schemes, else the first that fits; a client the first that fits the server's request.
     */
    public static final int OFFSET_CREDENTIALS = 40;
    /**
     * {@link Region}: certificates of authorities for {@link Tls#TRUST_ROOTS}: PEM, or DER one behind the other. A server also names them to its
     * clients.
     */
    public static final int OFFSET_ROOTS = 48;
    /** {@link Region}: certificate revocation lists: PEM, or DER one behind the other. Empty: revocation is not checked. */
    public static final int OFFSET_CRLS = 64;
    /** {@link Region}: cipher suites, the preferred first: IANA or OpenSSL names with ':' or ',' in between. Empty: all. */
    public static final int OFFSET_SUITES = 80;
    /**
     * {@link Region}: key-exchange groups, the preferred first: names with ':' or ',' in between (X25519, secp256r1 or P-256, secp384r1 or P-384,
     * X25519MLKEM768). Empty: all.
     */
    public static final int OFFSET_GROUPS = 96;
    /** {@link Region}: ALPN protocols, the preferred first, each as a length byte and its name (RFC 7301, 3.1). Empty: none. */
    public static final int OFFSET_ALPN = 112;
    /** {@link Region}: name of a file to which key log lines are added. Empty for none. */
    public static final int OFFSET_KEY_LOG_PATH = 128;
    /** {@code uint32_t}: sessions kept for resumption; default 20,480. */
    public static final int OFFSET_SESSION_CACHE_SIZE = 144;
    /** {@code uint32_t}: seconds for which a session can be resumed; default 300, at most 604,800 (RFC 8446, 4.6.1). */
    public static final int OFFSET_SESSION_TIMEOUT_S = 148;
    /** {@code uint32_t}: tickets that a server sends after a TLS 1.3 handshake; default 2. {@link Tls#NO_TICKETS} is for none. */
    public static final int OFFSET_TICKET_COUNT = 152;
    /** {@code uint32_t}: bytes of early data that a server takes, with {@link Tls#EARLY_DATA}; default 16,384. */
    public static final int OFFSET_MAX_EARLY_DATA = 156;
    /** {@code uint64_t}: bytes that a peer's chain may have, at most 65,535; default 65,535. */
    public static final int OFFSET_MAX_CERTIFICATE_BYTES = 160;
    /**
     * {@link Region}: keys of stateless tickets, 48 bytes each: 16 of name, 32 of key. The first encrypts, all decrypt. Empty: random keys that
     * are replaced by themselves.
     */
    public static final int OFFSET_TICKET_KEYS = 168;
    /** {@code uint64_t} (address): judges the peer's certificates, for {@link Tls#TRUST_CALLBACK}. */
    public static final int OFFSET_VERIFY = 184;
    /** {@code uint64_t} (address): given back to {@code verify}. */
    public static final int OFFSET_VERIFY_CONTEXT = 192;
    /** {@code uint64_t} (address): chooses the credential in place of {@code credentials}. NULL: the library does. */
    public static final int OFFSET_CHOOSE = 200;
    /** {@code uint64_t} (address): given back to {@code choose}. */
    public static final int OFFSET_CHOOSE_CONTEXT = 208;
    /** {@code uint64_t} (address): receives the key log. NULL for none. */
    public static final int OFFSET_KEY_LOG = 216;
    /** {@code uint64_t} (address): given back to {@code key_log}. */
    public static final int OFFSET_KEY_LOG_CONTEXT = 224;

    private TlsConfig() {
    }
}
