//! The reactor against the real system, every test on both backends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
mod harness;

mod addresses;
mod connecting;
mod transfer;
