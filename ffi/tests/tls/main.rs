//! TLS sessions against each other, against plain rustls, and against what breaks the rules.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod after;
mod alpn;
mod closing;
mod configuration;
mod damage;
mod drift;
mod driver;
mod fuzz;
mod hooks;
mod hostile;
mod matrix;
mod memory;
mod openssl;
mod plain;
#[path = "../prose/mod.rs"]
mod prose;
mod raw;
mod records;
mod resumption;
mod support;
mod trust;
mod version1;
