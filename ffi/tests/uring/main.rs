//! What is the ring's own: the kernel ladder, refusals, threads, overflow, and the count of system calls.
#![allow(clippy::unwrap_used, clippy::panic)]
#![cfg(all(target_os = "linux", feature = "io-uring"))]

mod closing;
#[cfg(feature = "test-hooks")]
mod faults;
mod ladder;
mod random;
mod refusals;
mod storms;
mod support;
mod threads;
