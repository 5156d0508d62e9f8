//! The tests of the Netty module on the lowest and the highest version of Netty that is supported.

use ferronet_packaging::Result;

use super::java;
use crate::context::Context;
use crate::results::Results;

const RANGE: &str = include_str!("../../conformance/range.txt");

/// Tests that pass on each version at least.
const TESTS: usize = 250;

/// Both ends of the range.
pub(super) fn ends(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let mut results = Results::default();
    for end in ["lowest", "highest"] {
        let version = version(RANGE, end)?;
        let tested = format!("-Dnetty.tested.version={version}");
        let mut arguments =
            vec!["--activate-profiles", "conformance-range", "--projects", ":ferronet-conformance-range"];
        arguments.extend(["--also-make", "verify", "-DskipTests", tested.as_str()]);
        let reports = format!("verify/conformance/range/target/surefire-reports/{version}");
        let mut found = java::maven(context, "java-bindings/pom.xml", &reports, &arguments)?;
        if found.passed.len() < TESTS {
            found.fail("count", format!("{} tests passed, {TESTS} are expected at least", found.passed.len()));
        }
        results.merge(found.prefixed(&format!("{version}/")));
    }
    Ok(results)
}

fn version<'a>(table: &'a str, end: &str) -> Result<&'a str> {
    let line = table.lines().find_map(|line| line.strip_prefix(end)?.strip_prefix(' '));
    Ok(line.ok_or_else(|| format!("range.txt names no {end} version"))?.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str) -> String {
        std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).expect("readable")
    }

    #[test]
    fn the_check_and_the_readme_name_the_tested_range() {
        let lowest = version(RANGE, "lowest").expect("named");
        let highest = version(RANGE, "highest").expect("named");
        let patch = lowest.strip_prefix("4.2.").and_then(|rest| rest.strip_suffix(".Final")).expect("a 4.2 version");
        let check = text("java-bindings/netty/src/main/java/io/ferronet/netty/internal/NettyVersion.java");
        assert!(check.contains(&format!("LOWEST_PATCH = {patch};")));
        let readme = text("README.md");
        for version in [lowest, highest] {
            assert!(readme.contains(version.trim_end_matches(".Final")), "{version}");
        }
        assert!(version(RANGE, "middle").is_err());
    }
}
