//! Arbitrary bytes for decompression: `cargo verify fuzz`.
#![no_main]

#[path = "../../../../ffi/tests/codec/driver.rs"]
#[allow(dead_code, reason = "the other target uses the rest")]
mod driver;

libfuzzer_sys::fuzz_target!(|input: &[u8]| driver::inflate(input));
