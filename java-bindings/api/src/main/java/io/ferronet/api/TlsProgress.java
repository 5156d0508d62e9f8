package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_progress}: offsets in bytes. What a call has done, and what comes next. Size-prefixed, filled by the library;
 * also when the call fails. Since revision 3.
 */
public final class TlsProgress {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 48;

    /** {@code uint32_t}: bytes of this structure that the caller provides. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: {@link Tls#OK}, NEEDS_INPUT, NEEDS_OUTPUT or CLOSED. */
    public static final int OFFSET_RESULT = 4;
    /** {@code uint32_t}: {@code Tls.STATE}: what the session waits for. */
    public static final int OFFSET_STATE = 8;
    /** {@code uint32_t}: {@code Tls.EVENT} bits of this call. */
    public static final int OFFSET_EVENTS = 12;
    /** {@code uint64_t}: bytes of input that this call took, counted through all regions. */
    public static final int OFFSET_CONSUMED = 16;
    /** {@code uint64_t}: bytes that this call wrote to the output. */
    public static final int OFFSET_PRODUCED = 24;
    /**
     * {@code uint64_t}: with NEEDS_OUTPUT: bytes of output that the next record takes. With NEEDS_INPUT: bytes that its input has in all, 0 when
     * that is not known yet.
     */
    public static final int OFFSET_NEEDED = 32;
    /** {@code uint32_t}: 1 + the number of the alert that was received, or that the failure of this session sends (RFC 8446, 6); 0 for none. */
    public static final int OFFSET_ALERT = 40;
    /** {@code uint32_t}: records that this call took or wrote. */
    public static final int OFFSET_RECORDS = 44;

    private TlsProgress() {
    }
}
