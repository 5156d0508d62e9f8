//! What keys may encrypt, with limits that a test can reach.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use super::cipher::Cipher;
use super::config::{Config, CredentialConfig, SessionConfig, Side, Trust};
use super::context::Context;
use super::credential::Credential;
use super::info::{Outcome, State, event};
use super::regions::Input;
use super::session::Session;
use crate::abi::status::{FERRONET_ERR_TLS_EXHAUSTED, FERRONET_ERR_TLS_PROTOCOL};

const CHAIN: &[u8] = include_bytes!("../../tests/tls/fixtures/ecdsa256.pem");
const KEY: &[u8] = include_bytes!("../../tests/tls/fixtures/ecdsa256.key.pem");

/// A client and a server after their handshake.
fn connected(version: u32, suites: &str) -> [Session; 2] {
    let credential =
        Credential::new(CredentialConfig { chain: CHAIN.to_vec(), key: KEY.to_vec(), ..CredentialConfig::default() });
    let server = Config { credentials: vec![credential.unwrap()], ..Config::new(Side::Server) };
    let client = Config {
        trust: Trust::InsecureNone,
        max_version: version,
        suites: suites.to_owned(),
        ..Config::new(Side::Client)
    };
    let context = |config| -> Arc<Context> { Context::new(config).unwrap() };
    let name = SessionConfig { server_name: Some("localhost".into()), ..SessionConfig::default() };
    let mut ends = [
        Session::new(&context(client), name).unwrap(),
        Session::new(&context(server), SessionConfig::default()).unwrap(),
    ];
    for turn in 0..6 {
        let (from, to) = (turn % 2, 1 - turn % 2);
        let bytes = sent(&mut ends[from], b"");
        let (_, events) = received(&mut ends[to], &bytes);
        assert_eq!(events & event::KEY_UPDATE, 0);
    }
    assert!(ends.iter().all(|end| end.state() == State::Open));
    ends
}

fn sent(from: &mut Session, data: &[u8]) -> Vec<u8> {
    let mut output = vec![0; 40_000 + data.len() * 2];
    let progress = from.wrap(&[data], &mut output).unwrap();
    assert_eq!(progress.consumed, data.len());
    output.truncate(progress.produced);
    output
}

fn received(to: &mut Session, bytes: &[u8]) -> (Vec<u8>, u32) {
    let mut output = vec![0; 40_000 + bytes.len()];
    let (mut place, mut produced, mut events) = (0, 0, 0);
    while place < bytes.len() {
        let progress = to.unwrap(Input::Keep(&[&bytes[place..]]), &mut [&mut output[produced..]]).unwrap();
        assert!(progress.consumed > 0);
        (place, produced, events) = (place + progress.consumed, produced + progress.produced, events | progress.events);
    }
    output.truncate(produced);
    (output, events)
}

fn out(session: &mut Session) -> (&mut Cipher, &mut u64) {
    let (out, limit, _) = session.layer.as_mut().unwrap().ciphers();
    (out, limit)
}

#[test]
fn keys_change_before_they_have_encrypted_what_they_may() {
    for suite in ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"] {
        let [mut client, mut server] = connected(0x0304, suite);
        let (cipher, limit) = out(&mut client);
        assert_eq!(cipher.number(), 0);
        // Three records, of which the last is the KeyUpdate.
        *limit = 3;
        let mut updates = 0;
        for round in 0..10u8 {
            let bytes = sent(&mut client, &[round; 10]);
            let (data, events) = received(&mut server, &bytes);
            assert_eq!(data, [round; 10]);
            updates += u32::from(events & event::KEY_UPDATE != 0);
            assert!(out(&mut client).0.number() <= 2, "round {round}");
            // It asks for new keys of the peer's too.
            let bytes = sent(&mut server, b"back");
            assert_eq!(bytes.len(), 26 + if events & event::KEY_UPDATE != 0 { 27 } else { 0 });
            assert_eq!(received(&mut client, &bytes).0, b"back");
        }
        assert_eq!(updates, 4, "{suite}");
        // Also within one call.
        let data = vec![3; 10 * 16_384];
        let bytes = sent(&mut client, &data);
        let (plain, events) = received(&mut server, &bytes);
        assert!(plain == data && events & event::KEY_UPDATE != 0);
    }
}

#[test]
fn a_peer_without_data_may_answer_every_request_for_new_keys() {
    let [mut client, mut server] = connected(0x0304, "TLS_AES_128_GCM_SHA256");
    *out(&mut client).1 = 3;
    let mut answers = 0;
    for round in 0..200u8 {
        let bytes = sent(&mut client, &[round; 10]);
        assert_eq!(received(&mut server, &bytes).0, [round; 10]);
        let bytes = sent(&mut server, b"");
        let (data, events) = received(&mut client, &bytes);
        assert_eq!(data, b"");
        answers += u32::from(events & event::KEY_UPDATE != 0);
    }
    assert_eq!(answers, 99);
}

#[test]
fn a_connection_of_tls_1_2_closes_before_its_keys_are_worn() {
    for suite in ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"] {
        let [mut client, mut server] = connected(0x0303, suite);
        let (cipher, limit) = out(&mut client);
        *limit = cipher.number() + 3;
        let data = vec![1; 3 * 16_384];
        let mut output = vec![0; 60_000];
        let progress = client.wrap(&[&data], &mut output).unwrap();
        assert_eq!((progress.outcome, progress.consumed), (Outcome::Ok, 2 * 16_384));
        assert!(received(&mut server, &output[..progress.produced]).0 == data[..2 * 16_384]);
        let error = client.wrap(&[b"more"], &mut output).unwrap_err();
        assert_eq!(error.status, FERRONET_ERR_TLS_EXHAUSTED, "{error}");
        assert_eq!(client.state(), State::NeedWrap);
        let progress = client.wrap(&[b"more"], &mut output).unwrap();
        assert_eq!((progress.consumed, progress.state), (0, State::Failed));
        let (data, events) = received(&mut server, &output[..progress.produced]);
        assert_eq!((data.len(), events & event::CLOSE_NOTIFY_RECEIVED), (0, event::CLOSE_NOTIFY_RECEIVED));
        assert_eq!(client.wrap(&[b"more"], &mut output).unwrap_err().status, FERRONET_ERR_TLS_EXHAUSTED);
    }
}

#[test]
fn no_number_serves_twice() {
    for (version, suite) in
        [(0x0303, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"), (0x0304, "TLS_CHACHA20_POLY1305_SHA256")]
    {
        let [mut client, mut server] = connected(version, suite);
        let (cipher, limit) = out(&mut client);
        assert_eq!(*limit, u64::MAX);
        cipher.set_number(u64::MAX - 2);
        server.layer.as_mut().unwrap().ciphers().2.set_number(u64::MAX - 2);
        let bytes = sent(&mut client, b"the last data");
        assert_eq!(received(&mut server, &bytes).0, b"the last data");
        let mut output = [0; 100];
        if version == 0x0303 {
            assert_eq!(client.wrap(&[b"more"], &mut output).unwrap_err().status, FERRONET_ERR_TLS_EXHAUSTED);
            let bytes = sent(&mut client, b"");
            assert_ne!(received(&mut server, &bytes).1 & event::CLOSE_NOTIFY_RECEIVED, 0);
        } else {
            let bytes = sent(&mut client, b"with new keys");
            assert_eq!(received(&mut server, &bytes).0, b"with new keys");
            assert_eq!(out(&mut client).0.number(), 1);
        }

        // A record without a number of its own is neither made nor taken.
        let [mut client, mut server] = connected(version, suite);
        out(&mut client).0.set_number(u64::MAX);
        let mut record = [7; 100];
        assert!(!out(&mut client).0.seal(super::record::DATA, Some(&[1; 78]), &mut record));
        assert_eq!(record, [7; 100]);
        client.close().unwrap();
        assert_eq!(client.wrap(&[], &mut output).unwrap().produced, 0);
        out(&mut client).0.set_number(u64::MAX - 5);
        let overhead = client.layer.as_ref().unwrap().overhead();
        assert!(out(&mut client).0.seal(super::record::DATA, Some(&[1; 10]), &mut record[..10 + overhead]));
        server.layer.as_mut().unwrap().ciphers().2.set_number(u64::MAX);
        let error = server.unwrap(Input::Keep(&[&record[..10 + overhead]]), &mut [&mut output]).unwrap_err();
        assert_eq!(error.status, FERRONET_ERR_TLS_PROTOCOL, "{error}");
    }
}

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// One direction: what is sent, what is underway, and what has arrived.
#[derive(Default)]
struct Way {
    plain: Vec<u8>,
    wire: Vec<u8>,
    sent: usize,
    arrived: usize,
}

impl Way {
    fn send(&mut self, from: &mut Session, numbers: &mut Numbers) {
        for _ in 0..numbers.below(300) {
            self.plain.push(self.plain.len() as u8 ^ (self.plain.len() >> 8) as u8);
        }
        // A record of it, which has to fit the output.
        let end = self.plain.len().min(self.sent + numbers.below(300));
        let (left, right) = self.plain[self.sent..end].split_at(numbers.below(end - self.sent + 1));
        let mut output = vec![0; numbers.below(700)];
        let progress = from.wrap(&[left, &[], right], &mut output).unwrap();
        self.sent += progress.consumed;
        self.wire.extend_from_slice(&output[..progress.produced]);
    }

    /// Whether keys have changed.
    fn receive(&mut self, to: &mut Session, numbers: &mut Numbers) -> bool {
        let end = numbers.below(self.wire.len() + 1);
        let mut output = vec![0; numbers.below(400)];
        let progress = match numbers.below(3) {
            0 => {
                let (left, right) = self.wire[..end].split_at(numbers.below(end + 1));
                let middle = numbers.below(5).min(output.len());
                let (first, second) = output.split_at_mut(middle);
                to.unwrap(Input::Keep(&[left, right]), &mut [first, second]).unwrap()
            }
            1 => {
                let mut copy = self.wire[..end].to_vec();
                to.unwrap(Input::Overwrite(&mut [&mut copy]), &mut [&mut output]).unwrap()
            }
            _ => {
                let mut region = self.wire[..end].to_vec();
                let progress = to.unwrap_in_place(&mut region).unwrap();
                output = region;
                progress
            }
        };
        self.wire.drain(..progress.consumed);
        let expected = &self.plain[self.arrived..self.arrived + progress.produced];
        assert!(output[..progress.produced] == *expected);
        self.arrived += progress.produced;
        progress.events & event::KEY_UPDATE != 0
    }
}

#[test]
fn both_ends_change_their_keys_at_any_time_in_whatever_pieces_bytes_come() {
    for seed in 0..30 {
        let mut numbers = Numbers(seed);
        let mut ends = connected(0x0304, "TLS_AES_256_GCM_SHA384");
        let mut ways = [Way::default(), Way::default()];
        let mut updates = 0;
        for _ in 0..2_000 {
            let (from, way) = (numbers.below(2), numbers.below(2));
            *out(&mut ends[from]).1 = 2 + numbers.below(6) as u64;
            if way == 0 {
                ways[from].send(&mut ends[from], &mut numbers);
            } else {
                updates += u32::from(ways[1 - from].receive(&mut ends[from], &mut numbers));
            }
        }
        assert!(updates > 100 && ways.iter().all(|way| way.arrived > 10_000), "seed {seed}, {updates}");
    }
}
