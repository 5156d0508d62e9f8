//! Compression and decompression: round trips, other tools, errors and bounds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod bounds;
mod corpus;
mod damage;
mod detection;
mod dictionary;
mod features;
mod gzip_tool;
mod random;
mod round_trip;
mod support;
mod system_zlib;
mod whole;
