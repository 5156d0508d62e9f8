//! JUnit's XML reports, as Surefire and CTest write them.

use std::path::{Path, PathBuf};

use crate::results::Results;

/// Reads every `TEST-*.xml` below `directory`, in the order of their paths.
///
/// # Errors
/// When a report cannot be read or is cut short.
pub fn reports(directory: &Path) -> ferronet_packaging::Result<Results> {
    let mut results = Results::default();
    for file in files(directory) {
        let text = std::fs::read_to_string(&file)?;
        results.merge(report(&text).map_err(|error| format!("{}: {error}", file.display()))?);
    }
    Ok(results)
}

/// Removes the reports of an earlier run.
pub fn forget(directory: &Path) {
    for file in files(directory) {
        let _ = std::fs::remove_file(file);
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else if name.starts_with("TEST-") && name.ends_with(".xml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reads one report. Names are `CLASS.METHOD`.
///
/// # Errors
/// When the report is cut short or its own count is not the number of its tests.
pub fn report(text: &str) -> Result<Results, String> {
    let mut results = Results::default();
    let mut open: Option<(String, Option<Outcome>)> = None;
    let mut announced: Option<usize> = None;
    let mut closed = false;
    for Tag { tag, text } in tags(text)? {
        let (name, attributes) = split(tag);
        match name {
            "testsuite" if announced.is_none() => {
                announced = attribute(attributes, "tests").and_then(|n| n.parse().ok())
            }
            "testcase" => {
                let class = attribute(attributes, "classname").unwrap_or_default();
                let test = attribute(attributes, "name").unwrap_or_default();
                let full = if class.is_empty() { test } else { format!("{class}.{test}") };
                if attributes.ends_with('/') {
                    finish(&mut results, full, None);
                } else {
                    open = Some((full, None));
                }
            }
            "skipped" | "failure" | "error" => {
                let message = attribute(attributes, "message").or_else(|| first_line(text));
                let message = message.or_else(|| attribute(attributes, "type")).unwrap_or_default();
                set(&mut open, if name == "skipped" { Outcome::Skipped(message) } else { Outcome::Failed(message) });
            }
            "/testcase" => {
                if let Some((test, outcome)) = open.take() {
                    finish(&mut results, test, outcome);
                }
            }
            "/testsuite" | "/testsuites" => closed = true,
            _ => {}
        }
    }
    if !closed {
        return Err("the report is cut short".to_owned());
    }
    let read = results.ran() + results.skipped.len();
    if announced.is_some_and(|announced| announced > read) {
        return Err(format!("the report announces {} tests and holds {read}", announced.unwrap_or(0)));
    }
    Ok(results)
}

enum Outcome {
    Failed(String),
    Skipped(String),
}

fn set(open: &mut Option<(String, Option<Outcome>)>, outcome: Outcome) {
    if let Some((_, slot)) = open
        && slot.is_none()
    {
        *slot = Some(outcome);
    }
}

fn finish(results: &mut Results, test: String, outcome: Option<Outcome>) {
    let first = |text: String| first_line(&text).unwrap_or_default();
    match outcome {
        None => results.pass(test),
        Some(Outcome::Failed(reason)) => results.fail(test, first(reason)),
        Some(Outcome::Skipped(reason)) if reason.is_empty() => results.skip(test, "no reason is given"),
        Some(Outcome::Skipped(reason)) => results.skip(test, first(reason)),
    }
}

fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// A tag and the text or CDATA that follows it.
struct Tag<'a> {
    tag: &'a str,
    text: &'a str,
}

/// The tags in their order; comments and declarations are passed over.
fn tags(text: &str) -> Result<Vec<Tag<'_>>, String> {
    let mut tags: Vec<Tag<'_>> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        if let Some(last) = tags.last_mut()
            && last.text.is_empty()
        {
            last.text = rest[..start].trim();
        }
        rest = &rest[start..];
        let data = rest.starts_with("<![CDATA[");
        let end = match rest {
            _ if data => rest.find("]]>").map(|end| end + 3),
            _ if rest.starts_with("<!--") => rest.find("-->").map(|end| end + 3),
            _ => tag_end(rest),
        };
        let Some(end) = end else { return Err("the report is cut short".to_owned()) };
        if data {
            tags.iter_mut().last().into_iter().for_each(|last| last.text = &rest["<![CDATA[".len()..end - 3]);
        } else if !rest.starts_with("<!--") && !rest.starts_with("<?") {
            tags.push(Tag { tag: &rest[1..end - 1], text: "" });
        }
        rest = &rest[end..];
    }
    Ok(tags)
}

/// The end of a tag; a `>` inside a quoted value does not end it.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '>') => return Some(index + 1),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if letter == open => quote = None,
            _ => {}
        }
    }
    None
}

fn split(tag: &str) -> (&str, &str) {
    match tag.find(char::is_whitespace) {
        Some(end) => (&tag[..end], &tag[end..]),
        None => (tag.trim_end_matches('/'), tag),
    }
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        let equals = rest.find('=')?;
        let key = rest[..equals].trim();
        let value = rest[equals + 1..].trim_start();
        let quote = value.chars().next().filter(|letter| *letter == '"' || *letter == '\'')?;
        let end = value[1..].find(quote)? + 1;
        if key == name {
            return Some(unescape(&value[1..end]));
        }
        rest = &value[end + 1..];
    }
}

fn unescape(text: &str) -> String {
    let mut plain = text.to_owned();
    for (entity, letter) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#10;", "\n"),
        ("&#xA;", "\n"),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(entity, letter);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="x" name="a.B" time="0.1" tests="5" errors="1" skipped="1" failures="1">
  <properties><property name="p" value="1 > 0 &amp; &lt;testcase&gt;"/></properties>
  <testcase name="passes" classname="a.B" time="0.01"/>
  <testcase name="fails" classname="a.B" time="0.01">
    <failure message="expected: &lt;1&gt; but was: &lt;2&gt;&#10;more" type="x"><![CDATA[stack <skipped/> </testcase>]]></failure>
    <system-out><![CDATA[<testcase name="no" classname="no"/>]]></system-out>
  </testcase>
  <testcase name="errs" classname="a.B" time="0"><error type="java.io.IOException"/></testcase>
  <testcase name="skips" classname="a.B"><skipped message="no io_uring"/></testcase>
  <testcase name="aborts" classname="a.B"><skipped type="x.Aborted"><![CDATA[
x.Aborted: Assumption failed
	at a.B]]></skipped></testcase>
</testsuite>
"#;

    #[test]
    fn every_kind_of_outcome_is_read() {
        let results = report(REPORT).expect("complete");
        assert_eq!(results.passed, ["a.B.passes"]);
        assert_eq!(results.failed[0].reason, "expected: <1> but was: <2>");
        assert_eq!(results.failed[1].test, "a.B.errs");
        assert_eq!(results.failed[1].reason, "java.io.IOException");
        assert_eq!(results.skipped[0].reason, "no io_uring");
        assert_eq!(results.skipped[1].reason, "x.Aborted: Assumption failed");
    }

    #[test]
    fn a_report_that_is_cut_short_is_an_error() {
        let half = &REPORT[..REPORT.len() / 2];
        assert!(report(half).is_err());
        assert!(report(&REPORT.replace("tests=\"5\"", "tests=\"6\"")).is_err());
        assert!(report("").is_err());
    }

    #[test]
    fn an_empty_suite_holds_nothing() {
        assert_eq!(report("<testsuite tests=\"0\"></testsuite>").expect("complete").ran(), 0);
    }
}
