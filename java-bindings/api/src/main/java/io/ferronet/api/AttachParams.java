package io.ferronet.api;

/** Layout of {@code ferronet_attach_params}: offsets in bytes. Size-prefixed. Since revision 1. */
public final class AttachParams {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 16;

    /** {@code uint32_t}: bytes of the structure that the caller fills. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: the revision that the caller was built for. */
    public static final int OFFSET_BUILT_FOR_REVISION = 4;
    /** {@code uint64_t}: {@link Feature} bits without which the caller cannot work. */
    public static final int OFFSET_REQUIRED_FEATURES = 8;

    private AttachParams() {
    }
}
