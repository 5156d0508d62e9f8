package io.ferronet.api;

/** Layout of {@code ferronet_reactor_areas}: offsets in bytes. Size-prefixed. Since revision 1. */
public final class ReactorAreas {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 32;

    /** {@code uint32_t}: bytes of the structure that the caller provides. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: records in the submission area. */
    public static final int OFFSET_SUBMISSION_CAPACITY = 4;
    /** {@code uint64_t}: address of the first {@link Submission}. */
    public static final int OFFSET_SUBMISSIONS = 8;
    /** {@code uint64_t}: address of the first {@link Completion}. */
    public static final int OFFSET_COMPLETIONS = 16;
    /** {@code uint32_t}: records in the completion area. */
    public static final int OFFSET_COMPLETION_CAPACITY = 24;
    /** {@code uint32_t}: buffers that can be lent at once. */
    public static final int OFFSET_LENT_CAPACITY = 28;

    private ReactorAreas() {
    }
}
