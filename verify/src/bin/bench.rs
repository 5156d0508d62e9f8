//! `cargo bench-report`: measures Ferronet beside its peers.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferronet_verify::bench::run(std::env::args().skip(1).collect())
}
