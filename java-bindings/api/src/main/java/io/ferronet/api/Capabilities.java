package io.ferronet.api;

/** Layout of {@code ferronet_caps}, what the running system allows: offsets in bytes. Size-prefixed. Since revision 1. */
public final class Capabilities {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 40;

    /** {@code uint32_t}: bytes of the structure that the caller provides. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: number of the {@link Reason} why io_uring is not available. */
    public static final int OFFSET_URING_REASON = 4;
    /** {@code uint64_t}: {@link Feature} bits that run here. */
    public static final int OFFSET_AVAILABLE = 8;
    /** {@code uint64_t}: {@link RingFeature} bits of the kernel. */
    public static final int OFFSET_RING_FEATURES = 16;
    /** {@code int32_t}: the status behind io_uring's reason, or 0. */
    public static final int OFFSET_URING_STATUS = 24;
    /** {@code uint32_t}: number of the {@link Reason} why the poll backend is not available. */
    public static final int OFFSET_POLL_REASON = 28;
    /** {@code int32_t}: the status behind the poll backend's reason, or 0. */
    public static final int OFFSET_POLL_STATUS = 32;
    /** {@code uint32_t}: kernel version, major in the upper and minor in the lower 16 bits. */
    public static final int OFFSET_KERNEL_VERSION = 36;

    private Capabilities() {
    }
}
