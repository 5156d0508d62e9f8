//! The example server: building it, starting it, stopping it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::console::Step;
use crate::java::Maven;
use crate::project::Project;
use crate::stage::{self, Options};
use crate::tools::{Jdk, Toolbox};
use crate::{Result, run};

const MODULE: &str = "examples/http-server";
const MAIN: &str = "io.ferronet.examples.HttpServer";
const BACKENDS: [&str; 3] = ["auto", "io_uring", "poll"];
const MAX_THREADS: u32 = 1024;

/// The built example server.
#[derive(Clone, Debug)]
pub struct Server {
    jdk: Jdk,
    class_path: String,
}

impl Server {
    /// Stages the library and builds the server with everything that it depends on.
    ///
    /// # Errors
    /// When a tool is missing or a build fails.
    pub fn build(project: &Project, toolbox: &mut Toolbox, options: Options) -> Result<Self> {
        let maven = Maven::find(toolbox, options.offline)?;
        stage::stage(project, toolbox, options)?;
        let bindings = project.root.join("java-bindings");
        let pom = bindings.join("pom.xml");
        let list = bindings.join(MODULE).join("target/runtime-classpath.txt");

        let step = Step::start("build the example server");
        let newest = newest_change(&bindings)?.max(project.stage().join("lib").metadata()?.modified()?);
        if list.metadata().is_ok_and(|data| data.modified().is_ok_and(|built| built > newest)) {
            step.end("unchanged");
        } else {
            let log = project.target.join("demo-maven.log");
            let _ = std::fs::remove_file(&log);
            let arguments = [
                "--quiet",
                "--projects",
                MODULE,
                "--also-make",
                "-Dmaven.test.skip=true",
                "package",
                "dependency:build-classpath",
                "-Dmdep.includeScope=runtime",
                "-Dmdep.outputFile=${project.build.directory}/runtime-classpath.txt",
            ];
            if !maven.run(project, &pom, &arguments, &log)? {
                step.end("FAILED");
                let text = std::fs::read_to_string(&log).unwrap_or_default();
                return Err(format!("Maven failed, see {}\n{}", log.display(), run::tail(&text)).into());
            }
            step.end("done");
        }
        let dependencies = std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
        let classes = bindings.join(MODULE).join("target/classes");
        Ok(Self { jdk: maven.jdk, class_path: format!("{}:{}", classes.display(), dependencies.trim()) })
    }

    /// The command that starts the server.
    pub fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(self.jdk.program("java"));
        command.args(["--enable-native-access=ALL-UNNAMED", "-cp", &self.class_path, MAIN]).args(arguments);
        command
    }
}

/// What an option takes.
enum Rule {
    /// A number from 0 to this one.
    Number(u32),
    /// One of these words, and how the choice is told.
    Word(&'static [&'static str], &'static str),
    /// A file.
    File,
}

/// Checks the arguments of the server by its own rules, so that a wrong one is named before anything is built.
///
/// # Errors
/// What is wrong, and what is expected.
pub fn check_arguments(arguments: &[String]) -> std::result::Result<(), String> {
    let mut words = arguments.iter();
    while let Some(option) = words.next() {
        let rule = match option.as_str() {
            "--port" => Rule::Number(u32::from(u16::MAX)),
            "--threads" => Rule::Number(MAX_THREADS),
            "--backend" => Rule::Word(&BACKENDS, "auto, io_uring or poll"),
            "--gzip" => Rule::Word(&["on", "off"], "on or off"),
            "--tls-port" => Rule::Number(u32::from(u16::MAX)),
            "--cert" | "--key" => Rule::File,
            _ => return Err(format!("unknown option {option}")),
        };
        let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
        let (right, expected) = match rule {
            Rule::Number(most) => (value.parse::<u32>().is_ok_and(|number| number <= most), format!("0 to {most}")),
            Rule::Word(known, text) => (known.contains(&value.as_str()), text.to_owned()),
            Rule::File => (Path::new(value).is_file(), "a file that is there".to_owned()),
        };
        if !right {
            return Err(format!("{option} {value} (expected: {expected})"));
        }
    }
    let given = |option: &str| arguments.iter().any(|word| word == option);
    for (option, other) in [("--cert", "--key"), ("--key", "--cert"), ("--cert", "--tls-port")] {
        if given(option) && !given(other) {
            return Err(format!("{option} needs {other} beside it"));
        }
    }
    Ok(())
}

/// When a source of the Java modules changed last; what builds write is not looked at.
fn newest_change(directory: &Path) -> Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    let mut open: Vec<PathBuf> = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        let entries = directory.read_dir().map_err(|error| format!("{}: {error}", directory.display()))?;
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                if entry.file_name() != "target" {
                    open.push(entry.path());
                }
            } else {
                newest = newest.max(entry.metadata()?.modified()?);
            }
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn check(line: &str) -> std::result::Result<(), String> {
        check_arguments(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn right_arguments_pass() {
        for line in [
            "",
            "--port 0",
            "--port 65535 --threads 1024 --backend poll",
            "--backend io_uring",
            "--backend auto",
            "--gzip on",
            "--gzip off",
            "--tls-port 0",
            "--tls-port 0 --cert Cargo.toml --key Cargo.toml",
        ] {
            assert_eq!(check(line), Ok(()), "{line}");
        }
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_is_expected() {
        for (line, text) in [
            ("--prot 1", "unknown option --prot"),
            ("8080", "unknown option 8080"),
            ("--threads", "--threads needs a value"),
            ("--port 65536", "--port 65536 (expected: 0 to 65535)"),
            ("--port x", "--port x (expected: 0 to 65535)"),
            ("--threads -1", "--threads -1 (expected: 0 to 1024)"),
            ("--tls-port 65536", "--tls-port 65536 (expected: 0 to 65535)"),
            ("--cert no/such/file", "--cert no/such/file (expected: a file that is there)"),
            ("--tls-port 0 --cert Cargo.toml", "--cert needs --key beside it"),
            ("--tls-port 0 --key Cargo.toml", "--key needs --cert beside it"),
            ("--cert Cargo.toml --key Cargo.toml", "--cert needs --tls-port beside it"),
            ("--gzip maybe", "--gzip maybe (expected: on or off)"),
            ("--port 0 --backend kqueue", "--backend kqueue (expected: auto, io_uring or poll)"),
        ] {
            assert_eq!(check(line), Err(text.to_owned()));
        }
    }

    #[test]
    fn what_builds_write_does_not_count_as_a_change() {
        let scratch = Scratch::new("newest");
        let file = scratch.path().join("a/Main.java");
        std::fs::create_dir_all(scratch.path().join("a/target")).expect("made");
        std::fs::write(&file, "").expect("written");
        let changed = file.metadata().and_then(|data| data.modified()).expect("has a time");
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(scratch.path().join("a/target/Main.class"), "").expect("written");
        assert_eq!(newest_change(scratch.path()).expect("readable"), changed);
    }
}
