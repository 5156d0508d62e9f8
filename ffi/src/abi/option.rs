//! Socket options under numbers of our own, so that callers need no platform constants.
//! Values are `int64_t`; booleans are 0 or 1. What has no number here is reached by level and name.

/// SO_RCVBUF in bytes (socket(7)). Since revision 1.
pub const FERRONET_OPTION_RCVBUF: i32 = 1;
/// SO_SNDBUF in bytes (socket(7)). Since revision 1.
pub const FERRONET_OPTION_SNDBUF: i32 = 2;
/// SO_KEEPALIVE (socket(7)). Since revision 1.
pub const FERRONET_OPTION_KEEPALIVE: i32 = 3;
/// SO_REUSEADDR (socket(7)). Since revision 1.
pub const FERRONET_OPTION_REUSEADDR: i32 = 4;
/// SO_REUSEPORT (socket(7)). Since revision 1.
pub const FERRONET_OPTION_REUSEPORT: i32 = 5;
/// SO_LINGER in seconds; -1 is off (socket(7)). Above 0, whatever closes the socket may wait that long for the peer, and
/// so may the loop: remove such a socket from its reactor, and close it on another thread. Since revision 1.
pub const FERRONET_OPTION_LINGER: i32 = 6;
/// SO_BROADCAST (socket(7)). Since revision 1.
pub const FERRONET_OPTION_BROADCAST: i32 = 7;
/// SO_BUSY_POLL in microseconds (socket(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_BUSY_POLL: i32 = 8;
/// SO_ERROR, read only: the pending errno, which reading clears (socket(7)). Since revision 1.
pub const FERRONET_OPTION_ERROR: i32 = 9;
/// IP_TOS or IPV6_TCLASS by the socket's family (ip(7), ipv6(7)). Since revision 1.
pub const FERRONET_OPTION_TOS: i32 = 20;
/// IP_FREEBIND (ip(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_FREEBIND: i32 = 21;
/// IP_TRANSPARENT (ip(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_TRANSPARENT: i32 = 22;
/// IP_BIND_ADDRESS_NO_PORT (ip(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_BIND_ADDRESS_NO_PORT: i32 = 23;
/// IPV6_V6ONLY (ipv6(7)). Since revision 1.
pub const FERRONET_OPTION_V6ONLY: i32 = 24;
/// TCP_NODELAY (tcp(7)). Since revision 1.
pub const FERRONET_OPTION_TCP_NODELAY: i32 = 40;
/// TCP_CORK (tcp(7)), TCP_NOPUSH on BSD. Since revision 1.
pub const FERRONET_OPTION_TCP_CORK: i32 = 41;
/// TCP_KEEPIDLE in seconds (tcp(7)). Since revision 1.
pub const FERRONET_OPTION_TCP_KEEPIDLE: i32 = 42;
/// TCP_KEEPINTVL in seconds (tcp(7)). Since revision 1.
pub const FERRONET_OPTION_TCP_KEEPINTVL: i32 = 43;
/// TCP_KEEPCNT (tcp(7)). Since revision 1.
pub const FERRONET_OPTION_TCP_KEEPCNT: i32 = 44;
/// TCP_USER_TIMEOUT in milliseconds (tcp(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_TCP_USER_TIMEOUT: i32 = 45;
/// TCP_QUICKACK (tcp(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_TCP_QUICKACK: i32 = 46;
/// TCP_NOTSENT_LOWAT in bytes (tcp(7)). Since revision 1.
pub const FERRONET_OPTION_TCP_NOTSENT_LOWAT: i32 = 47;
/// TCP_DEFER_ACCEPT in seconds (tcp(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_TCP_DEFER_ACCEPT: i32 = 48;
/// TCP_FASTOPEN: queue length of pending fast opens of a listener (tcp(7)). Since revision 1.
pub const FERRONET_OPTION_TCP_FASTOPEN: i32 = 49;
/// TCP_FASTOPEN_CONNECT (tcp(7)); Linux. Since revision 1.
pub const FERRONET_OPTION_TCP_FASTOPEN_CONNECT: i32 = 50;

macro_rules! named {
    ($($name:ident),* $(,)?) => { &[$(($name, stringify!($name))),*] };
}

/// Number and name of every option: the one table that names, layout table and tests read.
pub const OPTIONS: &[(i32, &str)] = named![
    FERRONET_OPTION_RCVBUF,
    FERRONET_OPTION_SNDBUF,
    FERRONET_OPTION_KEEPALIVE,
    FERRONET_OPTION_REUSEADDR,
    FERRONET_OPTION_REUSEPORT,
    FERRONET_OPTION_LINGER,
    FERRONET_OPTION_BROADCAST,
    FERRONET_OPTION_BUSY_POLL,
    FERRONET_OPTION_ERROR,
    FERRONET_OPTION_TOS,
    FERRONET_OPTION_FREEBIND,
    FERRONET_OPTION_TRANSPARENT,
    FERRONET_OPTION_BIND_ADDRESS_NO_PORT,
    FERRONET_OPTION_V6ONLY,
    FERRONET_OPTION_TCP_NODELAY,
    FERRONET_OPTION_TCP_CORK,
    FERRONET_OPTION_TCP_KEEPIDLE,
    FERRONET_OPTION_TCP_KEEPINTVL,
    FERRONET_OPTION_TCP_KEEPCNT,
    FERRONET_OPTION_TCP_USER_TIMEOUT,
    FERRONET_OPTION_TCP_QUICKACK,
    FERRONET_OPTION_TCP_NOTSENT_LOWAT,
    FERRONET_OPTION_TCP_DEFER_ACCEPT,
    FERRONET_OPTION_TCP_FASTOPEN,
    FERRONET_OPTION_TCP_FASTOPEN_CONNECT,
];
