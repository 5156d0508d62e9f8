package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_choice}: offsets in bytes. What a choose callback decides by. Size-prefixed, filled by the library. Since
 * revision 3.
 */
public final class TlsChoice {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 88;

    /** {@code uint32_t}: bytes of this structure that the library knows. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: our side. */
    public static final int OFFSET_SIDE = 4;
    /** {@code uint64_t}: the session's {@code user}. */
    public static final int OFFSET_USER = 8;
    /** {@link Region}: the server name that the client sent, as text; empty for none. For a client: its own {@code server_name}. */
    public static final int OFFSET_SERVER_NAME = 16;
    /** {@link Region}: ALPN protocols that the client offers, each as a length byte and its name; for a server. */
    public static final int OFFSET_ALPN = 32;
    /** {@code uint64_t}: address of an array of uint16_t: signature schemes that the peer takes, the preferred first (RFC 8446, 4.2.3). */
    public static final int OFFSET_SCHEMES = 48;
    /** {@code uint64_t}: address of an array of uint16_t: cipher suites that the client offers; for a server. */
    public static final int OFFSET_SUITES = 56;
    /** {@code uint64_t}: address of an array of ferronet_region: names of the authorities that the peer trusts, DER; may be empty. */
    public static final int OFFSET_ISSUERS = 64;
    /** {@code uint32_t}: numbers at {@code schemes}. */
    public static final int OFFSET_SCHEME_COUNT = 72;
    /** {@code uint32_t}: numbers at {@code suites}. */
    public static final int OFFSET_SUITE_COUNT = 76;
    /** {@code uint32_t}: regions at {@code issuers}. */
    public static final int OFFSET_ISSUER_COUNT = 80;
    /** {@code uint32_t}: zero. */
    public static final int OFFSET_RESERVED = 84;

    private TlsChoice() {
    }
}
