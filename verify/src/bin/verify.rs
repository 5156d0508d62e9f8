//! `cargo verify`: runs every test of the project.

use std::process::ExitCode;

use ferronet_verify::command_line::{self, USAGE};
use ferronet_verify::runner;

fn main() -> ExitCode {
    let options = match command_line::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("cargo verify: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if options.help {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    runner::run(&options).unwrap_or_else(|error| {
        eprintln!("cargo verify: {error}");
        ExitCode::FAILURE
    })
}
