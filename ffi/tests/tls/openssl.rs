//! Against OpenSSL's own client and server, on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ferronet::abi::status::FERRONET_ERR_TLS_ALERT;
use ferronet::tls::{ClientAuth, Config, Context, SessionConfig, Trust, event};

use crate::support::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn file(name: &str) -> String {
    format!("{}/tests/tls/fixtures/{name}.pem", env!("CARGO_MANIFEST_DIR"))
}

/// Starts OpenSSL; `None` when there is none.
fn openssl(arguments: &[&str]) -> Option<Running> {
    let child = Command::new("openssl")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    Some(Running(child))
}

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn report_skipped(name: &str) {
    let line = format!("\ntest openssl::{name} ... ignored, openssl is not installed\n");
    let _ = std::io::stdout().write_all(line.as_bytes());
}

/// A session on a socket.
struct Connected {
    end: End,
    socket: TcpStream,
}

impl Connected {
    fn new(end: End, socket: TcpStream) -> Self {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { end, socket }
    }

    /// Sends what is pending, reads once, and says whether the peer goes on.
    fn turn(&mut self) -> bool {
        let bytes = self.end.flush();
        self.socket.write_all(&bytes).unwrap();
        let mut part = [0; 20_000];
        let count = self.socket.read(&mut part).unwrap_or(0);
        self.end.inbox.extend_from_slice(&part[..count]);
        self.end.read();
        let bytes = self.end.flush();
        self.socket.write_all(&bytes).unwrap();
        count > 0 && self.end.error.is_none()
    }

    fn until(&mut self, what: impl Fn(&End) -> bool) {
        while !what(&self.end) {
            assert!(self.turn(), "{:?} in state {:?}", self.end.error, self.end.session.state());
        }
    }

    fn send(&mut self, data: &[u8]) {
        let bytes = self.end.send(data);
        self.socket.write_all(&bytes).unwrap();
    }
}

fn asking() -> Config {
    Config { client_auth: ClientAuth::Optional, trust: Trust::Roots, roots: pem("root"), ..server("ecdsa256") }
}

/// OpenSSL's client, with further arguments, and our side of its connection.
fn with_client(server: &Arc<Context>, arguments: &[&str]) -> Option<(Running, Connected)> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let root = file("root");
    let fixed =
        ["s_client", "-connect", &address, "-servername", "localhost", "-CAfile", &root, "-verify_return_error"];
    let client = openssl(&[&fixed[..], arguments].concat())?;
    let (socket, _) = listener.accept().unwrap();
    Some((client, Connected::new(End::new(server, SessionConfig::default()), socket)))
}

#[test]
fn openssls_client_talks_to_our_server() {
    let server = Context::new(asking()).unwrap();
    let (certificate, key) = (file("client"), file("client.key"));
    for version in ["-tls1_2", "-tls1_3"] {
        for with_certificate in [false, true] {
            let mut arguments = vec![version, "-quiet", "-no_ign_eof"];
            if with_certificate {
                arguments.extend(["-cert", &certificate, "-key", &key]);
            }
            let Some((mut client, mut ours)) = with_client(&server, &arguments) else {
                return report_skipped("openssls_client_talks_to_our_server");
            };
            ours.until(End::done);
            assert_eq!(ours.end.info().peer_certificates > 0, with_certificate);
            let stdin = client.0.stdin.as_mut().unwrap();
            stdin.write_all(b"a line from openssl\n").unwrap();
            ours.until(|end| end.received == b"a line from openssl\n");
            ours.send(&varied(100_000));
            let mut received = vec![0; 100_000];
            client.0.stdout.as_mut().unwrap().read_exact(&mut received).unwrap();
            assert!(received == varied(100_000));
            drop(client.0.stdin.take());
            ours.until(|end| end.events & event::CLOSE_NOTIFY_RECEIVED != 0);
        }
    }
}

#[test]
fn openssls_server_talks_to_our_client() {
    let client = Context::new(Config { credentials: vec![credential("client")], ..client() }).unwrap();
    for (version, key) in
        [("-tls1_2", "rsa2048"), ("-tls1_3", "rsa2048"), ("-tls1_2", "ecdsa384"), ("-tls1_3", "ed25519")]
    {
        let (certificate, private, root) = (file(key), file(&format!("{key}.key")), file("root"));
        let arguments = [
            "s_server",
            "-accept",
            "127.0.0.1:0",
            version,
            "-cert",
            &certificate,
            "-key",
            &private,
            "-rev",
            "-CAfile",
            &root,
            "-Verify",
            "2",
        ];
        let Some(mut running) = openssl(&arguments) else {
            return report_skipped("openssls_server_talks_to_our_client");
        };
        let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| line.unwrap().strip_prefix("ACCEPT ").map(str::to_owned)).unwrap();
        for resumed in [false, true] {
            let socket = TcpStream::connect(&address).unwrap();
            let config = SessionConfig { session_key: Some(address.clone().into_bytes()), ..localhost() };
            let mut ours = Connected::new(End::new(&client, config), socket);
            ours.until(End::done);
            assert_eq!(ours.end.info().resumed, resumed, "{version} {key}");
            ours.send(b"once upon\n");
            ours.until(|end| end.received.ends_with(b"nopu ecno\n"));
            ours.end.session.close().unwrap();
            let bytes = ours.end.flush();
            ours.socket.write_all(&bytes).unwrap();
        }
        drop(lines);
    }
}

#[test]
fn a_client_that_renegotiates_is_refused_and_nothing_hangs() {
    let server = Context::new(asking()).unwrap();
    // Without -quiet, a line with R asks for it.
    let Some((mut client, mut ours)) = with_client(&server, &["-tls1_2"]) else {
        return report_skipped("a_client_that_renegotiates_is_refused_and_nothing_hangs");
    };
    ours.until(End::done);
    client.0.stdin.as_mut().unwrap().write_all(b"R\n").unwrap();
    // It takes our no_renegotiation for the end of the connection, and says so.
    while ours.turn() {}
    let error = ours.end.error.expect("the client has ended the session");
    assert_eq!(error.status, FERRONET_ERR_TLS_ALERT, "{error}");
    assert!(error.text.contains("handshake_failure"), "{error}");
    assert!(ours.end.received.is_empty());
    assert!(!client.0.wait().unwrap().success());
}
