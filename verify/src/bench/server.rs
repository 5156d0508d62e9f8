//! The Java server that is measured: building, starting and asking it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use ferronet_packaging::java::Maven;
use ferronet_packaging::project::Project;
use ferronet_packaging::tools::Jdk;
use ferronet_packaging::{Result, console::Step};
use serde_json::{Value, json};

use super::floor;
use super::http;
use super::row::{Pace, Peer, Row};

/// Flags of every server's JVM.
///
/// The compiler's threads are fixed because a thread that ends takes its CPU time with it.
const JVM_FLAGS: &[&str] = &[
    "-Xms256m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:-UseDynamicNumberOfCompilerThreads",
    "-XX:+PreserveFramePointer",
    "--enable-native-access=ALL-UNNAMED",
    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    // The group of the TLS rows; the other implementations are told by their own options.
    "-Djdk.tls.namedGroups=x25519",
    // Looked for in vain in a network that has a loopback interface only.
    "-Dio.netty.machineId=02:00:00:00:00:01",
];

const START_LIMIT: Duration = Duration::from_secs(30);

/// The built server and the JDK that runs it.
#[derive(Clone, Debug)]
pub struct Installed {
    libraries: PathBuf,
    jdk: Jdk,
    /// Where the floor and its documents are.
    directory: PathBuf,
}

impl Installed {
    /// Builds the server and what it depends on.
    ///
    /// # Errors
    /// When the build fails: the name of its log.
    pub fn build(project: &Project, maven: &Maven, log: &Path) -> Result<Self> {
        let step = Step::start("build the benchmark server");
        let pom = project.root.join("java-bindings/pom.xml");
        let arguments = ["-P", "bench", "-pl", ":ferronet-bench-server", "-am", "package", "-DskipTests"];
        let built = maven.run(project, &pom, &arguments, log)?;
        step.end(if built { "done" } else { "failed" });
        if !built {
            return Err(format!("the benchmark server was not built: see {}", log.display()).into());
        }
        Ok(Self::found(project, maven.jdk.clone()))
    }

    /// The server as it was built before.
    pub fn found(project: &Project, jdk: Jdk) -> Self {
        Self {
            libraries: project.root.join("verify/bench/server/target/lib"),
            jdk,
            directory: project.target.join("bench"),
        }
    }

    /// A program of the JDK that runs the server.
    pub fn jdk_program(&self, name: &str) -> PathBuf {
        self.jdk.program(name)
    }

    /// The server's jars by name, as an AOT cache is only valid for the class path that it was made with. Bouncy Castle is left out, which Netty reads
    /// keys with where it finds it, at the price of a second.
    ///
    /// # Errors
    /// When they are not there.
    pub fn class_path(&self) -> Result<String> {
        let entries = self.libraries.read_dir().map_err(|error| format!("{}: {error}", self.libraries.display()))?;
        let mut jars = Vec::new();
        for entry in entries {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().starts_with("bc") {
                jars.push(entry.path().to_string_lossy().into_owned());
            }
        }
        jars.sort();
        Ok(jars.join(":"))
    }

    /// Starts a server in a process of its own.
    ///
    /// # Errors
    /// When it does not say within 30 s that it listens.
    pub fn start(&self, row: &Row, peer: &Peer) -> Result<Server> {
        // The harness lives in a network of its own: this is the load generator's half, and nobody else's.
        std::fs::write("/proc/sys/net/ipv4/tcp_congestion_control", row.congestion)?;
        let mut command = if peer.floor { floor::command(&self.directory, row, peer)? } else { self.java(row, peer) };
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or("the server has no output")?;
        let mut server = Server { child, port: 0, metrics: None, said: Value::Null };
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(std::result::Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        loop {
            let line = receiver
                .recv_timeout(START_LIMIT)
                .map_err(|_| format!("the server on {} did not start; its error output says why", peer.name))?;
            if let Some(ports) = line.strip_prefix("READY ") {
                server.port = port(ports, "port=")?;
                server.metrics = Some(port(ports, "metrics=")?);
                return Ok(server);
            }
            if let Some(backend) = line.strip_prefix("backend: ") {
                server.said = json!({"backend": backend, "floor": true});
            }
            if let Some(port) = line.strip_prefix("listening on 127.0.0.1:") {
                server.port = port.parse()?;
                return Ok(server);
            }
        }
    }

    fn java(&self, row: &Row, peer: &Peer) -> Command {
        let mut command = Command::new(self.jdk.program("java"));
        command
            .args(JVM_FLAGS)
            .args((row.pace == Pace::Idle).then_some("-XX:+AlwaysPreTouch"))
            .arg("-cp")
            .arg(self.libraries.join("*"))
            .arg("io.ferronet.bench.Main")
            .args(["--transport", peer.transport, "--congestion", row.congestion])
            .args(["--tls", peer.tls])
            .args(["--auto-read", if row.auto_read { "on" } else { "off" }]);
        command
    }
}

fn port(line: &str, key: &str) -> Result<u16> {
    let value = line.split_whitespace().find_map(|word| word.strip_prefix(key));
    Ok(value.ok_or_else(|| format!("the server did not say {key}: {line}"))?.parse()?)
}

/// A running server; dropping it ends the process.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// Port of the measured documents.
    pub port: u16,
    metrics: Option<u16>,
    /// What a server without metrics said when it started.
    said: Value,
}

impl Server {
    /// Process number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the process says about itself.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn metrics(&self) -> Result<Value> {
        match self.metrics {
            Some(port) => Ok(serde_json::from_slice(&http::get(port, "/metrics")?)?),
            None => Ok(self.said.clone()),
        }
    }

    /// Bytes of the heap in use after a collection.
    ///
    /// # Errors
    /// When the process does not answer.
    pub fn heap_in_use(&self) -> Result<u64> {
        let port = self.metrics.ok_or("the server has no heap")?;
        let memory: Value = serde_json::from_slice(&http::get(port, "/memory")?)?;
        Ok(memory["heap_used"].as_u64().ok_or("the server did not tell its heap")?)
    }

    /// The congestion controls of both ends of its connections as the kernel tells them, each named once.
    ///
    /// # Errors
    /// When `ss` cannot be run.
    pub fn congestion_in_use(&self) -> Result<String> {
        let output = ferronet_packaging::run::output(
            Command::new("ss")
                .args(["-tinH", "state", "established"])
                .arg(format!("( sport = :{0} or dport = :{0} )", self.port)),
        )
        .map_err(|error| format!("{error}; ss belongs to iproute2"))?;
        Ok(congestion_names(&output))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn congestion_names(output: &str) -> String {
    let mut names: Vec<&str> = output
        .lines()
        .filter(|line| line.starts_with([' ', '\t']))
        .filter_map(|line| line.split_whitespace().find(|word| ["reno", "cubic", "bbr"].contains(word)))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn congestion_controls_are_named_once() {
        let output = "0 0 [::1]:1 [::1]:2\n\t reno wscale:10,10\n0 0 [::1]:1 [::1]:3\n\t ts sack reno wscale:1\n";
        assert_eq!(congestion_names(output), "reno");
        assert_eq!(congestion_names(&format!("{output}0 0 a b\n\t cubic x\n")), "cubic+reno");
    }

    #[test]
    fn ports_are_read() {
        assert_eq!(port("port=8080 metrics=9", "metrics=").expect("there"), 9);
        assert!(port("port=8080", "metrics=").is_err());
    }
}
