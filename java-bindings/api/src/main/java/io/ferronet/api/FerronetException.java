package io.ferronet.api;

import java.io.IOException;

/** A failed call or operation, with its status as data. */
public class FerronetException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The status. */
    private final int status;

    /**
     * Describes a failure.
     *
     * @param what what failed, and on what, for example {@code bind(127.0.0.1:80)}
     * @param status the negative status
     */
    public FerronetException(String what, int status) {
        this(what, status, "");
    }

    /**
     * Describes a failure.
     *
     * @param what what failed, and on what, for example {@code bind(127.0.0.1:80)}
     * @param status the negative status
     * @param detail the library's own text ({@link FerronetBinding#lastError(long)}); may be empty
     */
    public FerronetException(String what, int status, String detail) {
        super(what + " failed: " + Status.name(status) + " (" + status + "): "
            + (detail.isEmpty() ? Status.description(status) : detail));
        this.status = status;
    }

    /**
     * The status.
     *
     * @return a negative status, see {@link Status}
     */
    public int status() {
        return status;
    }

    /**
     * The operating system's number.
     *
     * @return errno, positive; 0 if the failure is not the operating system's
     */
    public int errno() {
        return Status.errno(status);
    }
}
