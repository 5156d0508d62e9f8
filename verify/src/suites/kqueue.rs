//! The kqueue backend, checked without a machine that has kqueue.

use ferronet_packaging::Result;
use ferronet_packaging::tools::rust_source;

use crate::context::Context;
use crate::results::Results;

const TARGETS: &[&str] = &["aarch64-apple-darwin", "x86_64-unknown-freebsd"];

/// Type-checks the library for each target, against a standard library that is checked from its source. AWS-LC is not
/// compiled, which would need a C compiler for the target: its declarations are enough to check what calls it.
pub(super) fn check(context: &mut Context<'_>) -> Result<Results> {
    let allowed = context.session.toolbox.may_install() && !context.session.offline;
    let target = context.project().target.clone();
    let library = rust_source::library(&target.join("tools/rust-src"), allowed)?;
    let lock = std::fs::read_to_string(context.project().root.join("Cargo.lock"))?;
    let links = aws_lc_links(&lock).ok_or("Cargo.lock names no version of aws-lc-sys")?;
    let mut results = Results::default();
    for triple in TARGETS {
        let mut command = context.cargo();
        command.args(["check", "--locked", "--package", "ferronet", "--lib", "-Zbuild-std=std,panic_unwind"]);
        command.args(["--target", triple, "--target-dir"]).arg(target.join("kqueue-check"));
        for setting in without_build_script(triple, &links) {
            command.args(["--config", &setting]);
        }
        // `-Zbuild-std` is all that is unstable here: the project itself uses stable Rust.
        command.env("RUSTC_BOOTSTRAP", "1").env("__CARGO_TESTS_ONLY_SRC_ROOT", &library);
        let ran = context.run(&mut command)?;
        let error = ran.output.lines().find(|line| line.starts_with("error")).unwrap_or("cargo check failed");
        results.record(format!("check {triple}"), if ran.success { Ok(()) } else { Err(error.to_owned()) });
    }
    Ok(results)
}

/// What `aws-lc-sys` calls its native library, in the version that the lock file holds.
fn aws_lc_links(lock: &str) -> Option<String> {
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"aws-lc-sys\"");
    let version = lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')?;
    Some(format!("aws_lc_{}", version.replace('.', "_")))
}

/// Cargo's settings that take the place of the build script of the package with that native library: its bindings are
/// those for any target, and `aws-lc-rs` insists on a directory of headers, though it reads none.
fn without_build_script(triple: &str, links: &str) -> [String; 2] {
    [format!("target.{triple}.{links}.rustc-cfg=[\"universal\"]"), format!("target.{triple}.{links}.include=\"none\"")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_library_is_named_by_the_locked_version() {
        let lock = "[[package]]\nname = \"aws-lc-rs\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"aws-lc-sys\"\nversion = \"0.4.5\"\n";
        assert_eq!(aws_lc_links(lock).as_deref(), Some("aws_lc_0_4_5"));
        assert_eq!(aws_lc_links("[[package]]\nname = \"libc\"\nversion = \"0.2.1\"\n"), None);
    }
}
