//! Socket options under numbers of our own, so that callers need no platform constants.
//! Values are `int64_t`; booleans are 0 or 1. What has no number here is reached by level and name.

macro_rules! options {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {
        $($(#[$doc])* pub const $name: i32 = $value;)*
        /// Number and name of every option: the one table that names, header and tests read.
        pub const OPTIONS: &[(i32, &str)] = &[$(($name, stringify!($name))),*];
    };
}

options! {
    /// SO_RCVBUF in bytes (socket(7)).
    FERRONET_OPTION_RCVBUF = 1;
    /// SO_SNDBUF in bytes (socket(7)).
    FERRONET_OPTION_SNDBUF = 2;
    /// SO_KEEPALIVE (socket(7)).
    FERRONET_OPTION_KEEPALIVE = 3;
    /// SO_REUSEADDR (socket(7)).
    FERRONET_OPTION_REUSEADDR = 4;
    /// SO_REUSEPORT (socket(7)).
    FERRONET_OPTION_REUSEPORT = 5;
    /// SO_LINGER in seconds; -1 is off (socket(7)).
    FERRONET_OPTION_LINGER = 6;
    /// SO_BROADCAST (socket(7)).
    FERRONET_OPTION_BROADCAST = 7;
    /// SO_BUSY_POLL in microseconds (socket(7)); Linux.
    FERRONET_OPTION_BUSY_POLL = 8;
    /// SO_ERROR, read only: the pending errno, which reading clears (socket(7)).
    FERRONET_OPTION_ERROR = 9;
    /// IP_TOS or IPV6_TCLASS by the socket's family (ip(7), ipv6(7)).
    FERRONET_OPTION_TOS = 20;
    /// IP_FREEBIND (ip(7)); Linux.
    FERRONET_OPTION_FREEBIND = 21;
    /// IP_TRANSPARENT (ip(7)); Linux.
    FERRONET_OPTION_TRANSPARENT = 22;
    /// IP_BIND_ADDRESS_NO_PORT (ip(7)); Linux.
    FERRONET_OPTION_BIND_ADDRESS_NO_PORT = 23;
    /// IPV6_V6ONLY (ipv6(7)).
    FERRONET_OPTION_V6ONLY = 24;
    /// TCP_NODELAY (tcp(7)).
    FERRONET_OPTION_TCP_NODELAY = 40;
    /// TCP_CORK (tcp(7)), TCP_NOPUSH on BSD.
    FERRONET_OPTION_TCP_CORK = 41;
    /// TCP_KEEPIDLE in seconds (tcp(7)).
    FERRONET_OPTION_TCP_KEEPIDLE = 42;
    /// TCP_KEEPINTVL in seconds (tcp(7)).
    FERRONET_OPTION_TCP_KEEPINTVL = 43;
    /// TCP_KEEPCNT (tcp(7)).
    FERRONET_OPTION_TCP_KEEPCNT = 44;
    /// TCP_USER_TIMEOUT in milliseconds (tcp(7)); Linux.
    FERRONET_OPTION_TCP_USER_TIMEOUT = 45;
    /// TCP_QUICKACK (tcp(7)); Linux.
    FERRONET_OPTION_TCP_QUICKACK = 46;
    /// TCP_NOTSENT_LOWAT in bytes (tcp(7)).
    FERRONET_OPTION_TCP_NOTSENT_LOWAT = 47;
    /// TCP_DEFER_ACCEPT in seconds (tcp(7)); Linux.
    FERRONET_OPTION_TCP_DEFER_ACCEPT = 48;
    /// TCP_FASTOPEN: queue length of pending fast opens of a listener (tcp(7)).
    FERRONET_OPTION_TCP_FASTOPEN = 49;
    /// TCP_FASTOPEN_CONNECT (tcp(7)); Linux.
    FERRONET_OPTION_TCP_FASTOPEN_CONNECT = 50;
}
