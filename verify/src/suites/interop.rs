//! TLS between Ferronet, the JDK, tcnative and openssl: each as client and as server with each, in every way that they share.

use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet_packaging::Result;
use ferronet_packaging::java::Maven;
use ferronet_packaging::run;
use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::tools::Tool;

use super::demo;
use super::demo_tls::Certificate;
use super::interop_cells::{Unable, Versions, cells, judge, unable};
use crate::context::Context;
use crate::network;
use crate::parse::lines;
use crate::results::Results;

/// What some peer cannot do.
const CANNOT: &str = include_str!("../../interop/cannot.txt");

/// The JDK's client with two protocols; Netty's with three implementations, two versions and two protocols.
const CLIENTS: usize = 2 + 3 * 2 * 2;

/// What openssl does on command in the middle of a connection.
const COMMANDS: [&str; 4] = [
    "commands/key-update-of-client",
    "commands/key-update-of-server",
    "commands/renegotiation-of-client",
    "commands/renegotiation-of-server",
];

/// What the JVM of the matrix needs: the JDK takes certificates of 60 KiB only when it is told to.
const JVM_FLAGS: [&str; 3] = [
    "-Djdk.tls.maxHandshakeMessageSize=131072",
    "-Dio.netty.leakDetectionLevel=paranoid",
    "--enable-native-access=ALL-UNNAMED",
];

/// The matrix, and Java's clients against the example server.
pub(super) fn tls(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let openssl = context.tool(Tool::Openssl)?;
    let program = Program::build(context)?;
    let mut results = clients(context, &program, &openssl)?.prefixed("example server/");
    results.merge(matrix(context, &program, &openssl)?);
    Ok(results)
}

/// The JDK's `HttpClient`, and Netty with each TLS.
fn clients(context: &mut Context<'_>, program: &Program, openssl: &Path) -> Result<Results> {
    let server = demo::build(context)?;
    let certificate = Certificate::make(context, openssl)?;
    let (mut service, port) = certificate.serve(context, &server)?;
    let mut command = program.command("io.ferronet.interop.DemoClients");
    let ran = context.run(command.arg(port.to_string()).arg(&certificate.cert))?;
    let mut results = lines::results(&ran.output);
    results.expect_run(ran.success, "io.ferronet.interop.DemoClients");
    if results.ran() != CLIENTS {
        results.fail("count", format!("{} clients were run instead of {CLIENTS}", results.ran()));
    }
    service.signal(libc::SIGINT);
    service.wait(demo::START)?;
    Ok(results)
}

/// Every pair, version, key and feature, each group at least once; with `--full` everything with everything.
fn matrix(context: &mut Context<'_>, program: &Program, openssl: &Path) -> Result<Results> {
    let versions = Versions { openssl: version_of(openssl)?, jdk: context.jdk()?.version };
    let cannot: Vec<Unable> = unable(CANNOT)?.into_iter().filter(|line| line.applies(&versions)).collect();
    let mut cells = cells(context.full());
    cells.extend(COMMANDS.map(str::to_owned));
    let scratch = Scratch::new("interop");
    let list = scratch.path().join("cells");
    std::fs::write(&list, cells.join("\n"))?;
    let mut command = program.command("io.ferronet.interop.Main");
    command.arg(openssl).arg(scratch.path()).arg(&list);
    network::isolate(&mut command);
    let ran = context.run(&mut command)?;
    let mut results = judge(&cells, &cannot, lines::results(&ran.output));
    if ran.output.contains("LEAK:") {
        results.fail("leaks", "Netty's leak detector reports a buffer: see the log");
    }
    results.expect_run(ran.success, "io.ferronet.interop.Main");
    Ok(results)
}

/// The Java side, built.
struct Program {
    java: PathBuf,
    class_path: PathBuf,
}

impl Program {
    /// Builds it and what it depends on.
    fn build(context: &mut Context<'_>) -> Result<Self> {
        let java = context.jdk()?.program("java");
        let project = context.project().clone();
        let maven = Maven::find(&mut context.session.toolbox, context.session.offline)?;
        let arguments = ["-P", "interop", "-pl", ":ferronet-interop", "-am", "package", "-DskipTests"];
        let built = maven.run_by(&project, &project.root.join("java-bindings/pom.xml"), &arguments, |command| {
            let ran = context.run(command)?;
            Ok((ran.success, ran.output))
        })?;
        if !built {
            return Err("the interoperability program was not built".into());
        }
        Ok(Self { java, class_path: project.root.join("verify/interop/target/lib/*") })
    }

    /// A command that runs one of its classes.
    fn command(&self, class: &str) -> Command {
        let mut command = Command::new(&self.java);
        command.args(JVM_FLAGS).arg("-cp").arg(&self.class_path).arg(class);
        command
    }
}

/// The number in what openssl says of itself.
fn version_of(openssl: &Path) -> Result<String> {
    let said = run::output(Command::new(openssl).arg("version"))?;
    let number =
        said.split_whitespace().nth(1).ok_or_else(|| format!("{}: no version in {said:?}", openssl.display()))?;
    Ok(number.to_owned())
}
