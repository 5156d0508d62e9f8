//! The Java artifacts with their sources, documentation and checksums, in a Maven repository of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::java::Maven;
use crate::project::Project;

/// Maven's goals. Deploying by name, and not by phase, leaves the user's own repository alone.
const GOALS: [&str; 5] = [
    "--activate-profiles=packages",
    "-Dmaven.test.skip=true",
    "package",
    "org.apache.maven.plugins:maven-deploy-plugin:3.1.3:deploy",
    "--quiet",
];

/// Where `cargo stage --maven` builds it.
pub fn place(project: &Project) -> PathBuf {
    project.target.join("maven")
}

/// Builds the repository anew in `directory` from what is staged, running Maven by `execute` (as in [`Maven::run_connected`]).
///
/// # Errors
/// When Maven fails, or what was there cannot be removed.
pub fn build(
    project: &Project,
    maven: &Maven,
    directory: &Path,
    mut execute: impl FnMut(&mut Command) -> Result<(bool, String)>,
) -> Result<()> {
    let target = format!("-DaltDeploymentRepository=staged::file://{}", directory.display());
    let arguments: Vec<&str> = GOALS.iter().copied().chain([target.as_str()]).collect();
    let mut last = String::new();
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    let success = maven.run_connected(project, &project.root.join("java-bindings/pom.xml"), &arguments, |command| {
        let (success, output) = execute(command)?;
        last.clone_from(&output);
        Ok((success, output))
    })?;
    if !success {
        return Err(format!("Maven did not build the artifacts\n{}", crate::run::tail(&last)).into());
    }
    Ok(())
}
