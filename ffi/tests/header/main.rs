//! The committed files that are generated from the sources, and the header in the hands of C and C++ compilers.
//!
//! `FERRONET_REGENERATE=1 cargo test -p ferronet --test header` rewrites the generated files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod compile;
mod frozen;
mod generate;
mod programs;
mod sources;
