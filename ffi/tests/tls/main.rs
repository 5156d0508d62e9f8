//! TLS sessions against each other, against plain rustls, and against what breaks the rules.
#![cfg(feature = "tls")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod alpn;
mod closing;
mod configuration;
mod damage;
mod drift;
mod hooks;
mod matrix;
mod plain;
mod records;
mod resumption;
mod support;
mod trust;
