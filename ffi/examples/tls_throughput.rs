//! What a record costs through TLS sessions, beside rustls's own record layer and the bare cipher:
//! `cargo run --release --example tls_throughput`.
//!
//! Gives nanoseconds for each record of TLS 1.3 with AES-128-GCM, each the least of many short runs that take turns:
//! `wrap` from one region, `unwrap` into an output and in place; rustls's unbuffered connection, `encrypt` and in place; the
//! cipher alone, from the source into the record, in place, and opened in place.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ferronet::tls::{Config, Context, Credential, CredentialConfig, Input, Session, SessionConfig, Side, Trust};
use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::UnbufferedServerConnection;
use rustls::unbuffered::ConnectionState;

const CHAIN: &[u8] = include_bytes!("../tests/tls/fixtures/ecdsa256.pem");
const KEY: &[u8] = include_bytes!("../tests/tls/fixtures/ecdsa256.key.pem");
const ROOT: &[u8] = include_bytes!("../tests/tls/fixtures/root.pem");

/// Bytes of a run: such that records stay in the cache that a batch of reads would stay in.
const RUN: usize = 65_536;
const RUNS: usize = 3000;
const TAG: usize = 16;
/// Bytes of a record of TLS 1.3 that are not data.
const OVERHEAD: usize = 22;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let credential =
        Credential::new(CredentialConfig { chain: CHAIN.to_vec(), key: KEY.to_vec(), ..CredentialConfig::default() })?;
    let suites = "TLS_AES_128_GCM_SHA256".to_owned();
    let server =
        Context::new(Config { credentials: vec![credential], suites: suites.clone(), ..Config::new(Side::Server) })?;
    let client = Context::new(Config { trust: Trust::InsecureNone, suites, ..Config::new(Side::Client) })?;
    println!(
        "{:>6} | {:>8} {:>8} {:>8} | {:>8} {:>8} | {:>8} {:>8} {:>8}",
        "bytes", "wrap", "unwrap", "in place", "rustls", "in place", "scatter", "seal", "open"
    );
    for size in [13, 64, 200, 1024, 16_384] {
        let [wrap, unwrap, in_place, encrypt, decrypt, scatter, seal, open] = records(&client, &server, size)?;
        println!(
            "{size:>6} | {wrap:>8.1} {unwrap:>8.1} {in_place:>8.1} | {encrypt:>8.1} {decrypt:>8.1} | {scatter:>8.1} {seal:>8.1} {open:>8.1}"
        );
    }
    handshakes(&client, &server)
}

fn connect(client: &Arc<Context>, server: &Arc<Context>) -> Result<[Session; 2], Failed> {
    let name = SessionConfig { server_name: Some("localhost".into()), ..SessionConfig::default() };
    let mut ends = [Session::new(client, name)?, Session::new(server, SessionConfig::default())?];
    let mut wire = vec![0; 40_000];
    for turn in 0..6 {
        let (from, to) = (turn % 2, 1 - turn % 2);
        let length = ends[from].wrap(&[], &mut wire)?.produced;
        let mut place = 0;
        while place < length {
            place += ends[to].unwrap(Input::Keep(&[&wire[place..length]]), &mut [&mut [0; 2000]])?.consumed;
        }
    }
    Ok(ends)
}

/// rustls's two ends after their handshake.
struct Plain {
    client: UnbufferedClientConnection,
    server: UnbufferedServerConnection,
}

macro_rules! turn {
    ($connection:expr, $incoming:expr, $outgoing:expr) => {
        loop {
            let status = $connection.process_tls_records(&mut $incoming);
            let discard = status.discard;
            let goes_on = match status.state? {
                ConnectionState::EncodeTlsData(mut data) => {
                    let start = $outgoing.len();
                    $outgoing.resize(start + 20_000, 0);
                    let written = data.encode(&mut $outgoing[start..])?;
                    $outgoing.truncate(start + written);
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
                break;
            }
        }
    };
}

impl Plain {
    fn connected() -> Result<Self, Failed> {
        let mut provider = rustls::crypto::aws_lc_rs::default_provider();
        provider.cipher_suites.retain(|suite| suite.suite() == rustls::CipherSuite::TLS13_AES_128_GCM_SHA256);
        let provider = Arc::new(provider);
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ROOT)?)?;
        let client = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let server = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from_pem_slice(CHAIN)?], PrivateKeyDer::from_pem_slice(KEY)?)?;
        let mut plain = Self {
            client: UnbufferedClientConnection::new(Arc::new(client), "localhost".try_into()?)?,
            server: UnbufferedServerConnection::new(Arc::new(server))?,
        };
        let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            turn!(plain.client, to_client, to_server);
            turn!(plain.server, to_server, to_client);
        }
        Ok(plain)
    }

    fn encrypt(&mut self, data: &[u8], wire: &mut [u8]) -> Result<usize, Failed> {
        match self.client.process_tls_records(&mut []).state? {
            ConnectionState::WriteTraffic(mut traffic) => Ok(traffic.encrypt(data, wire)?),
            _ => Err("rustls takes no data".into()),
        }
    }

    fn decrypt(&mut self, wire: &mut [u8]) -> Result<(), Failed> {
        let mut place = 0;
        while place < wire.len() {
            let status = self.server.process_tls_records(&mut wire[place..]);
            place += status.discard;
            if let ConnectionState::ReadTraffic(mut traffic) = status.state? {
                while let Some(record) = traffic.next_record() {
                    black_box(record?.payload);
                }
            }
        }
        Ok(())
    }
}

fn records(client: &Arc<Context>, server: &Arc<Context>, size: usize) -> Result<[f64; 8], Failed> {
    let [mut ours, mut theirs] = connect(client, server)?;
    let mut plain = Plain::connected()?;
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &[3; 16]).map_err(|_| "the key was refused")?);
    let count = (RUN / size).min(500);
    let data = vec![7u8; count * size];
    let mut wire = vec![0u8; count * (size + OVERHEAD)];
    let mut text = vec![0u8; count * (size + OVERHEAD)];
    let mut number = 0u64;
    let mut nonce = || -> Result<Nonce, Failed> {
        number += 1;
        Ok(Nonce::assume_unique_for_key(u128::from(number).to_be_bytes()[4..].try_into()?))
    };
    let mut least = [f64::INFINITY; 8];
    let mut note = |place: usize, start: Instant| {
        let each = start.elapsed().as_secs_f64() * 1e9 / count as f64;
        least[place] = least[place].min(each);
    };
    for run in 0..RUNS {
        let mut length = 0;
        let start = Instant::now();
        for part in data.chunks_exact(size) {
            length += ours.wrap(&[part], &mut wire[length..])?.produced;
        }
        note(0, start);
        let start = Instant::now();
        if run % 2 == 0 {
            black_box(theirs.unwrap(Input::Keep(&[&wire[..length]]), &mut [&mut text])?);
        } else {
            black_box(theirs.unwrap_in_place(&mut wire[..length])?);
        }
        note(1 + run % 2, start);

        length = 0;
        let start = Instant::now();
        for part in data.chunks_exact(size) {
            length += plain.encrypt(part, &mut wire[length..])?;
        }
        note(3, start);
        let start = Instant::now();
        plain.decrypt(&mut wire[..length])?;
        note(4, start);

        let start = Instant::now();
        for (part, record) in data.chunks_exact(size).zip(wire.chunks_exact_mut(size + OVERHEAD)) {
            let (text, tag) = record[5..].split_at_mut(size);
            key.seal_out_of_place_scatter(nonce()?, Aad::from([0; 5]), part, text, &[], &mut tag[..TAG])
                .map_err(|_| "sealing failed")?;
        }
        note(5, start);
        let first = nonce()?.as_ref()[4..].try_into().map(u64::from_be_bytes)?;
        let start = Instant::now();
        for record in wire.chunks_exact_mut(size + OVERHEAD) {
            let (text, tag) = record[5..].split_at_mut(size);
            key.seal_in_place_scatter(nonce()?, Aad::from([0; 5]), text, &[], &mut tag[..TAG])
                .map_err(|_| "sealing failed")?;
        }
        note(6, start);
        let start = Instant::now();
        for (place, record) in wire.chunks_exact_mut(size + OVERHEAD).enumerate() {
            let number = u128::from(first + 1 + place as u64);
            let unique = Nonce::assume_unique_for_key(number.to_be_bytes()[4..].try_into()?);
            key.open_in_place(unique, Aad::from([0; 5]), &mut record[5..5 + size + TAG])
                .map_err(|_| "opening failed")?;
        }
        note(7, start);
    }
    Ok(least)
}

fn handshakes(client: &Arc<Context>, server: &Arc<Context>) -> Result<(), Failed> {
    const COUNT: u32 = 2000;
    for (name, resumed) in [("full", false), ("resumed", true)] {
        let start = Instant::now();
        for _ in 0..COUNT {
            if !resumed {
                client.clear_sessions();
            }
            black_box(connect(client, server)?);
        }
        let both = start.elapsed().as_secs_f64() / f64::from(COUNT) * 1e6;
        println!("handshake, both sides, {name}: {both:.1} us");
    }
    println!("resumed in all: {}", server.info().handshakes_resumed);
    Ok(())
}
