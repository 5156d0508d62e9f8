//! The results of single tests.

/// One test that did not simply pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Name of the test, unique inside its suite.
    pub test: String,
    /// Why it failed, or why it was skipped.
    pub reason: String,
}

/// The results of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Tests that passed.
    pub passed: Vec<String>,
    /// Tests that failed.
    pub failed: Vec<Remark>,
    /// Tests that were not run, each with what was missing.
    pub skipped: Vec<Remark>,
    /// Whether the suite ended before all of its tests had a result, as with one that took too long.
    pub cut_short: bool,
}

impl Results {
    /// Counts a test that passed.
    pub fn pass(&mut self, test: impl Into<String>) {
        self.passed.push(test.into());
    }

    /// Counts a test that failed.
    pub fn fail(&mut self, test: impl Into<String>, reason: impl Into<String>) {
        self.failed.push(Remark { test: test.into(), reason: reason.into() });
    }

    /// Counts a test that was not run.
    pub fn skip(&mut self, test: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Remark { test: test.into(), reason: reason.into() });
    }

    /// Counts a test by its outcome.
    pub fn record(&mut self, test: impl Into<String>, outcome: std::result::Result<(), String>) {
        match outcome {
            Ok(()) => self.pass(test),
            Err(reason) => self.fail(test, reason),
        }
    }

    /// Counts the failure of what runs tests: those without a result were not run.
    pub fn cut_short(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.fail(what, reason);
        self.cut_short = true;
    }

    /// Adds the results of another part of the suite.
    pub fn merge(&mut self, other: Self) {
        self.passed.extend(other.passed);
        self.failed.extend(other.failed);
        self.skipped.extend(other.skipped);
        self.cut_short |= other.cut_short;
    }

    /// The same results with `prefix` before each name.
    #[must_use]
    pub fn prefixed(self, prefix: &str) -> Self {
        let name = |test: String| format!("{prefix}{test}");
        let remark = |remark: Remark| Remark { test: name(remark.test), reason: remark.reason };
        Self {
            passed: self.passed.into_iter().map(name).collect(),
            failed: self.failed.into_iter().map(remark).collect(),
            skipped: self.skipped.into_iter().map(remark).collect(),
            cut_short: self.cut_short,
        }
    }

    /// How many tests were run.
    pub fn ran(&self) -> usize {
        self.passed.len() + self.failed.len()
    }

    /// Turns a command that failed without a failed test, or a run without any test, into a failure.
    pub fn expect_run(&mut self, success: bool, what: &str) {
        if !success && self.failed.is_empty() {
            self.cut_short(what, "the command failed, though no test of it did");
        }
        if self.ran() == 0 && self.skipped.is_empty() {
            self.fail(what, "no test was run");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_command_without_a_failed_test_is_a_failure() {
        let mut results = Results::default();
        results.pass("a");
        results.expect_run(false, "build");
        assert_eq!(results.failed.len(), 1);
    }

    #[test]
    fn a_run_without_a_test_is_a_failure() {
        let mut results = Results::default();
        results.expect_run(true, "tests");
        assert_eq!(results.failed.len(), 1);
        assert_eq!(results.failed[0].reason, "no test was run");
    }

    #[test]
    fn a_part_that_was_cut_short_cuts_the_whole_short() {
        let mut part = Results::default();
        part.cut_short("mvn", "it took longer than 20 min");
        let mut whole = Results::default();
        whole.pass("a");
        whole.merge(part.prefixed("4.2.20/"));
        assert!(whole.cut_short);
        assert_eq!(whole.failed[0].test, "4.2.20/mvn");
    }

    #[test]
    fn a_prefix_names_the_part() {
        let mut results = Results::default();
        results.pass("a");
        results.skip("b", "no tool");
        let results = results.prefixed("static/");
        assert_eq!(results.passed, ["static/a"]);
        assert_eq!(results.skipped[0].test, "static/b");
    }
}
