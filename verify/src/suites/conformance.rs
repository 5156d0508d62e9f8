//! Netty's own transport suites over Ferronet's transport.

use ferronet_packaging::Result;

use super::java;
use crate::context::Context;
use crate::results::Results;

/// The transports under test.
const TRANSPORTS: &[&str] = &["ferronet-uring", "ferronet-poll"];

/// The classes that every run takes.
const SHARE: &[&str] = &[
    "EventLoopTest",
    "SocketEchoTest",
    "SocketConnectTest",
    "SocketHalfClosedTest",
    "SocketGatheringWriteTest",
    "SocketAutoReadTest",
];

/// Runs the share of classes, or with `--full` all of them, on each backend.
pub(super) fn netty(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let mut results = Results::default();
    for transport in TRANSPORTS {
        let chosen = format!("-Dtransport={transport}");
        let classes = format!("-Dtest={}", SHARE.join(","));
        let mut arguments =
            vec!["--activate-profiles", "conformance", "--projects", ":ferronet-conformance", "--also-make", "verify"];
        arguments.extend(["-DskipTests", chosen.as_str()]);
        if !context.full() {
            arguments.push(&classes);
        }
        let reports = format!("verify/conformance/target/surefire-reports/{transport}");
        let found = java::maven(context, "java-bindings/pom.xml", &reports, &arguments)?;
        results.merge(found.prefixed(&format!("{transport}/")));
    }
    Ok(results)
}
