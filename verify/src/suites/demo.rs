//! The example server as a user starts it, driven by curl, wrk and h2load over loopback.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use ferronet_packaging::Result;
use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::tools::Tool;
use sha2::{Digest, Sha256};

use super::demo_tls;
use crate::context::Context;
use crate::parse::load;
use crate::results::Results;
use crate::service::Service;

/// Bytes of the large document.
const JSON_LENGTH: usize = 128 * 1024;
/// How long the server may take from its start to its first line.
pub(super) const START: Duration = Duration::from_secs(60);
/// How long it may take to stop.
const STOP: Duration = Duration::from_secs(20);

/// What stands before the port in the server's first line.
const ADDRESS: &str = "listening on http://127.0.0.1:";

pub(super) type Outcome = std::result::Result<(), String>;

/// Starts the server on each backend and drives it.
pub(super) fn server(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let demo = build(context)?;
    drive(context, &demo)
}

/// Starts it on each backend, and with TLS, and with wrong options.
pub(super) fn drive(context: &mut Context<'_>, server: &Server) -> Result<Results> {
    let mut results = Results::default();
    for backend in ["auto", "io_uring", "poll"] {
        results.merge(one_backend(context, server, backend)?.prefixed(&format!("{backend}: ")));
    }
    results.merge(demo_tls::server(context, server)?.prefixed("tls: "));
    results.merge(bad_input(context, server)?);
    Ok(results)
}

/// How the example server is started.
pub(super) enum Server {
    /// By the program behind `cargo demo`.
    Demo(PathBuf),
    /// As a Native Image, in a directory.
    Image {
        /// The image.
        program: PathBuf,
        /// Where it runs.
        directory: PathBuf,
    },
}

impl Server {
    /// The command that starts it with `arguments`.
    pub(super) fn command(&self, context: &Context<'_>, arguments: &[&str]) -> Command {
        match self {
            Self::Demo(program) => demo(context, program, arguments),
            Self::Image { program, directory } => {
                let mut command = Command::new(program);
                command.current_dir(directory).arg("server").args(arguments);
                command
            }
        }
    }

    /// Whether it was Ctrl-C that ended it, and its shutdown hooks ran: `cargo demo` succeeds then, a Java program says so by its status.
    fn stopped(&self, status: ExitStatus) -> bool {
        match self {
            Self::Demo(_) => status.success(),
            Self::Image { .. } => status.code() == Some(128 + libc::SIGINT),
        }
    }
}

/// Builds the program behind `cargo demo`, and by its first start the Java modules.
pub(super) fn build(context: &Context<'_>) -> Result<Server> {
    let mut command = context.cargo();
    command.args(["build", "--locked", "--package", "ferronet-packaging", "--bin", "demo"]);
    if !context.run(&mut command)?.success {
        return Err("cargo demo does not build".into());
    }
    Ok(Server::Demo(context.project().target.join("debug/demo")))
}

fn demo(context: &Context<'_>, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&context.project().root).args(["--no-install", "--"]).args(arguments);
    if context.session.offline {
        command.arg("--offline");
    }
    command
}

fn start(context: &Context<'_>, server: &Server, arguments: &[&str]) -> Result<(Service, u16)> {
    let mut service = Service::start(&mut server.command(context, arguments), context.log())?;
    let line = service.line_with(ADDRESS, START + context.remaining() / 4)?;
    Ok((service, port_of(&line).ok_or_else(|| format!("no port in {line:?}"))?))
}

/// The port in `listening on http://127.0.0.1:PORT (backend NAME)`.
fn port_of(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once(ADDRESS)?;
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

fn one_backend(context: &mut Context<'_>, server: &Server, backend: &str) -> Result<Results> {
    let mut results = Results::default();
    let (mut service, port) = match start(context, server, &["--port", "0", "--backend", backend]) {
        Ok(started) => started,
        Err(error) => {
            results.fail("starts", error.to_string());
            return Ok(results);
        }
    };
    results.pass("starts");
    if let Some(curl) = context.optional(Tool::Curl) {
        for (name, check) in REQUESTS {
            results.record(*name, check(&Client { context, curl: &curl, port, backend }));
        }
    }
    for (route, requests) in [("/", "20000"), ("/json", "2000")] {
        let url = format!("http://127.0.0.1:{port}{route}");
        if let Some(wrk) = context.optional(Tool::Wrk) {
            let ran = context.run(Command::new(wrk).args(["-t1", "-c32", "-d2s", &url]))?;
            results.record(format!("wrk {route}"), load::wrk(&ran.output).map(drop));
        }
        if let Some(h2load) = context.optional(Tool::H2load) {
            let ran = context.run(Command::new(h2load).args(["--h1", "-t1", "-c16", "-n", requests, &url]))?;
            let expected = requests.parse()?;
            results.record(format!("h2load --h1 {route}"), load::h2load(&ran.output, expected));
        }
    }
    if let Some(curl) = context.optional(Tool::Curl) {
        results.record("answers after the load", small(&Client { context, curl: &curl, port, backend }));
    }
    results.record("Ctrl-C stops it cleanly", stop(server, &mut service, port));
    Ok(results)
}

fn stop(server: &Server, service: &mut Service, port: u16) -> Outcome {
    service.signal(libc::SIGINT);
    match service.wait(STOP).map_err(|error| error.to_string())? {
        None => return Err(format!("it still runs after {} s", STOP.as_secs())),
        Some(status) if !server.stopped(status) => return Err(format!("it ended with {status}")),
        Some(_) => {}
    }
    match std::net::TcpStream::connect(("127.0.0.1", port)) {
        Ok(_) => Err("the port is still open".to_owned()),
        Err(_) => Ok(()),
    }
}

/// A running server and the means to ask it.
struct Client<'a, 'b> {
    context: &'a Context<'b>,
    curl: &'a PathBuf,
    port: u16,
    backend: &'a str,
}

impl Client<'_, '_> {
    /// The status code and the body of a request.
    fn ask(&self, path: &str, more: &[&str]) -> std::result::Result<(String, Vec<u8>), String> {
        let scratch = Scratch::new("curl");
        let file = scratch.path().join("body");
        let mut command = Command::new(self.curl);
        command.args(["--silent", "--show-error", "--max-time", "20", "--write-out", "%{http_code}", "--output"]);
        command.arg(&file).args(more).arg(format!("http://127.0.0.1:{}{path}", self.port));
        let ran = self.context.run(&mut command).map_err(|error| error.to_string())?;
        if !ran.success {
            return Err(ran.output.trim().to_owned());
        }
        Ok((ran.output.trim().to_owned(), std::fs::read(file).unwrap_or_default()))
    }

    fn body(&self, path: &str, more: &[&str]) -> std::result::Result<Vec<u8>, String> {
        let (status, body) = self.ask(path, more)?;
        if status == "200" { Ok(body) } else { Err(format!("status {status}")) }
    }

    fn json(&self, path: &str, more: &[&str]) -> std::result::Result<serde_json::Value, String> {
        let body = self.body(path, more)?;
        serde_json::from_slice(&body).map_err(|error| format!("{error} in {:?}", String::from_utf8_lossy(&body)))
    }
}

type Check = fn(&Client<'_, '_>) -> Outcome;

const REQUESTS: &[(&str, Check)] = &[
    ("GET /", small),
    ("GET /json", large),
    ("HEAD /", head),
    ("POST /upload, 0 bytes", |client| upload(client, 0, &[])),
    ("POST /upload, 1 byte", |client| upload(client, 1, &[])),
    ("POST /upload, 3 MiB", |client| upload(client, 3 << 20, &[])),
    ("GET /json compressed, gzip", |client| compressed(client, "gzip", &[])),
    ("GET /json compressed, deflate", |client| compressed(client, "deflate", &[])),
    ("GET /json compressed, as a browser asks", |client| {
        compressed(client, "gzip", &["--header", "Accept-Encoding: br;q=1.0, gzip;q=0.8, *;q=0.1"])
    }),
    ("GET /json compressed, HTTP/2 by upgrade", |client| {
        compressed(client, "gzip", &["--http2"])?;
        let (version, _) = client.ask("/", &["--http2", "--write-out", "%{http_version}"])?;
        expect(version.as_str(), "2")
    }),
    ("POST /upload, 1,000 bytes, HTTP/2 offered", |client| upload(client, 1000, &["--http2"])),
    ("GET /json compressed, HTTP/2", |client| compressed(client, "gzip", &["--http2-prior-knowledge"])),
    ("GET /json compressed, deflate, HTTP/2", |client| compressed(client, "deflate", &["--http2-prior-knowledge"])),
    ("GET /json compressed, as a browser asks, HTTP/2", |client| {
        let asked = "Accept-Encoding: br;q=1.0, gzip;q=0, deflate;q=0.8, *;q=0.1";
        compressed(client, "deflate", &["--header", asked, "--http2-prior-knowledge"])
    }),
    ("POST /upload, gzip", |client| packed_upload(client, &[])),
    ("POST /upload, gzip, HTTP/2", |client| packed_upload(client, &["--http2-prior-knowledge"])),
    ("GET /stats", stats),
    ("GET of an unknown path", unknown),
];

fn expect<T: PartialEq + std::fmt::Debug>(found: T, expected: T) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("{found:?} instead of {expected:?}")) }
}

fn small(client: &Client<'_, '_>) -> Outcome {
    expect(String::from_utf8_lossy(&client.body("/", &[])?).as_ref(), "Hello, World!")
}

fn large(client: &Client<'_, '_>) -> Outcome {
    let body = client.body("/json", &[])?;
    expect(body.len(), JSON_LENGTH)?;
    serde_json::from_slice::<serde_json::Value>(&body).map(drop).map_err(|error| error.to_string())
}

fn head(client: &Client<'_, '_>) -> Outcome {
    let (status, body) = client.ask("/", &["--head"])?;
    expect(status.as_str(), "200")?;
    let head = String::from_utf8_lossy(&body).to_ascii_lowercase();
    if head.contains("content-length: 13") { Ok(()) } else { Err(format!("no length in {head:?}")) }
}

fn upload(client: &Client<'_, '_>, length: usize, more: &[&str]) -> Outcome {
    let scratch = Scratch::new("upload");
    let file = scratch.path().join("body");
    let body: Vec<u8> = (0..length).map(|index| (index * 31 % 251) as u8).collect();
    std::fs::write(&file, &body).map_err(|error| error.to_string())?;
    let data = format!("@{}", file.display());
    let answer = client.json("/upload", &[&["--data-binary", &data], more].concat())?;
    let digest: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    expect(answer["length"].as_u64(), Some(length as u64))?;
    expect(answer["sha256"].as_str(), Some(digest.as_str()))
}

/// The document, asked for in one encoding, is the same as without it, and came in that encoding in far fewer bytes.
fn compressed(client: &Client<'_, '_>, encoding: &str, more: &[&str]) -> Outcome {
    let plain = client.body("/json", &[])?;
    let header = format!("Accept-Encoding: {encoding}");
    let mut arguments = vec!["--compressed"];
    if !more.contains(&"--header") {
        arguments.extend(["--header", header.as_str()]);
    }
    arguments.extend(more);
    expect(client.body("/json", &arguments)? == plain, true)?;
    arguments.retain(|argument| *argument != "--compressed");
    let packed = client.body("/json", &arguments)?;
    if packed.len() * 4 > plain.len() {
        return Err(format!("{} bytes of {}", packed.len(), plain.len()));
    }
    let magic: &[u8] = if encoding == "gzip" { &[0x1f, 0x8b] } else { &[0x78] };
    if packed.starts_with(magic) { Ok(()) } else { Err(format!("no {encoding}: {:?}", &packed[..2])) }
}

/// A body that gzip has packed arrives unpacked; what is cut off is refused.
fn packed_upload(client: &Client<'_, '_>, more: &[&str]) -> Outcome {
    let scratch = Scratch::new("packed");
    let file = scratch.path().join("body");
    let body: Vec<u8> = (0..200_000usize).map(|index| (index * 31 % 251) as u8).collect();
    std::fs::write(&file, &body).map_err(|error| error.to_string())?;
    let packed =
        client.context.run(Command::new("gzip").arg("--keep").arg(&file)).map_err(|error| error.to_string())?;
    if !packed.success {
        return Err(packed.output);
    }
    let data = format!("@{}.gz", file.display());
    let arguments = [&["--header", "Content-Encoding: gzip", "--data-binary", &data], more].concat();
    let answer = client.json("/upload", &arguments)?;
    let digest: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    expect(answer["length"].as_u64(), Some(body.len() as u64))?;
    expect(answer["sha256"].as_str(), Some(digest.as_str()))?;
    let cut = scratch.path().join("body.gz");
    let whole = std::fs::read(&cut).map_err(|error| error.to_string())?;
    std::fs::write(&cut, &whole[..whole.len() - 1]).map_err(|error| error.to_string())?;
    expect(client.ask("/upload", &arguments)?.0.as_str(), "400")
}

fn stats(client: &Client<'_, '_>) -> Outcome {
    let stats = client.json("/stats", &[])?;
    let backend = stats["backend"].as_str().unwrap_or_default();
    match client.backend {
        "auto" if backend != "io_uring" && backend != "poll" => return Err(format!("backend {backend:?}")),
        "auto" => {}
        asked => expect(backend, asked)?,
    }
    for key in ["connections", "completions"] {
        if stats[key].as_u64().is_none_or(|count| count == 0) {
            return Err(format!("{key} is {}", stats[key]));
        }
    }
    if stats["fallbackReason"].as_str().is_none() {
        return Err("no fallback reason".to_owned());
    }
    Ok(())
}

fn unknown(client: &Client<'_, '_>) -> Outcome {
    expect(client.ask("/no-such-path", &[])?.0.as_str(), "404")
}

/// Wrong options end with a message that names the value, and with a failure.
fn bad_input(context: &Context<'_>, server: &Server) -> Result<Results> {
    let mut results = Results::default();
    let holder = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    let port = holder.local_addr()?.port().to_string();
    let cases: [(&str, &[&str], &str); 5] = [
        ("a port in use is named", &["--port", &port], &port),
        ("a port out of range is named", &["--port", "65536"], "65536"),
        ("an unknown backend is named", &["--port", "0", "--backend", "fast"], "fast"),
        ("neither on nor off is named", &["--port", "0", "--gzip", "maybe"], "maybe"),
        ("an unknown option is named", &["--port", "0", "--colour", "red"], "--colour"),
    ];
    for (name, arguments, word) in cases {
        let ran = context.run(&mut server.command(context, arguments))?;
        let outcome = match (ran.success, ran.output.contains(word)) {
            (false, true) => Ok(()),
            (true, _) => Err("it ended with success".to_owned()),
            (false, false) => Err(format!("{word} is not named")),
        };
        results.record(name, outcome);
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_the_first_line() {
        assert_eq!(port_of("listening on http://127.0.0.1:35617 (backend io_uring)"), Some(35_617));
        assert_eq!(port_of("listening on http://127.0.0.1:80"), Some(80));
        assert_eq!(port_of("starting"), None);
    }
}
