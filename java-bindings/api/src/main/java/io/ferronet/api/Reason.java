package io.ferronet.api;

/** Why something is not available on the running system. Since revision 1. */
public enum Reason {
    /** It is available. */
    NONE("it is available"),
    /** It was not compiled in, or the platform has no such thing. */
    NOT_BUILT("it was not compiled in, or the platform has no such thing"),
    /** The kernel is too old. */
    KERNEL_TOO_OLD("the kernel is too old"),
    /** A seccomp filter or a security module refuses it. */
    DENIED("a seccomp filter or a security module refuses it"),
    /** The sysctl {@code kernel.io_uring_disabled} is set. */
    DISABLED_BY_SYSCTL("the sysctl kernel.io_uring_disabled is set"),
    /** RLIMIT_MEMLOCK is too low. */
    MEMLOCK("RLIMIT_MEMLOCK is too low"),
    /** No descriptor is left. */
    DESCRIPTORS("no descriptor is left"),
    /** The caller switched it off. */
    SWITCHED_OFF("the caller switched it off"),
    /** It runs, but measured slower here than the other backend. */
    SLOWER("it runs, but measured slower here than the other backend"),
    /** Another errno; the status beside the reason holds it. */
    OTHER("another error");

    private static final Reason[] VALUES = values();

    private final String description;

    Reason(String description) {
        this.description = description;
    }

    /**
     * The number in native structures.
     *
     * @return {@code FERRONET_REASON_*}
     */
    public int number() {
        return ordinal();
    }

    /**
     * Explains the reason.
     *
     * @return one clause without a full stop
     */
    public String description() {
        return description;
    }

    /**
     * The reason of a number.
     *
     * @param number {@code FERRONET_REASON_*}
     * @return the reason; {@link #OTHER} for a number that a newer library may use
     */
    public static Reason of(int number) {
        return number < 0 || number >= VALUES.length ? OTHER : VALUES[number];
    }
}
