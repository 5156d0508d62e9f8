//! A peer that shakes hands by rustls and then writes whatever record a test asks for.

use std::sync::Arc;

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ferronet::tls::{Config, Context, SessionConfig};
use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::kernel::KernelConnection;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{ConnectionState, EncodeError};
use rustls::{ConnectionTrafficSecrets, ExtractedSecrets, SupportedCipherSuite};

use crate::support::*;

pub const ALERT: u8 = 21;
pub const HANDSHAKE: u8 = 22;
pub const DATA: u8 = 23;

const TAG: usize = 16;

struct Keys {
    key: LessSafeKey,
    iv: [u8; 12],
    number: u64,
    sends_nonce: bool,
}

impl Keys {
    fn new(tls13: bool, (number, secrets): (u64, ConnectionTrafficSecrets)) -> Self {
        let (algorithm, key, iv, gcm) = match &secrets {
            ConnectionTrafficSecrets::Aes128Gcm { key, iv } => (&AES_128_GCM, key, iv, true),
            ConnectionTrafficSecrets::Aes256Gcm { key, iv } => (&AES_256_GCM, key, iv, true),
            ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => (&CHACHA20_POLY1305, key, iv, false),
            _ => panic!("an unknown cipher"),
        };
        Self {
            key: LessSafeKey::new(UnboundKey::new(algorithm, key.as_ref()).unwrap()),
            iv: iv.as_ref().try_into().unwrap(),
            number,
            sends_nonce: gcm && !tls13,
        }
    }

    fn nonce(&self) -> [u8; 12] {
        let mut nonce = self.iv;
        nonce[4..].iter_mut().zip(self.number.to_be_bytes()).for_each(|(byte, number)| *byte ^= number);
        nonce
    }
}

enum Kernel {
    Client(KernelConnection<ClientConnectionData>),
    Server(KernelConnection<ServerConnectionData>),
}

pub struct Raw {
    kernel: Kernel,
    out: Keys,
    into: Keys,
    tls13: bool,
}

macro_rules! turn {
    ($connection:expr, $incoming:expr) => {{
        let mut outgoing = Vec::new();
        loop {
            let status = $connection.process_tls_records(&mut $incoming);
            let discard = status.discard;
            let goes_on = match status.state.unwrap() {
                ConnectionState::EncodeTlsData(mut data) => {
                    let start = outgoing.len();
                    let Err(EncodeError::InsufficientSize(needed)) = data.encode(&mut []) else { panic!() };
                    outgoing.resize(start + needed.required_size, 0);
                    data.encode(&mut outgoing[start..]).unwrap();
                    true
                }
                ConnectionState::TransmitTlsData(transmit) => {
                    transmit.done();
                    true
                }
                _ => false,
            };
            $incoming.drain(..discard);
            if !goes_on {
                break outgoing;
            }
        }
    }};
}

fn provider(suite: SupportedCipherSuite) -> Arc<rustls::crypto::CryptoProvider> {
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    Arc::new(rustls::crypto::CryptoProvider { cipher_suites: vec![suite], ..provider })
}

impl Raw {
    /// A client of rustls, and a server of ours.
    pub fn client(suite: SupportedCipherSuite) -> (Self, End) {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(&pem("root")).unwrap()).unwrap();
        let mut config = rustls::ClientConfig::builder_with_provider(provider(suite))
            .with_protocol_versions(&[suite.version()])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.enable_secret_extraction = true;
        let mut theirs = UnbufferedClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
        let mut ours = End::new(&Context::new(server("ecdsa256")).unwrap(), SessionConfig::default());
        let mut incoming = Vec::new();
        for _ in 0..3 {
            ours.inbox.extend(turn!(theirs, incoming));
            ours.read();
            incoming.extend(ours.flush());
        }
        assert!(turn!(theirs, incoming).is_empty() && incoming.is_empty());
        let (secrets, kernel) = theirs.dangerous_into_kernel_connection().unwrap();
        (Self::of(suite, secrets, Kernel::Client(kernel)), ours)
    }

    /// A server of rustls, and a client of ours.
    pub fn server(suite: SupportedCipherSuite) -> (Self, End) {
        let chain = vec![CertificateDer::from_pem_slice(&pem("ecdsa256")).unwrap()];
        let mut config = rustls::ServerConfig::builder_with_provider(provider(suite))
            .with_protocol_versions(&[suite.version()])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, PrivateKeyDer::from_pem_slice(&pem("ecdsa256.key")).unwrap())
            .unwrap();
        config.enable_secret_extraction = true;
        config.send_tls13_tickets = 0;
        let mut theirs = UnbufferedServerConnection::new(Arc::new(config)).unwrap();
        let mut ours = End::new(&Context::new(Config { ..client() }).unwrap(), localhost());
        let mut incoming = Vec::new();
        for _ in 0..3 {
            incoming.extend(ours.flush());
            ours.inbox.extend(turn!(theirs, incoming));
            ours.read();
        }
        assert!(incoming.is_empty());
        let (secrets, kernel) = theirs.dangerous_into_kernel_connection().unwrap();
        (Self::of(suite, secrets, Kernel::Server(kernel)), ours)
    }

    fn of(suite: SupportedCipherSuite, secrets: ExtractedSecrets, kernel: Kernel) -> Self {
        let tls13 = suite.tls13().is_some();
        Self { kernel, out: Keys::new(tls13, secrets.tx), into: Keys::new(tls13, secrets.rx), tls13 }
    }

    /// Both, in their roles.
    pub fn both(suite: SupportedCipherSuite) -> [(Self, End); 2] {
        [Self::client(suite), Self::server(suite)]
    }

    /// A record with so many bytes of padding, which TLS 1.3 knows.
    pub fn padded(&mut self, kind: u8, data: &[u8], padding: usize) -> Vec<u8> {
        let mut text = data.to_vec();
        if self.tls13 {
            text.push(kind);
            text.resize(text.len() + padding, 0);
        }
        self.sealed(kind, &text)
    }

    pub fn record(&mut self, kind: u8, data: &[u8]) -> Vec<u8> {
        self.padded(kind, data, 0)
    }

    /// A record of what is encrypted, which in TLS 1.3 ends with its type.
    pub fn sealed(&mut self, kind: u8, text: &[u8]) -> Vec<u8> {
        let nonce = self.out.nonce();
        let ahead = if self.out.sends_nonce { &nonce[4..] } else { &[] };
        let length = ((ahead.len() + text.len() + TAG) as u16).to_be_bytes();
        let outer = if self.tls13 { DATA } else { kind };
        let header = [outer, 3, 3, length[0], length[1]];
        let mut body = text.to_vec();
        let bound = self.bound(self.out.number, header, text.len());
        self.out
            .key
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(bound), &mut body)
            .unwrap();
        self.out.number += 1;
        [&header[..], ahead, &body].concat()
    }

    fn bound(&self, number: u64, header: [u8; 5], length: usize) -> Vec<u8> {
        if self.tls13 {
            return header.to_vec();
        }
        [&number.to_be_bytes()[..], &header[..3], &(length as u16).to_be_bytes()].concat()
    }

    /// The records in some bytes: their types and what they hold.
    pub fn open(&mut self, bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
        let mut rest = bytes;
        let mut records = Vec::new();
        while !rest.is_empty() {
            let length = 5 + usize::from(u16::from_be_bytes([rest[3], rest[4]]));
            records.push(self.open_one(&rest[..length]));
            rest = &rest[length..];
        }
        records
    }

    pub fn open_one(&mut self, record: &[u8]) -> (u8, Vec<u8>) {
        let mut nonce = self.into.nonce();
        let header: [u8; 5] = record[..5].try_into().unwrap();
        let mut body = record[5..].to_vec();
        if self.into.sends_nonce {
            nonce[4..].copy_from_slice(&body[..8]);
            body.drain(..8);
        }
        let bound = self.bound(self.into.number, header, body.len() - TAG);
        let text =
            self.into.key.open_in_place(Nonce::assume_unique_for_key(nonce), Aad::from(bound), &mut body).unwrap();
        self.into.number += 1;
        let mut text = text.to_vec();
        if !self.tls13 {
            return (header[0], text);
        }
        assert_eq!(header[..3], [DATA, 3, 3]);
        (text.pop().unwrap(), text)
    }

    /// The next keys of what it writes.
    pub fn renew_out(&mut self) {
        let next = match &mut self.kernel {
            Kernel::Client(kernel) => kernel.update_tx_secret(),
            Kernel::Server(kernel) => kernel.update_tx_secret(),
        };
        self.out = Keys::new(true, next.unwrap());
    }

    /// The next keys of what it reads.
    pub fn renew_into(&mut self) {
        let next = match &mut self.kernel {
            Kernel::Client(kernel) => kernel.update_rx_secret(),
            Kernel::Server(kernel) => kernel.update_rx_secret(),
        };
        self.into = Keys::new(true, next.unwrap());
    }

    /// The alert with which our end gives up, and its status.
    pub fn refusal(&mut self, ours: &mut End, bytes: &[u8]) -> (Vec<u8>, i32) {
        ours.inbox.extend_from_slice(bytes);
        ours.read();
        let error = ours.error.clone().unwrap_or_else(|| panic!("no error; state {:?}", ours.session.state()));
        crate::prose::assert_prose(&error.text);
        let alerts = ours.flush();
        let mut opened = self.open(&alerts);
        assert_eq!(ours.session.state(), ferronet::tls::State::Failed);
        let Some((kind, alert)) = opened.pop() else { return (Vec::new(), error.status) };
        assert_eq!(kind, ALERT);
        assert_eq!(ours.session.progress().alert, Some(alert[1]), "{error}");
        (alert, error.status)
    }
}
