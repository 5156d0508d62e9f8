//! The reactor against the real system, every test on both backends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
mod harness;

mod addresses;
mod alike;
mod cancel;
mod closing;
mod connecting;
mod fairness;
mod invalid;
#[cfg(all(target_os = "linux", feature = "io-uring"))]
mod ladder;
mod lent;
mod limits;
mod misuse;
mod model;
mod polling;
mod registration;
mod storms;
mod transfer;
mod turns;
mod waking;
