package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_session_info}: offsets in bytes. What a session has negotiated and counted. Size-prefixed, filled by the
 * library. Since revision 3.
 */
public final class TlsSessionInfo {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 88;

    /** {@code uint32_t}: bytes of this structure that the caller provides. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: {@code Tls.STATE}. */
    public static final int OFFSET_STATE = 4;
    /** {@code uint32_t}: {@code Tls.VERSION}; 0 before it is known. */
    public static final int OFFSET_VERSION = 8;
    /** {@code uint32_t}: IANA number of the cipher suite; 0 before it is known. */
    public static final int OFFSET_SUITE = 12;
    /** {@code uint32_t}: IANA number of the key-exchange group; 0 for none. */
    public static final int OFFSET_GROUP = 16;
    /** {@code uint32_t}: 1 when an earlier session was resumed. */
    public static final int OFFSET_RESUMED = 20;
    /** {@code uint32_t}: signature scheme of the peer's proof (RFC 8446, 4.2.3); 0 for none. */
    public static final int OFFSET_PEER_SCHEME = 24;
    /** {@code uint32_t}: certificates of the peer's. */
    public static final int OFFSET_PEER_CERTIFICATES = 28;
    /** {@code uint32_t}: certificates that we sent. */
    public static final int OFFSET_LOCAL_CERTIFICATES = 32;
    /** {@code uint32_t}: names at {@link Tls#BYTES_ISSUER}. */
    public static final int OFFSET_ISSUERS = 36;
    /** {@code uint32_t}: session tickets received. */
    public static final int OFFSET_TICKETS_RECEIVED = 40;
    /** {@code uint32_t}: 1 + the number of the alert that was received, or that the session's failure sends; 0 for none. */
    public static final int OFFSET_ALERT = 44;
    /** {@code uint64_t}: records of data received. */
    public static final int OFFSET_RECORDS_IN = 48;
    /** {@code uint64_t}: records of data sent. */
    public static final int OFFSET_RECORDS_OUT = 56;
    /** {@code uint64_t}: bytes of data received, decrypted. */
    public static final int OFFSET_BYTES_IN = 64;
    /** {@code uint64_t}: bytes of data sent, before encryption. */
    public static final int OFFSET_BYTES_OUT = 72;
    /** {@code uint64_t}: bytes of heap that the session's own buffers hold now. */
    public static final int OFFSET_BUFFERED = 80;

    private TlsSessionInfo() {
    }
}
