package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_session_config}: offsets in bytes. What is special to a session. Size-prefixed; zero, or an empty region,
 * means the context's value; all memory is copied. Since revision 3.
 */
public final class TlsSessionConfig {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 112;

    /** {@code uint32_t}: bytes of this structure that the caller fills. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: session flags. */
    public static final int OFFSET_FLAGS = 4;
    /** {@code uint64_t}: any number; callbacks get it back. */
    public static final int OFFSET_USER = 8;
    /**
     * {@link Region}: the peer's DNS name or IP address, as text, for a client. It is checked, and a DNS name is sent. Empty only with {@link
     * Tls#NO_HOST_CHECK}.
     */
    public static final int OFFSET_SERVER_NAME = 16;
    /** {@link Region}: what a client's session is kept under for resumption, for example host:port. Empty: the server name. */
    public static final int OFFSET_SESSION_KEY = 32;
    /** {@code uint32_t}: {@code Tls.VERSION}. */
    public static final int OFFSET_MIN_VERSION = 48;
    /** {@code uint32_t}: {@code Tls.VERSION}. */
    public static final int OFFSET_MAX_VERSION = 52;
    /** {@code uint32_t}: 1 + {@code Tls.CLIENT_AUTH}. */
    public static final int OFFSET_CLIENT_AUTH = 56;
    /** {@code uint32_t}: 1 + {@link Tls#ALPN_FATAL} or {@link Tls#ALPN_ACCEPT}. */
    public static final int OFFSET_ALPN_POLICY = 60;
    /** {@link Region}: as in {@code ferronet_tls_config}. */
    public static final int OFFSET_ALPN = 64;
    /** {@link Region}: as in {@code ferronet_tls_config}. */
    public static final int OFFSET_SUITES = 80;
    /** {@link Region}: as in {@code ferronet_tls_config}. */
    public static final int OFFSET_GROUPS = 96;

    private TlsSessionConfig() {
    }
}
