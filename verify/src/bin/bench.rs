//! `cargo bench-report`: measures Ferronet beside its peers.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    ferronet_verify::bench::run(std::env::args().skip(1).collect())
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("bench-report: it reads the Linux scheduler's accounts, and runs on Linux only");
    ExitCode::FAILURE
}
