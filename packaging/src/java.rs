//! Running Maven on the Java modules.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::project::Project;
use crate::run;
use crate::target::Target;
use crate::tools::{Jdk, Tool, Toolbox};

/// Maven under a JDK that is new enough.
#[derive(Clone, Debug)]
pub struct Maven {
    program: PathBuf,
    /// The JDK that Maven and the tests run on.
    pub jdk: Jdk,
    classifier: &'static str,
    offline: bool,
}

impl Maven {
    /// Finds Maven and the JDK.
    ///
    /// # Errors
    /// When one of them is missing.
    pub fn find(toolbox: &mut Toolbox, offline: bool) -> Result<Self> {
        Ok(Self {
            program: toolbox.require(Tool::Maven)?,
            jdk: toolbox.jdk()?,
            classifier: &Target::host()?.classifier,
            offline,
        })
    }

    /// Runs Maven on `pom`, with both outputs in `log`; returns whether it succeeded.
    ///
    /// # Errors
    /// When Maven cannot be started or the log cannot be written.
    pub fn run(&self, project: &Project, pom: &Path, arguments: &[&str], log: &Path) -> Result<bool> {
        self.run_by(project, pom, arguments, |command| {
            let start = log.metadata().map_or(0, |data| data.len());
            Ok((run::logged(command, log)?, text_from(log, start)))
        })
    }

    /// Runs Maven on `pom` by `execute`, which returns whether the command succeeded, and its output.
    ///
    /// The first attempt is offline: what is cached is not looked up again. Only when something is not cached yet is
    /// there a second one.
    ///
    /// # Errors
    /// Those of `execute`.
    pub fn run_by(
        &self,
        project: &Project,
        pom: &Path,
        arguments: &[&str],
        mut execute: impl FnMut(&mut Command) -> Result<(bool, String)>,
    ) -> Result<bool> {
        let (success, output) = execute(self.command(project, pom).arg("--offline").args(arguments))?;
        if success || self.offline || !lacks_cached(&output) {
            return Ok(success);
        }
        Ok(execute(self.command(project, pom).args(arguments))?.0)
    }

    /// Runs Maven as `run_by` does, once, and with its repositories within reach: what works on one of them cannot be done
    /// offline. Nothing is fetched that is cached.
    ///
    /// # Errors
    /// Those of `execute`.
    pub fn run_connected(
        &self,
        project: &Project,
        pom: &Path,
        arguments: &[&str],
        mut execute: impl FnMut(&mut Command) -> Result<(bool, String)>,
    ) -> Result<bool> {
        Ok(execute(self.command(project, pom).args(arguments))?.0)
    }

    fn command(&self, project: &Project, pom: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("--batch-mode")
            .arg("--no-transfer-progress")
            .arg("--file")
            .arg(pom)
            .arg(format!("-Dferronet.stage={}", project.stage().display()))
            .arg(format!("-Dferronet.classifier={}", self.classifier))
            .current_dir(&project.root)
            .env("JAVA_HOME", &self.jdk.home);
        command
    }
}

fn text_from(log: &Path, start: u64) -> String {
    let bytes = std::fs::read(log).unwrap_or_default();
    let start = usize::try_from(start).unwrap_or(0).min(bytes.len());
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}

/// Whether Maven gave up because something is not in its local repository.
fn lacks_cached(log: &str) -> bool {
    ["offline mode", "has not been downloaded from it before"].iter().any(|words| log.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_artifact_is_worth_a_second_attempt() {
        assert!(lacks_cached("Cannot access central in offline mode and the artifact x has not been downloaded"));
        assert!(!lacks_cached("[ERROR] COMPILATION ERROR"));
    }
}
