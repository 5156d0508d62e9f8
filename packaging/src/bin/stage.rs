//! `cargo stage`: builds the artifacts into `target/stage/`.

use std::process::ExitCode;

use ferronet_packaging::project::Project;
use ferronet_packaging::stage::{self, Options};
use ferronet_packaging::tools::{Missing, Toolbox};

const USAGE: &str = "\
usage: cargo stage [--no-install] [--offline]

Builds the shared library, the static library, the development tree and the contents of the native jar
into target/stage/ and checks them.

  --no-install   only report missing tools
  --offline      fetch nothing; dependencies are vendored or cached";

fn main() -> ExitCode {
    let mut missing = Missing::Install;
    let mut options = Options::default();
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--no-install" => missing = Missing::Report,
            "--offline" => options.offline = true,
            "--help" | "-h" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            _ => {
                eprintln!("cargo stage: unknown argument: {word}\n\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let staged = Project::locate().and_then(|project| stage::stage(&project, &mut Toolbox::new(missing), options));
    match staged {
        Ok(staged) => {
            println!("{}", staged.root.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cargo stage: {error}");
            ExitCode::FAILURE
        }
    }
}
