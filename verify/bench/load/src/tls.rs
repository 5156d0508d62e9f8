//! A TLS client that makes connections, and tells what each has negotiated.
//!
//! It does not check the server's certificate, nor its signature: the server is the harness's own, and the client must not be the limit.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Error, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::crypto::aws_lc_rs as provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, HandshakeKind, NamedGroup, SignatureScheme, Stream,
};

const TIMEOUT: Duration = Duration::from_secs(10);
const HEAD_END: &[u8] = b"\r\n\r\n";
/// What a TLS row compares.
pub const SUITE: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519";

/// One thread's client: its connections follow each other.
#[derive(Debug)]
pub struct Client {
    config: Arc<ClientConfig>,
    port: u16,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

/// A connection that has been used for one request and is still open.
#[derive(Debug)]
pub struct Open {
    session: ClientConnection,
    socket: TcpStream,
    /// Protocol, suite and group, then `full` or `resumed`.
    pub negotiated: String,
}

impl Client {
    /// A client of a server on the loopback interface.
    ///
    /// It offers the suite of the TLS rows only, for `BoringSSL` takes what the client prefers. `every_group` shows which group
    /// the server insists on; else there is one. `resume` offers the ticket of the connection before.
    ///
    /// # Errors
    /// When the provider refuses the choice.
    pub fn new(port: u16, path: &str, every_group: bool, resume: bool) -> io::Result<Self> {
        let mut crypto = provider::default_provider();
        crypto.cipher_suites = vec![provider::cipher_suite::TLS13_AES_128_GCM_SHA256];
        if !every_group {
            crypto.kx_groups = vec![provider::kx_group::X25519];
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(crypto))
            .with_safe_default_protocol_versions()
            .map_err(Error::other)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyServer))
            .with_no_client_auth();
        config.resumption =
            if resume { Resumption::store(Arc::new(Tickets::default())) } else { Resumption::disabled() };
        Ok(Self {
            config: Arc::new(config),
            port,
            request: format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes(),
            buffer: vec![0; 65_536],
        })
    }

    /// Connects, requests once, and returns the body. Tickets come before it.
    ///
    /// # Errors
    /// When the connection fails or the answer is none with status 200.
    pub fn open(&mut self) -> io::Result<(Open, Vec<u8>)> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port))?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(TIMEOUT))?;
        let name = ServerName::try_from("localhost").map_err(Error::other)?;
        let mut session = ClientConnection::new(Arc::clone(&self.config), name).map_err(Error::other)?;
        let mut stream = Stream::new(&mut session, &mut socket);
        stream.write_all(&self.request)?;
        let mut answer = Vec::new();
        let body = loop {
            let count = stream.read(&mut self.buffer)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            answer.extend_from_slice(&self.buffer[..count]);
            let Some(end) = answer.windows(HEAD_END.len()).position(|window| window == HEAD_END) else { continue };
            let end = end + HEAD_END.len();
            let length = crate::connection::content_length(&answer[..end])
                .ok_or_else(|| Error::other("the answer is no 200 with a length"))?;
            if answer.len() >= end + length {
                break answer.split_off(end);
            }
        };
        let negotiated = negotiated(&session);
        Ok((Open { session, socket, negotiated }, body))
    }
}

impl Open {
    /// Closes both directions and waits for the server to do the same.
    ///
    /// # Errors
    /// When the server resets the connection or does not close it within 10 s.
    pub fn close(mut self) -> io::Result<()> {
        self.session.send_close_notify();
        while self.session.wants_write() {
            self.session.write_tls(&mut self.socket)?;
        }
        self.socket.shutdown(Shutdown::Write)?;
        let mut rest = [0; 256];
        while self.socket.read(&mut rest)? > 0 {}
        Ok(())
    }
}

/// Connections that follow each other on several threads until the time is over.
#[derive(Clone, Debug, Default)]
pub struct Handshakes {
    /// Connections that were closed in order.
    pub done: u64,
    /// Connections that failed.
    pub failed: u64,
    /// The first failure.
    pub failure: Option<String>,
    /// How long each took from connecting to the answer, in nanoseconds, sorted.
    pub latencies: Vec<u64>,
    /// What was negotiated, and how often.
    pub negotiated: BTreeMap<String, u64>,
}

/// Makes connections on `threads` threads, each of which `prepare`s itself first, such as by binding itself to a CPU.
///
/// # Errors
/// When a client cannot be made, or a thread cannot prepare itself.
pub fn handshakes(
    port: u16,
    path: &str,
    resume: bool,
    threads: usize,
    window: Duration,
    prepare: impl Fn() -> io::Result<()> + Sync,
) -> io::Result<Handshakes> {
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    prepare()?;
                    one_after_the_other(Client::new(port, path, false, resume)?, resume, window)
                })
            })
            .collect();
        let mut all = Handshakes::default();
        for thread in running {
            let part = thread.join().map_err(|_| Error::other("a thread of the load generator failed"))??;
            all.done += part.done;
            all.failed += part.failed;
            all.failure = all.failure.or(part.failure);
            all.latencies.extend(part.latencies);
            for (what, count) in part.negotiated {
                *all.negotiated.entry(what).or_default() += count;
            }
        }
        all.latencies.sort_unstable();
        Ok(all)
    })
}

fn one_after_the_other(mut client: Client, resume: bool, window: Duration) -> io::Result<Handshakes> {
    if resume {
        // The first has no ticket yet.
        client.open()?.0.close()?;
    }
    let mut result = Handshakes::default();
    let start = Instant::now();
    while start.elapsed() < window {
        let began = Instant::now();
        let outcome = client.open().and_then(|(open, _)| {
            let took = began.elapsed();
            let negotiated = open.negotiated.clone();
            open.close().map(|()| (took, negotiated))
        });
        match outcome {
            Ok((took, negotiated)) => {
                result.done += 1;
                result.latencies.push(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
                *result.negotiated.entry(negotiated).or_default() += 1;
            }
            Err(error) => {
                result.failed += 1;
                result.failure.get_or_insert_with(|| error.to_string());
            }
        }
    }
    Ok(result)
}

fn negotiated(session: &ClientConnection) -> String {
    let version = match session.protocol_version() {
        Some(rustls::ProtocolVersion::TLSv1_3) => "TLSv1.3".to_owned(),
        other => format!("{other:?}"),
    };
    let suite = session.negotiated_cipher_suite().map_or_else(String::new, |suite| format!("{:?}", suite.suite()));
    let group = match session.negotiated_key_exchange_group().map(|group| group.name()) {
        Some(NamedGroup::X25519) => "X25519".to_owned(),
        other => format!("{other:?}"),
    };
    let kind = match session.handshake_kind() {
        Some(HandshakeKind::Resumed) => "resumed",
        Some(HandshakeKind::Full) => "full",
        Some(HandshakeKind::FullWithHelloRetryRequest) => "full after a retry",
        _ => "unfinished",
    };
    format!("{version} {} {group} {kind}", suite.replace("TLS13_", "TLS_"))
}

/// Tickets of TLS 1.3, each used once, the last first.
#[derive(Debug, Default)]
struct Tickets(Mutex<VecDeque<Tls13ClientSessionValue>>);

const KEPT: usize = 8;

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, _: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.push_back(value);
        if tickets.len() > KEPT {
            tickets.pop_front();
        }
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_back()
    }
}

#[derive(Debug)]
struct AnyServer;

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ECDSA_NISTP256_SHA256]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::pki_types::pem::PemObject;
    use rustls::{ServerConfig, ServerConnection};
    use std::net::TcpListener;

    const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../ffi/tests/tls/fixtures");

    /// A server that answers one request of each connection, and whether it gives tickets.
    fn server(tickets: bool) -> u16 {
        let chain = vec![CertificateDer::from_pem_file(format!("{FIXTURES}/ecdsa256.pem")).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_file(format!("{FIXTURES}/ecdsa256.key.pem")).expect("a key");
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("they match");
        if tickets {
            config.ticketer = provider::Ticketer::new().expect("a ticketer");
        } else {
            config.send_tls13_tickets = 0;
        }
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let port = listener.local_addr().expect("bound").port();
        std::thread::spawn(move || {
            for mut socket in listener.incoming().map_while(Result::ok) {
                let mut session = ServerConnection::new(Arc::clone(&config)).expect("a session");
                let mut stream = Stream::new(&mut session, &mut socket);
                let _ = stream.read(&mut [0; 512]);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
                let _ = socket.read(&mut [0; 512]);
            }
        });
        port
    }

    fn kinds(tickets: bool, resume: bool) -> Vec<String> {
        let window = Duration::from_millis(50);
        let result = handshakes(server(tickets), "/", resume, 1, window, || Ok(())).expect("it ran");
        assert!(result.failed == 0 && result.done == result.latencies.len() as u64, "{result:?}");
        result.negotiated.into_keys().collect()
    }

    #[test]
    fn resumed_is_what_was_resumed_and_not_what_was_asked_for() {
        assert_eq!(kinds(true, true), [format!("{SUITE} resumed")]);
        assert_eq!(kinds(false, true), [format!("{SUITE} full")]);
        assert_eq!(kinds(true, false), [format!("{SUITE} full")]);
    }

    #[test]
    fn the_body_is_returned() {
        let (open, body) = Client::new(server(false), "/", false, false).expect("a client").open().expect("open");
        assert_eq!(body, b"abc");
        open.close().expect("closed");
    }

    #[test]
    fn connections_that_no_tls_server_answers_are_failures() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let port = listener.local_addr().expect("bound").port();
        std::thread::spawn(move || {
            for mut socket in listener.incoming().map_while(Result::ok) {
                let _ = socket.read(&mut [0; 512]);
                let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        });
        let result = handshakes(port, "/", false, 2, Duration::from_millis(20), || Ok(())).expect("it ran");
        assert_eq!((result.done, result.latencies.len(), result.negotiated.len()), (0, 0, 0));
        assert!(result.failed >= 2 && result.failure.is_some());
        let priming = handshakes(port, "/", true, 1, Duration::from_millis(20), || Ok(()));
        assert!(priming.is_err(), "without a first connection there is nothing to resume");
        assert!(handshakes(port, "/", false, 1, Duration::ZERO, || Err(Error::other("no CPU"))).is_err());
    }
}
