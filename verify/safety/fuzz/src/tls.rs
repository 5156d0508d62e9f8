//! Arbitrary bytes for TLS sessions and configurations: `cargo verify fuzz`.
#![no_main]

#[path = "../../../../ffi/tests/tls/driver.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|input: &[u8]| driver::run(input));
