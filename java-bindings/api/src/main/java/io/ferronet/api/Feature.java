package io.ferronet.api;

/** Bits of what a library was built with. Since revision 1. */
public final class Feature {
    /** The io_uring backend. */
    public static final long IO_URING = 1L;
    /** The poll backend over epoll. */
    public static final long EPOLL = 1L << 1;
    /** The poll backend over kqueue. */
    public static final long KQUEUE = 1L << 2;
    /** Compression. Since revision 2. */
    public static final long ZLIB = 1L << 3;
    /** TLS. Since revision 3. */
    public static final long TLS = 1L << 4;

    private static final String[] NAMES = {"io_uring", "epoll", "kqueue", "zlib", "tls"};

    private Feature() {
    }

    /**
     * Names a feature.
     *
     * @param bit number of its bit, from 0
     * @return its name, or {@code unknown}
     */
    public static String name(int bit) {
        return bit >= 0 && bit < NAMES.length ? NAMES[bit] : "unknown";
    }
}
