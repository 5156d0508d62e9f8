//! Against plain rustls, with its own buffered connections.

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use ferronet::tls::{Config, Context, SessionConfig};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::support::*;

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

fn client_config(version: &'static rustls::SupportedProtocolVersion) -> Arc<rustls::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&pem("root")).unwrap()).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

fn server_config(version: &'static rustls::SupportedProtocolVersion) -> Arc<rustls::ServerConfig> {
    let chain = vec![CertificateDer::from_pem_slice(&pem("ecdsa256")).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(&pem("ecdsa256.key")).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    Arc::new(config)
}

fn a_client(config: Arc<rustls::ClientConfig>) -> rustls::Connection {
    rustls::ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap().into()
}

fn rustls_client(version: &'static rustls::SupportedProtocolVersion) -> rustls::Connection {
    a_client(client_config(version))
}

fn rustls_server(version: &'static rustls::SupportedProtocolVersion) -> rustls::Connection {
    rustls::ServerConnection::new(server_config(version)).unwrap().into()
}

fn deliver(bytes: &[u8], theirs: &mut rustls::Connection, received: &mut Vec<u8>) {
    let mut cursor = Cursor::new(bytes);
    while (cursor.position() as usize) < bytes.len() {
        theirs.read_tls(&mut cursor).unwrap();
        theirs.process_new_packets().unwrap();
        let mut part = [0; 20_000];
        while let Ok(count @ 1..) = theirs.reader().read(&mut part) {
            received.extend_from_slice(&part[..count]);
        }
    }
}

fn settle(ours: &mut End, theirs: &mut rustls::Connection, received: &mut Vec<u8>) {
    for _ in 0..20 {
        deliver(&ours.flush(), theirs, received);
        while theirs.wants_write() {
            theirs.write_tls(&mut ours.inbox).unwrap();
        }
        ours.read();
        assert_eq!(ours.error, None);
    }
}

fn exchange(ours: &mut End, theirs: &mut rustls::Connection) {
    let mut received = Vec::new();
    settle(ours, theirs, &mut received);
    assert!(ours.done() && !theirs.is_handshaking());

    let data = varied(50_000);
    deliver(&ours.send(&data), theirs, &mut received);
    assert!(received == data);
    theirs.writer().write_all(&data).unwrap();
    settle(ours, theirs, &mut received);
    assert!(ours.received == data);

    let label = b"EXPORTER-ferronet-test";
    for context in [None, Some(&b"context"[..])] {
        let (mut one, mut other) = ([0u8; 40], [0u8; 40]);
        ours.session.export(label, context, &mut one).unwrap();
        match theirs {
            rustls::Connection::Client(theirs) => theirs.export_keying_material(&mut other, label, context).unwrap(),
            rustls::Connection::Server(theirs) => theirs.export_keying_material(&mut other, label, context).unwrap(),
        };
        assert_eq!(one, other, "{context:?}");
    }
}

#[test]
fn a_client_of_ours() {
    for version in rustls::ALL_VERSIONS {
        let context = Context::new(client()).unwrap();
        exchange(&mut End::new(&context, localhost()), &mut rustls_server(version));
    }
}

#[test]
fn a_server_of_ours() {
    for version in rustls::ALL_VERSIONS {
        let context = Context::new(server("ecdsa256")).unwrap();
        exchange(&mut End::new(&context, SessionConfig::default()), &mut rustls_client(version));
    }
}

#[test]
fn keys_that_the_peer_updates() {
    let server = Context::new(server("ecdsa256")).unwrap();
    let client = Context::new(client()).unwrap();
    let version = &rustls::version::TLS13;
    for (mut ours, mut theirs) in [
        (End::new(&server, SessionConfig::default()), rustls_client(version)),
        (End::new(&client, localhost()), rustls_server(version)),
    ] {
        exchange(&mut ours, &mut theirs);
        for round in 0..40 {
            ours.received.clear();
            ours.events = 0;
            theirs.writer().write_all(b"before and ").unwrap();
            match &mut theirs {
                rustls::Connection::Client(theirs) => theirs.refresh_traffic_keys().unwrap(),
                rustls::Connection::Server(theirs) => theirs.refresh_traffic_keys().unwrap(),
            }
            theirs.writer().write_all(b"after the update").unwrap();
            let mut received = Vec::new();
            // What crosses the update on its way is still under the old keys.
            deliver(&ours.send(b"crossing, "), &mut theirs, &mut received);
            settle(&mut ours, &mut theirs, &mut received);
            assert_eq!(ours.received, b"before and after the update", "round {round}");
            assert_ne!(ours.events & ferronet::tls::event::KEY_UPDATE, 0, "round {round}");
            deliver(&ours.send(b"and with new keys of ours"), &mut theirs, &mut received);
            assert_eq!(received, b"crossing, and with new keys of ours");
        }
    }
}

#[test]
fn sessions_are_resumed_with_rustls_on_the_other_side() {
    for version in rustls::ALL_VERSIONS {
        let (theirs, ours) = (client_config(version), Context::new(server("ecdsa256")).unwrap());
        for resumed in [false, true, true] {
            let mut end = End::new(&ours, SessionConfig::default());
            exchange(&mut end, &mut a_client(Arc::clone(&theirs)));
            assert_eq!(end.info().resumed, resumed, "{version:?}");
        }
        let (theirs, ours) = (server_config(version), Context::new(client()).unwrap());
        for resumed in [false, true, true] {
            let mut end = End::new(&ours, localhost());
            exchange(&mut end, &mut rustls::ServerConnection::new(Arc::clone(&theirs)).unwrap().into());
            assert_eq!(end.info().resumed, resumed, "{version:?}");
        }
    }
}

#[test]
fn compressed_certificates_are_read_and_sent() {
    for compress_certificates in [false, true] {
        let server = Config { compress_certificates, ..server("rsa2048") };
        let client = Config { compress_certificates, ..client() };
        let mut pair = Pair::new(client, server);
        let hello = pair.client.flush();
        let offers = hello.windows(7).any(|window| window == [0, 27, 0, 3, 2, 0, 1]);
        assert_eq!(offers, compress_certificates, "compress_certificate with zlib in the ClientHello");
        pair.server.inbox = hello;
        let mut pair = pair.connect();
        pair.talk(b"data");
    }
}

#[test]
fn a_client_keeps_no_ticket_that_it_did_not_ask_for() {
    for no_tickets in [false, true] {
        let context = Context::new(Config { no_tickets, ..client() }).unwrap();
        let mut ours = End::new(&context, localhost());
        // This one does not know how to be asked for none (RFC 9149).
        exchange(&mut ours, &mut rustls_server(&rustls::version::TLS13));
        assert_eq!(ours.info().tickets_received, 2);
        assert_eq!(context.info().cache_entries, if no_tickets { 0 } else { 2 });
    }
}
