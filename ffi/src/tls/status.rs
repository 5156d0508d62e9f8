//! Statuses of TLS failures.

/// The peer broke the protocol; an alert is sent.
pub const FERRONET_ERR_TLS_PROTOCOL: i32 = -10_022;
/// The first bytes are no TLS record.
pub const FERRONET_ERR_TLS_NOT_TLS: i32 = -10_023;
/// The peer sent a fatal alert.
pub const FERRONET_ERR_TLS_ALERT: i32 = -10_024;
/// The peer's certificate was refused.
pub const FERRONET_ERR_TLS_CERTIFICATE: i32 = -10_025;
/// A certificate is required, and the peer sent none.
pub const FERRONET_ERR_TLS_NO_CERTIFICATE: i32 = -10_026;
/// No version, suite, group, signature scheme or protocol in common.
pub const FERRONET_ERR_TLS_NO_COMMON: i32 = -10_027;
/// The transport ended without close_notify.
pub const FERRONET_ERR_TLS_TRUNCATED: i32 = -10_028;
/// Refused by design: TLS 1.0 and 1.1, CBC suites, renegotiation.
pub const FERRONET_ERR_TLS_UNSUPPORTED: i32 = -10_029;
/// A key or certificate of ours is unreadable, encrypted or does not fit.
pub const FERRONET_ERR_TLS_KEY: i32 = -10_030;
/// A callback failed.
pub const FERRONET_ERR_TLS_CALLBACK: i32 = -10_031;
/// The keys have encrypted as much as is safe.
pub const FERRONET_ERR_TLS_EXHAUSTED: i32 = -10_032;
