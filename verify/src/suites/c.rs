//! The C examples.

use std::process::Command;

use ferronet_packaging::Result;
use ferronet_packaging::tools::Tool;

use crate::context::Context;
use crate::network;
use crate::parse::lines;
use crate::results::Results;

/// Builds the examples shared and static, compares their output with the golden files, and runs them under memcheck.
pub(super) fn examples(context: &mut Context<'_>) -> Result<Results> {
    let mut results = run(context, &[])?;
    if context.optional(Tool::Valgrind).is_some() {
        results.merge(run(context, &["--valgrind"])?.prefixed("memcheck/"));
    }
    Ok(results)
}

fn run(context: &mut Context<'_>, options: &[&str]) -> Result<Results> {
    let stage = context.staged()?.root;
    let mut command = Command::new("bash");
    command.arg(context.project().root.join("c-examples/run_tests.sh")).arg(stage).args(options);
    network::isolate(&mut command);
    let ran = context.run(&mut command)?;
    let mut results = lines::results(&ran.output);
    results.expect_run(ran.success, "run_tests.sh");
    Ok(results)
}
