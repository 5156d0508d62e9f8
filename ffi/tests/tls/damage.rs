//! What is no TLS, or not any more.

use ferronet::abi::status::*;
use ferronet::tls::{Config, Context, Input, SessionConfig, State};

use crate::support::*;

fn fresh_server() -> End {
    End::new(&Context::new(server("ecdsa256")).unwrap(), SessionConfig::default())
}

fn greeted_client() -> End {
    let mut end = End::new(&Context::new(client()).unwrap(), localhost());
    end.flush();
    end
}

fn error_of(end: &mut End, bytes: &[u8]) -> ferronet::Error {
    end.inbox = bytes.to_vec();
    end.read();
    end.error.clone().unwrap_or_else(|| panic!("no error; state {:?}", end.session.state()))
}

#[test]
fn something_else_than_tls_is_told_at_once() {
    for text in [
        "GET / HTTP/1.1\r\n\r\n",
        "HTTP/1.1 400 Bad Request\r\n",
        "SSH-2.0-OpenSSH",
        "G",
        "\x00\x00\x18\x04",
        "\x16\x02\x00",
    ] {
        for mut end in [fresh_server(), greeted_client()] {
            let error = error_of(&mut end, text.as_bytes());
            assert_eq!(error.status, FERRONET_ERR_TLS_NOT_TLS, "{text:?}: {error}");
            assert!(error.text.contains("plain HTTP"), "{error}");
            assert_eq!((end.session.state(), end.flush().len()), (State::Failed, 0), "no alert is sent");
        }
    }
}

#[test]
fn no_tls_after_tls_is_a_broken_protocol() {
    let mut pair = connect(client(), server("ecdsa256"));
    let error = error_of(&mut pair.server, b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(error.status, FERRONET_ERR_TLS_PROTOCOL, "{error}");
}

#[test]
fn old_versions_are_refused_with_their_name() {
    // ClientHellos of TLS 1.0 and 1.1 with one CBC suite.
    for (minor, name) in [(1u8, "TLS 1.0"), (2, "TLS 1.1")] {
        let body = [&[3, minor][..], &[7; 32], &[0], &[0, 2, 0xc0, 0x13], &[1, 0], &[0, 0]].concat();
        let message = [&[1, 0, 0, body.len() as u8][..], &body].concat();
        let record = [&[22, 3, 1, 0, message.len() as u8][..], &message].concat();
        let mut end = fresh_server();
        let error = error_of(&mut end, &record);
        assert_eq!(error.status, FERRONET_ERR_TLS_UNSUPPORTED, "{error}");
        assert!(error.text.contains(name), "{error}");
        assert_eq!(end.session.progress().alert, Some(70), "protocol_version");
        assert_eq!(end.flush(), [21, 3, 3, 0, 2, 2, 70]);
    }
    // A ServerHello of TLS 1.1.
    let body = [&[3, 2][..], &[7; 32], &[0], &[0xc0, 0x13], &[0]].concat();
    let message = [&[2, 0, 0, body.len() as u8][..], &body].concat();
    let record = [&[22, 3, 2, 0, message.len() as u8][..], &message].concat();
    let error = error_of(&mut greeted_client(), &record);
    assert_eq!(error.status, FERRONET_ERR_TLS_UNSUPPORTED, "{error}");
}

#[test]
fn suites_with_cbc_alone_are_refused() {
    let extensions = [0, 13, 0, 4, 0, 2, 4, 3, 0, 10, 0, 4, 0, 2, 0, 23];
    let body =
        [&[3, 3][..], &[7; 32], &[0], &[0, 2, 0xc0, 0x13], &[1, 0], &[0, extensions.len() as u8], &extensions].concat();
    let message = [&[1, 0, 0, body.len() as u8][..], &body].concat();
    let record = [&[22, 3, 1, 0, message.len() as u8][..], &message].concat();
    let mut end = fresh_server();
    let error = error_of(&mut end, &record);
    assert_eq!(error.status, FERRONET_ERR_TLS_NO_COMMON, "{error}");
    assert!(error.text.contains("CBC"), "{error}");
    assert_eq!(end.flush(), [21, 3, 3, 0, 2, 2, 40]);
}

#[test]
fn oversized_records_are_refused_and_the_largest_is_not() {
    let mut pair = connect(client(), server("ecdsa256"));
    let error = error_of(&mut pair.server, &[23, 3, 3, 0x48, 1]);
    assert_eq!(error.status, FERRONET_ERR_TLS_PROTOCOL, "{error}");
    assert!(!pair.server.flush().is_empty());
    assert_eq!(pair.server.session.state(), State::Failed);

    let mut pair = connect(client(), server("ecdsa256"));
    let progress = pair.server.session.unwrap(Input::Keep(&[&[23, 3, 3, 0x48, 0]]), &mut []).unwrap();
    assert_eq!(progress.needed, 5 + 0x4800, "2^14 + 2048 is allowed");
}

/// Bytes of each flight of a handshake, and of data both ways.
fn flights(version: u32) -> Vec<(bool, Vec<u8>)> {
    let mut pair = Pair::new(Config { max_version: version, ..client() }, server("ecdsa256"));
    let mut flights = Vec::new();
    for _ in 0..3 {
        let bytes = pair.client.flush();
        pair.server.inbox.extend_from_slice(&bytes);
        flights.push((true, bytes));
        pair.server.read();
        let bytes = pair.server.flush();
        pair.client.inbox.extend_from_slice(&bytes);
        flights.push((false, bytes));
        pair.client.read();
    }
    assert!(pair.client.done() && pair.server.done());
    flights.retain(|(_, bytes)| !bytes.is_empty());
    flights
}

#[test]
fn every_flipped_bit_ends_in_an_error_or_in_nothing() {
    for version in [0x0303, 0x0304] {
        let count = flights(version).len();
        for flight in 0..count {
            for step in 0..60 {
                let client = Context::new(Config { max_version: version, ..client() }).unwrap();
                let server = Context::new(server("ecdsa256")).unwrap();
                let mut pair = Pair::of(&client, &server);
                let mut number = 0;
                for _ in 0..4 {
                    for to_server in [true, false] {
                        let (from, to) = if to_server {
                            (&mut pair.client, &mut pair.server)
                        } else {
                            (&mut pair.server, &mut pair.client)
                        };
                        let mut bytes = from.flush();
                        if !bytes.is_empty() {
                            if number == flight {
                                let place = (bytes.len() - 1) * step / 59;
                                bytes[place] ^= 1 << (step % 8);
                            }
                            number += 1;
                        }
                        to.inbox.extend_from_slice(&bytes);
                        to.read();
                    }
                }
                for end in [&pair.client, &pair.server] {
                    if let Some(error) = &end.error {
                        assert!((-10_032..=-10_022).contains(&error.status), "{error}");
                    }
                }
                // A length that has grown makes its side wait.
                let complete = pair.client.done() && pair.server.done();
                let broken = pair.client.error.is_some() || pair.server.error.is_some();
                let waits = [&pair.client, &pair.server].iter().any(|end| end.session.state() == State::NeedUnwrap);
                assert!(broken || waits || complete, "flight {flight}, step {step}");
            }
        }
    }
}

#[test]
fn every_truncation_waits_for_more() {
    for version in [0x0303, 0x0304] {
        for (to_server, bytes) in flights(version).into_iter().take(1) {
            assert!(to_server);
            for length in (0..bytes.len()).step_by(7) {
                let mut end = fresh_server();
                end.inbox = bytes[..length].to_vec();
                end.read();
                assert_eq!(end.error, None);
                assert_eq!(end.session.end_input().unwrap_err().status, FERRONET_ERR_TLS_TRUNCATED);
            }
        }
    }
}

#[test]
fn every_changed_byte_of_a_data_record_is_noticed() {
    for version in [0x0303, 0x0304] {
        let mut pair = connect(Config { max_version: version, ..client() }, server("ecdsa256"));
        let record = pair.client.send(b"some data");
        for place in 0..record.len() {
            let mut pair = connect(Config { max_version: version, ..client() }, server("ecdsa256"));
            let mut record = pair.client.send(b"some data");
            record[place] ^= 1;
            pair.server.inbox = record;
            pair.server.read();
            let waits = place == 3 || place == 4;
            // The version is to be ignored (RFC 8446, 5.1).
            let ignored = version == 0x0304 && place == 2;
            assert!(pair.server.error.is_some() || waits || ignored, "byte {place} of 0x{version:04x}");
            assert!(pair.server.received.is_empty() || ignored, "byte {place}");
        }
    }
}

#[test]
fn random_bytes_never_do_harm() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..300 {
        let mut end = if round % 2 == 0 { fresh_server() } else { greeted_client() };
        let kind = 20 + (random() % 4) as u8;
        let length = (random() % 600) as usize;
        let mut bytes = vec![kind, 3, (random() % 5) as u8, (length >> 8) as u8, length as u8];
        bytes.extend((0..length).map(|_| random() as u8));
        if bytes.len() > 9 && random() % 2 == 0 {
            bytes[5..9].copy_from_slice(&[
                1 + (round % 2) as u8,
                0,
                (length.saturating_sub(4) >> 8) as u8,
                length.saturating_sub(4) as u8,
            ]);
        }
        end.inbox = bytes;
        end.read();
        end.flush();
        assert!(end.received.is_empty() && !end.done());
    }
}
