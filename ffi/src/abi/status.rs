//! Statuses: 0 or positive is success; -1 to -4095 is a negated errno; below -10000 are Ferronet's own.

use std::ffi::CStr;

use super::errno::c_name;

/// A status: 0 or a count on success, a negative number on failure.
pub type Status = i32;

/// Success; every status that is not negative is one. Since revision 1.
pub const FERRONET_OK: i32 = 0;
/// The first number of Ferronet's own statuses. Above it (-4095 to -1) a status is a negated errno of the platform.
/// Since revision 1.
pub const FERRONET_ERR_BASE: i32 = -10_000;
/// A panic was caught at the boundary; the handle is poisoned. Since revision 1.
pub const FERRONET_ERR_PANIC: i32 = -10_001;
/// The handle was poisoned by an earlier panic. Since revision 1.
pub const FERRONET_ERR_POISONED: i32 = -10_002;
/// An argument is NULL, out of range or contradicts another. Since revision 1.
pub const FERRONET_ERR_INVALID_ARGUMENT: i32 = -10_003;
/// The handle is of another type, or no handle. Since revision 1.
pub const FERRONET_ERR_INVALID_HANDLE: i32 = -10_004;
/// The handle was closed. Since revision 1.
pub const FERRONET_ERR_CLOSED: i32 = -10_005;
/// Called from a thread that does not own the handle. Since revision 1.
pub const FERRONET_ERR_WRONG_THREAD: i32 = -10_006;
/// Operations are in flight. Since revision 1.
pub const FERRONET_ERR_BUSY: i32 = -10_007;
/// A structure is longer than the library knows, and its unknown tail is not zero. Since revision 1.
pub const FERRONET_ERR_TOO_BIG: i32 = -10_008;
/// The caller's revision is below the floor, or above what the structure allows. Since revision 1.
pub const FERRONET_ERR_ABI: i32 = -10_009;
/// A required feature was not built. Since revision 1.
pub const FERRONET_ERR_FEATURE: i32 = -10_010;
/// The running system does not offer what was asked for. Since revision 1.
pub const FERRONET_ERR_UNAVAILABLE: i32 = -10_011;
/// The operation code or one of its flags is unknown. Since revision 1.
pub const FERRONET_ERR_UNSUPPORTED_OP: i32 = -10_012;
/// The socket number is unknown to this reactor. Since revision 1.
pub const FERRONET_ERR_UNKNOWN_SOCKET: i32 = -10_013;
/// The option does not exist on this platform or this kind of socket. Since revision 1.
pub const FERRONET_ERR_UNSUPPORTED_OPTION: i32 = -10_014;
/// No lent buffer is free. Since revision 1.
pub const FERRONET_ERR_NO_BUFFERS: i32 = -10_015;
/// A limit that the caller set was reached. Since revision 1.
pub const FERRONET_ERR_LIMIT: i32 = -10_016;
/// The output region is too small; nothing was written. Since revision 1.
pub const FERRONET_ERR_TOO_SMALL: i32 = -10_017;
/// The reactor was not started. Since revision 1.
pub const FERRONET_ERR_NOT_STARTED: i32 = -10_018;
/// Compressed data is invalid, or a checksum or length in it is wrong. Since revision 2.
pub const FERRONET_ERR_DATA: i32 = -10_019;
/// Compressed data ends before its stream does. Since revision 2.
pub const FERRONET_ERR_TRUNCATED: i32 = -10_020;
/// Compressed data needs a dictionary that was not set. Since revision 2.
pub const FERRONET_ERR_DICTIONARY: i32 = -10_021;
/// The peer broke the protocol, by RFC 8446 or RFC 5246; an alert says so to it. Since revision 3.
pub const FERRONET_ERR_TLS_PROTOCOL: i32 = -10_022;
/// The first bytes are no TLS record, but for example plain HTTP. Since revision 3.
pub const FERRONET_ERR_TLS_NOT_TLS: i32 = -10_023;
/// The peer ended the connection with a fatal alert. Since revision 3.
pub const FERRONET_ERR_TLS_ALERT: i32 = -10_024;
/// The peer's certificate was refused: untrusted, expired, revoked, or for another name. Since revision 3.
pub const FERRONET_ERR_TLS_CERTIFICATE: i32 = -10_025;
/// A certificate is required, and the peer sent none. Since revision 3.
pub const FERRONET_ERR_TLS_NO_CERTIFICATE: i32 = -10_026;
/// Both sides have no version, cipher suite, group, signature scheme or application protocol in common. Since revision 3.
pub const FERRONET_ERR_TLS_NO_COMMON: i32 = -10_027;
/// The transport ended without a close_notify. Since revision 3.
pub const FERRONET_ERR_TLS_TRUNCATED: i32 = -10_028;
/// Left out on purpose: TLS below 1.2, CBC suites, renegotiation, and the like. Since revision 3.
pub const FERRONET_ERR_TLS_UNSUPPORTED: i32 = -10_029;
/// A certificate, key or revocation list cannot be read, or key and certificate are not for each other. Since revision 3.
pub const FERRONET_ERR_TLS_KEY: i32 = -10_030;
/// A callback of the caller failed. Since revision 3.
pub const FERRONET_ERR_TLS_CALLBACK: i32 = -10_031;
/// The keys have encrypted as much as they may. Since revision 3.
pub const FERRONET_ERR_TLS_EXHAUSTED: i32 = -10_032;

macro_rules! statuses {
    ($($name:ident: $meaning:literal,)*) => {
        /// Number, name and meaning of each of Ferronet's own statuses: the one table that names and tests read.
        pub const STATUSES: &[(i32, &str, &str)] = &[$(($name, stringify!($name), $meaning)),*];
        /// The same names for C.
        pub(crate) const NAMES: &[(i32, &CStr)] = &[$(($name, c_name!($name))),*];
    };
}

statuses! {
    FERRONET_ERR_PANIC: "a panic was caught at the boundary",
    FERRONET_ERR_POISONED: "the handle was poisoned by an earlier panic",
    FERRONET_ERR_INVALID_ARGUMENT: "an argument is NULL, out of range or contradicts another",
    FERRONET_ERR_INVALID_HANDLE: "the handle is of another type, or no handle",
    FERRONET_ERR_CLOSED: "the handle was closed",
    FERRONET_ERR_WRONG_THREAD: "called from a thread that does not own the handle",
    FERRONET_ERR_BUSY: "operations are in flight",
    FERRONET_ERR_TOO_BIG: "a structure has an unknown tail that is not zero",
    FERRONET_ERR_ABI: "the ABI revisions do not fit",
    FERRONET_ERR_FEATURE: "a required feature was not built",
    FERRONET_ERR_UNAVAILABLE: "the running system does not offer it",
    FERRONET_ERR_UNSUPPORTED_OP: "unknown operation or flag",
    FERRONET_ERR_UNKNOWN_SOCKET: "the socket number is unknown to this reactor",
    FERRONET_ERR_UNSUPPORTED_OPTION: "the option does not exist here",
    FERRONET_ERR_NO_BUFFERS: "no lent buffer is free",
    FERRONET_ERR_LIMIT: "a limit was reached",
    FERRONET_ERR_TOO_SMALL: "the output region is too small",
    FERRONET_ERR_NOT_STARTED: "the reactor was not started",
    FERRONET_ERR_DATA: "compressed data is invalid",
    FERRONET_ERR_TRUNCATED: "compressed data ends before its stream does",
    FERRONET_ERR_DICTIONARY: "compressed data needs another dictionary",
    FERRONET_ERR_TLS_PROTOCOL: "the peer broke the TLS protocol",
    FERRONET_ERR_TLS_NOT_TLS: "the peer does not speak TLS",
    FERRONET_ERR_TLS_ALERT: "the peer sent a fatal TLS alert",
    FERRONET_ERR_TLS_CERTIFICATE: "the peer's certificate was refused",
    FERRONET_ERR_TLS_NO_CERTIFICATE: "the peer sent no certificate",
    FERRONET_ERR_TLS_NO_COMMON: "the two sides have nothing in common",
    FERRONET_ERR_TLS_TRUNCATED: "the connection ended without a close_notify",
    FERRONET_ERR_TLS_UNSUPPORTED: "TLS that is left out on purpose",
    FERRONET_ERR_TLS_KEY: "a certificate or key cannot be used",
    FERRONET_ERR_TLS_CALLBACK: "a TLS callback failed",
    FERRONET_ERR_TLS_EXHAUSTED: "the keys have encrypted as much as they may",
}
