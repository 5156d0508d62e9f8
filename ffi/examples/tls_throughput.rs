//! Throughput of records through TLS sessions, beside the bare cipher: `cargo run --release --example tls_throughput`.
//!
//! Gives GB of data per second of the calling thread: `wrap` from one region, `unwrap` in place and with a copy, and the
//! cipher alone over the same sizes (AES-128-GCM, sealing and opening in place).

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ferronet::tls::{Config, Context, Credential, CredentialConfig, Input, Session, SessionConfig, Side, Trust};

const CHAIN: &[u8] = include_bytes!("../tests/tls/fixtures/ecdsa256.pem");
const KEY: &[u8] = include_bytes!("../tests/tls/fixtures/ecdsa256.key.pem");

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let credential =
        Credential::new(CredentialConfig { chain: CHAIN.to_vec(), key: KEY.to_vec(), ..CredentialConfig::default() })?;
    let suites = "TLS_AES_128_GCM_SHA256".to_owned();
    let server =
        Context::new(Config { credentials: vec![credential], suites: suites.clone(), ..Config::new(Side::Server) })?;
    let client = Context::new(Config { trust: Trust::InsecureNone, suites, ..Config::new(Side::Client) })?;
    println!("{:>8} {:>10} {:>10} {:>10} {:>10} {:>10}", "bytes", "wrap", "in place", "copy", "seal", "open");
    for _ in 0..3 {
        for size in [16_384, 1024] {
            let [wrap, in_place, copy] = sessions(&client, &server, size)?;
            let [seal, open] = cipher(size)?;
            println!("{size:>8} {wrap:>10.2} {in_place:>10.2} {copy:>10.2} {seal:>10.2} {open:>10.2}");
        }
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

/// Bytes of a round: such that records stay in the cache that a batch of reads would stay in.
const ROUND: usize = 131_072;
const ROUNDS: usize = 4000;

fn sessions(client: &Arc<Context>, server: &Arc<Context>, size: usize) -> Result<[f64; 3], Failed> {
    let [mut ours, mut theirs] = connect(client, server)?;
    let data = vec![7u8; ROUND];
    let mut wire = vec![0u8; ROUND + ROUND / size * 64];
    let mut plain = vec![0u8; ROUND];
    let mut seconds = [0.0f64; 3];
    for round in 0..ROUNDS {
        let start = Instant::now();
        let mut length = 0;
        if size == 16_384 {
            length = ours.wrap(&[&data], &mut wire)?.produced;
        } else {
            for part in data.chunks(size) {
                length += ours.wrap(&[part], &mut wire[length..])?.produced;
            }
        }
        seconds[0] += start.elapsed().as_secs_f64();
        let start = Instant::now();
        if round % 2 == 0 {
            black_box(theirs.unwrap_in_place(&mut wire[..length])?);
            seconds[1] += start.elapsed().as_secs_f64();
        } else {
            black_box(theirs.unwrap(Input::Keep(&[&wire[..length]]), &mut [&mut plain])?);
            seconds[2] += start.elapsed().as_secs_f64();
        }
    }
    let bytes = (ROUND * ROUNDS) as f64 / 1e9;
    Ok([bytes / seconds[0], bytes / 2.0 / seconds[1], bytes / 2.0 / seconds[2]])
}

fn cipher(size: usize) -> Result<[f64; 2], Failed> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &[3; 16]).map_err(|_| "the key was refused")?);
    let mut records: Vec<Vec<u8>> = (0..ROUND / size).map(|_| vec![0; size]).collect();
    records.iter_mut().for_each(|record| record.reserve(AES_128_GCM.tag_len()));
    let nonce = |number: usize| -> Result<Nonce, Failed> {
        Ok(Nonce::assume_unique_for_key((number as u128).to_be_bytes()[4..].try_into()?))
    };
    let mut seconds = [0.0f64; 2];
    for _ in 0..ROUNDS / 2 {
        let start = Instant::now();
        for (number, record) in records.iter_mut().enumerate() {
            key.seal_in_place_append_tag(nonce(number)?, Aad::from([0; 5]), record).map_err(|_| "sealing failed")?;
        }
        seconds[0] += start.elapsed().as_secs_f64();
        let start = Instant::now();
        for (number, record) in records.iter_mut().enumerate() {
            key.open_in_place(nonce(number)?, Aad::from([0; 5]), record).map_err(|_| "opening failed")?;
            record.truncate(size);
        }
        seconds[1] += start.elapsed().as_secs_f64();
    }
    let bytes = (ROUND * ROUNDS / 2) as f64 / 1e9;
    Ok([bytes / seconds[0], bytes / seconds[1]])
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
