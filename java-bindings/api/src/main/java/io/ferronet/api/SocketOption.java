package io.ferronet.api;

/** Numbers of socket options, the same on every platform. Values are {@code int64_t}; booleans are 0 or 1. Since revision 1. */
public final class SocketOption {
    /** SO_RCVBUF in bytes (socket(7)). */
    public static final int RCVBUF = 1;
    /** SO_SNDBUF in bytes (socket(7)). */
    public static final int SNDBUF = 2;
    /** SO_KEEPALIVE (socket(7)). */
    public static final int KEEPALIVE = 3;
    /** SO_REUSEADDR (socket(7)). */
    public static final int REUSEADDR = 4;
    /** SO_REUSEPORT (socket(7)). */
    public static final int REUSEPORT = 5;
    /** SO_LINGER in seconds; -1 is off (socket(7)). */
    public static final int LINGER = 6;
    /** SO_BROADCAST (socket(7)). */
    public static final int BROADCAST = 7;
    /** SO_BUSY_POLL in microseconds (socket(7)); Linux. */
    public static final int BUSY_POLL = 8;
    /** SO_ERROR, read only: the pending errno, which reading clears (socket(7)). */
    public static final int ERROR = 9;
    /** IP_TOS or IPV6_TCLASS by the socket's family (ip(7), ipv6(7)). */
    public static final int TOS = 20;
    /** IP_FREEBIND (ip(7)); Linux. */
    public static final int FREEBIND = 21;
    /** IP_TRANSPARENT (ip(7)); Linux. */
    public static final int TRANSPARENT = 22;
    /** IP_BIND_ADDRESS_NO_PORT (ip(7)); Linux. */
    public static final int BIND_ADDRESS_NO_PORT = 23;
    /** IPV6_V6ONLY (ipv6(7)). */
    public static final int V6ONLY = 24;
    /** TCP_NODELAY (tcp(7)). */
    public static final int TCP_NODELAY = 40;
    /** TCP_CORK (tcp(7)), TCP_NOPUSH on BSD. */
    public static final int TCP_CORK = 41;
    /** TCP_KEEPIDLE in seconds (tcp(7)). */
    public static final int TCP_KEEPIDLE = 42;
    /** TCP_KEEPINTVL in seconds (tcp(7)). */
    public static final int TCP_KEEPINTVL = 43;
    /** TCP_KEEPCNT (tcp(7)). */
    public static final int TCP_KEEPCNT = 44;
    /** TCP_USER_TIMEOUT in milliseconds (tcp(7)); Linux. */
    public static final int TCP_USER_TIMEOUT = 45;
    /** TCP_QUICKACK (tcp(7)); Linux. */
    public static final int TCP_QUICKACK = 46;
    /** TCP_NOTSENT_LOWAT in bytes (tcp(7)). */
    public static final int TCP_NOTSENT_LOWAT = 47;
    /** TCP_DEFER_ACCEPT in seconds (tcp(7)); Linux. */
    public static final int TCP_DEFER_ACCEPT = 48;
    /** TCP_FASTOPEN: queue length of pending fast opens of a listener (tcp(7)). */
    public static final int TCP_FASTOPEN = 49;
    /** TCP_FASTOPEN_CONNECT (tcp(7)); Linux. */
    public static final int TCP_FASTOPEN_CONNECT = 50;

    private SocketOption() {
    }
}
