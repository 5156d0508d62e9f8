//! The output of `cargo test`.

use crate::results::Results;

/// Reads the results of every test binary in the output of `cargo test`. Names are `BINARY::TEST`.
pub fn results(output: &str) -> Results {
    let mut results = Results::default();
    let mut binary = String::new();
    // Closing lines are the truth about counts: a test whose line was torn apart by output is still counted there.
    let mut seen = (0, 0, 0);
    let mut told = Told::default();
    for line in output.lines() {
        let line = line.trim();
        if let Some(name) = binary_name(line) {
            binary = name;
        } else if let Some(test) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            told = Told { test: format!("{binary}::{test}"), place: None };
        } else if let Some(reason) = told.reason(line) {
            let told = std::mem::take(&mut told);
            if let Some(remark) = results.failed.iter_mut().find(|remark| remark.test == told.test) {
                remark.reason = reason;
            }
        } else if let Some(rest) = line.strip_prefix("test result: ") {
            let (passed, failed, ignored) = closing_counts(rest);
            for number in seen.0..passed {
                results.pass(format!("{binary}::unnamed-{number}"));
            }
            for number in seen.1..failed {
                results.fail(format!("{binary}::unnamed-{number}"), "see the log");
            }
            for number in seen.2..ignored {
                results.skip(format!("{binary}::unnamed-{number}"), "ignored");
            }
            seen = (0, 0, 0);
        } else if let Some((test, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
            let test = format!("{binary}::{}", test.trim_end_matches(" - should panic"));
            if outcome == "ok" || outcome.ends_with(" ok") {
                seen.0 += 1;
                results.pass(test);
            } else if outcome == "FAILED" {
                seen.1 += 1;
                results.fail(test, "see the log");
            } else if let Some(reason) = outcome.strip_prefix("ignored") {
                seen.2 += 1;
                let reason = reason.trim_start_matches([',', ' ']);
                results.skip(test, if reason.is_empty() { "ignored" } else { reason });
            }
        }
    }
    results
}

/// What a failed test printed, read up to the line that says why it failed.
#[derive(Default)]
struct Told {
    /// The test, or nothing outside of such output.
    test: String,
    /// Where it panicked; the next line is the message.
    place: Option<String>,
}

impl Told {
    /// The reason, when `line` completes it.
    fn reason(&mut self, line: &str) -> Option<String> {
        if self.test.is_empty() || line.is_empty() {
            return None;
        }
        if let Some(place) = self.place.take() {
            return Some(format!("{line} ({place})"));
        }
        if let Some(error) = line.strip_prefix("Error: ") {
            return Some(error.to_owned());
        }
        let (_, place) = line.split_once(" panicked at ").filter(|_| line.starts_with("thread '"))?;
        self.place = Some(place.trim_end_matches(':').to_owned());
        None
    }
}

/// The name of the test binary that a line of Cargo's announces.
fn binary_name(line: &str) -> Option<String> {
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(format!("{name}-doc"));
    }
    let (_, path) = line.strip_prefix("Running ")?.rsplit_once('(')?;
    let file = path.trim_end_matches(')').rsplit('/').next()?;
    // Cargo ends the file name with a hash.
    Some(file.rsplit_once('-').map_or(file, |(name, _)| name).to_owned())
}

fn closing_counts(rest: &str) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for part in rest.split([';', '.']) {
        let mut words = part.split_whitespace();
        let (Some(number), Some(word)) = (words.next().and_then(|word| word.parse().ok()), words.next()) else {
            continue;
        };
        match word {
            "passed" => counts.0 = number,
            "failed" => counts.1 = number,
            "ignored" => counts.2 = number,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
   Compiling ferronet v0.1.0
     Running unittests src/lib.rs (target/debug/deps/ferronet-0a1b2c)

running 4 tests
test abi::sizes ... ok
test boundary::null - should panic ... ok
test reactor::slow ... ignored, needs a quiet machine
test reactor::wake ... FAILED

failures:

---- reactor::wake stdout ----
a line of its own

thread 'reactor::wake' (12) panicked at ffi/src/reactor.rs:3:9:
assertion `left == right` failed: woken
  left: 1
 right: 2

failures:
    reactor::wake

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s

   Doc-tests ferronet

running 1 test
test src/lib.rs - reactor (line 10) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.3s
";

    #[test]
    fn every_kind_of_outcome_is_counted() {
        let results = results(OUTPUT);
        assert_eq!(
            results.passed,
            ["ferronet::abi::sizes", "ferronet::boundary::null", "ferronet-doc::src/lib.rs - reactor (line 10)"]
        );
        assert_eq!(results.failed[0].test, "ferronet::reactor::wake");
        assert_eq!(results.failed[0].reason, "assertion `left == right` failed: woken (ffi/src/reactor.rs:3:9)");
        assert_eq!(results.skipped[0].reason, "needs a quiet machine");
    }

    #[test]
    fn a_returned_error_is_a_reason_and_silence_is_none() {
        let output = "     Running tests/a.rs (target/debug/deps/a-12)\ntest x ... FAILED\ntest y ... FAILED\n\
                      ---- x stdout ----\nError: \"no socket\"\n\n---- y stdout ----\n\n\
                      test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let reasons: Vec<String> = results(output).failed.into_iter().map(|remark| remark.reason).collect();
        assert_eq!(reasons, ["\"no socket\"", "see the log"]);
    }

    #[test]
    fn a_torn_line_is_still_counted() {
        let torn = "     Running tests/a.rs (target/debug/deps/a-12)\ntest x ... some output\nok\n\
                    test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let results = results(torn);
        assert_eq!((results.passed.len(), results.failed.len()), (1, 1));
    }

    #[test]
    fn output_that_did_not_compile_holds_no_result() {
        assert_eq!(results("error[E0432]: unresolved import\n").ran(), 0);
    }
}
