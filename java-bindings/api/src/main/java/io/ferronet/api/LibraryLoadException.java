package io.ferronet.api;

import java.util.List;

/** Why the native library could not be used. The message says what was tried, with each error, and what to set. */
public class LibraryLoadException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kinds of failure. */
    public enum Kind {
        /** No binding is on the class or module path, or the JVM is too old for it. */
        NO_BINDING,
        /** No native library for this platform was found. */
        NOT_FOUND,
        /** This operating system or processor is not supported. */
        UNSUPPORTED_PLATFORM,
        /** The file is no shared library. */
        NOT_A_LIBRARY,
        /** The library is for another processor or operating system. */
        WRONG_ARCHITECTURE,
        /** The library needs another C library than the process runs with. */
        WRONG_LIBC,
        /** The library is shorter than it says. */
        TRUNCATED,
        /** The library's content is not what the jar was built with. */
        ALTERED,
        /** Several different libraries claim the same platform. */
        AMBIGUOUS,
        /** The library could not be written to or mapped from any place. */
        NOT_MAPPED,
        /** The library and the Java side do not fit together. */
        ABI_MISMATCH,
        /** The JVM does not permit native access. */
        NATIVE_ACCESS_DENIED,
    }

    /** The kind of failure. */
    private final Kind kind;
    /** What was tried. */
    private final String[] attempts;

    /**
     * Describes a failure.
     *
     * @param kind its kind
     * @param message what happened, and what to do
     */
    public LibraryLoadException(Kind kind, String message) {
        this(kind, message, List.of(), null);
    }

    /**
     * Describes a failure.
     *
     * @param kind its kind
     * @param message what happened, and what to do
     * @param attempts what was tried, in order, each with its error
     * @param cause the last error, or {@code null}
     */
    public LibraryLoadException(Kind kind, String message, List<String> attempts, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.attempts = attempts.toArray(new String[0]);
    }

    /**
     * The kind of failure.
     *
     * @return its kind
     */
    public Kind kind() {
        return kind;
    }

    /**
     * What was tried.
     *
     * @return the steps in order, each with its error
     */
    public List<String> attempts() {
        return List.of(attempts);
    }
}
