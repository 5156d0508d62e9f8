//! Plain lines: `ok NAME`, `not ok NAME - why`, `skip NAME - what is missing`; `#` starts a remark.
//!
//! TAP's numbers and its `# SKIP` are understood too.

use crate::results::Results;

/// Reads the results in the output of a C program or a shell script.
pub fn results(output: &str) -> Results {
    let mut results = Results::default();
    for line in output.lines() {
        if let Some(rest) = line.strip_prefix("not ok ") {
            let (test, reason) = split(rest);
            results.fail(test, if reason.is_empty() { "see the log" } else { reason });
        } else if let Some(rest) = line.strip_prefix("ok ") {
            match rest.split_once("# SKIP") {
                Some((test, reason)) => results.skip(unnumbered(test.trim()), reason.trim()),
                None => results.pass(unnumbered(rest.trim())),
            }
        } else if let Some(rest) = line.strip_prefix("skip ") {
            let (test, reason) = split(rest);
            results.skip(test, if reason.is_empty() { "no reason is given" } else { reason });
        }
    }
    results
}

fn split(rest: &str) -> (&str, &str) {
    let rest = unnumbered(rest.trim());
    match rest.split_once(" - ").or_else(|| rest.split_once(": ")) {
        Some((test, reason)) => (test.trim(), reason.trim()),
        None => (rest, ""),
    }
}

/// Drops TAP's `12 - ` before a name.
fn unnumbered(text: &str) -> &str {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match rest.strip_prefix(" - ") {
        Some(name) if rest.len() < text.len() => name,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read() {
        let text = "# about\nok shared/abi_check\nnot ok poll/echo - output differs from echo.txt\n\
                    skip curl - curl is missing\nnot ok bare\nok 3 - tcp close\nok 4 - tls # SKIP no openssl\nother\n";
        let results = results(text);
        assert_eq!(results.passed, ["shared/abi_check", "tcp close"]);
        assert_eq!(results.failed[0].test, "poll/echo");
        assert_eq!(results.failed[0].reason, "output differs from echo.txt");
        assert_eq!(results.failed[1].test, "bare");
        assert_eq!(results.skipped.len(), 2);
        assert_eq!(results.skipped[1].reason, "no openssl");
    }

    #[test]
    fn a_reason_may_follow_a_colon() {
        assert_eq!(results("not ok a: why\n").failed[0].reason, "why");
    }

    #[test]
    fn other_output_counts_for_nothing() {
        assert_eq!(results("okay\nnothing ok\n"), Results::default());
    }
}
