//! How bytes go in and out: pieces, regions, in place, room.

use ferronet::tls::{Config, Context, Input, Outcome, SessionConfig, State, event};

use crate::support::*;

const VERSIONS: [u32; 2] = [0x0303, 0x0304];

fn pair(version: u32) -> Pair {
    connect(Config { max_version: version, ..client() }, server("ecdsa256"))
}

#[test]
fn one_byte_at_a_time() {
    for version in VERSIONS {
        let client = Context::new(Config { max_version: version, ..client() }).unwrap();
        let server = Context::new(server("ecdsa256")).unwrap();
        let mut pair = Pair::of(&client, &server);
        for _ in 0..4 {
            for _ in 0..2 {
                let bytes = pair.client.flush();
                for byte in bytes {
                    pair.server.inbox.push(byte);
                    pair.server.read();
                }
                std::mem::swap(&mut pair.client, &mut pair.server);
            }
        }
        assert!(pair.client.done() && pair.server.done(), "{:?} {:?}", pair.client.error, pair.server.error);
        for byte in pair.client.send(b"in small pieces") {
            pair.server.inbox.push(byte);
            pair.server.read();
        }
        assert_eq!(pair.server.received, b"in small pieces");
    }
}

#[test]
fn many_records_in_one_call() {
    for version in VERSIONS {
        let mut pair = pair(version);
        let data = varied(200_000);
        let mut wire = vec![0; 210_000];
        let progress = pair.client.session.wrap(&[&data], &mut wire).unwrap();
        assert_eq!((progress.outcome, progress.consumed, progress.records), (Outcome::Ok, data.len(), 13));
        wire.truncate(progress.produced);
        let mut plain = vec![0; 200_000];
        let progress = pair.server.session.unwrap(Input::Keep(&[&wire]), &mut [&mut plain]).unwrap();
        assert_eq!((progress.consumed, progress.produced, progress.records), (wire.len(), data.len(), 13));
        assert_eq!((progress.outcome, progress.needed), (Outcome::NeedsInput, 5));
        assert!(plain == data);
        let (sent, received) = (pair.client.info(), pair.server.info());
        assert_eq!((sent.records_out, sent.bytes_out), (13, 200_000));
        assert_eq!((received.records_in, received.bytes_in), (13, 200_000));
    }
}

#[test]
fn sources_share_records() {
    let mut pair = pair(0x0304);
    let data = varied(40_000);
    let sources: Vec<&[u8]> = data.chunks(777).collect();
    let mut wire = vec![0; 50_000];
    let progress = pair.client.session.wrap(&sources, &mut wire).unwrap();
    assert_eq!((progress.consumed, progress.records), (data.len(), 3));
    assert_eq!(progress.produced, 40_000 + 3 * 22);
    pair.server.inbox = wire[..progress.produced].to_vec();
    pair.server.read();
    assert!(pair.server.received == data);
    let progress = pair.client.session.wrap(&[b"", b"a", b"", b"b", b""], &mut wire).unwrap();
    assert_eq!((progress.consumed, progress.records, progress.produced), (2, 1, 24));
}

#[test]
fn records_lie_across_regions() {
    for version in VERSIONS {
        for size in [1, 5, 1000, 16_000, 17_000] {
            for overwrite in [false, true] {
                let mut pair = pair(version);
                let data = varied(40_000);
                let mut wire = pair.client.send(&data);
                let mut plain = vec![0; data.len()];
                let length = wire.len();
                let progress = {
                    let mut outputs: Vec<&mut [u8]> = plain.chunks_mut(size + 1).collect();
                    if overwrite {
                        let mut inputs: Vec<&mut [u8]> = wire.chunks_mut(size).collect();
                        pair.server.session.unwrap(Input::Overwrite(&mut inputs), &mut outputs).unwrap()
                    } else {
                        let before = wire.clone();
                        let inputs: Vec<&[u8]> = wire.chunks(size).collect();
                        let progress = pair.server.session.unwrap(Input::Keep(&inputs), &mut outputs).unwrap();
                        assert!(wire == before, "the source has changed");
                        progress
                    }
                };
                assert_eq!((progress.consumed, progress.produced), (length, data.len()), "{size}");
                assert!(plain == data);
            }
        }
    }
}

#[test]
fn in_place_the_data_moves_to_the_front() {
    for version in VERSIONS {
        let mut pair = pair(version);
        for length in [1, 100, 16_384, 16_385, 100_000] {
            let data = varied(length);
            let mut wire = pair.client.send(&data);
            let whole = wire.len();
            wire.extend([23, 3, 3]);
            let progress = pair.server.session.unwrap_in_place(&mut wire).unwrap();
            assert_eq!((progress.outcome, progress.needed), (Outcome::NeedsInput, 5));
            assert_eq!((progress.consumed, progress.produced), (whole, length));
            assert!(wire[..length] == data);
            assert_eq!(wire[whole..], [23, 3, 3], "what follows stays");
        }
    }
}

#[test]
fn the_handshake_goes_in_place_too() {
    let client = Context::new(client()).unwrap();
    let server = Context::new(server("ecdsa256")).unwrap();
    let (mut client, mut server) = (End::new(&client, localhost()), End::new(&server, SessionConfig::default()));
    let mut done = (false, false);
    for _ in 0..4 {
        for (from, to, done) in [(&mut client, &mut server, &mut done.1)] {
            let mut bytes = from.flush();
            let mut place = 0;
            while place < bytes.len() {
                let progress = to.session.unwrap_in_place(&mut bytes[place..]).unwrap();
                assert!(progress.consumed > 0);
                assert_eq!(progress.produced, 0);
                *done |= progress.events & event::HANDSHAKE_DONE != 0;
                place += progress.consumed;
            }
        }
        let mut bytes = server.flush();
        let mut place = 0;
        while place < bytes.len() {
            let progress = client.session.unwrap_in_place(&mut bytes[place..]).unwrap();
            done.0 |= progress.events & event::HANDSHAKE_DONE != 0;
            place += progress.consumed;
        }
    }
    assert_eq!(done, (true, true));
}

#[test]
fn the_end_of_the_handshake_is_seen_before_the_data() {
    let mut pair = Pair::new(client(), server("ecdsa256"));
    pair.server.inbox = pair.client.flush();
    pair.server.read();
    pair.client.inbox = pair.server.flush();
    pair.client.read();
    let mut bytes = pair.client.flush();
    bytes.extend(pair.client.send(b"with the last flight"));
    let mut plain = [0; 100];
    let mut seen = Vec::new();
    let mut place = 0;
    while place < bytes.len() {
        let progress = pair.server.session.unwrap(Input::Keep(&[&bytes[place..]]), &mut [&mut plain]).unwrap();
        seen.push((progress.events & event::HANDSHAKE_DONE, progress.produced));
        place += progress.consumed;
    }
    assert_eq!(seen, [(event::HANDSHAKE_DONE, 0), (0, 20)]);
    assert_eq!(pair.server.session.state(), State::NeedWrap, "tickets");
}

#[test]
fn an_output_that_is_too_small_takes_nothing() {
    for version in VERSIONS {
        let mut pair = pair(version);
        let data = varied(1000);
        let wire = [pair.client.send(&data), pair.client.send(&data)].concat();
        let mut small = [0; 999];
        let progress = pair.server.session.unwrap(Input::Keep(&[&wire]), &mut [&mut small]).unwrap();
        assert_eq!((outcome(progress), progress.needed), ((Outcome::NeedsOutput, 0, 0), 1000));
        let mut plain = [0; 1500];
        let progress = pair.server.session.unwrap(Input::Keep(&[&wire]), &mut [&mut plain]).unwrap();
        assert_eq!((outcome(progress), progress.needed), ((Outcome::NeedsOutput, wire.len() / 2, 1000), 1000));

        let mut wire = [0; 1000];
        let progress = pair.client.session.wrap(&[&data], &mut wire).unwrap();
        assert_eq!(outcome(progress), (Outcome::NeedsOutput, 0, 0));
        let mut enough = vec![0; progress.needed];
        let progress = pair.client.session.wrap(&[&data], &mut enough).unwrap();
        assert_eq!(outcome(progress), (Outcome::Ok, 1000, enough.len()));
    }
}

#[test]
fn as_many_records_go_out_as_fit() {
    let mut pair = pair(0x0304);
    let data = varied(50_000);
    let mut wire = vec![0; 2 * (16_384 + 22) + 100];
    let progress = pair.client.session.wrap(&[&data], &mut wire).unwrap();
    assert_eq!(outcome(progress), (Outcome::Ok, 2 * 16_384, 2 * (16_384 + 22)));
}

#[test]
fn a_flight_goes_out_in_any_pieces() {
    let context = Context::new(client()).unwrap();
    let mut end = End::new(&context, localhost());
    let mut hello = Vec::new();
    loop {
        let mut piece = [0; 10];
        let progress = end.session.wrap(&[b"data"], &mut piece).unwrap();
        assert_eq!(progress.consumed, 0, "no data before the handshake is complete");
        hello.extend_from_slice(&piece[..progress.produced]);
        if progress.outcome == Outcome::Ok {
            assert_eq!(progress.state, State::NeedUnwrap);
            break;
        }
        assert_eq!((progress.outcome, progress.state), (Outcome::NeedsOutput, State::NeedWrap));
    }
    let mut server = End::new(&Context::new(server("ecdsa256")).unwrap(), SessionConfig::default());
    server.inbox = hello;
    server.read();
    assert_eq!((server.error, server.session.state()), (None, State::NeedWrap));
}

#[test]
fn a_session_is_new_until_something_happens() {
    let client = End::new(&Context::new(client()).unwrap(), localhost());
    let mut server = End::new(&Context::new(server("ecdsa256")).unwrap(), SessionConfig::default());
    assert_eq!((client.session.state(), server.session.state()), (State::New, State::New));
    assert!(server.flush().is_empty());
    assert_eq!(server.session.state(), State::New);
    assert!(server.session.export(b"label", None, &mut [0; 4]).is_err());
}

#[test]
fn exported_material_differs_by_label_and_context() {
    for version in VERSIONS {
        let pair = pair(version);
        let export = |end: &End, label: &str, context: Option<&[u8]>| {
            let mut out = [0; 32];
            end.session.export(label.as_bytes(), context, &mut out).unwrap();
            out
        };
        assert_eq!(export(&pair.client, "one", None), export(&pair.server, "one", None));
        assert_ne!(export(&pair.client, "one", None), export(&pair.client, "two", None));
        assert_ne!(export(&pair.client, "one", None), export(&pair.client, "one", Some(b"context")));
        assert!(pair.client.session.export(b"", None, &mut [0; 4]).is_err());
        assert!(pair.client.session.export(b"one", None, &mut []).is_err());
        assert!(pair.client.session.export(b"one", None, &mut vec![0; 10_000]).is_err());
    }
}
