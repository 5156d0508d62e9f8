//! `verify/exceptions.txt`: tests that may fail, each with its cause and where that is shown.

use std::path::Path;

use ferronet_packaging::Result;

use crate::results::Results;

/// The only causes there are, with what the source field must show.
pub const CAUSES: &[(&str, &str)] = &[
    ("upstream", "the test or its reference fails by itself: an issue, or a run of the reference"),
    ("platform", "this kernel or machine lacks what the test needs: a measurement"),
    ("rustls", "the test asks for TLS below 1.2, or for a suite that rustls lacks: the sentence that says so"),
];

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The suite that the test belongs to.
    pub suite: String,
    /// The test's name.
    pub test: String,
    /// One of `CAUSES`.
    pub cause: String,
    /// Where the cause is shown.
    pub source: String,
}

/// Reads the file; without one there is no exception.
///
/// # Errors
/// When a line has not four fields, an unknown cause, an unknown suite or an empty source.
pub fn read(path: &Path, suites: &[&str]) -> Result<Vec<Exception>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path)?;
    parse(&text, suites).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn parse(text: &str, suites: &[&str]) -> std::result::Result<Vec<Exception>, String> {
    let mut exceptions = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let at = number + 1;
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [suite, test, cause, source] = fields[..] else {
            return Err(format!("line {at}: SUITE | TEST | CAUSE | SOURCE is expected"));
        };
        if !suites.contains(&suite) {
            return Err(format!("line {at}: there is no suite {suite}"));
        }
        if !CAUSES.iter().any(|(known, _)| *known == cause) {
            let known: Vec<&str> = CAUSES.iter().map(|(name, _)| *name).collect();
            return Err(format!("line {at}: {cause} is none of {}", known.join(", ")));
        }
        if test.is_empty() || source.is_empty() {
            return Err(format!("line {at}: the test and the source must be named"));
        }
        let [suite, test, cause, source] = [suite, test, cause, source].map(str::to_owned);
        exceptions.push(Exception { suite, test, cause, source });
    }
    Ok(exceptions)
}

/// Applies the exceptions of `suite`: a listed test that failed counts as skipped; one that passed, or that is not there
/// although the suite ran `whole`, is itself a failure, so that no line outlives its cause.
pub fn apply(exceptions: &[Exception], suite: &str, whole: bool, results: &mut Results) {
    for exception in exceptions.iter().filter(|exception| exception.suite == suite) {
        if let Some(place) = results.failed.iter().position(|remark| remark.test == exception.test) {
            let remark = results.failed.remove(place);
            let reason = format!("exception ({}, {}): {}", exception.cause, exception.source, remark.reason);
            results.skip(remark.test, reason);
        } else if results.passed.contains(&exception.test) {
            results.fail(&exception.test, "passes: remove its line from exceptions.txt");
        } else if whole && !results.skipped.iter().any(|remark| remark.test == exception.test) {
            results.fail(&exception.test, "is listed in exceptions.txt, but there is no such test");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "conformance | A.b | upstream | netty issue 1\n";

    #[test]
    fn a_line_is_read_and_a_bad_one_refused() {
        let read = parse(&format!("# about\n\n{LINE}"), &["conformance"]).expect("valid");
        assert_eq!(read[0].test, "A.b");
        for bad in ["conformance | A.b | upstream", "none | A.b | upstream | x", "conformance | A.b | flaky | x"] {
            assert!(parse(bad, &["conformance"]).is_err(), "{bad}");
        }
        assert!(parse("conformance | A.b | rustls |", &["conformance"]).is_err());
    }

    #[test]
    fn a_listed_failure_becomes_a_skip_and_a_stale_line_a_failure() {
        let exceptions = parse(LINE, &["conformance"]).expect("valid");
        let mut failed = Results::default();
        failed.fail("A.b", "boom");
        apply(&exceptions, "conformance", true, &mut failed);
        assert!(failed.failed.is_empty());
        assert!(failed.skipped[0].reason.contains("netty issue 1"));

        let mut passed = Results::default();
        passed.pass("A.b");
        apply(&exceptions, "conformance", true, &mut passed);
        assert_eq!(passed.failed.len(), 1);

        let mut absent = Results::default();
        absent.pass("A.c");
        apply(&exceptions, "conformance", true, &mut absent);
        assert!(absent.failed[0].reason.contains("no such test"));

        let mut share = Results::default();
        share.pass("A.c");
        apply(&exceptions, "conformance", false, &mut share);
        assert!(share.failed.is_empty());

        let mut other = Results::default();
        other.fail("A.b", "boom");
        apply(&exceptions, "java", true, &mut other);
        assert_eq!(other.failed.len(), 1);
    }
}
