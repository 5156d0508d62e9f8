//! Arbitrary submission records for a started reactor, on both backends: `cargo verify fuzz`.
#![no_main]

#[path = "../../../../ffi/tests/records/driver.rs"]
mod driver;

use ferronet::abi::config::{FERRONET_BACKEND_IO_URING, FERRONET_BACKEND_POLL};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    driver::run(FERRONET_BACKEND_POLL, input);
    driver::run(FERRONET_BACKEND_IO_URING, input);
});
