//! The TLS classes of Netty's transport suite with our TLS, on Netty's transports and on ours.

use ferronet_packaging::Result;

use super::conformance_tls_handler::{Class, Moves, moved};
use super::java;
use crate::context::Context;
use crate::results::Results;

/// The classes, how many of their tests pass and are skipped, and when they run.
const CLASSES: &str = include_str!("../../conformance/tls-transport.tsv");

const MODULE: &str = "verify/conformance/target";

/// The transports of every run: our TLS needs none of ours.
const TRANSPORTS: [&str; 2] = ["nio", "ferronet-uring"];

/// The others: on two busy cores `SocketSslEchoTest` alone takes ten minutes on a transport, more than one suite's time for all.
const OTHERS: [&str; 2] = ["epoll", "ferronet-poll"];

/// A share of the classes on NIO and io_uring, or with `--full` all of them.
pub(super) fn transports(context: &mut Context<'_>) -> Result<Results> {
    let full = context.full();
    each(context, &TRANSPORTS, full)
}

/// All classes on epoll and the poll backend.
pub(super) fn other_transports(context: &mut Context<'_>) -> Result<Results> {
    each(context, &OTHERS, true)
}

fn each(context: &mut Context<'_>, transports: &[&'static str], full: bool) -> Result<Results> {
    context.staged()?;
    let mut results = Results::default();
    for transport in transports {
        results.merge(on(context, transport, &classes(CLASSES, transport, full)?)?.prefixed(&format!("{transport}/")));
    }
    Ok(results)
}

fn on(context: &mut Context<'_>, transport: &'static str, classes: &[Listed]) -> Result<Results> {
    let folder = context.project().root.join(MODULE).join("moved").join(transport);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let names: Vec<&str> = classes.iter().map(|class| class.path).collect();
    let (transport_is, tests) = (format!("-Dtransport={transport}"), format!("-Dtest={}", names.join(",")));
    let mut arguments =
        vec!["--activate-profiles", "conformance,conformance-tls", "--projects", ":ferronet-conformance"];
    arguments.extend([
        "--also-make",
        "verify",
        "-DskipTests",
        "-Dtls=ferronet",
        "-Dtests.jdk=None",
        "-Dtests.openssl=None",
    ]);
    arguments.extend([transport_is.as_str(), tests.as_str()]);
    let reports = format!("{MODULE}/surefire-reports/tls-{transport}");
    let mut results = java::maven(context, "java-bindings/pom.xml", &reports, &arguments)?;
    for class in classes {
        class.expected.expect(&moved(&folder, class.expected.name())?, &mut results);
    }
    Ok(results)
}

struct Listed {
    /// The name with the package.
    path: &'static str,
    expected: Class,
}

fn classes(table: &'static str, transport: &'static str, full: bool) -> Result<Vec<Listed>> {
    let mut classes = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let malformed = || {
            format!(
                "tls-transport.tsv: {line:?} is not all or nio, a class, two numbers, handler or engine, and ci or full"
            )
        };
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [on @ ("all" | "nio"), path, passed, skipped, by @ ("handler" | "engine"), share @ ("ci" | "full")] =
            fields[..]
        else {
            return Err(malformed().into());
        };
        let passed = passed.parse().map_err(|_| malformed())?;
        let skipped = skipped.parse().map_err(|_| malformed())?;
        let moves = if by == "handler" { Moves::Bytes } else { Moves::Nothing };
        let tests = path.rsplit('.').next().unwrap_or(path);
        if (full || share == "ci") && (on == "all" || on == transport) {
            classes.push(Listed { path, expected: Class { place: "openssl", tests, passed, skipped, moves } });
        }
    }
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file says why.
    const NOT_OURS: [&str; 2] = ["SocketSslClientRenegotiateTest", "SocketSslSessionReuseTest"];

    fn names(transport: &'static str, full: bool) -> Vec<&'static str> {
        classes(CLASSES, transport, full).expect("valid").iter().map(|class| class.expected.name()).collect()
    }

    #[test]
    fn every_transport_has_its_classes() {
        for transport in TRANSPORTS.into_iter().chain(OTHERS) {
            assert!(names(transport, true).contains(&"SocketSslEchoTest"), "{transport}");
            assert!(names(transport, false).len() < names(transport, true).len(), "{transport}");
        }
        assert!(names("nio", true).contains(&"SocketSslLargeCertificateTest"));
        assert!(!names("epoll", true).contains(&"SocketSslLargeCertificateTest"));
    }

    #[test]
    fn every_tls_class_of_the_transport_suite_is_listed() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/src/test/java/io/ferronet/conformance");
        let mut found: Vec<String> = std::fs::read_dir(sources)
            .expect("sources")
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".java").map(str::to_owned))
            .filter(|name| name.contains("Ssl") || name.contains("Tls"))
            .filter(|name| !NOT_OURS.contains(&name.as_str()))
            .collect();
        found.sort();
        let mut listed = names("epoll", true);
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    #[test]
    fn a_malformed_line_is_named() {
        for line in [
            "all\tA\t1\t0\thandler",
            "some\tA\t1\t0\thandler\tci",
            "all\tA\tx\t0\tengine\tci",
            "all\tA\t1\t0\tengine\toften",
        ] {
            assert!(
                classes(line, "nio", true).err().is_some_and(|error| error.to_string().contains("tls-transport.tsv"))
            );
        }
    }
}
