//! Results of earlier suites at the same commit, so that a long run can be taken up where it was left.

use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet_packaging::{Result, run};
use serde_json::{Map, Value, json};

use crate::results::{Remark, Results};

/// The state of a long run.
pub struct State {
    file: PathBuf,
    commit: String,
    suites: Map<String, Value>,
}

impl State {
    /// The state at `file`, for the commit that is checked out at `root`; results of another commit are forgotten.
    /// Nothing when the tree holds changes that belong to no commit.
    pub fn open(file: &Path, root: &Path) -> Option<Self> {
        let commit = clean_commit(root)?;
        let suites = std::fs::read_to_string(file).ok().and_then(|text| suites_of(&text, &commit)).unwrap_or_default();
        Some(Self { file: file.to_path_buf(), commit, suites })
    }

    /// What `suite` gave earlier, if nothing of it failed.
    pub fn earlier(&self, suite: &str) -> Option<Results> {
        let entry = self.suites.get(suite)?;
        let passed = entry.get("passed")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let skipped = entry.get("skipped")?.as_object()?.iter();
        let skipped = skipped
            .map(|(test, reason)| Remark { test: test.clone(), reason: reason.as_str().unwrap_or_default().to_owned() })
            .collect();
        Some(Results { passed, skipped, ..Results::default() })
    }

    /// Keeps the results of a suite of which nothing failed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(&mut self, suite: &str, results: &Results) -> Result<()> {
        if !results.failed.is_empty() {
            return Ok(());
        }
        let skipped: Map<String, Value> =
            results.skipped.iter().map(|remark| (remark.test.clone(), json!(remark.reason))).collect();
        self.suites.insert(suite.to_owned(), json!({ "passed": results.passed, "skipped": skipped }));
        let text = serde_json::to_string_pretty(&json!({ "commit": self.commit, "suites": self.suites }))?;
        Ok(std::fs::write(&self.file, text)?)
    }
}

fn suites_of(text: &str, commit: &str) -> Option<Map<String, Value>> {
    let state: Value = serde_json::from_str(text).ok()?;
    (state.get("commit")?.as_str()? == commit).then(|| state.get("suites")?.as_object().cloned())?
}

fn clean_commit(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| run::output(Command::new("git").current_dir(root).args(arguments)).ok();
    if !git(&["status", "--porcelain"])?.trim().is_empty() {
        return None;
    }
    Some(git(&["rev-parse", "HEAD"])?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferronet_packaging::scratch::Scratch;

    fn state(file: &Path, commit: &str) -> State {
        let suites = std::fs::read_to_string(file).ok().and_then(|text| suites_of(&text, commit)).unwrap_or_default();
        State { file: file.to_path_buf(), commit: commit.to_owned(), suites }
    }

    #[test]
    fn what_passed_at_the_same_commit_is_remembered() {
        let scratch = Scratch::new("resume");
        let file = scratch.path().join("full.json");
        let mut results = Results::default();
        results.pass("a");
        results.skip("b", "no wrk");
        state(&file, "1").keep("rust", &results).expect("written");
        assert_eq!(state(&file, "1").earlier("rust"), Some(results));
        assert_eq!(state(&file, "1").earlier("java"), None);
        assert_eq!(state(&file, "2").earlier("rust"), None);
    }

    #[test]
    fn what_failed_is_run_again() {
        let scratch = Scratch::new("resume-failed");
        let file = scratch.path().join("full.json");
        let mut results = Results::default();
        results.fail("a", "why");
        state(&file, "1").keep("rust", &results).expect("nothing to write");
        assert_eq!(state(&file, "1").earlier("rust"), None);
    }
}
