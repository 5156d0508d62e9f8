package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_context_info}: offsets in bytes. What a context has counted. Size-prefixed, filled by the library. Since
 * revision 3.
 */
public final class TlsContextInfo {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 112;

    /** {@code uint32_t}: bytes of this structure that the caller provides. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: {@link Tls#CLIENT} or {@link Tls#SERVER}. */
    public static final int OFFSET_SIDE = 4;
    /** {@code uint64_t}: handshakes that began. */
    public static final int OFFSET_HANDSHAKES_STARTED = 8;
    /** {@code uint64_t}: handshakes that became complete. */
    public static final int OFFSET_HANDSHAKES_DONE = 16;
    /** {@code uint64_t}: handshakes that failed. */
    public static final int OFFSET_HANDSHAKES_FAILED = 24;
    /** {@code uint64_t}: handshakes that resumed a session. */
    public static final int OFFSET_HANDSHAKES_RESUMED = 32;
    /** {@code uint64_t}: sessions in the cache now. */
    public static final int OFFSET_CACHE_ENTRIES = 40;
    /** {@code uint64_t}: sessions that were found in the cache. */
    public static final int OFFSET_CACHE_HITS = 48;
    /** {@code uint64_t}: sessions that were asked for and not found. */
    public static final int OFFSET_CACHE_MISSES = 56;
    /** {@code uint64_t}: sessions that were found and too old. */
    public static final int OFFSET_CACHE_TIMEOUTS = 64;
    /** {@code uint64_t}: sessions that were dropped because the cache was full. */
    public static final int OFFSET_CACHE_FULL = 72;
    /** {@code uint64_t}: tickets issued. */
    public static final int OFFSET_TICKETS_ISSUED = 80;
    /** {@code uint64_t}: tickets that resumed a session. */
    public static final int OFFSET_TICKETS_RESUMED = 88;
    /** {@code uint64_t}: tickets that were encrypted with a key other than the first, and so renewed. */
    public static final int OFFSET_TICKETS_RENEWED = 96;
    /** {@code uint64_t}: tickets that could not be decrypted or were too old. */
    public static final int OFFSET_TICKETS_FAILED = 104;

    private TlsContextInfo() {
    }
}
