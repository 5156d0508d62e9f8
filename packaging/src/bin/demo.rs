//! `cargo demo`: builds everything and starts the example HTTP server on Ferronet's transport.

use std::process::ExitCode;

use ferronet_packaging::console;
use ferronet_packaging::demo::{self, Server};
use ferronet_packaging::project::Project;
use ferronet_packaging::stage::Options;
use ferronet_packaging::supervise::{Outcome, supervise};
use ferronet_packaging::tools::{Missing, Toolbox};

const USAGE: &str = "\
usage: cargo demo -- [--port P] [--backend auto|io_uring|poll] [--threads N] [--gzip on|off]
                     [--tls-port P [--cert FILE --key FILE]] [--no-install] [--offline]

Builds the library and the Java modules and starts the example HTTP server; Ctrl-C stops it.

  --port P       port of 127.0.0.1 to listen on; 0 takes a free one (8080)
  --backend B    io_uring, poll, or auto: io_uring, and poll where the system refuses it (auto)
  --threads N    event loops, up to 1024; 0 is one for each processor (0)
  --gzip on|off  compress responses, and accept compressed requests (on)
  --tls-port P   port of 127.0.0.1 for https; 0 takes a free one (none)
  --cert FILE    its certificate chain, PEM; by default a self-signed certificate is made at start
  --key FILE     the private key of the chain, PEM
  --no-install   only report missing tools
  --offline      fetch nothing

The server speaks HTTP/1.1 and HTTP/2, which over plain http takes prior knowledge: /, /json (128 KiB), /upload (length
and digest of what is posted) and /stats.";

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
    if let Err(error) = demo::check_arguments(&arguments) {
        eprintln!("cargo demo: {error}\n\n{USAGE}");
        return ExitCode::from(2);
    }
    let outcome = Project::locate()
        .and_then(|project| Server::build(&project, &mut Toolbox::new(missing), options))
        .and_then(|server| supervise(&mut server.command(&arguments)));
    match outcome {
        Ok(Outcome::Stopped) => {
            console::note("stopped");
            ExitCode::SUCCESS
        }
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
