//! Running other programs with their output kept.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Result;

/// Lines of a log that are shown when a command fails.
const TAIL: usize = 40;

/// Runs `command` to its end and returns its standard output.
///
/// # Errors
/// When it cannot be started or exits with a failure: the command line and the end of its output.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = describe(command);
    let result = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start {shown}: {error}"))?;
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    if result.status.success() {
        return Ok(text);
    }
    let all = format!("{text}{}", String::from_utf8_lossy(&result.stderr));
    Err(format!("{shown}: {}\n{}", result.status, tail(&all)).into())
}

/// Runs `command` to its end with both outputs appended to `log`; returns whether it succeeded.
///
/// # Errors
/// When the log cannot be written or the command cannot be started.
pub fn logged(command: &mut Command, log: &Path) -> Result<bool> {
    let file = File::options().create(true).append(true).open(log)?;
    let shown = describe(command);
    {
        use std::io::Write;
        writeln!(&file, "$ {shown}")?;
    }
    let status = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .map_err(|error| format!("cannot start {shown}: {error}"))?;
    Ok(status.success())
}

/// The last lines of a text.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

/// The command line as a person would type it.
pub fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_with_its_output() {
        let error = output(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).expect_err("exit 3");
        let text = error.to_string();
        assert!(text.contains("sh -c") && text.contains("out") && text.contains("err"), "{text}");
    }

    #[test]
    fn a_command_that_is_not_there_is_named() {
        let error = output(&mut Command::new("ferronet-no-such-program")).expect_err("not there");
        assert!(error.to_string().contains("ferronet-no-such-program"));
    }

    #[test]
    fn the_tail_keeps_the_last_lines() {
        let text: String = (0..100).map(|line| format!("{line}\n")).collect();
        assert!(tail(&text).starts_with("60\n"));
        assert!(tail(&text).ends_with("\n99"));
    }
}
