//! Sessions that go on where others ended.

use std::io::{Cursor, Write};
use std::sync::Arc;

use ferronet::tls::{ClientAuth, Config, Context, Input, Outcome, SessionConfig, Trust, What, event};

use crate::support::*;

const VERSIONS: [u32; 2] = [0x0303, 0x0304];

/// Connects twice, and says whether each was resumed.
fn twice(client: &Arc<Context>, server: &Arc<Context>) -> [bool; 2] {
    [0, 1].map(|_| {
        let mut pair = Pair::of(client, server).connect();
        pair.talk(b"data");
        assert_eq!(pair.client.info().resumed, pair.server.info().resumed);
        pair.client.info().resumed
    })
}

fn contexts(version: u32, server: Config) -> (Arc<Context>, Arc<Context>) {
    (Context::new(Config { max_version: version, ..client() }).unwrap(), Context::new(server).unwrap())
}

#[test]
fn the_second_connection_is_resumed() {
    for version in VERSIONS {
        for (no_tickets, no_session_cache, resumed) in
            [(false, false, true), (true, false, true), (false, true, true), (true, true, false)]
        {
            let server = Config { no_tickets, no_session_cache, ..server("ecdsa256") };
            let (client, server) = contexts(version, server);
            let what = format!("0x{version:04x}, tickets {}, cache {}", !no_tickets, !no_session_cache);
            assert_eq!(twice(&client, &server), [false, resumed], "{what}");
            let (ours, theirs) = (client.info(), server.info());
            assert_eq!(theirs.handshakes_resumed, u64::from(resumed), "{what}");
            assert_eq!((theirs.handshakes_started, theirs.handshakes_done), (2, 2));
            assert_eq!(theirs.tickets_issued > 0, !no_tickets, "{what}: {theirs:?}");
            assert_eq!(theirs.tickets_resumed, u64::from(resumed && !no_tickets), "{what}");
            assert_eq!(ours.cache_hits, u64::from(resumed), "{what}: {ours:?}");
            assert_eq!(ours.cache_entries > 0, resumed);
        }
    }
}

#[test]
fn a_resumed_session_knows_its_peer_and_its_protocol() {
    for version in VERSIONS {
        let server = Config {
            client_auth: ClientAuth::Required,
            trust: Trust::Roots,
            roots: pem("root"),
            alpn: b"\x02h2".to_vec(),
            ..server("ecdsa256")
        };
        let client = Config {
            credentials: vec![credential("client")],
            alpn: b"\x02h2".to_vec(),
            max_version: version,
            ..client()
        };
        let (client, server) = (Context::new(client).unwrap(), Context::new(server).unwrap());
        for resumed in [false, true] {
            let mut pair = Pair::of(&client, &server).connect();
            assert_eq!(pair.server.info().resumed, resumed);
            assert_eq!((pair.server.info().peer_certificates, pair.client.info().peer_certificates), (1, 1));
            assert_eq!(pair.client.session.bytes(What::Alpn, 0), Some(&b"h2"[..]));
            assert!(!pair.server.session.bytes(What::SessionId, 0).unwrap().is_empty());
            assert_eq!(pair.server.session.bytes(What::SessionId, 0), pair.client.session.bytes(What::SessionId, 0));
            pair.talk(b"data");
        }
    }
}

#[test]
fn a_client_without_a_cache_never_resumes() {
    for version in VERSIONS {
        let client = Context::new(Config { no_session_cache: true, max_version: version, ..client() }).unwrap();
        let server = Context::new(server("ecdsa256")).unwrap();
        assert_eq!(twice(&client, &server), [false, false]);
    }
}

/// Where a ServerHello in a record has the length of its session id.
const SESSION_ID_LENGTH: usize = 5 + 4 + 2 + 32;

#[test]
fn a_server_without_resumption_gives_neither_tickets_nor_ids() {
    for version in VERSIONS {
        let (client, server) = contexts(version, Config { no_resumption: true, ..server("ecdsa256") });
        for _ in 0..2 {
            let mut pair = Pair::of(&client, &server);
            pair.server.inbox = pair.client.flush();
            pair.server.read();
            pair.client.inbox = pair.server.flush();
            // TLS 1.3 gives back what the client sent, which means nothing (RFC 8446, 4.1.3).
            assert_eq!(pair.client.inbox[SESSION_ID_LENGTH] == 0, version == 0x0303, "0x{version:04x}");
            let mut pair = pair.connect();
            pair.talk(b"data");
            assert!(!pair.client.info().resumed && !pair.server.info().resumed);
            assert_eq!(pair.client.info().tickets_received, 0);
            assert_eq!(pair.client.events & event::TICKET_RECEIVED, 0);
        }
        let (ours, theirs) = (client.info(), server.info());
        assert_eq!((ours.cache_entries, theirs.cache_entries, theirs.tickets_issued), (0, 0, 0), "0x{version:04x}");
    }
}

#[test]
fn a_client_without_resumption_asks_for_nothing_and_keeps_nothing() {
    for version in VERSIONS {
        for no_session_cache in [false, true] {
            let client = Config { no_resumption: true, max_version: version, ..client() };
            let client = Context::new(client).unwrap();
            let server = Context::new(Config { no_session_cache, ..server("ecdsa256") }).unwrap();
            assert_eq!(twice(&client, &server), [false, false]);
            let (ours, theirs) = (client.info(), server.info());
            assert_eq!((ours.cache_entries, theirs.tickets_issued), (0, 0), "0x{version:04x}");
        }
    }
}

#[test]
fn a_client_without_tickets_resumes_by_id_alone() {
    for version in VERSIONS {
        let client = Context::new(Config { no_tickets: true, max_version: version, ..client() }).unwrap();
        let server = Context::new(server("ecdsa256")).unwrap();
        assert_eq!(twice(&client, &server), [false, version == 0x0303], "TLS 1.3 has only tickets");
        assert_eq!(server.info().tickets_issued, 0, "0x{version:04x}");
    }
}

#[test]
fn tickets_are_of_one_context_unless_their_keys_are_shared() {
    for version in VERSIONS {
        for (ticket_keys, resumed) in [(Vec::new(), false), (vec![3; 48], true)] {
            let config = Config { ticket_keys, no_session_cache: true, ..server("ecdsa256") };
            let (client, first) = contexts(version, config.clone());
            let second = Context::new(config).unwrap();
            Pair::of(&client, &first).connect().talk(b"data");
            assert_eq!(Pair::of(&client, &second).connect().client.info().resumed, resumed, "0x{version:04x}");
        }
    }
}

#[test]
fn replaced_ticket_keys_end_old_tickets_and_kept_ones_do_not() {
    let config = Config { ticket_keys: vec![1; 48], no_session_cache: true, ..server("ecdsa256") };
    let (client, server) = contexts(0x0304, config);
    let connect = || {
        let mut pair = Pair::of(&client, &server).connect();
        pair.talk(b"data");
        pair.client.info().resumed
    };
    assert!(!connect());
    server.set_ticket_keys(&[vec![2; 48], vec![1; 48]].concat()).unwrap();
    assert!(connect(), "the old key still opens");
    assert_eq!(server.info().tickets_renewed, 1);
    server.set_ticket_keys(&[9; 48]).unwrap();
    assert!(!connect());
    assert!(server.info().tickets_failed > 0);
    assert!(client_context_error(&client).contains("issues no tickets"));
}

fn client_context_error(client: &Context) -> String {
    client.set_ticket_keys(&[0; 48]).unwrap_err().text
}

#[test]
fn two_tickets_serve_two_connections() {
    let (client, server) = contexts(0x0304, server("ecdsa256"));
    let mut first = Pair::of(&client, &server).connect();
    first.talk(b"data");
    assert_eq!(first.client.info().tickets_received, 2);
    assert_ne!(first.client.events & event::TICKET_RECEIVED, 0);
    let pairs = [0, 1, 2].map(|_| Pair::of(&client, &server));
    // Each takes its ticket when it begins.
    let mut resumed = Vec::new();
    let mut begun: Vec<Pair> = Vec::new();
    for mut pair in pairs {
        pair.server.inbox = pair.client.flush();
        begun.push(pair);
    }
    for pair in begun {
        resumed.push(pair.connect().client.info().resumed);
    }
    assert_eq!(resumed, [true, true, false]);
}

#[test]
fn the_number_of_tickets_is_configured() {
    for ticket_count in [1, 5] {
        let (client, server) = contexts(0x0304, Config { ticket_count, ..server("ecdsa256") });
        let mut pair = Pair::of(&client, &server).connect();
        pair.talk(b"data");
        assert_eq!(pair.client.info().tickets_received, ticket_count);
    }
}

#[test]
fn sessions_are_kept_by_key_name_and_check() {
    let (client, server) = contexts(0x0304, server("ecdsa256"));
    let resumed = |config: SessionConfig| {
        let pair = Pair { client: End::new(&client, config), server: End::new(&server, SessionConfig::default()) };
        let mut pair = pair.connect();
        pair.talk(b"data");
        pair.client.info().resumed
    };
    let keyed = |key: &str| SessionConfig { session_key: Some(key.into()), ..localhost() };
    assert!(!resumed(keyed("localhost:1")));
    assert!(resumed(keyed("localhost:1")));
    assert!(!resumed(keyed("localhost:2")), "another key");
    assert!(!resumed(localhost()), "the name is another key");
    let unchecked = SessionConfig { no_host_check: true, ..keyed("localhost:3") };
    assert!(!resumed(unchecked.clone()));
    assert!(!resumed(keyed("localhost:3")), "what was not checked serves nobody who checks");
    assert!(resumed(unchecked));
    assert!(client.remove_session(b"localhost:1") && !client.remove_session(b"localhost:1"));
    assert!(!resumed(keyed("localhost:1")));
    client.clear_sessions();
    assert_eq!(client.info().cache_entries, 0);
    assert!(!resumed(keyed("localhost:2")));
}

#[test]
fn a_server_forgets_what_it_is_told_to() {
    for version in VERSIONS {
        let (client, server) = contexts(version, Config { no_tickets: true, ..server("ecdsa256") });
        assert_eq!(twice(&client, &server), [false, true]);
        server.clear_sessions();
        assert_eq!(server.info().cache_entries, 0);
        assert!(!Pair::of(&client, &server).connect().server.info().resumed);
    }
}

#[test]
fn a_full_cache_drops_the_oldest() {
    let config = Config { no_tickets: true, session_cache_size: 2, ticket_count: 1, ..server("ecdsa256") };
    let (client, server) = contexts(0x0304, config);
    for _ in 0..3 {
        let other = Context::new(self::client()).unwrap();
        Pair::of(&other, &server).connect().talk(b"data");
    }
    assert_eq!((server.info().cache_entries, server.info().cache_full), (2, 1));
    drop(client);
}

/// Plain rustls as a client that sends early data when it may: ours sends none.
fn early_client() -> Arc<rustls::ClientConfig> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&pem("root")).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.enable_early_data = true;
    Arc::new(config)
}

/// A connection whose first flight has early data, if there is a session to resume.
fn begin_early(config: &Arc<rustls::ClientConfig>) -> rustls::ClientConnection {
    let mut client = rustls::ClientConnection::new(Arc::clone(config), "localhost".try_into().unwrap()).unwrap();
    if let Some(mut early) = client.early_data() {
        early.write_all(b"early").unwrap();
    }
    client
}

/// Moves bytes both ways until the handshake is over.
fn finish_early(theirs: &mut rustls::ClientConnection, ours: &mut End) {
    for _ in 0..4 {
        while theirs.wants_write() {
            theirs.write_tls(&mut ours.inbox).unwrap();
        }
        ours.read();
        let mut cursor = Cursor::new(ours.flush());
        while (cursor.position() as usize) < cursor.get_ref().len() {
            theirs.read_tls(&mut cursor).unwrap();
            theirs.process_new_packets().unwrap();
        }
    }
    assert!(ours.done(), "{:?}", ours.error);
}

#[test]
fn early_data_reaches_a_server_that_takes_it() {
    let server = Context::new(Config { early_data: true, ..server("ecdsa256") }).unwrap();
    let config = early_client();
    for round in 0..2 {
        let mut theirs = begin_early(&config);
        let mut ours = End::new(&server, SessionConfig::default());
        finish_early(&mut theirs, &mut ours);
        assert_eq!(
            (theirs.is_early_data_accepted(), &ours.received[..]),
            (round == 1, if round == 1 { &b"early"[..] } else { b"" })
        );
    }
}

#[test]
fn early_data_of_a_task_finds_no_room_in_place_and_is_fetched_with_outputs() {
    let server = Context::new(Config { early_data: true, tasks: true, ..server("ecdsa256") }).unwrap();
    let config = early_client();
    finish_early(&mut begin_early(&config), &mut End::new(&server, SessionConfig::default()));
    let mut theirs = begin_early(&config);
    let mut ours = End::new(&server, SessionConfig::default());
    while theirs.wants_write() {
        theirs.write_tls(&mut ours.inbox).unwrap();
    }
    let mut waiting = Outcome::Ok;
    while waiting != Outcome::NeedsOutput {
        let mut inbox = std::mem::take(&mut ours.inbox);
        let progress = ours.session.unwrap_in_place(&mut inbox).unwrap();
        assert_eq!(progress.produced, 0);
        assert!(progress.consumed > 0 || progress.outcome == Outcome::NeedsOutput, "{progress:?}");
        ours.inbox = inbox.split_off(progress.consumed);
        waiting = progress.outcome;
        if waiting == Outcome::NeedsOutput {
            assert_eq!(progress.needed, 5);
        } else {
            ours.session.task().unwrap();
        }
    }
    let mut output = [0; 5];
    let progress = ours.session.unwrap(Input::Keep(&[]), &mut [&mut output]).unwrap();
    assert_eq!((progress.produced, &output), (5, b"early"));
    finish_early(&mut theirs, &mut ours);
    assert!(theirs.is_early_data_accepted() && ours.received.is_empty());
}

#[test]
fn a_client_sends_no_early_data_and_does_not_offer_any() {
    let server = Context::new(Config { early_data: true, ..server("ecdsa256") }).unwrap();
    let client = Context::new(Config { early_data: true, ..client() }).unwrap();
    assert_eq!(twice(&client, &server), [false, true]);
    let mut hello = vec![0; 4_096];
    let mut session = ferronet::tls::Session::new(&client, localhost()).unwrap();
    let sent = session.wrap(&[b"too early"], &mut hello).unwrap();
    assert_eq!(sent.consumed, 0);
    // The extension early_data (RFC 8446, 4.2.10), without content; and pre_shared_key (41) as proof that there is a session to offer it for.
    let has = |extension: &[u8]| hello[..sent.produced].windows(extension.len()).any(|window| window == extension);
    assert!(has(&[0, 41]) && !has(&[0, 42, 0, 0]));
}
