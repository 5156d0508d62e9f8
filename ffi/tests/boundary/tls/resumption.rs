//! Sessions that go on: tickets, ids, early data, and none of it.

use std::io::{Cursor, Write};
use std::sync::Arc;

use ferronet::boundary::tls::*;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::ends::*;
use super::*;

const VERSIONS: [u32; 2] = [FERRONET_TLS_VERSION_1_2, FERRONET_TLS_VERSION_1_3];

fn resumed(client: &Owned, server: &Owned) -> bool {
    let pair = Pair::connected(client, server, "server.test");
    assert_eq!(pair.client.info().resumed, pair.server.info().resumed);
    pair.client.info().resumed == 1
}

/// A server that keeps no session itself.
fn ticketing(keys: &[u8]) -> Owned {
    let config =
        ferronet_tls_config { flags: FERRONET_TLS_NO_SESSION_CACHE, ticket_keys: region(keys), ..server_config() };
    context(config, &[&credential(SERVER)])
}

#[test]
fn tickets_with_keys_of_the_caller_serve_every_context_that_has_them() {
    for max_version in VERSIONS {
        let client = context(ferronet_tls_config { max_version, ..client_config() }, &[]);
        let (one, two, other) = (ticketing(&[1; 48]), ticketing(&[[2; 48], [1; 48]].concat()), ticketing(&[3; 48]));
        assert!(!resumed(&client, &one));
        assert!(resumed(&client, &one), "0x{max_version:04x}");
        assert!(resumed(&client, &two), "another context with the key, 0x{max_version:04x}");
        assert_eq!((counts(&two).tickets_resumed, counts(&two).tickets_renewed), (1, 1));
        assert!(!resumed(&client, &other), "another key, 0x{max_version:04x}");
        assert!(counts(&other).tickets_failed > 0);
        // Random keys are of one context.
        let (random, another) = (ticketing(&[]), ticketing(&[]));
        let client = context(ferronet_tls_config { max_version, ..client_config() }, &[]);
        assert_eq!([&random, &random, &another].map(|server| resumed(&client, server)), [false, true, false]);
    }
}

#[test]
fn replaced_ticket_keys_end_the_tickets_of_the_old_ones() {
    let (client, server) = (context(client_config(), &[]), ticketing(&[1; 48]));
    // SAFETY: the keys live through the call.
    let replace = |keys: &[u8]| unsafe {
        ferronet_tls_context_set_ticket_keys(server.0.cast(), keys.as_ptr().cast(), keys.len() as u64)
    };
    assert_eq!([0, 1].map(|_| resumed(&client, &server)), [false, true]);
    assert_eq!(replace(&[[5; 48], [1; 48]].concat()), 0);
    assert!(resumed(&client, &server), "the old key still opens");
    assert_eq!(replace(&[9; 48]), 0);
    assert!(!resumed(&client, &server));
    for length in [0, 47, 49] {
        assert_eq!(name(replace(&vec![1; length]).into()), "FERRONET_ERR_INVALID_ARGUMENT", "{length} bytes");
    }
    assert!(resumed(&client, &server), "what was refused has changed nothing");
    let (status, text) =
        new_context(ferronet_tls_config { ticket_keys: region(&[0; 47]), ..server_config() }, &[&credential(SERVER)])
            .err()
            .unwrap();
    assert!(status == "FERRONET_ERR_INVALID_ARGUMENT" && text.contains("47 bytes"), "{text}");
}

#[test]
fn as_many_tickets_are_sent_as_the_configuration_says() {
    for (ticket_count, flags, sent) in
        [(0, 0, 2), (1, 0, 1), (7, 0, 7), (7, FERRONET_TLS_NO_TICKETS | FERRONET_TLS_NO_SESSION_CACHE, 0)]
    {
        let config = ferronet_tls_config { ticket_count, flags, ..server_config() };
        let server = context(config, &[&credential(SERVER)]);
        let pair = Pair::connected(&context(client_config(), &[]), &server, "server.test");
        assert_eq!(pair.client.info().tickets_received, sent, "ticket_count {ticket_count}, flags {flags}");
    }
    let many = ferronet_tls_config { ticket_count: 101, ..server_config() };
    assert_eq!(new_context(many, &[&credential(SERVER)]).err().unwrap().0, "FERRONET_ERR_INVALID_ARGUMENT");
}

#[test]
fn no_resumption_holds_on_either_side() {
    for max_version in VERSIONS {
        for (of_client, of_server) in [(FERRONET_TLS_NO_RESUMPTION, 0), (0, FERRONET_TLS_NO_RESUMPTION)] {
            let client = context(ferronet_tls_config { max_version, flags: of_client, ..client_config() }, &[]);
            let server = context(ferronet_tls_config { flags: of_server, ..server_config() }, &[&credential(SERVER)]);
            assert_eq!([0, 1].map(|_| resumed(&client, &server)), [false; 2]);
            let (ours, theirs) = (counts(&client), counts(&server));
            assert_eq!((ours.cache_entries, theirs.tickets_issued), (0, 0), "0x{max_version:04x}");
        }
    }
    for config in [
        ferronet_tls_config { flags: FERRONET_TLS_NO_RESUMPTION | FERRONET_TLS_EARLY_DATA, ..server_config() },
        ferronet_tls_config { flags: FERRONET_TLS_NO_RESUMPTION, ticket_keys: region(&[0; 48]), ..server_config() },
    ] {
        let (status, text) = new_context(config, &[&credential(SERVER)]).err().unwrap();
        assert_eq!(status, "FERRONET_ERR_INVALID_ARGUMENT");
        assert!(text.contains("NO_RESUMPTION"), "{text}");
    }
}

/// Connects plain rustls, which sends early data as a client, twice: what the server took of it the second time.
fn early(server: &Owned, data: &[u8]) -> (bool, Vec<u8>) {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(AUTHORITY).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.enable_early_data = true;
    let config = Arc::new(config);
    let mut taken = (false, Vec::new());
    for _ in 0..2 {
        let mut theirs = rustls::ClientConnection::new(Arc::clone(&config), "server.test".try_into().unwrap()).unwrap();
        let mut ours = End::new(server, &session_config());
        if let Some(mut early) = theirs.early_data() {
            let sent = early.write(data).unwrap();
            assert!(sent <= data.len());
        }
        taken.1.clear();
        for _ in 0..4 {
            let mut sent = Vec::new();
            while theirs.wants_write() {
                theirs.write_tls(&mut sent).unwrap();
            }
            taken.1.extend(ours.take(&sent));
            let mut answer = Cursor::new(ours.give());
            while (answer.position() as usize) < answer.get_ref().len() {
                theirs.read_tls(&mut answer).unwrap();
                theirs.process_new_packets().unwrap();
            }
        }
        assert_eq!((&ours.refused, ours.info().state), (&None, FERRONET_TLS_STATE_OPEN));
        taken.0 = theirs.is_early_data_accepted();
        assert_eq!(ours.info().bytes_in, taken.1.len() as u64);
    }
    taken
}

#[test]
fn early_data_is_taken_where_it_is_allowed_and_no_more_than_allowed() {
    let server = |flags, max_early_data| {
        context(ferronet_tls_config { flags, max_early_data, ..server_config() }, &[&credential(SERVER)])
    };
    assert_eq!(early(&server(0, 0), b"early"), (false, Vec::new()), "it is off by default");
    assert_eq!(early(&server(FERRONET_TLS_EARLY_DATA, 0), b"early"), (true, b"early".to_vec()));
    assert_eq!(
        early(&server(FERRONET_TLS_EARLY_DATA, 3), b"early"),
        (true, b"ear".to_vec()),
        "the ticket says how much"
    );
    let long: Vec<u8> = (0..20_000u32).map(|index| index as u8).collect();
    assert_eq!(early(&server(FERRONET_TLS_EARLY_DATA, 0), &long), (true, long[..16_384].to_vec()), "the default");
    let contradiction = FERRONET_TLS_EARLY_DATA | FERRONET_TLS_NO_SESSION_CACHE;
    let config = ferronet_tls_config { flags: contradiction, ..server_config() };
    let (status, text) = new_context(config, &[&credential(SERVER)]).err().unwrap();
    assert!(status == "FERRONET_ERR_INVALID_ARGUMENT" && text.contains("replay"), "{text}");
}

#[test]
fn a_replayed_first_flight_gives_no_early_data_again() {
    // The session is taken out of the cache by the connection that resumes it (RFC 8446, 8.1).
    let config = ferronet_tls_config { flags: FERRONET_TLS_EARLY_DATA, ticket_count: 1, ..server_config() };
    let server = context(config, &[&credential(SERVER)]);
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(AUTHORITY).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.enable_early_data = true;
    let config = Arc::new(config);
    let connect = || rustls::ClientConnection::new(Arc::clone(&config), "server.test".try_into().unwrap()).unwrap();
    let mut first = connect();
    let mut ours = End::new(&server, &session_config());
    for _ in 0..4 {
        let mut sent = Vec::new();
        while first.wants_write() {
            first.write_tls(&mut sent).unwrap();
        }
        ours.take(&sent);
        let mut answer = Cursor::new(ours.give());
        while (answer.position() as usize) < answer.get_ref().len() {
            first.read_tls(&mut answer).unwrap();
            first.process_new_packets().unwrap();
        }
    }
    let mut second = connect();
    second.early_data().expect("a ticket for early data").write_all(b"pay once").unwrap();
    let mut flight = Vec::new();
    while second.wants_write() {
        second.write_tls(&mut flight).unwrap();
    }
    let taken: Vec<_> = (0..3)
        .map(|_| {
            let mut end = End::new(&server, &session_config());
            end.take(&flight)
        })
        .collect();
    assert_eq!(taken, [&b"pay once"[..], b"", b""]);
}
