package io.ferronet.api;

/** Layout of {@code ferronet_inflate_config}: offsets in bytes, and flags. Size-prefixed; zero is each field's default. Since revision 2. */
public final class InflateConfig {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 40;

    /** {@code uint32_t}: bytes of the structure that the caller fills. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: {@link Codec#AUTO} (default), {@link Codec#GZIP}, {@link Codec#ZLIB} or {@link Codec#RAW}. */
    public static final int OFFSET_FORMAT = 4;
    /** {@code uint32_t}: {@code FLAG} bits. */
    public static final int OFFSET_FLAGS = 8;
    /** {@code uint32_t}: base-two logarithm of the largest window; 9 to 15, default 15. */
    public static final int OFFSET_WINDOW_BITS = 12;
    /** {@code uint64_t}: bytes that a stream may give in all; 0 for no such bound. */
    public static final int OFFSET_MAX_OUTPUT = 16;
    /** {@code uint64_t}: bytes that a stream may give before its ratio counts; default 16 MiB. */
    public static final int OFFSET_RATIO_FLOOR = 24;
    /** {@code uint32_t}: bytes of output for each byte of input above the floor; default 200. */
    public static final int OFFSET_MAX_RATIO = 32;
    /** {@code uint32_t}: zero. */
    public static final int OFFSET_RESERVED = 36;

    /** Gzip members that follow each other are one stream. */
    public static final int FLAG_CONCATENATED = 1;
    /** The output has no bound but the largest output. For trusted input only. */
    public static final int FLAG_UNBOUNDED = 2;

    private InflateConfig() {
    }
}
