//! What comes after the handshake: records, messages and alerts of a peer that writes what it likes.

use ferronet::abi::status::*;
use ferronet::tls::{Input, Outcome, State, event};
use rustls::SupportedCipherSuite;
use rustls::crypto::aws_lc_rs::cipher_suite as suites;

use crate::raw::*;
use crate::support::*;

const TLS13: SupportedCipherSuite = suites::TLS13_AES_128_GCM_SHA256;
const TLS12: SupportedCipherSuite = suites::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
const ALL: [SupportedCipherSuite; 6] = [
    suites::TLS13_AES_128_GCM_SHA256,
    suites::TLS13_AES_256_GCM_SHA384,
    suites::TLS13_CHACHA20_POLY1305_SHA256,
    suites::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    suites::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    suites::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
];

const FATAL: u8 = 2;
const WARNING: u8 = 1;
const UNEXPECTED_MESSAGE: u8 = 10;
const BAD_RECORD_MAC: u8 = 20;
const RECORD_OVERFLOW: u8 = 22;
const HANDSHAKE_FAILURE: u8 = 40;
const ILLEGAL_PARAMETER: u8 = 47;
const DECODE_ERROR: u8 = 50;
const NO_RENEGOTIATION: u8 = 100;

fn fatal(alert: u8) -> (Vec<u8>, i32) {
    (vec![FATAL, alert], FERRONET_ERR_TLS_PROTOCOL)
}

fn key_update(request: u8) -> [u8; 5] {
    [24, 0, 0, 1, request]
}

/// A NewSessionTicket with a ticket of so many bytes.
fn ticket(length: u16) -> Vec<u8> {
    let mut body = [&[0, 0, 1, 0][..], &[0; 4], &[2, 7, 7], &length.to_be_bytes()].concat();
    body.resize(body.len() + usize::from(length), 9);
    body.extend([0, 0]);
    [&[4, 0, (body.len() >> 8) as u8, body.len() as u8][..], &body].concat()
}

#[test]
fn every_suite_in_every_size() {
    for suite in ALL {
        for (mut raw, mut ours) in Raw::both(suite) {
            for length in [0, 1, 2, 13, 15, 16, 17, 200, 1000, 4097, 16_383, 16_384] {
                let data = varied(length);
                if length > 0 {
                    assert_eq!(raw.open(&ours.send(&data)), [(DATA, data.clone())]);
                }
                ours.received.clear();
                ours.inbox = raw.record(DATA, &data);
                ours.read();
                assert_eq!((&ours.error, &ours.received), (&None, &data), "{suite:?}, {length}");
            }
            let data = varied(50_000);
            let (left, right) = data.split_at(20_001);
            let mut wire = vec![0; 60_000];
            let progress = ours.session.wrap(&[left, right], &mut wire).unwrap();
            let opened = raw.open(&wire[..progress.produced]);
            assert_eq!(opened.len(), 4);
            assert!(opened.into_iter().flat_map(|(_, data)| data).eq(data.iter().copied()));
        }
    }
}

#[test]
fn outputs_of_every_size_take_records_of_every_size() {
    for suite in [TLS13, TLS12] {
        let (mut raw, mut ours) = Raw::client(suite);
        for length in [1usize, 2, 3, 40] {
            for room in 0..60 {
                for piece in [1, 7, 100] {
                    let data = varied(length);
                    let mut wire = [raw.record(DATA, &data), raw.record(DATA, b"")].concat();
                    let mut output = [0; 100];
                    let mut received = Vec::new();
                    let mut room = room;
                    for _ in 0..5 {
                        let mut outputs: Vec<&mut [u8]> = output[..room].chunks_mut(piece).collect();
                        let progress = ours.session.unwrap(Input::Keep(&[&wire]), &mut outputs).unwrap();
                        wire.drain(..progress.consumed);
                        received.extend_from_slice(&output[..progress.produced]);
                        if progress.outcome == Outcome::NeedsOutput {
                            assert!(progress.needed > 0 && progress.needed <= length);
                            room = progress.needed;
                        }
                    }
                    assert_eq!((&received, wire.len()), (&data, 0), "{length} bytes, room {room}, pieces of {piece}");
                }
            }
        }
    }
}

#[test]
fn data_that_waited_for_room_comes_before_a_header_that_is_none() {
    for suite in [TLS13, TLS12] {
        let (mut raw, mut ours) = Raw::client(suite);
        let record = raw.record(DATA, b"ab");
        let progress = ours.session.unwrap(Input::Keep(&[&record]), &mut []).unwrap();
        assert_eq!((progress.outcome, progress.consumed), (Outcome::NeedsOutput, record.len()));
        let mut output = [0; 10];
        let progress = ours.session.unwrap(Input::Keep(&[b"GET"]), &mut [&mut output]).unwrap();
        assert_eq!((progress.consumed, &output[..progress.produced]), (0, &b"ab"[..]));
        let error = ours.session.unwrap(Input::Keep(&[b"GET"]), &mut [&mut output]).unwrap_err();
        assert_eq!(error.status, FERRONET_ERR_TLS_PROTOCOL, "{error}");
    }
}

#[test]
fn padding_is_taken_off() {
    let (mut raw, mut ours) = Raw::client(TLS13);
    for (length, padding) in [(0, 1), (1, 1), (0, 16_384), (10, 300), (16_383, 1), (16_384, 0), (1, 16_383)] {
        for in_place in [false, true] {
            let data = varied(length);
            let mut record = raw.padded(DATA, &data, padding);
            let mut output = vec![0; 16_385];
            let progress = if in_place {
                let progress = ours.session.unwrap_in_place(&mut record).unwrap();
                output[..progress.produced].copy_from_slice(&record[..progress.produced]);
                progress
            } else {
                ours.session.unwrap(Input::Keep(&[&record]), &mut [&mut output]).unwrap()
            };
            assert_eq!((progress.produced, progress.consumed), (length, record.len()));
            assert!(output[..length] == data);
        }
    }
    let nothing = raw.sealed(DATA, &[0; 40]);
    assert_eq!(raw.refusal(&mut ours, &nothing), fatal(UNEXPECTED_MESSAGE));
}

#[test]
fn records_that_hold_too_much_are_refused() {
    for (suite, most) in [(TLS13, 16_385), (TLS12, 16_384)] {
        let (mut raw, mut ours) = Raw::client(suite);
        let record = raw.sealed(DATA, &vec![DATA; most]);
        ours.inbox = record;
        ours.read();
        assert_eq!((&ours.error, ours.received.len()), (&None, 16_384));
        let record = raw.sealed(DATA, &vec![DATA; most + 1]);
        assert_eq!(raw.refusal(&mut ours, &record), fatal(RECORD_OVERFLOW));

        let (mut raw, mut ours) = Raw::client(suite);
        assert_eq!(raw.refusal(&mut ours, &[DATA, 3, 3, 0x48, 1]), fatal(RECORD_OVERFLOW));
    }
}

#[test]
fn headers_that_are_none_are_refused() {
    for suite in [TLS13, TLS12] {
        for (header, alert) in [
            (&[19u8][..], UNEXPECTED_MESSAGE),
            (&[24, 3, 3, 0, 20], UNEXPECTED_MESSAGE),
            (b"GET", UNEXPECTED_MESSAGE),
            (&[DATA, 2], DECODE_ERROR),
        ] {
            let (mut raw, mut ours) = Raw::client(suite);
            assert_eq!(raw.refusal(&mut ours, header), fatal(alert), "{header:?}");
        }
    }
}

#[test]
fn only_the_type_of_data_comes_in_the_clear() {
    for (mut raw, mut ours) in Raw::both(TLS13).into_iter().chain(Raw::both(TLS12)) {
        assert_eq!(raw.refusal(&mut ours, &[20, 3, 3, 0, 1, 1]), fatal(UNEXPECTED_MESSAGE), "ChangeCipherSpec");
    }
    for kind in [ALERT, HANDSHAKE] {
        let (mut raw, mut ours) = Raw::client(TLS13);
        let mut record = raw.record(DATA, b"data");
        record[0] = kind;
        assert_eq!(raw.refusal(&mut ours, &record), fatal(UNEXPECTED_MESSAGE));
        assert!(ours.received.is_empty());
    }
    for inner in [0xffu8, 19, 20, 24] {
        let (mut raw, mut ours) = Raw::client(TLS13);
        let record = raw.record(inner, b"data");
        assert_eq!(raw.refusal(&mut ours, &record), fatal(UNEXPECTED_MESSAGE), "{inner}");
    }
}

#[test]
fn every_changed_bit_is_a_bad_record_and_leaves_nothing_behind() {
    for suite in ALL {
        let (mut raw, _) = Raw::client(suite);
        let length = raw.record(DATA, b"some data").len();
        for place in 5..length {
            let (mut raw, mut ours) = Raw::client(suite);
            let mut record = raw.record(DATA, b"some data");
            record[place] ^= 1 << (place % 8);
            let mut output = [7; 40];
            assert!(ours.session.unwrap(Input::Keep(&[&record]), &mut [&mut output]).is_err());
            assert!(!output.windows(4).any(|window| window == b"data"), "data that was not authentic");
            assert_eq!(raw.refusal(&mut ours, &[]), fatal(BAD_RECORD_MAC), "{suite:?}, byte {place}");
            assert!(ours.session.wrap(&[b"more"], &mut [0; 100]).is_err());
        }
        for length in 0..length - 5 {
            let (mut raw, mut ours) = Raw::client(suite);
            let record = raw.record(DATA, b"some data");
            let kind = [DATA, 3, 3, 0, length as u8];
            assert_eq!(raw.refusal(&mut ours, &[&kind, &record[5..5 + length]].concat()), fatal(BAD_RECORD_MAC));
        }
    }
}

#[test]
fn records_that_are_lost_repeated_or_out_of_order_are_bad() {
    for suite in ALL {
        for order in [&[1usize][..], &[0, 0], &[0, 2], &[1, 0]] {
            let (mut raw, mut ours) = Raw::client(suite);
            let records = [0, 1, 2].map(|number| raw.record(DATA, &[number; 30]));
            let bytes: Vec<u8> = order.iter().flat_map(|number| records[*number].clone()).collect();
            assert_eq!(raw.refusal(&mut ours, &bytes), fatal(BAD_RECORD_MAC), "{suite:?}, {order:?}");
        }
    }
}

#[test]
fn keys_change_both_ways_between_data() {
    for suite in &ALL[..3] {
        for (mut raw, mut ours) in Raw::both(*suite) {
            for round in 0..40u8 {
                let request = round % 2;
                ours.events = 0;
                ours.received.clear();
                // Data before, the message in the same call, data after: under three pairs of keys.
                ours.inbox = raw.record(DATA, b"before ");
                ours.inbox.extend(raw.record(HANDSHAKE, &key_update(request)));
                raw.renew_out();
                ours.inbox.extend(raw.record(DATA, b"after"));
                ours.read();
                assert_eq!((&ours.error, &ours.received[..]), (&None, &b"before after"[..]));
                assert_ne!(ours.events & event::KEY_UPDATE, 0);
                let sent = ours.send(&[round; 100]);
                let mut rest = &sent[..];
                if request == 1 {
                    let (update, others) = sent.split_at(5 + 5 + 1 + 16);
                    assert_eq!(raw.open_one(update), (HANDSHAKE, key_update(0).to_vec()));
                    raw.renew_into();
                    rest = others;
                }
                assert_eq!(raw.open(rest), [(DATA, vec![round; 100])]);
            }
        }
    }
}

#[test]
fn an_update_is_answered_once_and_also_without_data() {
    let (mut raw, mut ours) = Raw::client(TLS13);
    for _ in 0..3 {
        ours.inbox.extend(raw.record(HANDSHAKE, &key_update(1)));
        raw.renew_out();
    }
    ours.read();
    let progress = ours.session.wrap(&[], &mut [0; 26]).unwrap();
    assert_eq!((progress.outcome, progress.needed, progress.produced), (Outcome::NeedsOutput, 27, 0));
    let progress = ours.session.wrap(&[b"data"], &mut [0; 27 + 25]).unwrap();
    assert_eq!((progress.outcome, progress.needed, progress.produced), (Outcome::NeedsOutput, 27 + 26, 0));
    let answer = ours.flush();
    assert_eq!(raw.open(&answer), [(HANDSHAKE, key_update(0).to_vec())]);
    raw.renew_into();
    assert!(ours.flush().is_empty());
    assert_eq!(raw.open(&ours.send(b"data")), [(DATA, b"data".to_vec())]);
    // An answer that is owed does not keep close_notify back.
    ours.inbox.extend(raw.record(HANDSHAKE, &key_update(1)));
    ours.read();
    ours.session.close().unwrap();
    assert_eq!(raw.open(&ours.flush()), [(ALERT, vec![WARNING, 0])]);
}

#[test]
fn updates_that_are_none_are_refused() {
    let next_to_it = [key_update(0), key_update(0)].concat();
    for (message, alert) in [
        (&[24u8, 0, 0, 1, 2][..], ILLEGAL_PARAMETER),
        (&[24, 0, 0, 0], DECODE_ERROR),
        (&[24, 0, 0, 2, 0, 0], DECODE_ERROR),
        (&[24, 1, 0, 1, 0], DECODE_ERROR),
        (&next_to_it, UNEXPECTED_MESSAGE),
    ] {
        for (mut raw, mut ours) in Raw::both(TLS13) {
            let record = raw.record(HANDSHAKE, message);
            assert_eq!(raw.refusal(&mut ours, &record), fatal(alert), "{message:?}");
        }
    }
}

#[test]
fn messages_come_in_pieces_of_every_size() {
    for size in 1..=5 {
        for (mut raw, mut ours) in Raw::both(TLS13) {
            for piece in key_update(0).chunks(size) {
                let record = raw.record(HANDSHAKE, piece);
                // In bytes of their own besides.
                for byte in record {
                    ours.inbox.push(byte);
                    ours.read();
                }
            }
            assert_ne!(ours.events & event::KEY_UPDATE, 0, "{:?}", ours.error);
            raw.renew_out();
            ours.inbox = raw.record(DATA, b"data");
            ours.read();
            assert_eq!(ours.received, b"data");
        }
    }
    let message = ticket(40);
    for size in 1..=message.len() {
        let (mut raw, mut ours) = Raw::server(TLS13);
        for piece in message.chunks(size) {
            ours.inbox.extend(raw.record(HANDSHAKE, piece));
            ours.read();
        }
        assert_eq!((&ours.error, ours.info().tickets_received), (&None, 1), "pieces of {size}");
        assert_ne!(ours.events & event::TICKET_RECEIVED, 0);
        assert_eq!(ours.info().buffered, 0);
    }
    // Several in one record, the last in two.
    let (mut raw, mut ours) = Raw::server(TLS13);
    let all = [ticket(40), ticket(1), ticket(300)].concat();
    ours.inbox = [raw.record(HANDSHAKE, &all[..200]), raw.record(HANDSHAKE, &all[200..])].concat();
    ours.read();
    assert_eq!((&ours.error, ours.info().tickets_received), (&None, 3));
}

#[test]
fn a_message_in_pieces_has_nothing_in_between() {
    for (kind, data) in [(DATA, &b"data"[..]), (DATA, b""), (ALERT, &[WARNING, 0])] {
        for (mut raw, mut ours) in Raw::both(TLS13) {
            let records = [raw.record(HANDSHAKE, &[24, 0]), raw.record(kind, data)].concat();
            assert_eq!(raw.refusal(&mut ours, &records), fatal(UNEXPECTED_MESSAGE));
            assert!(ours.received.is_empty());
        }
    }
}

#[test]
fn messages_of_other_kinds_are_refused_by_their_headers() {
    for kind in (0..=255).filter(|kind| ![4, 24].contains(kind)) {
        let (mut raw, mut ours) = Raw::server(TLS13);
        let record = raw.record(HANDSHAKE, &[kind, 0, 0, 200]);
        assert_eq!(raw.refusal(&mut ours, &record), fatal(UNEXPECTED_MESSAGE), "{kind}");
    }
    let (mut raw, mut ours) = Raw::client(TLS13);
    let record = raw.record(HANDSHAKE, &ticket(40));
    assert_eq!(raw.refusal(&mut ours, &record), fatal(UNEXPECTED_MESSAGE), "a ticket for a server");
    for kind in [2, 4, 11, 20, 24] {
        for (mut raw, mut ours) in Raw::both(TLS12) {
            let record = raw.record(HANDSHAKE, &[kind, 0, 0, 200]);
            assert_eq!(raw.refusal(&mut ours, &record), fatal(UNEXPECTED_MESSAGE), "{kind}");
        }
    }
    for (mut raw, mut ours) in Raw::both(TLS13).into_iter().chain(Raw::both(TLS12)) {
        let record = raw.record(HANDSHAKE, b"");
        assert_eq!(raw.refusal(&mut ours, &record), fatal(UNEXPECTED_MESSAGE), "an empty piece");
    }
}

#[test]
fn tickets_that_are_none_are_refused() {
    let mut broken = ticket(40);
    broken.truncate(20);
    broken[3] = 16;
    for (message, alert) in [(&broken[..], DECODE_ERROR), (&[4, 0, 0, 0], DECODE_ERROR), (&[4, 1, 0, 0], DECODE_ERROR)]
    {
        let (mut raw, mut ours) = Raw::server(TLS13);
        let record = raw.record(HANDSHAKE, message);
        assert_eq!(raw.refusal(&mut ours, &record), fatal(alert), "{message:?}");
    }
}

#[test]
fn what_has_no_effect_is_taken_only_so_often() {
    for suite in [TLS13, TLS12] {
        let (mut raw, mut ours) = Raw::client(suite);
        for _ in 0..2 {
            for _ in 0..32 {
                ours.inbox.extend(raw.record(DATA, b""));
            }
            ours.inbox.extend(raw.record(DATA, b"data"));
            ours.read();
        }
        assert_eq!((&ours.error, &ours.received[..]), (&None, &b"datadata"[..]));
        let records: Vec<u8> = (0..33).flat_map(|_| raw.record(DATA, b"")).collect();
        assert_eq!(raw.refusal(&mut ours, &records), fatal(UNEXPECTED_MESSAGE));
    }
    let (mut raw, mut ours) = Raw::client(TLS13);
    for round in 0..33 {
        assert_eq!(ours.error, None, "round {round}");
        ours.inbox.extend(raw.record(HANDSHAKE, &key_update(0)));
        raw.renew_out();
        if round < 32 {
            ours.read();
        }
    }
    assert_eq!(raw.refusal(&mut ours, &[]), fatal(UNEXPECTED_MESSAGE));
    for (suite, warning) in [(TLS13, 90), (TLS12, 90), (TLS12, NO_RENEGOTIATION)] {
        let (mut raw, mut ours) = Raw::client(suite);
        for _ in 0..4 {
            ours.inbox.extend(raw.record(ALERT, &[WARNING, warning]));
            ours.inbox.extend(raw.record(DATA, b"x"));
        }
        ours.read();
        assert_eq!((&ours.error, &ours.received[..]), (&None, &b"xxxx"[..]));
        let record = raw.record(ALERT, &[WARNING, warning]);
        assert_eq!(raw.refusal(&mut ours, &record), fatal(UNEXPECTED_MESSAGE));
    }
}

#[test]
fn alerts_end_or_close_the_session() {
    for (mut raw, mut ours) in Raw::both(TLS13).into_iter().chain(Raw::both(TLS12)) {
        let record = raw.record(ALERT, &[FATAL, 80]);
        ours.inbox = record;
        ours.read();
        assert_eq!(ours.error.as_ref().map(|error| error.status), Some(FERRONET_ERR_TLS_ALERT));
        assert_eq!((ours.session.progress().alert, ours.flush().len()), (Some(80), 0), "no answer");
        assert_eq!(ours.session.state(), State::Failed);
    }
    for (suite, message, alert, status) in [
        (TLS13, &[WARNING, 42][..], DECODE_ERROR, FERRONET_ERR_TLS_ALERT),
        (TLS13, &[3, 42], ILLEGAL_PARAMETER, FERRONET_ERR_TLS_ALERT),
        (TLS12, &[0, 0], ILLEGAL_PARAMETER, FERRONET_ERR_TLS_ALERT),
        (TLS13, &[FATAL], DECODE_ERROR, FERRONET_ERR_TLS_PROTOCOL),
        (TLS12, &[], DECODE_ERROR, FERRONET_ERR_TLS_PROTOCOL),
        (TLS12, &[WARNING, 0, WARNING, 0], DECODE_ERROR, FERRONET_ERR_TLS_PROTOCOL),
    ] {
        let (mut raw, mut ours) = Raw::client(suite);
        let record = raw.record(ALERT, message);
        assert_eq!(raw.refusal(&mut ours, &record), (vec![FATAL, alert], status), "{message:?}");
    }
    for (mut raw, mut ours) in Raw::both(TLS13).into_iter().chain(Raw::both(TLS12)) {
        let late = raw.record(DATA, b"the last data");
        ours.inbox = [late, raw.record(ALERT, &[WARNING, 0])].concat();
        ours.read();
        assert_eq!((&ours.error, &ours.received[..]), (&None, &b"the last data"[..]));
        assert_ne!(ours.events & event::CLOSE_NOTIFY_RECEIVED, 0);
        ours.session.end_input().unwrap();
        assert_eq!(raw.open(&ours.send(b"an answer")), [(DATA, b"an answer".to_vec())]);
        ours.session.close().unwrap();
        assert_eq!(raw.open(&ours.flush()), [(ALERT, vec![WARNING, 0])]);
        assert_eq!(ours.session.wrap(&[b"more"], &mut [0; 100]).unwrap().produced, 0);
    }
}

#[test]
fn renegotiation_is_declined_once() {
    let hello = [&[1, 0, 1, 0][..], &[5; 256]].concat();
    for (is_client, message) in [(false, &[0, 0, 0, 0][..]), (true, &hello)] {
        for size in [1, 3, 100, 1000] {
            let (mut raw, mut ours) = if is_client { Raw::client(TLS12) } else { Raw::server(TLS12) };
            for piece in message.chunks(size) {
                ours.inbox.extend(raw.record(HANDSHAKE, piece));
            }
            ours.inbox.extend(raw.record(DATA, b"data"));
            ours.read();
            assert_eq!((&ours.error, &ours.received[..]), (&None, &b"data"[..]), "pieces of {size}");
            assert_eq!(ours.session.state(), State::NeedWrap);
            assert_eq!(raw.open(&ours.flush()), [(ALERT, vec![WARNING, NO_RENEGOTIATION])]);
            assert_eq!(ours.info().buffered, 0);
            let again = raw.record(HANDSHAKE, message);
            let expected = (vec![FATAL, HANDSHAKE_FAILURE], FERRONET_ERR_TLS_UNSUPPORTED);
            assert_eq!(raw.refusal(&mut ours, &again), expected);
        }
    }
}

#[test]
fn an_alert_that_is_not_fetched_waits() {
    let (mut raw, mut ours) = Raw::client(TLS13);
    let mut record = raw.record(DATA, b"data");
    record[7] ^= 1;
    ours.inbox = record;
    ours.read();
    assert_eq!(ours.session.state(), State::NeedWrap);
    let mut alert = Vec::new();
    while ours.session.state() == State::NeedWrap {
        let mut byte = [0];
        ours.session.wrap(&[b"no data any more"], &mut byte).unwrap();
        alert.extend(byte);
    }
    assert_eq!(raw.open(&alert), [(ALERT, vec![FATAL, BAD_RECORD_MAC])]);
    assert!(ours.session.wrap(&[], &mut [0; 100]).is_err());
}

#[test]
fn random_messages_under_the_keys_never_do_harm() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % most) as usize
    };
    let mut ended = 0;
    for round in 0..200 {
        let suite = if round % 2 == 0 { TLS13 } else { TLS12 };
        let (mut raw, mut ours) = if round % 4 < 2 { Raw::client(suite) } else { Raw::server(suite) };
        for _ in 0..40 {
            let kind = [HANDSHAKE, HANDSHAKE, ALERT, DATA, 20, 0][random(6)];
            let mut data: Vec<u8> = (0..random(60)).map(|_| random(256) as u8).collect();
            // More often than by chance the beginning of something that is known.
            match random(4) {
                0 => data = ticket(random(3000) as u16)[..9 + random(20)].to_vec(),
                1 => data = vec![[0, 1, 4, 24][random(4)], 0, random(2) as u8, random(256) as u8],
                2 => data.truncate(2),
                _ => {}
            }
            let padding = random(30);
            ours.inbox.extend(raw.padded(kind, &data, padding));
            ours.read();
            let _ = ours.session.wrap(&[b"data"], &mut [0; 200]);
            assert!(ours.info().buffered <= 70_000, "{}", ours.info().buffered);
        }
        ended += u32::from(ours.error.is_some());
    }
    assert!(ended > 150, "{ended}");
}
