package io.ferronet.api;

/** Layout of {@code ferronet_codec_progress}: offsets in bytes. Size-prefixed. Since revision 2. */
public final class CodecProgress {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 48;

    /** {@code uint32_t}: bytes of the structure that the caller provides. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: {@link Codec#NEEDS_INPUT}, {@link Codec#NEEDS_OUTPUT} or {@link Codec#END}. */
    public static final int OFFSET_STATE = 4;
    /** {@code uint64_t}: bytes of input that the call took. */
    public static final int OFFSET_CONSUMED = 8;
    /** {@code uint64_t}: bytes of output that the call wrote. */
    public static final int OFFSET_PRODUCED = 16;
    /** {@code uint64_t}: bytes of input since the stream began. */
    public static final int OFFSET_TOTAL_IN = 24;
    /** {@code uint64_t}: bytes of output since the stream began. */
    public static final int OFFSET_TOTAL_OUT = 32;
    /** {@code uint32_t}: CRC-32 (gzip) or Adler-32 (zlib) of the uncompressed bytes so far. */
    public static final int OFFSET_CHECKSUM = 40;
    /** {@code uint32_t}: gzip members that are complete. */
    public static final int OFFSET_MEMBERS = 44;

    private CodecProgress() {
    }
}
