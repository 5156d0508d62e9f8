//! `cargo stage`: builds the artifacts into `target/stage/`, and those of Java into `target/maven/`.

use std::path::PathBuf;
use std::process::ExitCode;

use ferronet_packaging::console::Step;
use ferronet_packaging::java::Maven;
use ferronet_packaging::project::Project;
use ferronet_packaging::stage::{self, Options};
use ferronet_packaging::tools::{Missing, Toolbox};
use ferronet_packaging::{Result, repository, run};

const USAGE: &str = "\
usage: cargo stage [--maven] [--no-install] [--offline]

Builds the shared library, the static library, the development tree and the contents of the native jar
into target/stage/ and checks them.

  --maven        build the Java artifacts too, into the Maven repository target/maven/
  --no-install   only report missing tools
  --offline      fetch nothing; dependencies are vendored or cached";

fn main() -> ExitCode {
    let mut missing = Missing::Install;
    let mut options = Options::default();
    let mut java = false;
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--maven" => java = true,
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
    match build(&mut Toolbox::new(missing), options, java) {
        Ok(places) => {
            for place in places {
                println!("{}", place.display());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cargo stage: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds what was asked for and returns where it is.
fn build(toolbox: &mut Toolbox, options: Options, java: bool) -> Result<Vec<PathBuf>> {
    let project = Project::locate()?;
    let mut places = vec![stage::stage(&project, toolbox, options)?.root];
    if java {
        let maven = Maven::find(toolbox, options.offline)?;
        let place = repository::place(&project);
        let step = Step::start("package the Java modules");
        let log = project.target.join("stage-maven.log");
        std::fs::write(&log, "")?;
        let built = repository::build(&project, &maven, &place, |command| {
            let success = run::logged(command, &log)?;
            Ok((success, std::fs::read_to_string(&log).unwrap_or_default()))
        });
        step.end(if built.is_ok() { "done" } else { "FAILED" });
        built?;
        places.push(place);
    }
    Ok(places)
}
