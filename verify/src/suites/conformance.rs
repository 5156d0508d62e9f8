//! Netty's own transport suites over our channels, and over Netty's as the control.

use std::collections::HashMap;

use ferronet_packaging::Result;

use super::java;
use crate::context::Context;
use crate::results::Results;

/// The classes, how many tests of each must pass, and when they run.
const CLASSES: &str = include_str!("../../conformance/classes.tsv");

/// Tests of Netty's that pass over our compression at least.
const COMPRESSION_TESTS: usize = 170;

const PACKAGE: &str = "io.ferronet.conformance.";

/// Our channels on both backends; each is asked for by name, so that none falls back.
pub(super) fn netty(context: &mut Context<'_>) -> Result<Results> {
    let mut results = over(context, "ferronet-uring")?;
    results.merge(over(context, "ferronet-poll")?);
    Ok(results)
}

/// Netty's epoll: what fails there is no fault of ours.
pub(super) fn control(context: &mut Context<'_>) -> Result<Results> {
    over(context, "epoll")
}

/// Netty's own compression tests over our handlers.
pub(super) fn compression(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let mut arguments = vec!["--activate-profiles", "conformance-compression"];
    arguments.extend(["--projects", ":ferronet-conformance-compression", "--also-make", "verify", "-DskipTests"]);
    let reports = "verify/conformance/compression/target/surefire-reports";
    let mut results = java::maven(context, "java-bindings/pom.xml", reports, &arguments)?;
    if results.passed.len() < COMPRESSION_TESTS {
        let reason = format!("{} tests passed, {COMPRESSION_TESTS} are expected at least", results.passed.len());
        results.fail("count", reason);
    }
    Ok(results)
}

fn over(context: &mut Context<'_>, transport: &str) -> Result<Results> {
    context.staged()?;
    let classes = classes(CLASSES, context.full())?;
    let names: Vec<&str> = classes.iter().map(|class| class.name).collect();
    let chosen = format!("-Dtransport={transport}");
    let tests = format!("-Dtest={}", names.join(","));
    let mut arguments =
        vec!["--activate-profiles", "conformance", "--projects", ":ferronet-conformance", "--also-make", "verify"];
    arguments.extend(["-DskipTests", chosen.as_str(), tests.as_str()]);
    let reports = format!("verify/conformance/target/surefire-reports/{transport}");
    let mut results = java::maven(context, "java-bindings/pom.xml", &reports, &arguments)?;
    expect_counts(&classes, &mut results);
    Ok(results.prefixed(&format!("{transport}/")))
}

struct Class {
    name: &'static str,
    least: usize,
}

fn classes(table: &'static str, full: bool) -> Result<Vec<Class>> {
    let mut classes = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [name, least, share @ ("ci" | "full")] = fields[..] else {
            return Err(format!("classes.tsv: {line:?} is not a name, a number and ci or full").into());
        };
        if full || share == "ci" {
            classes.push(Class { name, least: least.parse()? });
        }
    }
    Ok(classes)
}

/// A class that passed fewer tests than it should has lost some, for example because they were skipped.
fn expect_counts(classes: &[Class], results: &mut Results) {
    let mut passed: HashMap<&str, usize> = HashMap::new();
    for test in &results.passed {
        let class = test.strip_prefix(PACKAGE).and_then(|rest| rest.split('.').next()).unwrap_or(test);
        *passed.entry(class).or_default() += 1;
    }
    let short: Vec<(String, String)> = classes
        .iter()
        .filter_map(|class| {
            let count = passed.get(class.name).copied().unwrap_or(0);
            (count < class.least).then(|| {
                (
                    format!("{} count", class.name),
                    format!("{count} tests passed, {} are expected at least", class.least),
                )
            })
        })
        .collect();
    for (test, reason) in short {
        results.fail(test, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ci_share_is_part_of_the_full_one() {
        let ci = classes(CLASSES, false).expect("valid");
        let full = classes(CLASSES, true).expect("valid");
        assert!(!ci.is_empty() && ci.len() < full.len());
        assert!(ci.iter().all(|class| class.least > 0));
    }

    #[test]
    fn every_test_class_is_listed() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/src/test/java/io/ferronet/conformance");
        let mut found: Vec<String> = std::fs::read_dir(sources)
            .expect("sources")
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".java").map(str::to_owned))
            .filter(|name| name.ends_with("Test"))
            .collect();
        found.sort();
        let mut listed: Vec<&str> = classes(CLASSES, true).expect("valid").iter().map(|class| class.name).collect();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    #[test]
    fn a_class_that_lost_tests_fails() {
        let classes = [Class { name: "EchoTest", least: 2 }];
        let mut results = Results::default();
        results.pass("io.ferronet.conformance.EchoTest.one");
        expect_counts(&classes, &mut results);
        assert_eq!(results.failed[0].reason, "1 tests passed, 2 are expected at least");
        results.failed.clear();
        results.pass("io.ferronet.conformance.EchoTest.two(x)[1]");
        expect_counts(&classes, &mut results);
        assert!(results.failed.is_empty());
    }

    #[test]
    fn a_malformed_line_is_named() {
        assert!(classes("EchoTest\tmany\tci", true).is_err());
        assert!(classes("EchoTest\t1", true).err().is_some_and(|error| error.to_string().contains("EchoTest")));
    }
}
