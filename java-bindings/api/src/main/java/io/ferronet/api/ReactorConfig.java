package io.ferronet.api;

/** Layout of {@code ferronet_reactor_config}: offsets in bytes, and flags. Size-prefixed; zero is each field's default. Since revision 1. */
public final class ReactorConfig {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 40;

    /** {@code uint32_t}: bytes of the structure that the caller fills. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: number of a {@link Backend}. */
    public static final int OFFSET_BACKEND = 4;
    /** {@code uint32_t}: {@code FLAG} bits. */
    public static final int OFFSET_FLAGS = 8;
    /** {@code uint32_t}: records in the submission area; power of two, 16 to 65,536; default 1,024. */
    public static final int OFFSET_SUBMISSION_CAPACITY = 12;
    /** {@code uint32_t}: records in the completion area; power of two, 16 to 65,536; default 1,024. */
    public static final int OFFSET_COMPLETION_CAPACITY = 16;
    /** {@code uint32_t}: submission entries of the ring; power of two, 8 to 32,768; default 256. */
    public static final int OFFSET_RING_ENTRIES = 20;
    /** {@code uint32_t}: buffers that can be lent at once; power of two up to 32,768; default 256. */
    public static final int OFFSET_LENT_CAPACITY = 24;
    /** {@code uint32_t}: zero. */
    public static final int OFFSET_RESERVED = 28;
    /** {@code uint64_t}: {@link RingFeature} bits that must not be used. */
    public static final int OFFSET_DISABLED_RING_FEATURES = 32;

    /** Any one thread at a time may drive the reactor. */
    public static final int FLAG_ANY_THREAD = 1;

    private ReactorConfig() {
    }
}
