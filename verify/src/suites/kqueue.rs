//! The kqueue backend, checked without a machine that has kqueue.

use ferronet_packaging::Result;
use ferronet_packaging::tools::rust_source;

use crate::context::Context;
use crate::results::Results;

const TARGETS: &[&str] = &["aarch64-apple-darwin", "x86_64-unknown-freebsd"];

/// Type-checks the library for each target, against a standard library that is checked from its source.
pub(super) fn check(context: &mut Context<'_>) -> Result<Results> {
    let allowed = context.session.toolbox.may_install() && !context.session.offline;
    let target = context.project().target.clone();
    let library = rust_source::library(&target.join("tools/rust-src"), allowed)?;
    let mut results = Results::default();
    for triple in TARGETS {
        let mut command = context.cargo();
        command.args(["check", "--locked", "--package", "ferronet", "--lib", "-Zbuild-std=std,panic_unwind"]);
        command.args(["--target", triple, "--target-dir"]).arg(target.join("kqueue-check"));
        // `-Zbuild-std` is all that is unstable here: the project itself uses stable Rust.
        command.env("RUSTC_BOOTSTRAP", "1").env("__CARGO_TESTS_ONLY_SRC_ROOT", &library);
        let ran = context.run(&mut command)?;
        let error = ran.output.lines().find(|line| line.starts_with("error")).unwrap_or("cargo check failed");
        results.record(format!("check {triple}"), if ran.success { Ok(()) } else { Err(error.to_owned()) });
    }
    Ok(results)
}
