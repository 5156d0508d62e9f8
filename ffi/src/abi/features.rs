//! The feature registry: bits of `features_built` and of `ferronet_caps.available`.

/// The io_uring backend. Since revision 1.
pub const FERRONET_FEATURE_IO_URING: u64 = 1 << 0;
/// The poll backend over epoll. Since revision 1.
pub const FERRONET_FEATURE_EPOLL: u64 = 1 << 1;
/// The poll backend over kqueue. Since revision 1.
pub const FERRONET_FEATURE_KQUEUE: u64 = 1 << 2;
/// Compression: ferronet_deflate_* and ferronet_inflate_*. Since revision 2.
pub const FERRONET_FEATURE_ZLIB: u64 = 1 << 3;
/// TLS: ferronet_tls_*. Since revision 3.
pub const FERRONET_FEATURE_TLS: u64 = 1 << 4;

/// What this library was built with.
pub const BUILT: u64 = {
    let mut bits = FERRONET_FEATURE_ZLIB;
    if cfg!(all(target_os = "linux", feature = "io-uring")) {
        bits |= FERRONET_FEATURE_IO_URING;
    }
    if cfg!(target_os = "linux") {
        bits |= FERRONET_FEATURE_EPOLL;
    }
    if cfg!(any(target_os = "macos", target_os = "freebsd")) {
        bits |= FERRONET_FEATURE_KQUEUE;
    }
    if cfg!(feature = "tls") {
        bits |= FERRONET_FEATURE_TLS;
    }
    bits
};

/// Name of one feature bit, `None` for an unknown one.
pub const fn name(bit: u64) -> Option<&'static str> {
    match bit {
        FERRONET_FEATURE_IO_URING => Some("io_uring"),
        FERRONET_FEATURE_EPOLL => Some("epoll"),
        FERRONET_FEATURE_KQUEUE => Some("kqueue"),
        FERRONET_FEATURE_ZLIB => Some("zlib"),
        FERRONET_FEATURE_TLS => Some("tls"),
        _ => None,
    }
}
