//! The shared contract: one list of cases, one runner for each way to call the library.

use std::path::Path;
use std::process::Command;

use ferronet_packaging::Result;

use crate::context::Context;
use crate::network;
use crate::parse::lines;
use crate::results::Results;

/// The C runner, linked with both staged forms, and what the cases reach.
pub(super) fn c(context: &mut Context<'_>) -> Result<Results> {
    runner(context, "c")
}

/// The Java runner over the FFM binding.
pub(super) fn jvm(context: &mut Context<'_>) -> Result<Results> {
    runner(context, "jvm")
}

/// Both runners against the library with test hooks, with each fault armed in turn.
pub(super) fn faults(context: &mut Context<'_>) -> Result<Results> {
    runner(context, "faults")
}

/// The C runner under memcheck.
pub(super) fn memcheck(context: &mut Context<'_>) -> Result<Results> {
    runner(context, "memcheck")
}

fn runner(context: &mut Context<'_>, mode: &str) -> Result<Results> {
    let stage = context.staged()?.root;
    run(context, &stage, mode)
}

/// One of the runners against the stage at `stage`.
pub(super) fn run(context: &mut Context<'_>, stage: &Path, mode: &str) -> Result<Results> {
    let mut command = Command::new("bash");
    command.arg(context.project().root.join("verify/contract/run.sh")).arg(stage).arg(mode);
    if matches!(mode, "jvm" | "faults") {
        command.env("JAVA_HOME", context.jdk()?.home);
    }
    network::isolate(&mut command);
    let ran = context.run(&mut command)?;
    let mut results = lines::results(&ran.output);
    results.expect_run(ran.success, "run.sh");
    Ok(results)
}
