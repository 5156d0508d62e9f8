//! Cargo's tests.

use ferronet_packaging::Result;

use crate::context::Context;
use crate::network;
use crate::parse::cargo;
use crate::results::Results;

/// All tests of the workspace, and those of the C surface with a library that was built without TLS.
pub(super) fn workspace(context: &mut Context<'_>) -> Result<Results> {
    let mut results = test(context, &["--workspace"])?;
    let without_tls =
        ["--package=ferronet", "--no-default-features", "--features=io-uring", "--test=boundary", "--test=header"];
    results.merge(test(context, &without_tls)?.prefixed("without TLS: "));
    Ok(results)
}

/// The library's tests in a build with test hooks.
pub(super) fn hooks(context: &mut Context<'_>) -> Result<Results> {
    test(context, &["--package", "ferronet", "--features", "test-hooks"])
}

fn test(context: &mut Context<'_>, selection: &[&str]) -> Result<Results> {
    let mut build = context.cargo();
    build.args(["test", "--locked", "--no-run"]).args(selection);
    if !context.run(&mut build)?.success {
        return Err("the tests do not compile".into());
    }
    let mut tests = context.cargo();
    tests.args(["test", "--locked", "--no-fail-fast"]).args(selection);
    network::isolate(&mut tests);
    let ran = context.run(&mut tests)?;
    let mut results = cargo::results(&ran.output);
    results.expect_run(ran.success, "cargo test");
    Ok(results)
}
