//! Certificates of X.509 version 1, and what is checked of a certificate that the application judges.

use std::io::Cursor;
use std::sync::Arc;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use ferronet::abi::status::*;
use ferronet::tls::{
    ClientAuth, Config, Context, Credential, CredentialConfig, Side, Signer, Trust, Verdict, Verification, Verifier,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::support::*;

const KEYS: [&str; 3] = ["version1_ecdsa", "version1_rsa", "version1_ed25519"];
const VERSIONS: [u32; 2] = [0x0303, 0x0304];

#[derive(Debug)]
struct Anyone;

impl Verifier for Anyone {
    fn verify(&self, question: &Verification<'_>) -> Verdict {
        assert_eq!(question.certificates.len(), 1);
        Verdict::Accept
    }
}

fn judged(config: Config, trust: Trust) -> Config {
    let verifier = (trust == Trust::Callback).then(|| Arc::new(Anyone) as _);
    Config { trust, verifier, roots: Vec::new(), ..config }
}

/// Signs with another key than the certificate's.
struct Forger(EcdsaKeyPair);

impl Signer for Forger {
    fn sign(&self, _user: u64, _scheme: u16, message: &[u8]) -> Result<Vec<u8>, String> {
        let random = aws_lc_rs::rand::SystemRandom::new();
        Ok(self.0.sign(&random, message).unwrap().as_ref().to_vec())
    }
}

/// A credential that shows a certificate of version 1 and signs with the key of that name.
fn signed_by(name: &str) -> Credential {
    let key = PrivatePkcs8KeyDer::from_pem_slice(&pem(&format!("{name}.key"))).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.secret_pkcs8_der()).unwrap();
    let signer: Arc<dyn Signer> = Arc::new(Forger(key));
    let config = CredentialConfig { chain: pem("version1_ecdsa"), signer: Some(signer), ..CredentialConfig::default() };
    Credential::new(config).unwrap()
}

#[test]
fn are_taken_where_the_application_judges() {
    for trust in [Trust::Callback, Trust::InsecureNone] {
        for max_version in VERSIONS {
            for name in KEYS {
                let server = Config { client_auth: ClientAuth::Required, ..judged(server(name), trust) };
                let client = Config { credentials: vec![credential(name)], max_version, ..judged(client(), trust) };
                let mut pair = connect(client, server);
                pair.talk(b"data");
                assert_eq!((pair.client.info().peer_certificates, pair.server.info().peer_certificates), (1, 1));
            }
        }
    }
}

#[test]
fn are_refused_where_roots_judge() {
    for max_version in VERSIONS {
        let (error, _) = Pair::new(Config { max_version, ..client() }, server("version1_ecdsa")).refuse();
        let error = error.unwrap();
        assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{error}");
        assert!(error.text.contains("unsupported certificate version"), "{error}");
    }
}

#[test]
fn do_not_vouch_for_a_signature_of_another_key() {
    for trust in [Trust::Callback, Trust::InsecureNone] {
        for max_version in VERSIONS {
            for (signer, good) in [("version1_ecdsa", true), ("ecdsa256", false)] {
                let of_server = Config { credentials: vec![signed_by(signer)], ..Config::new(Side::Server) };
                let mut pair = Pair::new(Config { max_version, ..judged(client(), trust) }, of_server);
                pair.settle();
                assert_eq!(pair.client.done(), good, "client: {:?}", pair.client.error);
                if !good {
                    refused_signature(&pair.client);
                }

                let of_client = Config { credentials: vec![signed_by(signer)], max_version, ..client() };
                let server = Config { client_auth: ClientAuth::Required, ..judged(server("ecdsa256"), trust) };
                let mut pair = Pair::new(of_client, server);
                pair.settle();
                assert_eq!(pair.server.done(), good, "server: {:?}", pair.server.error);
                if !good {
                    refused_signature(&pair.server);
                }
            }
        }
    }
}

fn refused_signature(end: &End) {
    let error = end.error.as_ref().unwrap();
    assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{error}");
    assert!(error.text.contains("bad signature"), "{error}");
    assert_eq!(end.session.progress().alert, Some(51), "decrypt_error");
}

#[derive(Debug)]
struct Shows(Arc<CertifiedKey>);

impl ResolvesServerCert for Shows {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

/// What our client says to a server that shows a certificate and signs with the key of that name.
fn answer(certificate: Vec<u8>, key: &str, version: &'static rustls::SupportedProtocolVersion) -> ferronet::Error {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let key = PrivateKeyDer::from_pem_slice(&pem(&format!("{key}.key"))).unwrap();
    let key = provider.key_provider.load_private_key(key).unwrap();
    let shown = Shows(Arc::new(CertifiedKey::new(vec![certificate.into()], key)));
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(shown));
    let mut theirs = rustls::ServerConnection::new(Arc::new(config)).unwrap();
    let context = Context::new(judged(client(), Trust::Callback)).unwrap();
    let mut ours = End::new(&context, localhost());
    for _ in 0..5 {
        let mut cursor = Cursor::new(ours.flush());
        while (cursor.position() as usize) < cursor.get_ref().len() {
            theirs.read_tls(&mut cursor).unwrap();
            let _ = theirs.process_new_packets();
        }
        while theirs.wants_write() {
            theirs.write_tls(&mut ours.inbox).unwrap();
        }
        ours.read();
    }
    assert!(!ours.done(), "the handshake has succeeded");
    ours.error.unwrap()
}

fn der(name: &str) -> Vec<u8> {
    CertificateDer::from_pem_slice(&pem(name)).unwrap().to_vec()
}

#[test]
fn a_scheme_is_good_for_its_own_curve_only_in_tls_1_3() {
    let error = answer(der("version1_ecdsa"), "ecdsa384", &rustls::version::TLS13);
    assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{error}");
    assert!(error.text.contains("ecdsa_secp384r1_sha384") && error.text.contains("P-256"), "{error}");
    let error = answer(der("version1_ecdsa"), "ecdsa384", &rustls::version::TLS12);
    assert!(error.text.contains("bad signature"), "the curve is free there: {error}");
}

#[test]
fn a_scheme_is_good_for_its_own_type_of_key_only() {
    for version in rustls::ALL_VERSIONS {
        for (certificate, key, said) in [
            ("version1_rsa", "ecdsa256", "(RSA)"),
            ("version1_ed25519", "rsa2048", "(Ed25519)"),
            ("version1_ecdsa", "ed25519", "(EC on P-256)"),
            ("rsa_pss", "rsa2048", "RSASSA-PSS"),
        ] {
            let error = answer(der(certificate), key, version);
            assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{error}");
            assert!(error.text.contains(said), "{certificate}: {error}");
        }
    }
}

#[test]
fn what_cannot_be_read_vouches_for_nothing() {
    let whole = der("version1_ecdsa");
    let mut longer = whole.clone();
    longer.push(0);
    for version in rustls::ALL_VERSIONS {
        for certificate in [whole[..whole.len() - 1].to_vec(), longer.clone(), b"certificate".to_vec()] {
            let error = answer(certificate, "version1_ecdsa", version);
            assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{error}");
            assert!(error.text.contains("public key"), "{error}");
        }
    }
}

#[test]
fn a_credential_of_rsassa_pss_is_refused() {
    let error = Credential::new(credential_config("rsa_pss")).unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_TLS_KEY, "{error}");
    let key = PrivatePkcs8KeyDer::from_pem_slice(&pem("version1_ecdsa.key")).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.secret_pkcs8_der()).unwrap();
    let signer: Arc<dyn Signer> = Arc::new(Forger(key));
    let config = CredentialConfig { chain: pem("rsa_pss"), signer: Some(signer), ..CredentialConfig::default() };
    let error = Credential::new(config).unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_TLS_KEY, "{error}");
    assert!(error.text.contains("RSASSA-PSS"), "{error}");
}
