package io.ferronet.api;

/** How a reactor reaches the kernel. Since revision 1. */
public enum Backend {
    /** The library chooses, and falls back when io_uring is refused. */
    AUTO,
    /** io_uring, or a failure that says why not. */
    IO_URING,
    /** epoll or kqueue. */
    POLL;

    private static final Backend[] VALUES = values();

    /**
     * The number in native structures.
     *
     * @return {@code FERRONET_BACKEND_*}
     */
    public int number() {
        return ordinal();
    }

    /**
     * The backend of a number.
     *
     * @param number {@code FERRONET_BACKEND_*}
     * @return the backend
     * @throws IllegalArgumentException if there is none
     */
    public static Backend of(int number) {
        if (number < 0 || number >= VALUES.length) {
            throw new IllegalArgumentException("unknown backend number: " + number);
        }
        return VALUES[number];
    }
}
