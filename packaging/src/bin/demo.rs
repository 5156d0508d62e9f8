//! `cargo demo`: builds everything and starts the example HTTP server on Ferronet's transport.

use std::process::ExitCode;

use ferronet_packaging::demo::Server;
use ferronet_packaging::project::Project;
use ferronet_packaging::stage::Options;
use ferronet_packaging::supervise::{Outcome, supervise};
use ferronet_packaging::tools::{Missing, Toolbox};

const USAGE: &str = "\
usage: cargo demo [-- --port P --backend auto|io_uring|poll --threads N] [--no-install] [--offline]

Builds the library and the Java modules and starts the example HTTP server; Ctrl-C stops it.

  --port P       port to listen on; 0 takes a free one
  --backend B    auto, io_uring or poll
  --threads N    number of event loops
  --no-install   only report missing tools
  --offline      fetch nothing

The server serves /, /json, /upload (POST) and /stats.";

fn main() -> ExitCode {
    let mut missing = Missing::Install;
    let mut options = Options::default();
    let mut arguments = Vec::new();
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--" => {}
            "--no-install" => missing = Missing::Report,
            "--offline" => options.offline = true,
            "--help" | "-h" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            _ => arguments.push(word),
        }
    }
    let outcome = Project::locate()
        .and_then(|project| Server::build(&project, &mut Toolbox::new(missing), options))
        .and_then(|server| supervise(&mut server.command(&arguments)));
    match outcome {
        Ok(Outcome::Stopped) => ExitCode::SUCCESS,
        Ok(Outcome::Exited(code)) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Ok(Outcome::Killed) => {
            eprintln!("cargo demo: the server did not stop in time and was killed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("cargo demo: {error}");
            ExitCode::FAILURE
        }
    }
}
