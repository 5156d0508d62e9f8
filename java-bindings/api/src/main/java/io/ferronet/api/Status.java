package io.ferronet.api;

/**
 * Statuses: 0 or positive is success; -1 to -4095 is a negated errno of the platform; below {@link #BASE} are Ferronet's own.
 * Since revision 1.
 */
public final class Status {
    /** Success. */
    public static final int OK = 0;
    /** The first number of Ferronet's own statuses. Above it (-4095 to -1) a status is a negated errno of the platform. */
    public static final int BASE = -10_000;
    /** A panic was caught at the boundary; the handle is poisoned. */
    public static final int PANIC = -10_001;
    /** The handle was poisoned by an earlier panic. */
    public static final int POISONED = -10_002;
    /** An argument is NULL, out of range or contradicts another. */
    public static final int INVALID_ARGUMENT = -10_003;
    /** The handle is of another type, or no handle. */
    public static final int INVALID_HANDLE = -10_004;
    /** The handle was closed. */
    public static final int CLOSED = -10_005;
    /** Called from a thread that does not own the handle. */
    public static final int WRONG_THREAD = -10_006;
    /** Operations are in flight. */
    public static final int BUSY = -10_007;
    /** A structure is longer than the library knows, and its unknown tail is not zero. */
    public static final int TOO_BIG = -10_008;
    /** The caller's revision is below the floor, or above what the structure allows. */
    public static final int ABI = -10_009;
    /** A required feature was not built. */
    public static final int FEATURE = -10_010;
    /** The running system does not offer what was asked for. */
    public static final int UNAVAILABLE = -10_011;
    /** The operation code or one of its flags is unknown. */
    public static final int UNSUPPORTED_OP = -10_012;
    /** The socket number is unknown to this reactor. */
    public static final int UNKNOWN_SOCKET = -10_013;
    /** The option does not exist on this platform or this kind of socket. */
    public static final int UNSUPPORTED_OPTION = -10_014;
    /** No lent buffer is free. */
    public static final int NO_BUFFERS = -10_015;
    /** A limit that the caller set was reached. */
    public static final int LIMIT = -10_016;
    /** The output region is too small; nothing was written. */
    public static final int TOO_SMALL = -10_017;
    /** The reactor was not started. */
    public static final int NOT_STARTED = -10_018;
    /** Compressed data is invalid, or a checksum or length in it is wrong. Since revision 2. */
    public static final int DATA = -10_019;
    /** Compressed data ends before its stream does. Since revision 2. */
    public static final int TRUNCATED = -10_020;
    /** Compressed data needs a dictionary that was not set. Since revision 2. */
    public static final int DICTIONARY = -10_021;
    /** The peer broke the protocol, by RFC 8446 or RFC 5246; an alert says so to it. Since revision 3. */
    public static final int TLS_PROTOCOL = -10_022;
    /** The first bytes are no TLS record, but for example plain HTTP. Since revision 3. */
    public static final int TLS_NOT_TLS = -10_023;
    /** The peer ended the connection with a fatal alert. Since revision 3. */
    public static final int TLS_ALERT = -10_024;
    /** The peer's certificate was refused: untrusted, expired, revoked, or for another name. Since revision 3. */
    public static final int TLS_CERTIFICATE = -10_025;
    /** A certificate is required, and the peer sent none. Since revision 3. */
    public static final int TLS_NO_CERTIFICATE = -10_026;
    /** Both sides have no version, cipher suite, group, signature scheme or application protocol in common. Since revision 3. */
    public static final int TLS_NO_COMMON = -10_027;
    /** The transport ended without a close_notify. Since revision 3. */
    public static final int TLS_TRUNCATED = -10_028;
    /** Left out on purpose: TLS below 1.2, CBC suites, renegotiation, and the like. Since revision 3. */
    public static final int TLS_UNSUPPORTED = -10_029;
    /** A certificate, key or revocation list cannot be read, or key and certificate are not for each other. Since revision 3. */
    public static final int TLS_KEY = -10_030;
    /** A callback of the caller failed. Since revision 3. */
    public static final int TLS_CALLBACK = -10_031;
    /** The keys have encrypted as much as they may. Since revision 3. */
    public static final int TLS_EXHAUSTED = -10_032;

    private static final int LAST_ERRNO = 4095;
    /** Name and description of {@code BASE - 1}, {@code BASE - 2} and so on. */
    private static final String[][] OWN = {
        {"FERRONET_ERR_PANIC", "a panic was caught at the boundary"},
        {"FERRONET_ERR_POISONED", "the handle was poisoned by an earlier panic"},
        {"FERRONET_ERR_INVALID_ARGUMENT", "an argument is NULL, out of range or contradicts another"},
        {"FERRONET_ERR_INVALID_HANDLE", "the handle is of another type, or no handle"},
        {"FERRONET_ERR_CLOSED", "the handle was closed"},
        {"FERRONET_ERR_WRONG_THREAD", "called from a thread that does not own the handle"},
        {"FERRONET_ERR_BUSY", "operations are in flight"},
        {"FERRONET_ERR_TOO_BIG", "a structure has an unknown tail that is not zero"},
        {"FERRONET_ERR_ABI", "the ABI revisions do not fit"},
        {"FERRONET_ERR_FEATURE", "a required feature was not built"},
        {"FERRONET_ERR_UNAVAILABLE", "the running system does not offer it"},
        {"FERRONET_ERR_UNSUPPORTED_OP", "unknown operation or flag"},
        {"FERRONET_ERR_UNKNOWN_SOCKET", "the socket number is unknown to this reactor"},
        {"FERRONET_ERR_UNSUPPORTED_OPTION", "the option does not exist here"},
        {"FERRONET_ERR_NO_BUFFERS", "no lent buffer is free"},
        {"FERRONET_ERR_LIMIT", "a limit was reached"},
        {"FERRONET_ERR_TOO_SMALL", "the output region is too small"},
        {"FERRONET_ERR_NOT_STARTED", "the reactor was not started"},
        {"FERRONET_ERR_DATA", "compressed data is invalid"},
        {"FERRONET_ERR_TRUNCATED", "compressed data ends before its stream does"},
        {"FERRONET_ERR_DICTIONARY", "compressed data needs another dictionary"},
        {"FERRONET_ERR_TLS_PROTOCOL", "the peer broke the TLS protocol"},
        {"FERRONET_ERR_TLS_NOT_TLS", "the peer does not speak TLS"},
        {"FERRONET_ERR_TLS_ALERT", "the peer sent a fatal TLS alert"},
        {"FERRONET_ERR_TLS_CERTIFICATE", "the peer's certificate was refused"},
        {"FERRONET_ERR_TLS_NO_CERTIFICATE", "the peer sent no certificate"},
        {"FERRONET_ERR_TLS_NO_COMMON", "the two sides have nothing in common"},
        {"FERRONET_ERR_TLS_TRUNCATED", "the connection ended without a close_notify"},
        {"FERRONET_ERR_TLS_UNSUPPORTED", "TLS that is left out on purpose"},
        {"FERRONET_ERR_TLS_KEY", "a certificate or key cannot be used"},
        {"FERRONET_ERR_TLS_CALLBACK", "a TLS callback failed"},
        {"FERRONET_ERR_TLS_EXHAUSTED", "the keys have encrypted as much as they may"},
    };

    private Status() {
    }

    /**
     * Whether a result is a failure.
     *
     * @param result what a method of {@link FerronetBinding} or a completion returned
     * @return whether it is negative
     */
    public static boolean isError(long result) {
        return result < 0;
    }

    /**
     * Whether a status is an error of the operating system.
     *
     * @param status a status
     * @return whether {@link #errno} applies
     */
    public static boolean isOsError(int status) {
        return status < 0 && status >= -LAST_ERRNO;
    }

    /**
     * The operating system's number.
     *
     * @param status a status
     * @return errno, positive; 0 if the status is no error of the operating system
     */
    public static int errno(int status) {
        return isOsError(status) ? -status : 0;
    }

    /**
     * Names a status.
     *
     * @param status a status
     * @return for example {@code FERRONET_ERR_BUSY}, {@code EADDRINUSE}, {@code FERRONET_OK}, or the number if it has no name here
     */
    public static String name(int status) {
        if (status >= 0) {
            return "FERRONET_OK";
        }
        int own = BASE - 1 - status;
        if (own >= 0 && own < OWN.length) {
            return OWN[own][0];
        }
        Errno error = isOsError(status) ? Errno.of(-status) : null;
        return error != null ? error.name() : isOsError(status) ? "errno " + -status : "status " + status;
    }

    /**
     * Explains a status.
     *
     * @param status a status
     * @return one clause without a full stop
     */
    public static String description(int status) {
        if (status >= 0) {
            return "success";
        }
        int own = BASE - 1 - status;
        if (own >= 0 && own < OWN.length) {
            return OWN[own][1];
        }
        Errno error = isOsError(status) ? Errno.of(-status) : null;
        return error != null ? error.description() : isOsError(status) ? "an error of the operating system" : "an unknown status";
    }
}
