package io.ferronet.api;

/** Layout of {@code ferronet_region}, one piece of a gathered send: offsets in bytes. Frozen since revision 1. */
public final class Region {
    /** Bytes of a record. */
    public static final int SIZE = 16;

    /** {@code uint64_t}: address of the first byte. */
    public static final int OFFSET_ADDR = 0;
    /** {@code uint64_t}: bytes. */
    public static final int OFFSET_LEN = 8;

    private Region() {
    }
}
