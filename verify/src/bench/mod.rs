//! The benchmark harness behind `cargo bench-report`.

use std::process::ExitCode;

/// Runs the benchmarks named by `arguments`; fails when a name is unknown.
pub fn run(arguments: Vec<String>) -> ExitCode {
    let Some(name) = arguments.first() else {
        println!("usage: cargo bench-report NAME...");
        return ExitCode::SUCCESS;
    };
    eprintln!("unknown benchmark: {name}");
    ExitCode::FAILURE
}
