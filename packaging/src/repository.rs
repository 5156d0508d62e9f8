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

/// What the documentation's plugin remembers, in a module's build directory.
const DOCUMENTED: &str = "maven-javadoc-plugin-stale-data.txt";

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
    document_anew(&project.root.join("java-bindings"))?;
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

/// Makes Maven write the documentation again: its plugin takes it for current as long as no file was added or removed.
fn document_anew(bindings: &Path) -> Result<()> {
    for entry in bindings.read_dir()? {
        let record = entry?.path().join("target").join(DOCUMENTED);
        if record.exists() {
            std::fs::remove_file(&record)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn every_module_is_documented_anew() {
        let scratch = Scratch::new("documented");
        for module in ["api", "netty"] {
            std::fs::create_dir_all(scratch.path().join(module).join("target")).expect("made");
        }
        std::fs::create_dir(scratch.path().join("plain")).expect("made");
        let record = scratch.path().join("netty/target").join(DOCUMENTED);
        std::fs::write(&record, "").expect("written");
        document_anew(scratch.path()).expect("removed");
        assert!(!record.exists());
    }
}
