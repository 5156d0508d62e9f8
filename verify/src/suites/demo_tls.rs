//! The example server over TLS, driven by curl, openssl and h2load.

use std::path::Path;
use std::process::{Command, Stdio};

use ferronet_packaging::Result;
use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::tools::Tool;

use super::demo::{Outcome, START, Server};
use crate::context::Context;
use crate::parse::load;
use crate::results::Results;
use crate::service::Service;

/// What stands before the port in the server's second line.
const ADDRESS: &str = "listening on https://127.0.0.1:";

/// The server with a certificate of its own making, and with one that it is given.
pub(super) fn server(context: &mut Context<'_>, server: &Server) -> Result<Results> {
    let mut results = Results::default();
    let (mut service, port) = start(context, server, &[])?;
    if let Some(curl) = context.optional(Tool::Curl) {
        for version in ["--http1.1", "--http2"] {
            for tls in ["1.2", "1.3"] {
                let name = format!("curl {version}, TLS {tls}");
                results.record(name, ask(context, &curl, port, &["--insecure", "--tls-max", tls, version]));
            }
        }
        let refusal = match ask(context, &curl, port, &[]) {
            Err(text) if text.contains("certificate") => Ok(()),
            other => Err(format!("{other:?}")),
        };
        results.record("curl refuses the self-signed certificate", refusal);
    }
    if let Some(openssl) = context.optional(Tool::Openssl) {
        for tls in ["-tls1_2", "-tls1_3"] {
            results.record(
                format!("openssl s_client {tls}"),
                s_client(context, &openssl, port, &[tls]).and_then(selected),
            );
        }
        let old = s_client(context, &openssl, port, &["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]);
        results.record("openssl with TLS 1.1 is refused", old.and_then(refused));
    }
    if let Some(h2load) = context.optional(Tool::H2load) {
        let url = format!("https://127.0.0.1:{port}/json");
        for arguments in [&["--h1"][..], &[][..]] {
            let ran = context.run(Command::new(&h2load).args(arguments).args(["-t1", "-c16", "-n2000", &url]))?;
            let name = if arguments.is_empty() { "h2load /json" } else { "h2load --h1 /json" };
            results.record(name, load::h2load(&ran.output, 2000));
        }
    }
    results.record("a client of plain http is turned away", plain_http(port));
    service.signal(libc::SIGINT);
    service.wait(START)?;
    if let (Some(curl), Some(openssl)) = (context.optional(Tool::Curl), context.optional(Tool::Openssl)) {
        results.merge(given(context, server, &curl, &openssl)?);
    }
    Ok(results)
}

fn start(context: &Context<'_>, server: &Server, more: &[&str]) -> Result<(Service, u16)> {
    let mut arguments = vec!["--port", "0", "--tls-port", "0"];
    arguments.extend(more);
    let mut service = Service::start(&mut server.command(context, &arguments), context.log())?;
    let line = service.line_with(ADDRESS, START + context.remaining() / 4)?;
    let digits = line.split_once(ADDRESS).map_or("", |(_, rest)| rest);
    let port = digits.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|text| text.parse().ok());
    Ok((service, port.ok_or_else(|| format!("no port in {line:?}"))?))
}

fn ask(context: &Context<'_>, curl: &Path, port: u16, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(curl);
    command.args(["--silent", "--show-error", "--max-time", "20", "--write-out", " %{http_version}"]);
    let ran =
        context.run(command.args(arguments).arg(format!("https://localhost:{port}/"))).map_err(|e| e.to_string())?;
    let expected = if arguments.contains(&"--http2") { "Hello, World! 2" } else { "Hello, World! 1.1" };
    match (ran.success, ran.output.trim()) {
        (true, output) if output == expected => Ok(()),
        (_, output) => Err(format!("{output:?} instead of {expected:?}")),
    }
}

fn s_client(context: &Context<'_>, openssl: &Path, port: u16, more: &[&str]) -> std::result::Result<String, String> {
    let address = format!("127.0.0.1:{port}");
    let mut command = Command::new(openssl);
    command.args(["s_client", "-connect", &address, "-servername", "localhost", "-alpn", "h2,http/1.1"]).args(more);
    Ok(context.run(command.stdin(Stdio::null())).map_err(|error| error.to_string())?.output)
}

fn selected(output: String) -> Outcome {
    if output.contains("ALPN protocol: h2") { Ok(()) } else { Err(format!("no h2 in {output:?}")) }
}

fn refused(output: String) -> Outcome {
    let text = output.to_ascii_lowercase();
    if text.contains("alert") || text.contains("no protocols available") { Ok(()) } else { Err(output) }
}

/// The connection ends, in good time, and not with the document.
fn plain_http(port: u16) -> Outcome {
    use std::io::{Read, Write};
    let exchange = || -> std::io::Result<Vec<u8>> {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(START))?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => Err(error),
            _ => Ok(answer),
        }
    };
    let answer = exchange().map_err(|error| error.to_string())?;
    if answer.windows(5).any(|part| part == b"Hello") { Err("it was answered".to_owned()) } else { Ok(()) }
}

/// A certificate that curl is told to trust is checked, name and all; and files in the wrong order are named as such.
fn given(context: &mut Context<'_>, server: &Server, curl: &Path, openssl: &Path) -> Result<Results> {
    let mut results = Results::default();
    let files = Certificate::make(context, openssl)?;
    let (mut service, port) = files.serve(context, server)?;
    results
        .record("curl trusts the given certificate", ask(context, curl, port, &["--cacert", &files.cert, "--http2"]));
    service.signal(libc::SIGINT);
    service.wait(START)?;
    let swapped = ["--port", "0", "--tls-port", "0", "--cert", &files.key, "--key", &files.cert];
    let ran = context.run(&mut server.command(context, &swapped))?;
    let outcome = match (ran.success, ran.output.contains("swapped")) {
        (false, true) => Ok(()),
        _ => Err(ran.output),
    };
    results.record("a key in place of the certificate is named", outcome);
    Ok(results)
}

/// A self-signed certificate for localhost and its key, in files that go with it.
pub(super) struct Certificate {
    pub(super) cert: String,
    pub(super) key: String,
    _scratch: Scratch,
}

impl Certificate {
    /// Made by openssl.
    pub(super) fn make(context: &Context<'_>, openssl: &Path) -> Result<Self> {
        let scratch = Scratch::new("tls");
        let file = |name| scratch.path().join(name).to_string_lossy().into_owned();
        let (cert, key) = (file("cert.pem"), file("key.pem"));
        let mut command = Command::new(openssl);
        command.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]);
        command.args(["-addext", "subjectAltName=DNS:localhost", "-out", &cert, "-keyout", &key]);
        let ran = context.run(&mut command)?;
        if !ran.success {
            return Err(format!("openssl makes no certificate: {}", ran.output).into());
        }
        Ok(Self { cert, key, _scratch: scratch })
    }

    /// The server with this certificate, and the port of its https.
    pub(super) fn serve(&self, context: &Context<'_>, server: &Server) -> Result<(Service, u16)> {
        start(context, server, &["--cert", &self.cert, "--key", &self.key])
    }
}
