//! Who is believed: servers, clients, revocation, names, dates, sizes, stapled responses.

use ferronet::abi::status::*;
use ferronet::tls::{ClientAuth, Config, Context, Credential, CrlPolicy, SessionConfig, Trust, What};

use crate::support::*;

fn client_error(client: Config, server: Config) -> ferronet::Error {
    Pair::new(client, server).refuse().0.unwrap()
}

#[test]
fn a_server_that_is_not_to_be_believed_is_refused() {
    for version in [0x0303, 0x0304] {
        let client = || Config { max_version: version, ..client() };
        for (name, words) in [("unknown", "trusted"), ("expired", "expired"), ("other", "name"), ("client", "")] {
            let error = client_error(client(), server(name));
            assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{name}: {error}");
            assert!(error.text.contains(words), "{name}: {error}");
        }
    }
}

#[test]
fn the_platform_does_not_know_the_tests_root() {
    let platform = Config { trust: Trust::Platform, roots: Vec::new(), ..client() };
    let error = client_error(platform, server("ecdsa256"));
    assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{error}");
}

#[test]
fn without_the_host_check_the_chain_still_counts() {
    let unchecked =
        |name: &str| SessionConfig { server_name: Some(name.into()), no_host_check: true, ..SessionConfig::default() };
    let client = Context::new(client()).unwrap();
    for (credential, good) in [("other", true), ("unknown", false), ("expired", false)] {
        let server = Context::new(server(credential)).unwrap();
        let mut pair = Pair {
            client: End::new(&client, unchecked("localhost")),
            server: End::new(&server, SessionConfig::default()),
        };
        pair.settle();
        assert_eq!(pair.client.done(), good, "{credential}: {:?}", pair.client.error);
    }
    let nameless = SessionConfig { no_host_check: true, ..SessionConfig::default() };
    let server = Context::new(server("ecdsa256")).unwrap();
    Pair { client: End::new(&client, nameless), server: End::new(&server, SessionConfig::default()) }.connect();
}

#[test]
fn nobody_is_asked_only_by_name() {
    let reckless = Config { trust: Trust::InsecureNone, roots: Vec::new(), ..client() };
    for name in ["unknown", "expired", "other"] {
        connect(reckless.clone(), server(name));
    }
}

#[test]
fn revoked_certificates_are_refused() {
    let with_list = |crl_policy| Config { crls: pem("revoked.crl"), crl_policy, ..client() };
    connect(client(), server("revoked"));
    connect(with_list(CrlPolicy::default()), server("ecdsa256"));
    for crl_policy in [
        CrlPolicy::default(),
        CrlPolicy { end_entity_only: true, ..CrlPolicy::default() },
        CrlPolicy { allow_unknown: true, enforce_expiry: true, ..CrlPolicy::default() },
    ] {
        let error = client_error(with_list(crl_policy), server("revoked"));
        assert!(error.text.contains("revoked"), "{error}");
    }
}

fn asking(client_auth: ClientAuth) -> Config {
    Config { client_auth, trust: Trust::Roots, roots: pem("root"), ..server("ecdsa256") }
}

fn showing(name: &str) -> Config {
    Config { credentials: vec![credential(name)], ..client() }
}

#[test]
fn clients_show_who_they_are() {
    for version in [0x0303, 0x0304] {
        for auth in [ClientAuth::Optional, ClientAuth::Required] {
            let mut pair = connect(Config { max_version: version, ..showing("client") }, asking(auth));
            assert_eq!((pair.server.info().peer_certificates, pair.client.info().local_certificates), (1, 1));
            assert_eq!(
                pair.server.session.bytes(What::PeerCertificate, 0),
                pair.client.session.bytes(What::LocalCertificate, 0)
            );
            assert_eq!(pair.client.info().issuers, 1);
            assert!(pair.client.session.bytes(What::Issuer, 0).unwrap().ends_with(b"Ferronet test root"));
            assert!(!pair.client.session.bytes(What::PeerSchemes, 0).unwrap().is_empty());
            pair.talk(b"data");
        }
    }
}

#[test]
fn a_client_without_a_certificate_is_taken_or_refused() {
    for version in [0x0303, 0x0304] {
        let client = || Config { max_version: version, ..client() };
        let pair = connect(client(), asking(ClientAuth::Optional));
        assert_eq!(pair.server.info().peer_certificates, 0);
        let (client_error, server_error) = Pair::new(client(), asking(ClientAuth::Required)).refuse();
        assert_eq!(server_error.unwrap().status, FERRONET_ERR_TLS_NO_CERTIFICATE);
        let client_error = client_error.unwrap();
        assert_eq!(client_error.status, FERRONET_ERR_TLS_ALERT, "{client_error}");
        connect(showing("client"), Config { max_version: version, ..server("ecdsa256") });
    }
}

#[test]
fn a_client_that_is_not_to_be_believed_is_refused() {
    for auth in [ClientAuth::Optional, ClientAuth::Required] {
        let (client_error, server_error) = Pair::new(showing("unknown"), asking(auth)).refuse();
        let server_error = server_error.unwrap();
        assert_eq!(server_error.status, FERRONET_ERR_TLS_CERTIFICATE, "{server_error}");
        assert!(server_error.text.contains("client's certificate"), "{server_error}");
        assert!(client_error.unwrap().text.contains("unknown_ca"));
    }
}

#[test]
fn a_session_asks_although_its_context_does_not() {
    let client = Context::new(showing("client")).unwrap();
    let server = Context::new(asking(ClientAuth::None)).unwrap();
    for (client_auth, certificates) in [(None, 0), (Some(ClientAuth::Required), 1)] {
        let config = SessionConfig { client_auth, ..SessionConfig::default() };
        let pair = Pair { client: End::new(&client, localhost()), server: End::new(&server, config) }.connect();
        assert_eq!(pair.server.info().peer_certificates, certificates);
    }
}

#[test]
fn a_chain_above_the_bound_is_refused() {
    let error = client_error(Config { max_certificate_bytes: 100, ..client() }, server("ecdsa256"));
    assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE);
    assert!(error.text.contains("max_certificate_bytes is 100"), "{error}");
}

#[test]
fn a_chain_of_many_certificates_goes_through() {
    for version in [0x0303, 0x0304] {
        let mut config = credential_config("ecdsa256");
        while config.chain.len() < 60_000 {
            config.chain.extend(pem("root"));
        }
        let certificates = config.chain.windows(17).filter(|window| window == b"BEGIN CERTIFICATE").count();
        let server = Config { credentials: vec![Credential::new(config).unwrap()], ..server("ecdsa256") };
        let pair = connect(Config { max_version: version, ..client() }, server);
        assert_eq!(pair.client.info().peer_certificates as usize, certificates);
    }
}

#[test]
fn a_stapled_response_reaches_the_client() {
    let mut config = credential_config("ecdsa256");
    config.ocsp_response = b"first response".to_vec();
    let server =
        Context::new(Config { credentials: vec![Credential::new(config).unwrap()], ..server("ecdsa256") }).unwrap();
    let client = Context::new(Config { no_session_cache: true, ..client() }).unwrap();
    let stapled = || {
        let pair = Pair::of(&client, &server).connect();
        pair.client.session.bytes(What::OcspResponse, 0).map(<[u8]>::to_vec)
    };
    assert_eq!(stapled().as_deref(), Some(&b"first response"[..]));
    server.set_ocsp_response(0, b"second response").unwrap();
    assert_eq!(stapled().as_deref(), Some(&b"second response"[..]));
    server.set_ocsp_response(0, b"").unwrap();
    assert_eq!(stapled(), None);
}
