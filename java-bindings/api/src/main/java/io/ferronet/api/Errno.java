package io.ferronet.api;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The operating system's errors that a socket can meet, under names that are the same everywhere. The numbers are those of the
 * running platform (errno(3); Linux and Darwin).
 */
public enum Errno {
    /** Operation not permitted. */
    EPERM(1, 1, "operation not permitted"),
    /** No such file or directory. */
    ENOENT(2, 2, "no such file or directory"),
    /** Interrupted system call. */
    EINTR(4, 4, "interrupted system call"),
    /** Input/output error. */
    EIO(5, 5, "input/output error"),
    /** Bad file descriptor. */
    EBADF(9, 9, "bad file descriptor"),
    /** Resource temporarily unavailable. */
    EAGAIN(11, 35, "resource temporarily unavailable"),
    /** Cannot allocate memory. */
    ENOMEM(12, 12, "cannot allocate memory"),
    /** Permission denied. */
    EACCES(13, 13, "permission denied"),
    /** Bad address. */
    EFAULT(14, 14, "bad address"),
    /** Device or resource busy. */
    EBUSY(16, 16, "device or resource busy"),
    /** File exists. */
    EEXIST(17, 17, "file exists"),
    /** No such device. */
    ENODEV(19, 19, "no such device"),
    /** Not a directory. */
    ENOTDIR(20, 20, "not a directory"),
    /** Invalid argument. */
    EINVAL(22, 22, "invalid argument"),
    /** Too many open files in system. */
    ENFILE(23, 23, "too many open files in system"),
    /** Too many open files. */
    EMFILE(24, 24, "too many open files"),
    /** No space left on device. */
    ENOSPC(28, 28, "no space left on device"),
    /** Broken pipe. */
    EPIPE(32, 32, "broken pipe"),
    /** Function not implemented. */
    ENOSYS(38, 78, "function not implemented"),
    /** Timer expired. */
    ETIME(62, 101, "timer expired"),
    /** Value too large for defined data type. */
    EOVERFLOW(75, 84, "value too large for defined data type"),
    /** Socket operation on non-socket. */
    ENOTSOCK(88, 38, "socket operation on non-socket"),
    /** Destination address required. */
    EDESTADDRREQ(89, 39, "destination address required"),
    /** Message too long. */
    EMSGSIZE(90, 40, "message too long"),
    /** Protocol wrong type for socket. */
    EPROTOTYPE(91, 41, "protocol wrong type for socket"),
    /** Protocol not available. */
    ENOPROTOOPT(92, 42, "protocol not available"),
    /** Protocol not supported. */
    EPROTONOSUPPORT(93, 43, "protocol not supported"),
    /** Operation not supported. */
    EOPNOTSUPP(95, 102, "operation not supported"),
    /** Address family not supported by protocol. */
    EAFNOSUPPORT(97, 47, "address family not supported by protocol"),
    /** Address already in use. */
    EADDRINUSE(98, 48, "address already in use"),
    /** Cannot assign requested address. */
    EADDRNOTAVAIL(99, 49, "cannot assign requested address"),
    /** Network is down. */
    ENETDOWN(100, 50, "network is down"),
    /** Network is unreachable. */
    ENETUNREACH(101, 51, "network is unreachable"),
    /** Network dropped connection on reset. */
    ENETRESET(102, 52, "network dropped connection on reset"),
    /** Software caused connection abort. */
    ECONNABORTED(103, 53, "software caused connection abort"),
    /** Connection reset by peer. */
    ECONNRESET(104, 54, "connection reset by peer"),
    /** No buffer space available. */
    ENOBUFS(105, 55, "no buffer space available"),
    /** Transport endpoint is already connected. */
    EISCONN(106, 56, "transport endpoint is already connected"),
    /** Transport endpoint is not connected. */
    ENOTCONN(107, 57, "transport endpoint is not connected"),
    /** Connection timed out. */
    ETIMEDOUT(110, 60, "connection timed out"),
    /** Connection refused. */
    ECONNREFUSED(111, 61, "connection refused"),
    /** Host is down. */
    EHOSTDOWN(112, 64, "host is down"),
    /** No route to host. */
    EHOSTUNREACH(113, 65, "no route to host"),
    /** Operation already in progress. */
    EALREADY(114, 37, "operation already in progress"),
    /** Operation now in progress. */
    EINPROGRESS(115, 36, "operation now in progress"),
    /** Operation canceled. */
    ECANCELED(125, 89, "operation canceled");

    private static final Map<Integer, Errno> BY_NUMBER = byNumber();

    private final int number;
    private final String description;

    Errno(int linux, int darwin, String description) {
        this.number = Platform.DARWIN ? darwin : linux;
        this.description = description;
    }

    /**
     * The number on this platform.
     *
     * @return errno, positive
     */
    public int number() {
        return number;
    }

    /**
     * The status by which the library reports this error.
     *
     * @return the negated number
     */
    public int status() {
        return -number;
    }

    /**
     * Explains the error.
     *
     * @return one clause without a full stop
     */
    public String description() {
        return description;
    }

    /**
     * The error of a number.
     *
     * @param number errno, positive
     * @return the error, or {@code null} if it is not in this list
     */
    public static Errno of(int number) {
        return BY_NUMBER.get(number);
    }

    private static Map<Integer, Errno> byNumber() {
        Map<Integer, Errno> errors = new HashMap<>();
        for (Errno error : values()) {
            errors.put(error.number, error);
        }
        return errors;
    }

    private static final class Platform {
        static final boolean DARWIN = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
    }
}
