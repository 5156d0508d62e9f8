//! Netty's own transport suites over our channels, and over Netty's as the control.

use std::collections::{HashMap, HashSet};

use ferronet_packaging::Result;

use super::java;
use crate::context::Context;
use crate::results::Results;

/// The classes, how many tests of each must pass, and when they run.
const CLASSES: &str = include_str!("../../conformance/classes.tsv");

/// Tests of Netty's that pass over our compression at least.
const COMPRESSION_TESTS: usize = 220;

const PACKAGE: &str = "io.ferronet.conformance.";

/// The share of every run: each backend with one allocator of the loop. Each backend is asked for by name, so that none falls back.
pub(super) fn share(context: &mut Context<'_>) -> Result<Results> {
    let mut results = Permutation { transport: "ferronet-uring", allocator: "pooled" }.run(context, false)?;
    results.merge(Permutation { transport: "ferronet-poll", allocator: "adaptive" }.run(context, false)?);
    Ok(results)
}

/// All classes on io_uring, loops lending from the pooled allocator.
pub(super) fn uring_pooled(context: &mut Context<'_>) -> Result<Results> {
    Permutation { transport: "ferronet-uring", allocator: "pooled" }.run(context, true)
}

/// All classes on io_uring, loops lending from the adaptive allocator.
pub(super) fn uring_adaptive(context: &mut Context<'_>) -> Result<Results> {
    Permutation { transport: "ferronet-uring", allocator: "adaptive" }.run(context, true)
}

/// All classes on the poll backend, loops lending from the pooled allocator.
pub(super) fn poll_pooled(context: &mut Context<'_>) -> Result<Results> {
    Permutation { transport: "ferronet-poll", allocator: "pooled" }.run(context, true)
}

/// All classes on the poll backend, loops lending from the adaptive allocator.
pub(super) fn poll_adaptive(context: &mut Context<'_>) -> Result<Results> {
    Permutation { transport: "ferronet-poll", allocator: "adaptive" }.run(context, true)
}

/// Netty's epoll: what fails there is no fault of ours.
pub(super) fn control(context: &mut Context<'_>) -> Result<Results> {
    Permutation { transport: "epoll", allocator: "pooled" }.run(context, true)
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

/// A transport, and the allocator that its loops lend receive buffers from. Channels come with either allocator in each run.
struct Permutation {
    transport: &'static str,
    allocator: &'static str,
}

impl Permutation {
    fn run(&self, context: &mut Context<'_>, whole: bool) -> Result<Results> {
        context.staged()?;
        let classes = classes(CLASSES, whole)?;
        let names: Vec<&str> = classes.iter().map(|class| class.name).collect();
        let transport = format!("-Dtransport={}", self.transport);
        let allocator = format!("-Dallocator={}", self.allocator);
        let tests = format!("-Dtest={}", names.join(","));
        let name = format!("{}-{}", self.transport, self.allocator);
        let target = context.project().root.join("verify/conformance/target");
        let channels = target.join("channels").join(&name);
        if channels.exists() {
            std::fs::remove_dir_all(&channels)?;
        }
        let mut arguments =
            vec!["--activate-profiles", "conformance", "--projects", ":ferronet-conformance", "--also-make", "verify"];
        arguments.extend(["-DskipTests", transport.as_str(), allocator.as_str(), tests.as_str()]);
        let reports = format!("verify/conformance/target/surefire-reports/{name}");
        let mut results = java::maven(context, "java-bindings/pom.xml", &reports, &arguments)?;
        expect_counts(&classes, &mut results);
        for class in &classes {
            let used = std::fs::read_to_string(channels.join(format!("{}.tsv", class.name))).unwrap_or_default();
            expect_channels(class, &used, &mut results);
        }
        context.remark(&format!(
            "{name}: {} passed, {} failed, {} skipped",
            results.passed.len(),
            results.failed.len(),
            results.skipped.len()
        ));
        Ok(results.prefixed(&format!("{name}/")))
    }
}

struct Class {
    name: &'static str,
    least: usize,
    /// Roles in which it must have used channels.
    roles: &'static [&'static str],
}

const PAIRS: &[&str] =
    &["own-own server", "own-own client", "own-nio server", "own-nio client", "nio-own server", "nio-own client"];

fn classes(table: &'static str, whole: bool) -> Result<Vec<Class>> {
    let mut classes = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let malformed =
            || format!("classes.tsv: {line:?} is not a name, a number, ci or full, and pairs, client, server or loop");
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [name, least, share @ ("ci" | "full"), channels] = fields[..] else {
            return Err(malformed().into());
        };
        let roles: &[&str] = match channels {
            "pairs" => PAIRS,
            "client" => &["own client"],
            "server" => &["own server"],
            "loop" => &[],
            _ => return Err(malformed().into()),
        };
        if whole || share == "ci" {
            classes.push(Class { name, least: least.parse().map_err(|_| malformed())?, roles });
        }
    }
    Ok(classes)
}

/// Whether the class used channels in each of its roles with each allocator; `used` is what it left behind.
fn expect_channels(class: &Class, used: &str, results: &mut Results) {
    if class.roles.is_empty() || class.least == 0 {
        return;
    }
    let missing: Vec<String> = class
        .roles
        .iter()
        .flat_map(|role| ["pooled", "adaptive"].map(|allocator| (role, allocator)))
        .filter(|(role, allocator)| {
            !used.lines().any(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                matches!(fields[..], [used, _, with, count] if used == **role && with == *allocator && count != "0")
            })
        })
        .map(|(role, allocator)| format!("{role} with the {allocator} allocator"))
        .collect();
    let outcome = if missing.is_empty() { Ok(()) } else { Err(format!("never ran: {}", missing.join(", "))) };
    results.record(format!("{} channels", class.name), outcome);
}

/// A class that passed fewer tests than it should has lost some, for example because they were skipped.
fn expect_counts(classes: &[Class], results: &mut Results) {
    let class_of =
        |test: &str| test.strip_prefix(PACKAGE).and_then(|rest| rest.split('.').next()).unwrap_or(test).to_owned();
    let remarks = results.failed.iter().chain(&results.skipped).map(|remark| &remark.test);
    let seen: HashSet<String> = results.passed.iter().chain(remarks).map(|test| class_of(test)).collect();
    let mut passed: HashMap<String, usize> = HashMap::new();
    for test in &results.passed {
        *passed.entry(class_of(test)).or_default() += 1;
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
    for class in classes.iter().filter(|class| !seen.contains(class.name)) {
        results.fail(format!("{} run", class.name), "no test of this class was run");
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
        let classes = [Class { name: "EchoTest", least: 2, roles: &["own client"] }];
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
    fn a_class_that_did_not_run_fails() {
        let classes = [Class { name: "SuspendTest", least: 0, roles: &[] }];
        let mut results = Results::default();
        expect_counts(&classes, &mut results);
        assert_eq!(results.failed[0].reason, "no test of this class was run");
        results.failed.clear();
        results.skip("io.ferronet.conformance.SuspendTest.one", "disabled");
        expect_counts(&classes, &mut results);
        assert!(results.failed.is_empty());
    }

    #[test]
    fn a_permutation_that_did_not_run_fails() {
        let class = Class { name: "EchoTest", least: 1, roles: &["own-nio client"] };
        let mut results = Results::default();
        expect_channels(&class, "own-nio client\tNioSocketChannel\tpooled\t3\n", &mut results);
        assert_eq!(results.failed[0].reason, "never ran: own-nio client with the adaptive allocator");
        let mut results = Results::default();
        let both = "own-nio client\tNioSocketChannel\tpooled\t3\nown-nio client\tNioSocketChannel\tadaptive\t1\n";
        expect_channels(&class, both, &mut results);
        assert_eq!(results.passed, ["EchoTest channels"]);
    }

    #[test]
    fn a_malformed_line_is_named() {
        assert!(classes("EchoTest\tmany\tci\tpairs", true).is_err());
        assert!(classes("EchoTest\t1\tci\tpair", true).is_err());
        assert!(classes("EchoTest\t1", true).err().is_some_and(|error| error.to_string().contains("EchoTest")));
    }
}
