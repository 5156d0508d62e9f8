//! The list of faults that the transport has to survive names tests that exist.

use std::collections::BTreeSet;
use std::path::Path;

const LIST: &str = include_str!("../safety/faults.txt");

/// The faults without which the list is not whole.
const FAULTS: &[&str] = &[
    "EAGAIN storms",
    "cancel races",
    "CQ overflow",
    "descriptor reuse",
    "EINTR storms",
    "slow and stalled peers",
    "RST at every step",
    "10,000 idle connections",
    "10,000 loops",
    "fairness",
    "io_uring refused by a seccomp filter",
    "io_uring refused by RLIMIT_MEMLOCK",
    "io_uring refused by an injected errno",
    "where io_uring is refused, tests fail",
    "the kernel ladder, each step masked",
    "nothing is freed under an operation",
    "random operations against a model",
    "loom covers the wake-up word",
    "arbitrary records, short run in CI",
    "more virtual loops than carriers",
];

fn lines() -> impl Iterator<Item = [&'static str; 3]> {
    LIST.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        parts.try_into().unwrap_or_else(|parts: Vec<&str>| panic!("{parts:?}: FAULT | FILE | TEST"))
    })
}

#[test]
fn every_named_test_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for [fault, file, test] in lines() {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{fault}: {file}: {error}"));
        let declared = text.contains(&format!("fn {test}(")) || text.contains(&format!("void {test}("));
        assert!(declared, "{fault}: {file} has no test {test}");
    }
}

#[test]
fn every_fault_has_a_test() {
    let named: BTreeSet<&str> = lines().map(|[fault, ..]| fault).collect();
    for fault in FAULTS {
        assert!(named.contains(fault), "no test is named for: {fault}");
    }
}
