package io.ferronet.api;

/** Layout of {@code ferronet_reactor_info}: offsets in bytes. Size-prefixed. Since revision 1. */
public final class ReactorInfo {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 96;

    /** {@code uint32_t}: bytes of the structure that the caller provides. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: number of the {@link Backend} in use. */
    public static final int OFFSET_BACKEND = 4;
    /** {@code uint32_t}: number of the {@link Backend} that was asked for. */
    public static final int OFFSET_REQUESTED_BACKEND = 8;
    /** {@code uint32_t}: number of the {@link Reason} why AUTO did not take io_uring. */
    public static final int OFFSET_FALLBACK_REASON = 12;
    /** {@code int32_t}: the status behind the reason, or 0. */
    public static final int OFFSET_FALLBACK_STATUS = 16;
    /** {@code uint32_t}: to be ignored. */
    public static final int OFFSET_RESERVED = 20;
    /** {@code uint64_t}: {@link RingFeature} bits in use. */
    public static final int OFFSET_RING_FEATURES = 24;
    /** {@code uint64_t}: turns. */
    public static final int OFFSET_TURNS = 32;
    /** {@code uint64_t}: submissions taken. */
    public static final int OFFSET_SUBMISSIONS = 40;
    /** {@code uint64_t}: completions delivered. */
    public static final int OFFSET_COMPLETIONS = 48;
    /** {@code uint64_t}: wake-ups that had to write to the kernel. */
    public static final int OFFSET_WAKEUPS = 56;
    /** {@code uint64_t}: sockets that were added and neither removed nor closed. */
    public static final int OFFSET_SOCKETS = 64;
    /** {@code uint64_t}: operations without their final completion. */
    public static final int OFFSET_IN_FLIGHT = 72;
    /** {@code uint64_t}: lent buffers that the library holds. */
    public static final int OFFSET_LENT = 80;
    /** {@code uint64_t}: system calls made by the reactor. */
    public static final int OFFSET_SYSCALLS = 88;

    private ReactorInfo() {
    }
}
