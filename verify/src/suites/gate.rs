//! The gate: what a request costs in instructions and allocations, against a committed baseline. Both can be counted on a
//! noisy machine, where time cannot be measured.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet_packaging::java::Maven;
use ferronet_packaging::target::Target;
use ferronet_packaging::tools::Tool;
use ferronet_packaging::{Result, console, run};

use crate::baseline::{Baseline, Verdict};
use crate::context::Context;
use crate::network;
use crate::results::Results;

/// Scenarios of `verify/gate/native.c`, and the lengths of the two runs whose difference is the cost.
const NATIVE: &[(&str, [u32; 2])] = &[
    ("echo-13-poll", [200, 1_200]),
    ("echo-13-uring", [200, 1_200]),
    ("reply-128k-poll", [200, 1_200]),
    ("reply-128k-uring", [200, 1_200]),
    ("deflate-1-4k", [5, 25]),
    ("deflate-1-128k", [2, 6]),
    ("inflate-4k", [5, 45]),
    ("inflate-128k", [2, 6]),
    // Many, because what aws-lc does for its first random bytes differs from run to run.
    ("tls-13", [200, 20_200]),
    ("tls-128k", [20, 220]),
];

/// Tolerance of a count that is recorded for the first time, in percent. The turns of a loop do not fall alike in every
/// run, which moves the bytes of a Java loop by a few; one object more is at least 16. (Where a request costs about 60
/// bytes, 25 % is recorded, which is less than such an object.)
fn tolerance(scenario: &str) -> f64 {
    if scenario.ends_with(" bytes") { 10.0 } else { 3.0 }
}

/// Functions that allocate; the linker sends their calls to the counting ones.
const WRAPPED: &str = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign,--wrap=aligned_alloc";

/// Counts that the baseline of another kind of CPU says nothing about.
const ARCHITECTURE: &str = "x86_64";

/// Flags of the JVM: no escape analysis, so that what the sources allocate is counted, always the same.
const JVM_FLAGS: &[&str] = &[
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "--enable-native-access=ALL-UNNAMED",
    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-Dio.netty.machineId=02:00:00:00:00:01",
];

/// A scenario with its unit, and the count of one request.
type Count = (String, f64);

/// Counts every scenario and compares, or records with `FERRONET_GATE=record`.
pub(super) fn costs(context: &mut Context<'_>) -> Result<Results> {
    let mut results = Results::default();
    if std::env::consts::ARCH != ARCHITECTURE {
        results
            .skip("gate", format!("there is a baseline for {ARCHITECTURE} only, this is {}", std::env::consts::ARCH));
        return Ok(results);
    }
    let program = build_native(context)?;
    let valgrind = context.optional(Tool::Valgrind);
    let mut counted = Vec::new();
    for (name, runs) in NATIVE {
        counted.push((format!("{name} allocations"), allocations(context, &program, name, *runs, false)?));
        match &valgrind {
            Some(valgrind) => counted
                .push((format!("{name} instructions"), instructions(context, valgrind, &program, name, *runs, false)?)),
            None => results.skip(format!("{name} instructions"), "valgrind is missing"),
        }
    }
    let server = build_java(context)?;
    counted.extend(java(context, &server, false)?);

    let file = context.project().root.join("verify/gate/baseline.json");
    let tools = tools(valgrind.as_deref())?;
    if std::env::var("FERRONET_GATE").is_ok_and(|word| word == "record") {
        if valgrind.is_none() {
            return Err("without valgrind nothing is recorded: instructions would be missing".into());
        }
        Baseline::load(&file).unwrap_or_default().record(&counted, tolerance, tools).save(&file)?;
        results.pass(format!("recorded {} counts", counted.len()));
        return Ok(results);
    }
    let baseline = Baseline::load(&file)?;
    compare(context, &baseline, &counted, &tools, &mut results);
    if valgrind.is_some() {
        for name in baseline.missing(&counted) {
            results.fail(name, "it has a baseline and was not counted");
        }
    }
    notices(context, &baseline, &program, valgrind.as_deref(), &server, &mut results)?;
    Ok(results)
}

fn compare(
    context: &Context<'_>,
    baseline: &Baseline,
    counted: &[Count],
    tools: &BTreeMap<String, String>,
    results: &mut Results,
) {
    for (scenario, now) in counted {
        context.remark(&format!("{scenario}: {now}"));
        match baseline.compare(scenario, *now) {
            Verdict::Same => results.pass(scenario),
            Verdict::Better(sentence) => {
                context.remark(&sentence);
                console::note(&sentence);
                results.pass(scenario);
            }
            Verdict::Worse(mut sentence) => {
                for difference in baseline.differences(tools) {
                    sentence.push_str(&format!("; {difference}"));
                }
                results.fail(scenario, sentence);
            }
        }
    }
}

/// Whether the gate notices more work and more memory: with both planted, every count must be refused.
fn notices(
    context: &Context<'_>,
    baseline: &Baseline,
    program: &Path,
    valgrind: Option<&Path>,
    server: &JavaServer,
    results: &mut Results,
) -> Result<()> {
    let (name, runs) = NATIVE[0];
    let mut planted = vec![(format!("{name} allocations"), allocations(context, program, name, runs, true)?)];
    if let Some(valgrind) = valgrind {
        planted.push((format!("{name} instructions"), instructions(context, valgrind, program, name, runs, true)?));
    }
    planted.extend(java(context, server, true)?);
    for (scenario, now) in planted {
        let noticed = matches!(baseline.compare(&scenario, now), Verdict::Worse(_));
        let outcome = if noticed { Ok(()) } else { Err(format!("{now} was planted, and it passed")) };
        results.record(format!("notices more {scenario}"), outcome);
    }
    Ok(())
}

/// The scenarios, linked with the staged static library.
fn build_native(context: &mut Context<'_>) -> Result<PathBuf> {
    let compiler = context.tool(Tool::Cc)?;
    let stage = context.staged()?.root;
    let root = context.project().root.clone();
    let program = context.project().target.join("verify/gate-native");
    let mut command = Command::new(compiler);
    command
        .args(["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", WRAPPED])
        .arg(format!("-I{}", stage.join("include").display()))
        .arg(format!("-DFIXTURES=\"{}\"", root.join("ffi/tests/tls/fixtures").display()))
        .args([root.join("verify/gate/native.c"), root.join("c-examples/common.c"), stage.join("lib/libferronet.a")])
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program);
    let ran = context.run(&mut command)?;
    if ran.success { Ok(program) } else { Err("verify/gate/native.c was not built".into()) }
}

/// The difference of two runs, for one request.
fn per_request(runs: [u32; 2], mut count: impl FnMut(u32) -> Result<u64>) -> Result<f64> {
    let (short, long) = (count(runs[0])?, count(runs[1])?);
    let spent = long.checked_sub(short).ok_or_else(|| format!("{long} for {} requests, {short} for fewer", runs[1]))?;
    Ok(spent as f64 / f64::from(runs[1] - runs[0]))
}

fn scenario(command: &mut Command, name: &str, requests: u32, planted: bool) {
    command.args([name, &requests.to_string()]).args(planted.then_some("planted"));
}

fn allocations(context: &Context<'_>, program: &Path, name: &str, runs: [u32; 2], planted: bool) -> Result<f64> {
    per_request(runs, |requests| {
        let mut command = Command::new(program);
        scenario(&mut command, name, requests, planted);
        let ran = context.run(&mut command)?;
        number(&ran.output, "allocations ").filter(|_| ran.success).ok_or_else(|| format!("{name} failed").into())
    })
}

fn instructions(
    context: &Context<'_>,
    valgrind: &Path,
    program: &Path,
    name: &str,
    runs: [u32; 2],
    planted: bool,
) -> Result<f64> {
    per_request(runs, |requests| {
        let mut command = Command::new(valgrind);
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
        scenario(&mut command, name, requests, planted);
        let ran = context.run(&mut command)?;
        number(&ran.output, "Collected : ")
            .filter(|_| ran.success)
            .ok_or_else(|| format!("{name} failed under callgrind").into())
    })
}

/// The number after `label` in what a program wrote.
fn number(output: &str, label: &str) -> Option<u64> {
    let line = output.lines().find_map(|line| line.split_once(label))?;
    line.1.trim().parse().ok()
}

/// The built benchmark server, which also holds the Java scenarios.
struct JavaServer {
    java: PathBuf,
    class_path: PathBuf,
}

fn build_java(context: &mut Context<'_>) -> Result<JavaServer> {
    let java = context.jdk()?.program("java");
    let project = context.project().clone();
    let maven = Maven::find(&mut context.session.toolbox, context.session.offline)?;
    let arguments = ["-P", "bench", "-pl", ":ferronet-bench-server", "-am", "package", "-DskipTests"];
    let built = maven.run_by(&project, &project.root.join("java-bindings/pom.xml"), &arguments, |command| {
        let ran = context.run(command)?;
        Ok((ran.success, ran.output))
    })?;
    if !built {
        return Err("the benchmark server was not built".into());
    }
    Ok(JavaServer { java, class_path: project.root.join("verify/bench/server/target/lib/*") })
}

fn java(context: &Context<'_>, server: &JavaServer, planted: bool) -> Result<Vec<Count>> {
    let mut command = Command::new(&server.java);
    command.args(JVM_FLAGS).arg("-cp").arg(&server.class_path).arg("io.ferronet.bench.Allocations");
    command.args(planted.then_some("planted"));
    network::isolate(&mut command);
    let ran = context.run(&mut command)?;
    let counts: Vec<Count> = ran.output.lines().filter_map(java_count).collect();
    if ran.success && !counts.is_empty() { Ok(counts) } else { Err("io.ferronet.bench.Allocations failed".into()) }
}

/// A line such as `java-echo-13-poll bytes 312.0`.
fn java_count(line: &str) -> Option<Count> {
    let (name, bytes) = line.split_once(" bytes ")?;
    name.starts_with("java-").then_some(())?;
    Some((format!("{name} bytes"), bytes.trim().parse().ok()?))
}

/// What counts depend on besides our sources.
fn tools(valgrind: Option<&Path>) -> Result<BTreeMap<String, String>> {
    let first = |program: &Path| -> Result<String> {
        Ok(run::output(Command::new(program).arg("--version"))?.lines().next().unwrap_or_default().to_owned())
    };
    let mut tools = BTreeMap::from([
        ("target".to_owned(), Target::host()?.triple.clone()),
        ("rustc".to_owned(), first(Path::new("rustc"))?),
    ]);
    if let Some(valgrind) = valgrind {
        tools.insert("valgrind".to_owned(), first(valgrind)?);
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_cost_is_subtracted() {
        let count = |requests: u32| Ok(1_000_000 + u64::from(requests) * 30);
        assert!((per_request([10, 110], count).expect("counted") - 30.0).abs() < 1e-9);
        assert!(per_request([10, 110], |requests| Ok(1_000 - u64::from(requests))).is_err());
    }

    #[test]
    fn counts_are_read() {
        assert_eq!(number("==1== \n==1== Collected : 730922\n", "Collected : "), Some(730_922));
        assert_eq!(number("backend: poll\nallocations 12\n", "allocations "), Some(12));
        assert_eq!(number("usage\n", "allocations "), None);
        assert_eq!(java_count("java-echo-13-poll bytes 312.5"), Some(("java-echo-13-poll bytes".to_owned(), 312.5)));
        assert_eq!(java_count("WARNING: 7 bytes lost"), None);
    }
}
