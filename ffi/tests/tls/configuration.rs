//! What is refused before a handshake, and what it says.

use std::sync::Arc;

use ferronet::abi::status::*;
use ferronet::tls::{
    ClientAuth, Config, Context, Credential, CredentialConfig, CrlPolicy, Names, Session, SessionConfig, Side, Trust,
    names,
};

use crate::prose::assert_prose;
use crate::support::*;

fn refused(config: Config, status: i32, words: &str) {
    let error = Context::new(config).unwrap_err();
    assert_eq!(error.status, status, "{error}");
    assert!(error.text.contains(words), "{error}: expected {words:?}");
    assert_prose(&error.text);
}

#[test]
fn contradictions_name_their_field() {
    const INVALID: i32 = FERRONET_ERR_INVALID_ARGUMENT;
    refused(Config::new(Side::Server), INVALID, "credential");
    refused(Config::new(Side::Client), INVALID, "trust");
    refused(Config { trust: Trust::Roots, ..Config::new(Side::Client) }, INVALID, "roots");
    refused(Config { trust: Trust::Unset, ..client() }, INVALID, "trust");
    refused(Config { trust: Trust::Callback, ..Config::new(Side::Client) }, INVALID, "verify");
    refused(Config { client_auth: ClientAuth::Required, ..client() }, INVALID, "client_auth");
    refused(Config { client_auth: ClientAuth::Optional, ..server("ecdsa256") }, INVALID, "trust");
    refused(Config { trust: Trust::Platform, ..server("ecdsa256") }, INVALID, "platform");
    refused(Config { min_version: 0x0304, max_version: 0x0303, ..client() }, INVALID, "min_version");
    refused(Config { max_version: 0x0305, ..client() }, INVALID, "0x0305");
    refused(Config { min_version: 0x0301, ..client() }, FERRONET_ERR_TLS_UNSUPPORTED, "TLS 1.2");
    refused(Config { suites: "TLS_AES_128_GCM_SHA256".into(), max_version: 0x0303, ..client() }, INVALID, "suites");
    refused(Config { suites: "ECDHE-RSA-AES128-SHA".into(), ..client() }, FERRONET_ERR_TLS_UNSUPPORTED, "CBC");
    refused(Config { groups: "secp521r1".into(), ..client() }, FERRONET_ERR_TLS_UNSUPPORTED, "secp521r1");
    refused(Config { alpn: b"\x03h2".to_vec(), ..client() }, INVALID, "alpn");
    refused(Config { alpn: b"\x00".to_vec(), ..client() }, INVALID, "alpn");
    refused(Config { session_timeout_s: 604_801, ..client() }, INVALID, "session_timeout_s");
    refused(Config { max_certificate_bytes: 65_536, ..client() }, INVALID, "max_certificate_bytes");
    refused(Config { ticket_count: 101, ..server("ecdsa256") }, INVALID, "ticket_count");
    refused(Config { ticket_keys: vec![0; 47], ..server("ecdsa256") }, INVALID, "ticket_keys");
    refused(Config { ticket_keys: vec![0; 48], ..client() }, INVALID, "ticket_keys");
    refused(Config { roots: b"no certificate".to_vec(), ..client() }, FERRONET_ERR_TLS_KEY, "roots");
    refused(Config { roots: pem("root.key"), ..client() }, FERRONET_ERR_TLS_KEY, "roots");
    refused(Config { roots: vec![0x30, 3, 2, 1, 1], ..client() }, FERRONET_ERR_TLS_KEY, "root certificate 1 of 1");
    refused(Config { crls: pem("root"), ..client() }, FERRONET_ERR_TLS_KEY, "crls");
    refused(Config { early_data: true, no_session_cache: true, ..server("ecdsa256") }, INVALID, "early data");
    refused(Config { early_data: true, no_resumption: true, ..server("ecdsa256") }, INVALID, "NO_RESUMPTION");
    refused(Config { early_data: true, no_resumption: true, ..client() }, INVALID, "NO_RESUMPTION");
    refused(Config { ticket_keys: vec![0; 48], no_resumption: true, ..server("ecdsa256") }, INVALID, "NO_RESUMPTION");
    let crl_policy = CrlPolicy { enforce_expiry: true, ..CrlPolicy::default() };
    let server = Config { trust: Trust::Roots, roots: pem("root"), crl_policy, ..server("ecdsa256") };
    refused(server, INVALID, "crl_policy");
    let missing = Some("/nonexistent/directory/keys.log".into());
    refused(Config { key_log_path: missing, ..client() }, -libc::ENOENT, "/nonexistent");
}

fn refused_credential(config: CredentialConfig, words: &str) {
    let error = Credential::new(config).unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_TLS_KEY, "{error}");
    assert!(error.text.contains(words), "{error}: expected {words:?}");
    assert_prose(&error.text);
}

#[test]
fn credentials_say_what_is_wrong() {
    let good = credential_config("ecdsa256");
    refused_credential(CredentialConfig { key: Vec::new(), ..good.clone() }, "neither a key nor a signer");
    refused_credential(CredentialConfig { key: pem("encrypted.key"), ..good.clone() }, "no password");
    let password = b"wrong".to_vec();
    refused_credential(CredentialConfig { key: pem("encrypted.key"), password, ..good.clone() }, "cannot be decrypted");
    let old = b"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n".to_vec();
    refused_credential(CredentialConfig { key: old, ..good.clone() }, "old format");
    refused_credential(CredentialConfig { key: pem("other.key"), ..good.clone() }, "not that of the first certificate");
    refused_credential(CredentialConfig { key: b"nonsense".to_vec(), ..good.clone() }, "neither PEM nor DER");
    refused_credential(CredentialConfig { key: pem("ecdsa256"), ..good.clone() }, "cannot be used");
    refused_credential(CredentialConfig { chain: Vec::new(), ..good.clone() }, "no certificate");
    refused_credential(CredentialConfig { chain: b"nonsense".to_vec(), ..good }, "neither PEM nor DER");
}

fn der(pem: &[u8]) -> Vec<u8> {
    use rustls::pki_types::pem::{PemObject, SectionKind};
    <(SectionKind, Vec<u8>)>::pem_slice_iter(pem).map(|section| section.unwrap().1).last().unwrap()
}

#[test]
fn every_form_of_a_key_is_read() {
    for (chain, key) in [
        (pem("ecdsa256"), pem("sec1.key")),
        (pem("rsa2048"), pem("pkcs1.key")),
        (pem("rsa2048"), der(&pem("pkcs1.key"))),
        (pem("ecdsa256"), der(&pem("ecdsa256.key"))),
        (der(&pem("ecdsa256")), der(&pem("sec1.key"))),
        ([der(&pem("ed25519")), der(&pem("root"))].concat(), pem("ed25519.key")),
    ] {
        let credential = Credential::new(CredentialConfig { chain, key, ..CredentialConfig::default() }).unwrap();
        let roots = der(&pem("root"));
        connect(Config { roots, ..client() }, Config { credentials: vec![credential], ..Config::new(Side::Server) });
    }
}

#[test]
fn a_key_is_read_with_its_password() {
    let section = |text: Vec<u8>| {
        let text = String::from_utf8(text).unwrap();
        let body: String = text.lines().filter(|line| !line.starts_with('-')).collect();
        let certificate = format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n");
        der(certificate.as_bytes())
    };
    for key in [pem("encrypted.key"), section(pem("encrypted.key"))] {
        let config = CredentialConfig { key, password: b"secret".to_vec(), ..credential_config("ecdsa256") };
        let credentials = vec![Credential::new(config).unwrap()];
        connect(client(), Config { credentials, ..Config::new(Side::Server) });
    }
}

#[test]
fn sessions_say_what_is_wrong() {
    let context = Context::new(client()).unwrap();
    for (config, words) in [
        (SessionConfig::default(), "server_name"),
        (SessionConfig { server_name: Some("no name".into()), ..SessionConfig::default() }, "no name"),
        (SessionConfig { min_version: 0x0302, ..localhost() }, "TLS 1.2"),
        (SessionConfig { alpn: Some(vec![9]), ..localhost() }, "alpn"),
        (SessionConfig { suites: Some("RC4".into()), ..localhost() }, "RC4"),
    ] {
        let error = Session::new(&context, config).unwrap_err();
        assert!(error.text.contains(words), "{error}");
        assert_prose(&error.text);
    }
    let context = Context::new(server("ecdsa256")).unwrap();
    let config = SessionConfig { client_auth: Some(ClientAuth::Required), ..SessionConfig::default() };
    assert!(Session::new(&context, config).unwrap_err().text.contains("trust"));
    let error = context.set_ocsp_response(1, b"x").unwrap_err();
    assert!(error.text.contains("1 credentials"), "{error}");
}

#[test]
fn names_are_told() {
    assert!(names(Names::Suites).starts_with("TLS_AES_128_GCM_SHA256=TLS_AES_128_GCM_SHA256,"));
    assert!(names(Names::Suites).contains("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256=ECDHE-RSA-AES128-GCM-SHA256"));
    assert_eq!(names(Names::Groups), "X25519,secp256r1,secp384r1,X25519MLKEM768,SecP256r1MLKEM768");
    assert!(names(Names::Schemes).contains("rsa_pss_rsae_sha256"));
    assert_eq!(names(Names::Versions), "TLSv1.2,TLSv1.3");
}

#[test]
fn contexts_and_sessions_go_between_threads() {
    fn sent<T: Send>() {}
    fn shared<T: Sync>() {}
    sent::<Session>();
    sent::<Arc<Context>>();
    shared::<Context>();
    shared::<Credential>();
}
