//! `cargo stage`: builds the artifacts into `target/stage/`, and those of Java into `target/maven/`.

use std::path::PathBuf;
use std::process::ExitCode;

use ferronet_packaging::console::Step;
use ferronet_packaging::java::Maven;
use ferronet_packaging::project::Project;
use ferronet_packaging::stage::{self, Options};
use ferronet_packaging::target::Target;
use ferronet_packaging::tools::{Missing, Toolbox};
use ferronet_packaging::{Result, repository, run};

const USAGE: &str = "\
usage: cargo stage [--maven] [--target CLASSIFIER] [--no-install] [--offline]

Builds the shared library, the static library, the development tree and the contents of the native jars
into target/stage/ and checks them: with this system's compiler, for this system's C library.

  --maven        build the Java artifacts too, into the Maven repository target/maven/
  --target CLASSIFIER
                 build with zig instead, for the oldest C library that packaging/targets.toml names,
                 into target/stage-CLASSIFIER/, and nothing else
  --no-install   only report missing tools
  --offline      fetch nothing; dependencies are vendored or cached";

fn main() -> ExitCode {
    let mut missing = Missing::Install;
    let mut options = Options::default();
    let mut java = false;
    let mut target = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--target" => target = Some(words.next().unwrap_or_default()),
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
    match build(&mut Toolbox::new(missing), options, java, target.as_deref()) {
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
fn build(toolbox: &mut Toolbox, options: Options, java: bool, target: Option<&str>) -> Result<Vec<PathBuf>> {
    let project = Project::locate()?;
    if let Some(classifier) = target {
        return Ok(vec![stage::stage_for(&project, toolbox, options, Target::named(classifier)?)?.root]);
    }
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
