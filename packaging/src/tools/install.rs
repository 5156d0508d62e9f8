//! Installing a missing tool with apt-get, where that needs no password.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::{Tool, on_path};
use crate::{console, run};

/// Installs the first package of the tool's list that the system has.
pub fn install(tool: Tool) -> Result<(), String> {
    let prefix = permission()?;
    static UPDATED: OnceLock<()> = OnceLock::new();
    UPDATED.get_or_init(|| {
        console::note("apt-get update: refreshing the package lists");
        if let Err(error) = run::output(&mut apt(prefix, &["update", "-qq"])) {
            console::note(&format!("the package lists stay as they are: {error}"));
        }
    });
    let packages = tool.remedy().apt;
    let package = packages
        .iter()
        .find(|package| has_candidate(package))
        .ok_or_else(|| format!("apt-get has none of {}", packages.join(", ")))?;
    console::note(&format!("{} is missing; installing it: apt-get install -y {package}", tool.name()));
    run::output(&mut apt(prefix, &["install", "-y", "-qq", "--no-install-recommends", package]))
        .map(drop)
        .map_err(|error| error.to_string())
}

/// How apt-get is called: as root, or through sudo where it asks for no password.
fn permission() -> Result<&'static [&'static str], String> {
    if on_path("apt-get").is_none() {
        return Err("this system has no apt-get".to_owned());
    }
    // SAFETY: geteuid has no precondition and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        return Ok(&[]);
    }
    let silent = Command::new("sudo").args(["-n", "true"]).stdin(Stdio::null()).output();
    if silent.is_ok_and(|output| output.status.success()) {
        return Ok(&["sudo", "-n"]);
    }
    Err("it needs root, or sudo without a password".to_owned())
}

fn apt(prefix: &[&str], arguments: &[&str]) -> Command {
    let words: Vec<&str> = prefix.iter().copied().chain(["apt-get"]).chain(arguments.iter().copied()).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn has_candidate(package: &str) -> bool {
    let output = Command::new("apt-cache").args(["policy", package]).stdin(Stdio::null()).output();
    output.is_ok_and(|output| names_candidate(&String::from_utf8_lossy(&output.stdout)))
}

fn names_candidate(policy: &str) -> bool {
    policy
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Candidate:"))
        .any(|version| !version.trim().is_empty() && version.trim() != "(none)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_a_candidate_is_not_there() {
        assert!(names_candidate("wrk:\n  Installed: (none)\n  Candidate: 4.1.0-3+b2\n"));
        assert!(!names_candidate("wrk:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!names_candidate(""));
    }

    #[test]
    fn sudo_comes_before_apt_get() {
        let command = apt(&["sudo", "-n"], &["install", "-y", "wrk"]);
        assert_eq!(run::describe(&command), "sudo -n apt-get install -y wrk");
        assert_eq!(run::describe(&apt(&[], &["update"])), "apt-get update");
    }
}
