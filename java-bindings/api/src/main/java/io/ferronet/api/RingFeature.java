package io.ferronet.api;

/** Steps of the kernel ladder of io_uring, as bits. Since revision 1. */
public final class RingFeature {
    /** Provided buffer rings (Linux 5.19). */
    public static final long BUFFER_RING = 1L;
    /** Multishot accept (Linux 5.19). */
    public static final long MULTISHOT_ACCEPT = 1L << 1;
    /** Multishot receive (Linux 6.0). */
    public static final long MULTISHOT_RECV = 1L << 2;
    /** SINGLE_ISSUER and DEFER_TASKRUN (Linux 6.1). */
    public static final long DEFER_TASKRUN = 1L << 3;
    /** Incremental buffer rings (Linux 6.12). */
    public static final long INCREMENTAL = 1L << 4;

    private RingFeature() {
    }
}
