//! Checks of the sources themselves.

use ferronet_packaging::Result;

use crate::context::Context;
use crate::results::Results;

/// Each crate is formatted.
pub(super) fn formatted(context: &mut Context<'_>) -> Result<Results> {
    let mut results = Results::default();
    for package in ["ferronet", "ferronet-packaging", "ferronet-verify", "ferronet-bench-load"] {
        let ran = context.run(context.cargo().args(["fmt", "--check", "--package", package]))?;
        let outcome = if ran.success { Ok(()) } else { Err("run cargo fmt".to_owned()) };
        results.record(format!("fmt {package}"), outcome);
    }
    Ok(results)
}

/// Clippy's warnings count as errors.
pub(super) fn clippy(context: &mut Context<'_>) -> Result<Results> {
    let mut results = Results::default();
    let selections: [(&str, &[&str]); 3] = [
        ("clippy workspace", &["--workspace"]),
        ("clippy without TLS", &["--package", "ferronet", "--no-default-features", "--features", "io-uring"]),
        ("clippy test-hooks", &["--package", "ferronet", "--features", "test-hooks"]),
    ];
    for (name, selection) in selections {
        let mut command = context.cargo();
        command.args(["clippy", "--locked", "--all-targets"]).args(selection).args(["--", "-D", "warnings"]);
        let ran = context.run(&mut command)?;
        results.record(name, if ran.success { Ok(()) } else { Err(first_warning(&ran.output)) });
    }
    Ok(results)
}

fn first_warning(output: &str) -> String {
    let line = output.lines().find(|line| line.starts_with("error") || line.starts_with("warning"));
    line.unwrap_or("clippy failed").to_owned()
}
