//! Checkers of memory, threads and interleavings, and the fuzz target. What is unstable in the compiler serves these
//! builds alone: the project itself uses stable Rust.

use std::path::PathBuf;
use std::process::Command;

use ferronet_packaging::Result;
use ferronet_packaging::target::Target;
use ferronet_packaging::tools::rust_source;

use crate::context::Context;
use crate::network;
use crate::parse::cargo;
use crate::results::Results;

/// The library's tests, without those that compile C (which knows nothing of a sanitizer) or count allocations.
const TESTS: &[&str] = &[
    "--lib",
    "--test=boundary",
    "--test=codec",
    "--test=hooks",
    "--test=reactor",
    "--test=reactor_faults",
    "--test=records",
    "--test=tls",
    "--test=uring",
];
/// Those of every run: without the tests that repeat all others on each step of the kernel ladder.
const SHORT: &[&str] =
    &["--lib", "--test=boundary", "--test=hooks", "--test=reactor_faults", "--test=records", "--test=tls"];

/// Tests for memcheck, without those whose many bytes take longer there than a test may.
const MEMCHECKED: &[&str] = &[
    "--test-threads=1",
    "io_uring::every_seed",
    "cancel::io_uring",
    "closing::io_uring",
    "lent::io_uring",
    "--skip=a_partly_sent_send_ends_with_a_short_count",
    "--skip=close_cuts_a_send_short",
    "--skip=close_ends_every_operation_before_itself",
];
/// Those of every run.
const MEMCHECKED_SHORT: &[&str] = &["io_uring::every_seed", "io_uring::a_multishot_receive_delivers_until_the_end"];

/// Seconds for which the fuzz targets run together, unless `FUZZ_VARIABLE` says otherwise. Their corpora are kept, so that
/// several short runs go on from each other.
const FUZZ_SECONDS: u32 = 1080;
const FUZZ_VARIABLE: &str = "FERRONET_FUZZ_SECONDS";
/// What libFuzzer wants of the compiler: edges, comparisons, and a table of places.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// How many times longer a test may take under a checker, where it depends on time: what ThreadSanitizer costs, and a machine
/// that does other work besides.
const SLOWER: &str = "20";

/// A way to run Cargo such that a checker sees what its programs do.
struct Checker {
    /// Its part of the build directory; none is the usual build.
    directory: Option<PathBuf>,
    environment: Vec<(String, String)>,
    arguments: Vec<String>,
}

impl Checker {
    /// A build for the host as a target, which leaves build scripts and macros unchecked.
    fn sanitizer(context: &Context<'_>, name: &str, flags: &str) -> Result<Self> {
        Ok(Self {
            directory: Some(context.project().target.join("safety").join(name)),
            environment: vec![
                ("RUSTC_BOOTSTRAP".to_owned(), "1".to_owned()),
                ("RUSTFLAGS".to_owned(), format!("-Zsanitizer={flags}")),
            ],
            arguments: vec!["--target".to_owned(), Target::host()?.triple.clone()],
        })
    }

    fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    fn cargo(&self, context: &Context<'_>, subcommand: &str, selection: &[&str]) -> Command {
        let mut command = context.cargo();
        command.args([subcommand, "--locked"]).args(selection).args(&self.arguments);
        if let Some(directory) = &self.directory {
            command.arg("--target-dir").arg(directory);
        }
        command.env_remove("CARGO_ENCODED_RUSTFLAGS");
        command.env("FERRONET_TEST_SLOWER", SLOWER);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        network::isolate(&mut command);
        command
    }

    /// Runs tests of the library.
    fn test(&self, context: &Context<'_>, selection: &[&str], arguments: &[&str]) -> Result<Results> {
        let mut command = self.cargo(context, "test", &["--package=ferronet", "--no-fail-fast"]);
        command.args(selection).arg("--").args(arguments);
        let ran = context.run(&mut command)?;
        let mut results = cargo::results(&ran.output);
        results.expect_run(ran.success, "cargo test");
        Ok(results)
    }

    /// Whether the checker notices bugs: `(bug, what the checker then says)`.
    fn notices(&self, context: &Context<'_>, bugs: &[(&str, &str)]) -> Result<Results> {
        let mut results = Results::default();
        for (bug, report) in bugs {
            let mut command = self.cargo(context, "run", &["--package=ferronet", "--example=planted"]);
            let ran = context.run(command.args(["--", bug]))?;
            let noticed = !ran.success && ran.output.contains(report);
            let outcome = if noticed { Ok(()) } else { Err(format!("the output holds no {report:?}")) };
            results.record(format!("notices {bug}"), outcome);
        }
        Ok(results)
    }
}

/// AddressSanitizer with LeakSanitizer.
pub(super) fn address(context: &mut Context<'_>) -> Result<Results> {
    let suppressions = context.project().root.join("verify/safety/lsan.supp");
    let checker = Checker::sanitizer(context, "address", "address")?
        .with("LSAN_OPTIONS", format!("print_suppressions=0:suppressions={}", suppressions.display()));
    let mut results = checker.notices(
        context,
        &[
            ("out-of-bounds", "AddressSanitizer: heap-buffer-overflow"),
            ("leak", "LeakSanitizer: detected memory leaks"),
        ],
    )?;
    let mut selection = vec!["--features=test-hooks"];
    selection.extend(if context.full() { TESTS } else { SHORT });
    results.merge(checker.test(context, &selection, &[])?);
    Ok(results)
}

/// ThreadSanitizer, with a standard library built for it: with the one of the toolchain it would also report the
/// library's own channels.
pub(super) fn thread(context: &mut Context<'_>) -> Result<Results> {
    let allowed = context.session.toolbox.may_install() && !context.session.offline;
    let source = rust_source::library(&context.project().target.join("tools/rust-src"), allowed)?;
    let mut checker = Checker::sanitizer(context, "thread", "thread")?
        .with("__CARGO_TESTS_ONLY_SRC_ROOT", source.display().to_string());
    checker.arguments.push("-Zbuild-std".to_owned());
    let mut results = checker.notices(context, &[("race", "ThreadSanitizer: data race")])?;
    let mut selection = vec!["--features=test-hooks"];
    selection.extend(TESTS);
    results.merge(checker.test(context, &selection, &[])?);
    Ok(results)
}

/// Memcheck, on the usual build.
pub(super) fn memcheck(context: &mut Context<'_>) -> Result<Results> {
    let runner = format!("CARGO_TARGET_{}_RUNNER", Target::host()?.triple.to_uppercase().replace('-', "_"));
    let checker = Checker { directory: None, environment: Vec::new(), arguments: Vec::new() }.with(
        runner,
        "valgrind --quiet --error-exitcode=99 --fair-sched=yes --leak-check=full --show-leak-kinds=definite \
         --errors-for-leak-kinds=definite",
    );
    let bugs = [("out-of-bounds", "Invalid read of size 1"), ("leak", "are definitely lost")];
    let mut results = checker.notices(context, &bugs)?;
    let chosen: &[&str] = if context.full() { MEMCHECKED } else { MEMCHECKED_SHORT };
    results.merge(checker.test(context, &["--test=reactor", "--test=records"], chosen)?);
    Ok(results)
}

/// Loom: all interleavings of the wake-up word, which take 40 s of processor time, or those with few preemptions, for which
/// a quick build is enough.
pub(super) fn interleavings(context: &mut Context<'_>) -> Result<Results> {
    let checker = Checker {
        directory: Some(context.project().target.join("safety/loom")),
        environment: Vec::new(),
        arguments: Vec::new(),
    }
    .with("RUSTFLAGS", "--cfg loom")
    // Linking with optimisation takes longer than it saves.
    .with("CARGO_PROFILE_RELEASE_LTO", "off");
    if context.full() {
        return checker.test(context, &["--release", "--lib"], &["interleavings"]);
    }
    checker.with("LOOM_MAX_PREEMPTIONS", "2").test(context, &["--lib"], &["interleavings"])
}

/// Fuzz targets: their names, and the directory in `verify/safety` where they begin.
const TARGETS: &[(&str, &str)] = &[
    ("records", "seeds"),
    ("tls", "tls-seeds"),
    ("inflate", "codec-seeds/inflate"),
    ("round-trip", "codec-seeds/round-trip"),
];

/// libFuzzer under AddressSanitizer. The corpus of a target outlives the run, and so does an input that fails: copied to
/// the target's seeds, it becomes a test of every run.
pub(super) fn fuzz(context: &mut Context<'_>) -> Result<Results> {
    let root = context.project().root.clone();
    let checker = Checker::sanitizer(context, "fuzz", &format!("address {COVERAGE}"))?;
    let manifest = format!("--manifest-path={}", root.join("verify/safety/fuzz/Cargo.toml").display());
    let mut results = Results::default();
    for (target, seeds) in TARGETS {
        let state = context.project().target.join("safety/fuzz-state").join(target);
        std::fs::create_dir_all(state.join("corpus"))?;
        let mut command = checker.cargo(context, "run", &["--release", &manifest, "--bin", target]);
        command.arg("--").arg(state.join("corpus")).arg(root.join("verify/safety").join(seeds));
        command.arg(format!("-artifact_prefix={}/", state.display()));
        let together = match std::env::var(FUZZ_VARIABLE) {
            Ok(text) => text.parse().map_err(|_| format!("{FUZZ_VARIABLE} is \"{text}\"; use a number of seconds"))?,
            Err(_) => FUZZ_SECONDS,
        };
        let seconds = together / TARGETS.len() as u32;
        command.args([&format!("-max_total_time={seconds}"), "-max_len=4160", "-timeout=60", "-print_final_stats=1"]);
        let ran = context.run(&mut command)?;
        results.record(*target, fuzzed(ran.success, &ran.output));
    }
    Ok(results)
}

/// The outcome in what libFuzzer wrote.
fn fuzzed(success: bool, output: &str) -> std::result::Result<(), String> {
    let line = |part: &str| output.lines().find(|line| line.contains(part)).map(str::trim);
    if !success {
        let reason = line("panicked at").or_else(|| line("ERROR: ")).unwrap_or("the fuzz target ended with an error");
        return Err(format!("{reason}; {}", line("Test unit written to").unwrap_or("no input was kept")));
    }
    let executed = line("stat::number_of_executed_units:").and_then(|line| line.rsplit(' ').next()?.parse().ok());
    match executed {
        Some(1_000..=u64::MAX) => Ok(()),
        _ => Err(format!("only {} inputs were tried", executed.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fuzz_run_passes_only_when_it_tried_inputs_and_found_nothing() {
        assert_eq!(fuzzed(true, "Done\nstat::number_of_executed_units: 26438\n"), Ok(()));
        assert!(fuzzed(true, "stat::number_of_executed_units: 3\n").is_err_and(|why| why.starts_with("only 3 ")));
        assert!(fuzzed(true, "").is_err());
        let found = "thread '<unnamed>' panicked at driver.rs:1:2:\nwrong\nTest unit written to /s/crash-1\n";
        assert!(fuzzed(false, found).is_err_and(|why| why.contains("driver.rs") && why.contains("crash-1")));
    }
}
