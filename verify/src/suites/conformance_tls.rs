//! Netty's own tests of an `SSLEngine`, over ours in each role and over the JDK's as the control.

use ferronet_packaging::Result;

use super::java;
use crate::context::Context;
use crate::results::Results;

/// The classes, how many tests of each must pass, and when they run.
const CLASSES: &str = include_str!("../../conformance/tls/classes.tsv");

const PACKAGE: &str = "io.ferronet.conformance.tls.";

/// A share of the roles, or with `--full` all of them.
pub(super) fn engine(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let classes = classes(CLASSES, context.full())?;
    let names: Vec<&str> = classes.iter().map(|(name, _)| *name).collect();
    let tests = format!("-Dtest={}", names.join(","));
    let mut arguments = vec!["--activate-profiles", "conformance-tls", "--projects", ":ferronet-conformance-tls"];
    arguments.extend(["--also-make", "verify", "-DskipTests", tests.as_str()]);
    let reports = "verify/conformance/tls/target/surefire-reports";
    let mut results = java::maven(context, "java-bindings/pom.xml", reports, &arguments)?;
    expect_counts(&classes, &mut results);
    Ok(results)
}

fn classes(table: &'static str, full: bool) -> Result<Vec<(&'static str, usize)>> {
    let mut classes = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [name, least, share @ ("ci" | "full")] = fields[..] else {
            return Err(format!("classes.tsv: {line:?} is not a name, a number and ci or full").into());
        };
        if full || share == "ci" {
            classes.push((name, least.parse()?));
        }
    }
    Ok(classes)
}

/// A class that passed fewer tests than it should has lost some, for example because they were skipped.
fn expect_counts(classes: &[(&'static str, usize)], results: &mut Results) {
    for (name, least) in classes {
        let of_class = format!("{PACKAGE}{name}.");
        let passed = results.passed.iter().filter(|test| test.starts_with(&of_class)).count();
        if passed < *least {
            results.fail(format!("{name} count"), format!("{passed} tests passed, {least} are expected at least"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_class_is_listed_and_the_share_is_not_all() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/tls/src/test/java/io/ferronet/conformance/tls");
        let mut found: Vec<String> = std::fs::read_dir(sources)
            .expect("sources")
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".java").map(str::to_owned))
            .filter(|name| name != "EngineTest")
            .collect();
        found.sort();
        let whole = classes(CLASSES, true).expect("valid");
        let mut listed: Vec<&str> = whole.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(found, listed);
        assert!(classes(CLASSES, false).expect("valid").len() < whole.len());
    }

    #[test]
    fn a_class_that_lost_tests_fails() {
        let mut results = Results::default();
        results.pass("io.ferronet.conformance.tls.JdkTest.one");
        expect_counts(&[("JdkTest", 2)], &mut results);
        assert_eq!(results.failed[0].reason, "1 tests passed, 2 are expected at least");
    }
}
