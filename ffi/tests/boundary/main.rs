//! The C functions under misuse: NULL, closed, foreign and freed handles, structures of every size, and what they say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod errors;
mod fork;
#[allow(dead_code, reason = "the other test crate uses the rest")]
mod functions;
mod log;
mod metadata;
mod racing;
mod sized;
mod statuses;
mod sweep;
mod tls;
mod zlib;
