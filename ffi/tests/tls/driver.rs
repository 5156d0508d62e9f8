//! What the fuzz target does with an input: bytes of the network for a session, or a configuration.
//!
//! The first byte says what the rest is; nothing may panic, hang, or give data before the handshake is complete.

use std::cell::OnceCell;
use std::sync::Arc;

use ferronet::tls::{
    Config, Context, Credential, CredentialConfig, Input, Outcome, Session, SessionConfig, Side, State, Trust,
};

const CHAIN: &[u8] = include_bytes!("fixtures/ecdsa256.pem");
const KEY: &[u8] = include_bytes!("fixtures/ecdsa256.key.pem");
const ROOT: &[u8] = include_bytes!("fixtures/root.pem");

struct Contexts {
    client: Arc<Context>,
    server: Arc<Context>,
    /// A server that issues tickets, which one that takes early data does not.
    plain: Arc<Context>,
}

fn made<T>(result: ferronet::Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

fn contexts() -> Contexts {
    let credential = made(Credential::new(CredentialConfig {
        chain: CHAIN.to_vec(),
        key: KEY.to_vec(),
        ..CredentialConfig::default()
    }));
    let alpn = b"\x02h2\x08http/1.1".to_vec();
    Contexts {
        client: made(Context::new(Config {
            trust: Trust::Roots,
            roots: ROOT.to_vec(),
            credentials: vec![credential.clone()],
            alpn: alpn.clone(),
            compress_certificates: true,
            ..Config::new(Side::Client)
        })),
        server: made(Context::new(Config {
            credentials: vec![credential.clone()],
            trust: Trust::InsecureNone,
            client_auth: ferronet::tls::ClientAuth::Optional,
            alpn,
            compress_certificates: true,
            early_data: true,
            ..Config::new(Side::Server)
        })),
        plain: made(Context::new(Config { credentials: vec![credential], ..Config::new(Side::Server) })),
    }
}

thread_local! {
    static CONTEXTS: OnceCell<Contexts> = const { OnceCell::new() };
}

fn client(contexts: &Contexts, version: u32) -> Session {
    let config =
        SessionConfig { server_name: Some("localhost".into()), max_version: version, ..SessionConfig::default() };
    made(Session::new(&contexts.client, config))
}

fn server(contexts: &Contexts) -> Session {
    made(Session::new(&contexts.server, SessionConfig::default()))
}

/// What an input can be, by its first byte.
pub const KINDS: u8 = 8;

/// Tries one input.
pub fn run(input: &[u8]) {
    let Some((&what, rest)) = input.split_first() else { return };
    CONTEXTS.with(|cell| {
        let contexts = cell.get_or_init(contexts);
        match what % KINDS {
            0 => received(&mut server(contexts), rest, false),
            1 => received(&mut server(contexts), rest, true),
            2 => {
                let mut session = client(contexts, 0x0304);
                let _ = session.wrap(&[], &mut [0; 4096]);
                received(&mut session, rest, false);
            }
            3 => damaged(contexts, 0x0304, rest),
            4 => damaged(contexts, 0x0303, rest),
            5 => credential(rest),
            6 => configuration(contexts, rest),
            _ => names(contexts, rest),
        }
    });
}

/// Bytes of a peer, in pieces whose lengths they begin with.
fn received(session: &mut Session, bytes: &[u8], in_place: bool) {
    let mut done = false;
    let mut pending = Vec::new();
    for piece in bytes.chunks(usize::from(bytes.first().copied().unwrap_or(0)) * 8 + 1) {
        pending.extend_from_slice(piece);
        for _ in 0..100 {
            let mut output = [0; 20_000];
            let result = if in_place {
                session.unwrap_in_place(&mut pending)
            } else {
                session.unwrap(Input::Keep(&[&pending]), &mut [&mut output])
            };
            let Ok(progress) = result else {
                let _ = session.wrap(&[], &mut output);
                assert_eq!(session.state(), State::Failed);
                return;
            };
            assert!(progress.consumed <= pending.len() && progress.produced <= output.len());
            assert!(progress.produced == 0 || done, "data before the end of the handshake");
            done |= progress.events & ferronet::tls::event::HANDSHAKE_DONE != 0;
            pending.drain(..progress.consumed);
            if progress.consumed == 0 {
                break;
            }
        }
        let _ = session.wrap(&[], &mut [0; 20_000]);
    }
}

/// A handshake and data of which single bytes change: triples of a place (two bytes) and what it is changed by.
fn damaged(contexts: &Contexts, version: u32, changes: &[u8]) {
    let (mut ours, mut theirs) = (client(contexts, version), server(contexts));
    let mut place = 0usize;
    for round in 0..5 {
        for to_server in [true, false] {
            let (from, to) = if to_server { (&mut ours, &mut theirs) } else { (&mut theirs, &mut ours) };
            let mut wire = vec![0; 20_000];
            let data: &[&[u8]] = if round > 2 { &[b"some data"] } else { &[] };
            let Ok(progress) = from.wrap(data, &mut wire) else { return };
            wire.truncate(progress.produced);
            for change in changes.chunks_exact(3) {
                let at = usize::from(u16::from_be_bytes([change[0], change[1]])) % 4096;
                if let Some(byte) = at.checked_sub(place).and_then(|at| wire.get_mut(at)) {
                    *byte ^= change[2];
                }
            }
            place += wire.len();
            let mut read = 0;
            for _ in 0..20 {
                let mut output = [0; 20_000];
                let Ok(progress) = to.unwrap(Input::Keep(&[&wire[read..]]), &mut [&mut output]) else { break };
                let plain = &output[..progress.produced];
                assert!(plain.is_empty() || b"some data".repeat(3).windows(plain.len()).any(|part| part == plain));
                read += progress.consumed;
                if progress.consumed == 0 || progress.outcome == Outcome::Closed {
                    break;
                }
            }
        }
    }
}

fn credential(bytes: &[u8]) {
    let (chain, key) = bytes.split_at(bytes.len() / 2);
    for (chain, key) in [(chain, key), (bytes, KEY), (CHAIN, bytes)] {
        let config = CredentialConfig { chain: chain.to_vec(), key: key.to_vec(), ..CredentialConfig::default() };
        explained(Credential::new(config).map(drop));
    }
}

fn configuration(contexts: &Contexts, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let base = || Config { trust: Trust::Roots, roots: ROOT.to_vec(), ..Config::new(Side::Client) };
    explained(Context::new(Config { roots: bytes.to_vec(), ..base() }).map(drop));
    explained(Context::new(Config { crls: bytes.to_vec(), ..base() }).map(drop));
    explained(Context::new(Config { alpn: bytes.to_vec(), ..base() }).map(drop));
    explained(Context::new(Config { suites: text.clone(), ..base() }).map(drop));
    explained(Context::new(Config { groups: text, ..base() }).map(drop));
    let session = SessionConfig { alpn: Some(bytes.to_vec()), ..SessionConfig::default() };
    explained(Session::new(&contexts.server, session).map(drop));
    explained(contexts.plain.set_ticket_keys(bytes));
}

fn names(contexts: &Contexts, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let config = SessionConfig { server_name: Some(text), ..SessionConfig::default() };
    explained(Session::new(&contexts.client, config).map(drop));
}

fn explained(result: ferronet::Result<()>) {
    if let Err(error) = result {
        assert!(error.status < 0 && error.text.len() > 10, "{error:?}");
    }
}
