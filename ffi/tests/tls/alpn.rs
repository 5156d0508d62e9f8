//! Application protocols, and names.

use ferronet::abi::status::{FERRONET_ERR_TLS_ALERT, FERRONET_ERR_TLS_NO_COMMON};
use ferronet::tls::{AlpnPolicy, Config, Context, SessionConfig, What};

use crate::support::*;

const H2_HTTP1: &[u8] = b"\x02h2\x08http/1.1";

fn chosen(pair: &Pair) -> (Option<&[u8]>, Option<&[u8]>) {
    (pair.client.session.bytes(What::Alpn, 0), pair.server.session.bytes(What::Alpn, 0))
}

#[test]
fn the_server_prefers() {
    let client = Config { alpn: b"\x08http/1.1\x02h2".to_vec(), ..client() };
    let pair = connect(client, Config { alpn: H2_HTTP1.to_vec(), ..server("ecdsa256") });
    assert_eq!(chosen(&pair), (Some(&b"h2"[..]), Some(&b"h2"[..])));
}

#[test]
fn a_side_without_protocols_chooses_none() {
    for (ours, theirs) in [(H2_HTTP1, &b""[..]), (b"", H2_HTTP1)] {
        let client = Config { alpn: ours.to_vec(), ..client() };
        let pair = connect(client, Config { alpn: theirs.to_vec(), ..server("ecdsa256") });
        assert_eq!(chosen(&pair), (None, None));
    }
}

#[test]
fn nothing_in_common_ends_the_handshake_or_goes_on() {
    for version in [0x0303, 0x0304] {
        let client = Config { alpn: b"\x02h3".to_vec(), max_version: version, ..client() };
        let server = Config { alpn: H2_HTTP1.to_vec(), ..server("ecdsa256") };
        let (client_error, server_error) = Pair::new(client.clone(), server.clone()).refuse();
        assert_eq!(server_error.unwrap().status, FERRONET_ERR_TLS_NO_COMMON);
        let client_error = client_error.unwrap();
        assert_eq!(client_error.status, FERRONET_ERR_TLS_ALERT);
        assert!(client_error.text.contains("no_application_protocol"), "{client_error}");

        let lenient = Config { alpn_policy: AlpnPolicy::Accept, ..server };
        assert_eq!(chosen(&connect(client.clone(), lenient.clone())), (None, None));
        let both = Config { alpn: [b"\x02h3", H2_HTTP1].concat(), ..client };
        assert_eq!(chosen(&connect(both, lenient)).0, Some(&b"h2"[..]));
    }
}

#[test]
fn a_session_has_protocols_of_its_own() {
    let client = Context::new(client()).unwrap();
    let server = Context::new(Config { alpn: H2_HTTP1.to_vec(), ..server("ecdsa256") }).unwrap();
    let own = SessionConfig { alpn: Some(b"\x08http/1.1".to_vec()), ..localhost() };
    let pair = Pair { client: End::new(&client, own), server: End::new(&server, SessionConfig::default()) };
    assert_eq!(chosen(&pair.connect()).1, Some(&b"http/1.1"[..]));
}

#[test]
fn the_server_sees_the_name_unless_it_is_kept_back() {
    let client = Context::new(client()).unwrap();
    let server = Context::new(server("ecdsa256")).unwrap();
    for (config, seen) in [
        (localhost(), Some(&b"localhost"[..])),
        (SessionConfig { no_sni: true, ..localhost() }, None),
        (SessionConfig { server_name: Some("127.0.0.1".into()), ..SessionConfig::default() }, None),
        (SessionConfig { server_name: Some("[::1]".into()), no_host_check: true, ..SessionConfig::default() }, None),
        (SessionConfig { server_name: Some("LOCALHOST.".into()), ..SessionConfig::default() }, Some(b"LOCALHOST")),
    ] {
        let pair = Pair { client: End::new(&client, config), server: End::new(&server, SessionConfig::default()) };
        let pair = pair.connect();
        let name = pair.server.session.bytes(What::ServerName, 0);
        assert_eq!(name.map(<[u8]>::to_ascii_lowercase), seen.map(<[u8]>::to_ascii_lowercase));
    }
}

/// The first certificate that the client got.
fn shown(client: &std::sync::Arc<Context>, server: &std::sync::Arc<Context>, name: &str) -> Vec<u8> {
    let config = SessionConfig { server_name: Some(name.into()), no_host_check: true, ..SessionConfig::default() };
    let pair = Pair { client: End::new(client, config), server: End::new(server, SessionConfig::default()) };
    pair.connect().client.session.bytes(What::PeerCertificate, 0).unwrap().to_vec()
}

#[test]
fn the_credential_is_chosen_by_name() {
    let client = Context::new(Config { no_session_cache: true, ..client() }).unwrap();
    let credentials = vec![credential("ecdsa256"), credential("other")];
    let by_certificate = Context::new(Config { credentials, ..server("ecdsa256") }).unwrap();
    let mut named = credential_config("other");
    named.names = "*.named.test,exact.test".into();
    let credentials = vec![credential("ecdsa256"), ferronet::tls::Credential::new(named).unwrap()];
    let by_list = Context::new(Config { credentials, ..server("ecdsa256") }).unwrap();
    let default = shown(&client, &by_certificate, "nobody.test");
    let other = shown(&client, &by_certificate, "other.test");
    assert_ne!(default, other);
    assert_eq!(shown(&client, &by_certificate, "localhost"), default);
    assert_eq!(shown(&client, &by_certificate, "deep.example.test"), default);
    for (name, expected) in [
        ("exact.test", &other),
        ("EXACT.test", &other),
        ("a.named.test", &other),
        ("a.b.named.test", &default),
        ("named.test", &default),
        ("other.test", &default),
    ] {
        assert_eq!(shown(&client, &by_list, name) == *other, expected == &other, "{name}");
    }
}

#[test]
fn the_credential_fits_the_clients_signatures() {
    let credentials = vec![credential("rsa2048"), credential("ecdsa256")];
    let server = Config { credentials, ..server("rsa2048") };
    let ecdsa_only = Config { suites: "ECDHE-ECDSA-AES128-GCM-SHA256".into(), ..client() };
    let pair = connect(ecdsa_only, server.clone());
    let one = pair.client.session.bytes(What::PeerCertificate, 0).unwrap().to_vec();
    let rsa_only = Config { suites: "ECDHE-RSA-AES128-GCM-SHA256".into(), ..client() };
    let pair = connect(rsa_only, server);
    assert_ne!(pair.client.session.bytes(What::PeerCertificate, 0).unwrap(), one);
}
