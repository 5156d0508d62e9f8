//! Uses Ferronet from Rust: takes bytes through a reactor, sends them through TLS, and compresses and decompresses them.

use std::error::Error;
use std::io::Write;
use std::mem::MaybeUninit;
use std::os::fd::IntoRawFd;
use std::os::unix::net::UnixStream;

use ferronet::abi::config::ferronet_reactor_config;
use ferronet::abi::record::{ferronet_submission, FERRONET_OP_RECV};
use ferronet::reactor::Reactor;
use ferronet::tls::{Config, Context, Credential, CredentialConfig, Input, Session, SessionConfig, Side, Trust};
use ferronet::zlib::{self, DeflateConfig, Format, InflateConfig};

type Failed = Box<dyn Error>;

const CHAIN: &[u8] = include_bytes!("../../ferronet/tests/tls/fixtures/ecdsa256.pem");
const KEY: &[u8] = include_bytes!("../../ferronet/tests/tls/fixtures/ecdsa256.key.pem");
const ROOT: &[u8] = include_bytes!("../../ferronet/tests/tls/fixtures/root.pem");

fn main() -> Result<(), Failed> {
    let received = receive(b"hello")?;
    let sent = through_tls(&received)?;
    println!("{}", String::from_utf8(restored(&sent)?)?);
    Ok(())
}

fn receive(bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let (mut peer, own) = UnixStream::pair()?;
    let mut reactor = Reactor::new(&ferronet_reactor_config::default())?;
    reactor.start()?;
    let socket = reactor.add(own.into_raw_fd())?;
    let mut room = vec![0u8; 64];
    reactor.submissions()[0] = ferronet_submission {
        op: FERRONET_OP_RECV,
        socket,
        user_data: 7,
        addr0: room.as_mut_ptr() as u64,
        len0: room.len() as u32,
        ..Default::default()
    };
    peer.write_all(bytes)?;
    // SAFETY: `room` lives, and nobody else writes to it, until the one completion has come.
    let count = unsafe { reactor.turn(1, 5_000_000_000) }?;
    let completion = reactor.completions(count).first().ok_or("nothing came")?;
    let length = usize::try_from(completion.result)?;
    assert_eq!(completion.user_data, 7);
    Ok(room[..length].to_vec())
}

fn through_tls(bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let credential =
        Credential::new(CredentialConfig { chain: CHAIN.to_vec(), key: KEY.to_vec(), ..CredentialConfig::default() })?;
    let server = Context::new(Config { credentials: vec![credential], ..Config::new(Side::Server) })?;
    let client = Context::new(Config { trust: Trust::Roots, roots: ROOT.to_vec(), ..Config::new(Side::Client) })?;
    let name = SessionConfig { server_name: Some("localhost".into()), ..SessionConfig::default() };
    let mut ends = [Session::new(&client, name)?, Session::new(&server, SessionConfig::default())?];
    let mut wire = vec![0; 40_000];
    for turn in 0..6 {
        let length = ends[turn % 2].wrap(&[], &mut wire)?.produced;
        unwrap(&mut ends[1 - turn % 2], &wire[..length], &mut [0; 2000])?;
    }
    let length = ends[0].wrap(&[bytes], &mut wire)?.produced;
    let mut plain = vec![0; 2000];
    let produced = unwrap(&mut ends[1], &wire[..length], &mut plain)?;
    plain.truncate(produced);
    Ok(plain)
}

/// Gives a session all of `records`; returns the bytes of data that it wrote to `plain`.
fn unwrap(session: &mut Session, records: &[u8], plain: &mut [u8]) -> Result<usize, Failed> {
    let (mut place, mut produced) = (0, 0);
    while place < records.len() {
        let progress = session.unwrap(Input::Keep(&[&records[place..]]), &mut [&mut plain[produced..]])?;
        if progress.consumed == 0 {
            return Err(format!("stuck in the state {:?}", session.state()).into());
        }
        place += progress.consumed;
        produced += progress.produced;
    }
    Ok(produced)
}

fn restored(bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut packed = vec![MaybeUninit::uninit(); zlib::bound(bytes.len() as u64) as usize];
    let length = zlib::deflate_buffer(DeflateConfig::new(Format::Gzip), bytes, &mut packed)?;
    let packed: Vec<u8> = initialised(&packed[..length]);
    let mut output = vec![MaybeUninit::uninit(); bytes.len()];
    let length = zlib::inflate_buffer(InflateConfig::default(), &packed, &mut output)?;
    Ok(initialised(&output[..length]))
}

fn initialised(bytes: &[MaybeUninit<u8>]) -> Vec<u8> {
    // SAFETY: the caller passes what a codec has written.
    bytes.iter().map(|byte| unsafe { byte.assume_init() }).collect()
}
