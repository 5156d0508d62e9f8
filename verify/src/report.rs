//! What a run prints: a line for each suite, a table, the closing line.

use std::time::Duration;

use crate::results::Results;

/// Width of the column of names, unless one is longer.
const NARROWEST: usize = 16;
/// How many failed tests of a suite are named while the others run.
const NAMED: usize = 20;
/// How many failed tests of a suite are named at the end, where nothing but the names is printed.
const RECALLED: usize = 100;
/// Characters of a reason that are repeated at the end.
const REASON: usize = 200;

/// A suite that came to its end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The suite's name.
    pub name: &'static str,
    /// What its tests gave.
    pub results: Results,
    /// How long it took; nothing when an earlier run's results stand.
    pub took: Option<Duration>,
}

/// The closing line.
pub fn closing_line(finished: &[Finished]) -> String {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for suite in finished {
        passed += suite.results.passed.len();
        failed += suite.results.failed.len();
        skipped += suite.results.skipped.len();
    }
    format!("{passed} passed, {failed} failed, {skipped} skipped")
}

/// Whether the run as a whole counts as passed: something ran and nothing failed.
pub fn succeeded(finished: &[Finished]) -> bool {
    finished.iter().any(|suite| suite.results.ran() > 0) && finished.iter().all(|suite| suite.results.failed.is_empty())
}

/// The failed tests of a suite, for people.
pub fn failures(results: &Results) -> String {
    named(results, NAMED, str::to_owned)
}

/// Every suite with failed tests and their names, each with the first line of its reason: what the end of a log that was
/// cut at its start still has to show.
pub fn recall(finished: &[Finished]) -> String {
    let mut text = String::new();
    for suite in finished.iter().filter(|suite| !suite.results.failed.is_empty()) {
        let (failed, ran) = (suite.results.failed.len(), suite.results.ran());
        text.push_str(&format!("FAILED {}: {failed} of {ran}\n", suite.name));
        text.push_str(&named(&suite.results, RECALLED, |reason| {
            reason.trim_start().lines().next().unwrap_or_default().chars().take(REASON).collect()
        }));
    }
    text
}

fn named(results: &Results, most: usize, shown: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for remark in results.failed.iter().take(most) {
        text.push_str(&format!("    FAILED {}: {}\n", remark.test, shown(&remark.reason)));
    }
    if results.failed.len() > most {
        text.push_str(&format!("    and {} more\n", results.failed.len() - most));
    }
    text
}

/// The table of all suites, with the reasons of what was skipped; `left` are the suites that were not run.
pub fn table(finished: &[Finished], left: &[&str]) -> String {
    let names = finished.iter().map(|suite| suite.name).chain(left.iter().copied());
    let width = names.map(str::len).fold(NARROWEST, usize::max);
    let mut text = format!("{:<width$} {:>7} {:>7} {:>8} {:>9}\n", "suite", "passed", "failed", "skipped", "seconds");
    for suite in finished {
        let results = &suite.results;
        let took = suite.took.map_or("earlier".to_owned(), |took| format!("{:.1}", took.as_secs_f64()));
        text.push_str(&format!(
            "{:<width$} {:>7} {:>7} {:>8} {took:>9}\n",
            suite.name,
            results.passed.len(),
            results.failed.len(),
            results.skipped.len()
        ));
    }
    for name in left {
        text.push_str(&format!("{name:<width$} not run\n"));
    }
    for suite in finished {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for remark in &suite.results.skipped {
            let reason = remark.reason.lines().next().unwrap_or_default();
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, tests)) => tests.push(&remark.test),
                None => reasons.push((reason, vec![&remark.test])),
            }
        }
        for (reason, tests) in reasons {
            let more = if tests.len() > 1 { format!(" and {} more", tests.len() - 1) } else { String::new() };
            text.push_str(&format!("skipped in {}: {}{more}: {reason}\n", suite.name, tests[0]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(passed: usize, failed: usize, skipped: usize) -> Finished {
        let mut results = Results::default();
        (0..passed).for_each(|number| results.pass(format!("p{number}")));
        (0..failed).for_each(|number| results.fail(format!("f{number}"), "why"));
        (0..skipped).for_each(|number| results.skip(format!("s{number}"), "wrk is missing"));
        Finished { name: "demo", results, took: Some(Duration::from_secs(1)) }
    }

    #[test]
    fn the_closing_line_adds_up_the_suites() {
        assert_eq!(closing_line(&[finished(2, 0, 1), finished(3, 1, 0)]), "5 passed, 1 failed, 1 skipped");
        assert_eq!(closing_line(&[]), "0 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn one_failure_or_no_test_at_all_fails_the_run() {
        assert!(succeeded(&[finished(1, 0, 1)]));
        assert!(!succeeded(&[finished(5, 0, 0), finished(0, 1, 0)]));
        assert!(!succeeded(&[finished(0, 0, 3)]));
        assert!(!succeeded(&[]));
    }

    #[test]
    fn the_table_gives_each_reason_once() {
        let text = table(&[finished(1, 0, 3)], &["java"]);
        assert_eq!(text.matches("wrk is missing").count(), 1, "{text}");
        assert!(text.contains("s0 and 2 more"), "{text}");
        assert!(text.contains("java             not run\n"), "{text}");
    }

    #[test]
    fn many_failures_are_cut() {
        let text = failures(&finished(0, 30, 0).results);
        assert_eq!(text.matches("FAILED").count(), 20);
        assert!(text.contains("and 10 more"));
    }

    #[test]
    fn the_end_names_each_failed_test_with_one_line() {
        let mut broken = finished(1, 0, 0);
        broken.results.fail("a.b", format!("\nfirst{}\nsecond", "x".repeat(300)));
        let text = recall(&[finished(2, 0, 1), broken, finished(0, 30, 0)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "FAILED demo: 1 of 2");
        assert_eq!(lines[1], format!("    FAILED a.b: first{}", "x".repeat(195)));
        assert_eq!(lines[2..4], ["FAILED demo: 30 of 30", "    FAILED f0: why"]);
        assert_eq!(lines.len(), 33, "{text}");
        assert_eq!(recall(&[finished(1, 0, 1)]), "");
    }
}
