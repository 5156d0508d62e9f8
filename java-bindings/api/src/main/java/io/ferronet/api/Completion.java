package io.ferronet.api;

/** Layout of {@code ferronet_completion}: offsets in bytes, and flags. Frozen since revision 1. */
public final class Completion {
    /** Bytes of a record. */
    public static final int SIZE = 32;

    /** {@code uint64_t}: user data of the submission. */
    public static final int OFFSET_USER_DATA = 0;
    /** {@code int32_t}: bytes moved, accepted descriptor, poll events, 0, or a negative status. */
    public static final int OFFSET_RESULT = 8;
    /** {@code uint32_t}: {@code FLAG} bits. */
    public static final int OFFSET_FLAGS = 12;
    /** {@code uint32_t}: the socket of the submission. */
    public static final int OFFSET_SOCKET = 16;
    /** {@code uint32_t}: identity of the lent buffer, with {@link #FLAG_BUFFER}. */
    public static final int OFFSET_BUFFER = 20;
    /** {@code uint64_t}: with a buffer, offset of the bytes in it; of a failed send, bytes that were sent before the failure. */
    public static final int OFFSET_EXTRA = 24;

    /** The operation goes on; this is not its final completion. */
    public static final int FLAG_MORE = 1;
    /** A lent buffer holds the bytes; it is the caller's again unless {@link #FLAG_BUFFER_MORE} is set. */
    public static final int FLAG_BUFFER = 2;
    /** The library keeps the lent buffer, and will put further bytes behind these. */
    public static final int FLAG_BUFFER_MORE = 4;
    /** The socket is known to have more bytes to receive. */
    public static final int FLAG_NONEMPTY = 8;

    private Completion() {
    }
}
