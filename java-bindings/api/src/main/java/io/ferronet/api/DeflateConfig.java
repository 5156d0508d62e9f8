package io.ferronet.api;

/** Layout of {@code ferronet_deflate_config}: offsets in bytes, levels and strategies. Size-prefixed; zero is each field's default. Since revision 2. */
public final class DeflateConfig {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 32;

    /** {@code uint32_t}: bytes of the structure that the caller fills. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: {@link Codec#GZIP} (default), {@link Codec#ZLIB} or {@link Codec#RAW}. */
    public static final int OFFSET_FORMAT = 4;
    /** {@code int32_t}: 1 to 9, or a {@code LEVEL} value. */
    public static final int OFFSET_LEVEL = 8;
    /** {@code uint32_t}: base-two logarithm of the window; 9 to 15, default 15. */
    public static final int OFFSET_WINDOW_BITS = 12;
    /** {@code uint32_t}: memory for the matching and coding state, 1 to 9; default 8. */
    public static final int OFFSET_MEMORY_LEVEL = 16;
    /** {@code uint32_t}: a {@code STRATEGY} value. */
    public static final int OFFSET_STRATEGY = 20;
    /** {@code uint64_t}: bytes that the whole stream will have, 0 when unknown; a hint. */
    public static final int OFFSET_EXPECTED_LENGTH = 24;

    /** Level 6. */
    public static final int LEVEL_DEFAULT = 0;
    /** No compression: stored blocks (zlib's level 0). */
    public static final int LEVEL_STORED = 10;
    /** The fastest mode: fixed codes. Much larger output than level 1, and larger than the input on random data. */
    public static final int LEVEL_FASTEST = 11;

    /** Normal data. */
    public static final int STRATEGY_DEFAULT = 0;
    /** Small values with a random distribution. */
    public static final int STRATEGY_FILTERED = 1;
    /** Codes only, no matches. */
    public static final int STRATEGY_HUFFMAN = 2;
    /** Matches of distance one only. */
    public static final int STRATEGY_RLE = 3;
    /** Fixed codes only. */
    public static final int STRATEGY_FIXED = 4;

    private DeflateConfig() {
    }
}
