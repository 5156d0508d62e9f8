//! Finding the programs that building and testing need, and installing what is missing where that is allowed.

mod catalogue;
mod install;
mod jdk;
pub mod rust_source;
mod version;
pub mod zig;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use catalogue::{Remedy, Tool};
pub use jdk::{JDK_FLOOR, Jdk};

use crate::console;

/// What may be done about a tool that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Install it with the system's package manager, after saying so.
    Install,
    /// Only report it.
    Report,
}

/// Finds tools, each at most once.
pub struct Toolbox {
    missing: Missing,
    known: HashMap<Tool, std::result::Result<PathBuf, String>>,
    jdk: Option<Jdk>,
}

impl Toolbox {
    /// A toolbox that has looked for nothing yet.
    pub fn new(missing: Missing) -> Self {
        Self { missing, known: HashMap::new(), jdk: None }
    }

    /// Whether what is missing may be installed.
    pub fn may_install(&self) -> bool {
        self.missing == Missing::Install
    }

    /// The path of a tool; for the JDK its home directory.
    ///
    /// # Errors
    /// When it is missing and could not be installed: its name, who needs it and the commands that install it.
    pub fn require(&mut self, tool: Tool) -> std::result::Result<PathBuf, String> {
        if let Some(known) = self.known.get(&tool) {
            return known.clone();
        }
        let found = self.look_for(tool);
        self.known.insert(tool, found.clone());
        found
    }

    /// The JDK that JAVA_HOME names, if it is new enough, else the newest.
    ///
    /// # Errors
    /// As `require`.
    pub fn jdk(&mut self) -> std::result::Result<Jdk, String> {
        self.require(Tool::Jdk)?;
        self.jdk.clone().ok_or_else(|| Tool::Jdk.absence())
    }

    fn look_for(&mut self, tool: Tool) -> std::result::Result<PathBuf, String> {
        if let Some(path) = self.find(tool) {
            return Ok(path);
        }
        let mut absence = tool.absence();
        if self.missing == Missing::Install {
            match install::install(tool) {
                Ok(()) => {
                    if let Some(path) = self.find(tool) {
                        return Ok(path);
                    }
                }
                Err(reason) => absence.push_str(&format!("\n    not installed by itself: {reason}")),
            }
        }
        Err(absence)
    }

    fn find(&mut self, tool: Tool) -> Option<PathBuf> {
        if tool == Tool::Jdk {
            self.jdk = jdk::find();
            return self.jdk.as_ref().map(|jdk| jdk.home.clone());
        }
        let path = tool.programs().iter().find_map(|name| on_path(name))?;
        match tool.floor() {
            None => Some(path),
            Some(floor) => {
                let version = version::of_program(&path)?;
                if version::at_least(&version, floor) {
                    return Some(path);
                }
                console::note(&format!("{} is {version}, older than {floor}", path.display()));
                None
            }
        }
    }
}

/// The first executable file called `name` in a directory of PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    search(name, std::env::var_os("PATH")?.as_os_str())
}

fn search(name: &str, path: &std::ffi::OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|directory| directory.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_executable_files_are_found() {
        let scratch = Scratch::new("on-path");
        let (first, second) = (scratch.path().join("a"), scratch.path().join("b"));
        for directory in [&first, &second] {
            std::fs::create_dir(directory).expect("made");
            std::fs::write(directory.join("wrk"), "").expect("written");
        }
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(second.join("wrk"), executable).expect("set");
        let path = std::env::join_paths([&first, &second]).expect("no colon");
        assert_eq!(search("wrk", &path), Some(second.join("wrk")));
        assert_eq!(search("h2load", &path), None);
    }

    #[test]
    fn an_absent_tool_is_explained_for_each_system() {
        let text = Tool::Wrk.absence();
        for word in ["wrk", "apt-get install", "dnf install", "brew install"] {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
}
