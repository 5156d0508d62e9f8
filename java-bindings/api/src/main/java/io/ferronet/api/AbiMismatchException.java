package io.ferronet.api;

/** The library and the caller do not fit together. */
public class AbiMismatchException extends LibraryLoadException {
    private static final long serialVersionUID = 1L;

    /** The kinds of mismatch. */
    public enum Mismatch {
        /** No Ferronet library, or one before revision 1. */
        MISSING_SYMBOL,
        /** The block does not begin with Ferronet's magic. */
        BAD_MAGIC,
        /** The block is shorter than any version of it. */
        SHORT_BLOCK,
        /** The library's revision is below what the caller needs. */
        LIBRARY_TOO_OLD,
        /** The library no longer works with callers of this revision. */
        CALLER_TOO_OLD,
        /** The revision is the same, but the layouts are not. */
        FINGERPRINT,
        /** A required feature was not built. */
        MISSING_FEATURE,
    }

    /** The kind of mismatch. */
    private final Mismatch mismatch;

    /**
     * Describes a mismatch.
     *
     * @param mismatch its kind
     * @param message both numbers, and the file
     */
    public AbiMismatchException(Mismatch mismatch, String message) {
        super(Kind.ABI_MISMATCH, message);
        this.mismatch = mismatch;
    }

    /**
     * The kind of mismatch.
     *
     * @return its kind
     */
    public Mismatch mismatch() {
        return mismatch;
    }

    /**
     * The same as a status, as C consumers get it.
     *
     * @return {@link Status#FEATURE} for a missing feature, otherwise {@link Status#ABI}
     */
    public int status() {
        return mismatch == Mismatch.MISSING_FEATURE ? Status.FEATURE : Status.ABI;
    }
}
