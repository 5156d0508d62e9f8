//! Peers that keep to the letter of the protocol, or nearly, to do harm.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ferronet::abi::status::*;
use ferronet::tls::{Config, Context, Credential, Input, Outcome, SessionConfig, State, What, event};

use crate::support::*;

/// Much more than the slowest machine needs for what takes no longer than its bytes.
const PATIENCE: Duration = Duration::from_secs(15);

type Extensions = Vec<(u16, Vec<u8>)>;

fn greeting(config: Config) -> Vec<u8> {
    End::new(&Context::new(config).unwrap(), localhost()).flush()
}

/// The message of a ClientHello in one record, with other extensions.
fn rewritten(hello: &[u8], edit: impl FnOnce(&mut Extensions)) -> Vec<u8> {
    let message = &hello[5..];
    let mut at = 4 + 2 + 32;
    at += 1 + usize::from(message[at]);
    at += 2 + usize::from(u16::from_be_bytes([message[at], message[at + 1]]));
    at += 1 + usize::from(message[at]);
    let number = |at: usize| usize::from(u16::from_be_bytes([message[at], message[at + 1]]));
    let mut extensions = Extensions::new();
    let mut next = at + 2;
    while next < message.len() {
        let length = number(next + 2);
        extensions.push((number(next) as u16, message[next + 4..next + 4 + length].to_vec()));
        next += 4 + length;
    }
    edit(&mut extensions);
    let mut all = Vec::new();
    for (kind, body) in extensions {
        all.extend(kind.to_be_bytes());
        all.extend((body.len() as u16).to_be_bytes());
        all.extend(body);
    }
    let mut body = message[4..at].to_vec();
    body.extend((all.len() as u16).to_be_bytes());
    body.extend(all);
    let mut message = vec![1, (body.len() >> 16) as u8, (body.len() >> 8) as u8, body.len() as u8];
    message.extend(body);
    message
}

/// A handshake message in records of so many bytes.
fn records(message: &[u8], size: usize) -> Vec<u8> {
    let record = |part: &[u8]| [&[22, 3, 1, (part.len() >> 8) as u8, part.len() as u8], part].concat();
    message.chunks(size).flat_map(record).collect()
}

fn served(bytes: Vec<u8>) -> End {
    let mut end = End::new(&Context::new(server("ecdsa256")).unwrap(), SessionConfig::default());
    end.inbox = bytes;
    end.read();
    end
}

#[test]
fn a_long_hello_in_the_smallest_records_takes_no_longer_than_its_bytes() {
    let hello = rewritten(&greeting(client()), |extensions| extensions.push((21, vec![0; 60_000])));
    let begun = Instant::now();
    let mut end = served(records(&hello, 1));
    assert_eq!(end.error, None);
    assert_eq!(end.session.state(), State::NeedWrap);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert!(end.flush().len() > 100, "the server answers");
    assert!(end.info().buffered < 100_000, "{}", end.info().buffered);
}

#[test]
fn a_long_chain_in_the_smallest_records_takes_no_longer_than_its_bytes() {
    let mut config = credential_config("ecdsa256");
    while config.chain.len() < 60_000 {
        config.chain.extend(pem("root"));
    }
    let long = Config { credentials: vec![Credential::new(config).unwrap()], ..server("ecdsa256") };
    let mut pair = Pair::new(Config { max_version: 0x0303, ..client() }, long);
    pair.server.inbox = pair.client.flush();
    pair.server.read();
    let mut flight = Vec::new();
    while pair.server.session.state() == State::NeedWrap {
        flight.extend(pair.server.flush());
    }
    let (mut messages, mut rest) = (Vec::new(), &flight[..]);
    while !rest.is_empty() {
        let length = usize::from(u16::from_be_bytes([rest[3], rest[4]]));
        messages.extend(&rest[5..5 + length]);
        rest = &rest[5 + length..];
    }
    let begun = Instant::now();
    pair.client.inbox = records(&messages, 1);
    pair.client.read();
    assert_eq!((pair.client.error.as_ref(), pair.client.session.state()), (None, State::NeedWrap));
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

#[test]
fn a_hello_that_is_too_long_is_refused_before_it_is_whole() {
    let mut end = served(records(&[1, 1, 0, 0, 3, 3], 6));
    assert_eq!(end.error.as_ref().map(|error| error.status), Some(FERRONET_ERR_TLS_PROTOCOL), "{:?}", end.error);
    assert_eq!(end.session.progress().alert, Some(50));
    assert_eq!(end.flush(), [21, 3, 3, 0, 2, 2, 50], "decode_error: RFC 8446, 6.2");
}

#[test]
fn a_chain_that_is_too_long_is_refused_with_an_alert() {
    let mut pair = Pair::new(Config { max_version: 0x0303, ..client() }, server("ecdsa256"));
    pair.server.inbox = pair.client.flush();
    pair.server.read();
    let flight = pair.server.flush();
    let hello = &flight[5..9 + usize::from(u16::from_be_bytes([flight[7], flight[8]]))];
    // The ServerHello, and the header of a Certificate of 65,536 bytes.
    pair.client.inbox = records(&[hello, &[11, 1, 0, 0, 1, 0, 0]].concat(), 16_384);
    pair.client.read();
    let error = pair.client.error.clone().unwrap();
    assert_eq!((error.status, pair.client.session.progress().alert), (FERRONET_ERR_TLS_PROTOCOL, Some(50)), "{error}");
    assert_eq!(pair.client.flush(), [21, 3, 3, 0, 2, 2, 50]);
    assert_eq!(pair.client.session.state(), State::Failed);
}

fn name_extension(name: &[u8]) -> Vec<u8> {
    let entry = [&[0, (name.len() >> 8) as u8, name.len() as u8], name].concat();
    [&[(entry.len() >> 8) as u8, entry.len() as u8], &entry[..]].concat()
}

fn asked_for(name: &[u8]) -> End {
    served(records(
        &rewritten(&greeting(client()), |extensions| {
            extensions.retain(|(kind, _)| *kind != 0);
            extensions.push((0, name_extension(name)));
        }),
        16_384,
    ))
}

#[test]
fn a_name_that_is_none_is_refused_and_an_address_is_no_name() {
    let long = [b'a'; 300];
    for name in [&b"local\0host"[..], b"", b"exa mple", b"\xff\xfe", &long, b"-", b"a..b"] {
        let mut end = asked_for(name);
        let error = end.error.clone().unwrap_or_else(|| panic!("{name:?} in state {:?}", end.session.state()));
        assert_eq!(error.status, FERRONET_ERR_TLS_PROTOCOL, "{name:?}: {error}");
        assert_eq!(end.session.bytes(What::ServerName, 0), None, "{name:?}");
        assert_eq!(end.flush().len(), 7, "{name:?}");
    }
    for address in [&b"127.0.0.1"[..], b"::1"] {
        let end = asked_for(address);
        assert_eq!((end.error.as_ref(), end.session.state()), (None, State::NeedWrap));
        assert_eq!(end.session.bytes(What::ServerName, 0), None, "{address:?}: RFC 6066, 3");
    }
    assert_eq!(asked_for(b"some.test").session.bytes(What::ServerName, 0), Some(&b"some.test"[..]));
}

#[test]
fn protocol_lists_that_are_none_are_refused() {
    for policy in [ferronet::tls::AlpnPolicy::Fatal, ferronet::tls::AlpnPolicy::Accept] {
        let context =
            Context::new(Config { alpn: b"\x02h2".to_vec(), alpn_policy: policy, ..server("ecdsa256") }).unwrap();
        let garbage: [&[u8]; 7] =
            [b"", b"\0", b"\0\0", b"\0\x01\0", b"\0\x03\x05h2", b"\0\x09\x02h2", b"\0\x03\x02h2\xff"];
        for body in garbage {
            let hello = rewritten(&greeting(client()), |extensions| extensions.push((16, body.to_vec())));
            let mut end = End::new(&context, SessionConfig::default());
            end.inbox = records(&hello, 16_384);
            end.read();
            let error = end.error.clone().unwrap_or_else(|| panic!("{body:?} in state {:?}", end.session.state()));
            assert_eq!(error.status, FERRONET_ERR_TLS_PROTOCOL, "{body:?}: {error}");
            assert_eq!(end.flush().len(), 7);
        }
    }
}

#[test]
fn a_version_that_was_lowered_on_the_way_is_noticed() {
    let mut pair = Pair::new(client(), server("ecdsa256"));
    let hello = pair.client.flush();
    pair.server.inbox = records(&rewritten(&hello, |extensions| extensions.retain(|(kind, _)| *kind != 43)), 16_384);
    pair.server.read();
    pair.client.inbox = pair.server.flush();
    pair.client.read();
    let error = pair.client.error.clone().unwrap();
    assert_eq!((error.status, pair.client.session.progress().alert), (FERRONET_ERR_TLS_PROTOCOL, Some(47)), "{error}");
    assert_eq!(pair.client.flush(), [21, 3, 3, 0, 2, 2, 47], "illegal_parameter: RFC 8446, 4.1.3");
}

fn split(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut all, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let (record, others) = rest.split_at(5 + usize::from(u16::from_be_bytes([rest[3], rest[4]])));
        all.push(record.to_vec());
        rest = others;
    }
    all
}

/// What is done to the records of one flight.
type Mischief = fn(Vec<Vec<u8>>, usize) -> Vec<Vec<u8>>;

#[test]
fn records_that_are_moved_repeated_or_lost_never_complete_a_handshake() {
    let swap: Mischief = |mut records, at| {
        if at + 1 < records.len() {
            records.swap(at, at + 1);
        }
        records
    };
    let repeat: Mischief = |mut records, at| {
        if let Some(record) = records.get(at).cloned() {
            records.insert(at, record);
        }
        records
    };
    let lose: Mischief = |mut records, at| {
        if at < records.len() {
            records.remove(at);
        }
        records
    };
    let mut noticed = 0;
    for version in [0x0303, 0x0304] {
        let (client, server) = (
            Context::new(Config { max_version: version, ..client() }).unwrap(),
            Context::new(server("ecdsa256")).unwrap(),
        );
        for mischief in [swap, repeat, lose] {
            for flight in 0..4 {
                for at in 0..7 {
                    let mut pair = Pair::of(&client, &server);
                    let (mut number, mut changed) = (0, false);
                    for _ in 0..4 {
                        for to_server in [true, false] {
                            let (from, to) = if to_server {
                                (&mut pair.client, &mut pair.server)
                            } else {
                                (&mut pair.server, &mut pair.client)
                            };
                            let bytes = from.flush();
                            let mut sent = split(&bytes);
                            if !bytes.is_empty() {
                                if number == flight {
                                    sent = mischief(sent, at);
                                    changed = sent.concat() != bytes;
                                }
                                number += 1;
                            }
                            to.inbox.extend(sent.concat());
                            to.read();
                        }
                    }
                    if changed {
                        let ends = [&pair.client, &pair.server];
                        // A ChangeCipherSpec of TLS 1.3 says nothing, and what follows the handshake is not the handshake.
                        let middlebox = version == 0x0304;
                        let broken = ends.iter().any(|end| end.error.is_some());
                        let waits = ends.iter().any(|end| !end.done());
                        assert!(broken || waits || middlebox, "0x{version:04x}, flight {flight}, record {at}");
                        noticed += u32::from(broken || waits);
                    }
                    assert!(pair.client.received.is_empty() && pair.server.received.is_empty());
                }
            }
        }
    }
    assert!(noticed > 25, "{noticed}");
}

#[test]
fn data_after_close_notify_is_not_taken() {
    let mut pair = connect(client(), server("ecdsa256"));
    let late = pair.client.send(b"late");
    let other = pair.client.send(b"later");
    pair.server.inbox = late;
    pair.server.read();
    assert_eq!(pair.server.received, b"late");
    pair.client.session.close().unwrap();
    let mut closing = pair.client.flush();
    // The record before is missing, so that close_notify must fail; in order it does not.
    pair.server.inbox = [other, std::mem::take(&mut closing)].concat();
    pair.server.inbox.extend([23, 3, 3, 0, 30]);
    pair.server.inbox.extend([7; 30]);
    pair.server.read();
    assert_eq!((pair.server.error.as_ref(), &pair.server.received[..]), (None, &b"latelater"[..]));
    assert_ne!(pair.server.events & event::CLOSE_NOTIFY_RECEIVED, 0);
    let progress = pair.server.session.unwrap(Input::Keep(&[&pair.server.inbox]), &mut [&mut [0; 100]]).unwrap();
    assert_eq!((progress.outcome, progress.consumed, progress.produced), (Outcome::Closed, 0, 0));
    assert_eq!(pair.server.send(b"we may still send").len(), 17 + 22);
}

#[test]
fn every_output_that_is_too_small_can_be_made_large_enough() {
    for version in [0x0303, 0x0304] {
        for length in [1usize, 2, 3, 17, 1000, 16_384] {
            let mut pair = connect(Config { max_version: version, ..client() }, server("ecdsa256"));
            let data = varied(length);
            let mut room = 0;
            let mut wire = Vec::new();
            for round in 0.. {
                assert!(round < 4, "wrap of {length} bytes asks for more and more: {room}");
                wire = vec![0; room];
                let progress = pair.client.session.wrap(&[&data], &mut wire).unwrap();
                if progress.outcome == Outcome::Ok {
                    assert_eq!(progress.consumed, length);
                    wire.truncate(progress.produced);
                    break;
                }
                assert_eq!((progress.outcome, progress.consumed), (Outcome::NeedsOutput, 0));
                assert!(progress.needed > room);
                room = progress.needed;
            }
            room = 0;
            for round in 0.. {
                assert!(round < 4, "unwrap of {length} bytes asks for more and more: {room}");
                let mut plain = vec![0; room];
                let progress = pair.server.session.unwrap(Input::Keep(&[&wire]), &mut [&mut plain]).unwrap();
                wire.drain(..progress.consumed);
                if progress.produced > 0 {
                    assert_eq!(plain[..progress.produced], data);
                    break;
                }
                assert_eq!(progress.outcome, Outcome::NeedsOutput);
                assert!(progress.needed > room);
                room = progress.needed;
            }
        }
    }
}

#[test]
fn thousands_of_tiny_regions_are_one_stream() {
    let mut pair = connect(client(), server("ecdsa256"));
    let data = varied(50_000);
    let mut pieces: Vec<&[u8]> = data.chunks(3).flat_map(|piece| [piece, &[]]).collect();
    pieces.insert(0, &[]);
    let mut wire = vec![0; 60_000];
    let progress = pair.client.session.wrap(&pieces, &mut wire).unwrap();
    assert_eq!((progress.outcome, progress.consumed, progress.records), (Outcome::Ok, 50_000, 4));
    wire.truncate(progress.produced);
    let inputs: Vec<&[u8]> = wire.chunks(1).flat_map(|piece| [piece, &[]]).collect();
    let mut plain = vec![0; 50_100];
    let mut outputs: Vec<&mut [u8]> = plain.chunks_mut(7).collect();
    let progress = pair.server.session.unwrap(Input::Keep(&inputs), &mut outputs).unwrap();
    assert_eq!((progress.consumed, progress.produced), (wire.len(), 50_000));
    assert!(plain[..50_000] == data);
}

#[test]
fn a_context_may_change_during_handshakes() {
    let server = Context::new(server("ecdsa256")).unwrap();
    let client = Context::new(client()).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (server, client, stop) = (&server, &client, &stop);
        scope.spawn(move || {
            for round in (0u8..=255).cycle() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                server.set_ticket_keys(&[round; 96]).unwrap();
                server.set_ocsp_response(0, &[round; 40]).unwrap();
                client.clear_sessions();
                std::thread::yield_now();
            }
        });
        let workers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(move || {
                    for _ in 0..40 {
                        Pair::of(client, server).connect().talk(b"data");
                    }
                })
            })
            .collect();
        let failed = workers.into_iter().filter_map(|worker| worker.join().err()).count();
        stop.store(true, Ordering::Relaxed);
        assert_eq!(failed, 0);
    });
    assert_eq!(server.info().handshakes_done, 120);
}

#[test]
fn a_session_that_is_too_old_is_not_resumed() {
    for version in [0x0303, 0x0304] {
        for no_tickets in [false, true] {
            let client = Context::new(Config { max_version: version, ..client() }).unwrap();
            let server = Context::new(Config { session_timeout_s: 1, no_tickets, ..server("ecdsa256") }).unwrap();
            let resumed = |_| Arc::new(Pair::of(&client, &server).connect()).client.info().resumed;
            assert_eq!([0, 1].map(resumed), [false, true], "0x{version:04x} {no_tickets}");
            std::thread::sleep(Duration::from_millis(2100));
            assert!(!resumed(0), "0x{version:04x} {no_tickets}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn contexts_and_sessions_leave_no_descriptor_open() {
    let path = std::env::temp_dir().join(format!("ferronet-descriptors-{}", std::process::id()));
    let logging = || Config { key_log_path: Some(path.clone()), ..server("ecdsa256") };
    connect(client(), logging());
    let named = || {
        let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        open.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target == path)).count()
    };
    for _ in 0..20 {
        connect(client(), logging());
    }
    let left = named();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(left, 0);
}
