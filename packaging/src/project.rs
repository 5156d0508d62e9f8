//! Where things are in the source tree and in the build directory.

use std::path::{Path, PathBuf};

use crate::Result;

/// The source tree and its build directory.
#[derive(Clone, Debug)]
pub struct Project {
    /// Directory of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target directory.
    pub target: PathBuf,
}

impl Project {
    /// Finds the workspace that holds the running tool.
    ///
    /// # Errors
    /// When no directory above the working directory holds the workspace.
    pub fn locate() -> Result<Self> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(directory) => PathBuf::from(directory),
            None => std::env::current_dir()?,
        };
        let root = start
            .ancestors()
            .find(|directory| is_workspace(directory))
            .ok_or_else(|| format!("{} is not inside Ferronet's source tree", start.display()))?
            .to_path_buf();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(directory) => root.join(directory),
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// `headers/NAME`.
    pub fn header(&self, name: &str) -> PathBuf {
        self.root.join("headers").join(name)
    }

    /// The stage directory: everything that ships.
    pub fn stage(&self) -> PathBuf {
        self.target.join("stage")
    }

    /// The version of the workspace, shared by every crate and Maven module.
    pub const VERSION: &'static str = env!("CARGO_PKG_VERSION");
}

fn is_workspace(directory: &Path) -> bool {
    directory.join("Cargo.toml").is_file() && directory.join("ffi/Cargo.toml").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_found_from_one_of_its_crates() {
        let project = Project::locate().expect("inside the workspace");
        assert!(project.root.join("packaging/Cargo.toml").is_file());
        assert!(project.header("exports.txt").ends_with("headers/exports.txt"));
    }
}
