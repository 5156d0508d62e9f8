//! Credentials: encrypted keys, OCSP responses, names, and keys behind a callback.

use std::ffi::c_void;
use std::ptr::NonNull;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use ferronet::boundary::tls::*;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;

use super::ends::*;
use super::*;

#[test]
fn an_encrypted_key_opens_with_its_password_only() {
    let locked = |password: &'static [u8]| {
        let config = credential_config((SERVER.0, LOCKED));
        new_credential(&ferronet_tls_credential_config { password: region(password), ..config })
    };
    let credential = locked(b"contract").unwrap();
    Pair::connected(&context(client_config(), &[]), &context(server_config(), &[&credential]), "server.test");
    for (password, expected) in [(&b"contracts"[..], "the password is wrong"), (b"", "there is no password")] {
        let (status, text) = locked(password).err().unwrap();
        assert_eq!(status, "FERRONET_ERR_TLS_KEY");
        assert!(text.contains(expected), "{text}");
    }
    // A password for a key that needs none does no harm.
    let config = credential_config(SERVER);
    new_credential(&ferronet_tls_credential_config { password: region(b"contract"), ..config }).unwrap();
}

#[test]
fn an_ocsp_response_reaches_the_client_and_can_be_replaced() {
    let config = credential_config(SERVER);
    let stapled = ferronet_tls_credential_config { ocsp_response: region(b"the first response"), ..config };
    let server = context(server_config(), &[&new_credential(&stapled).unwrap()]);
    for version in [FERRONET_TLS_VERSION_1_2, FERRONET_TLS_VERSION_1_3] {
        // A full handshake each: a resumed one shows no certificate.
        let client = context(ferronet_tls_config { max_version: version, ..client_config() }, &[]);
        let response = |fresh: &Owned| {
            Pair::connected(fresh, &server, "server.test").client.bytes(FERRONET_TLS_BYTES_OCSP_RESPONSE, 0)
        };
        let replace = |response: &[u8]| {
            let (address, length) = (response.as_ptr().cast::<c_void>(), response.len() as u64);
            // SAFETY: the response lives through the call.
            unsafe { ferronet_tls_context_set_ocsp_response(server.0.cast(), 0, address, length) }
        };
        assert_eq!(replace(b"the first response"), 0);
        assert_eq!(response(&client), b"the first response", "0x{version:04x}");
        assert_eq!(replace(b"the second"), 0);
        let other = context(ferronet_tls_config { max_version: version, ..client_config() }, &[]);
        assert_eq!(response(&other), b"the second", "0x{version:04x}");
        assert_eq!(replace(b""), 0);
        let third = context(ferronet_tls_config { max_version: version, ..client_config() }, &[]);
        assert_eq!(response(&third), b"", "0x{version:04x}");
    }
    // SAFETY: the response lives through the call.
    let status = unsafe { ferronet_tls_context_set_ocsp_response(server.0.cast(), 1, b"x".as_ptr().cast(), 1) };
    assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT");
    assert!(last_error(server.0).contains("index is 1"), "{}", last_error(server.0));
}

/// A key in a token, what it was asked, and what it answers instead of a signature.
struct Token {
    key: EcdsaKeyPair,
    asked: Vec<(u64, u32)>,
    instead: Option<i64>,
}

impl Token {
    fn new((_, key): (&[u8], &[u8]), instead: Option<i64>) -> Box<Self> {
        let key = PrivatePkcs8KeyDer::from_pem_slice(key).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.secret_pkcs8_der()).unwrap();
        Box::new(Self { key, asked: Vec::new(), instead })
    }

    fn credential(&mut self, (chain, _): (&[u8], &[u8]), schemes: &[u16]) -> Result<Owned, Refusal> {
        new_credential(&ferronet_tls_credential_config {
            sign: Some(sign),
            sign_context: NonNull::new(std::ptr::from_mut(self).cast()),
            schemes: numbers(schemes),
            ..credential_config((chain, b""))
        })
    }
}

unsafe extern "C" fn sign(
    context: *mut c_void,
    user: u64,
    scheme: u32,
    message: *const u8,
    length: u64,
    out: *mut u8,
    capacity: u64,
) -> i64 {
    // SAFETY: the tests pass a token that outlives the sessions; the library names readable and writable bytes.
    let (token, message, out) = unsafe {
        (
            &mut *context.cast::<Token>(),
            std::slice::from_raw_parts(message, length as usize),
            std::slice::from_raw_parts_mut(out, capacity as usize),
        )
    };
    token.asked.push((user, scheme));
    if let Some(answer) = token.instead {
        return answer;
    }
    let signature = token.key.sign(&SystemRandom::new(), message).unwrap();
    out[..signature.as_ref().len()].copy_from_slice(signature.as_ref());
    signature.as_ref().len() as i64
}

const P256: u32 = 0x0403;

#[test]
fn a_sign_callback_signs_for_both_sides() {
    for version in [FERRONET_TLS_VERSION_1_2, FERRONET_TLS_VERSION_1_3] {
        let (mut of_server, mut of_client) = (Token::new(SERVER, None), Token::new(CLIENT, None));
        {
            let server = of_server.credential(SERVER, &[]).unwrap();
            let client = of_client.credential(CLIENT, &[P256 as u16]).unwrap();
            let server = context(asking_config(), &[&server]);
            let client = context(ferronet_tls_config { max_version: version, ..client_config() }, &[&client]);
            let named =
                ferronet_tls_session_config { user: 6, server_name: region(b"server.test"), ..session_config() };
            let numbered = ferronet_tls_session_config { user: 5, ..session_config() };
            let pair = Pair::with(&client, &named, &server, &numbered).open();
            assert_eq!(pair.server.info().peer_certificates, 1);
            assert_eq!([pair.client.info().peer_scheme, pair.server.info().peer_scheme], [P256; 2]);
        }
        assert_eq!((of_server.asked, of_client.asked), (vec![(5, P256)], vec![(6, P256)]), "0x{version:04x}");
    }
}

#[test]
fn a_sign_callback_that_fails_ends_the_handshake() {
    for suite in [
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        "TLS_AES_128_GCM_SHA256",
        "TLS_AES_256_GCM_SHA384",
        "TLS_CHACHA20_POLY1305_SHA256",
    ] {
        let client = context(ferronet_tls_config { suites: region(suite.as_bytes()), ..client_config() }, &[]);
        for answer in [-1, 0, 1_000_000] {
            let mut token = Token::new(SERVER, Some(answer));
            let server = context(server_config(), &[&token.credential(SERVER, &[]).unwrap()]);
            let pair = Pair::of(&client, &server, "server.test");
            let (status, text) = pair.server_refusal();
            assert_eq!(*status, "FERRONET_ERR_TLS_CALLBACK");
            assert!(text.contains(&format!("returned {answer},")), "{text}");
            assert_eq!(pair.client_refusal().0, "FERRONET_ERR_TLS_ALERT");
            assert_eq!([pair.client.info().alert, pair.server.info().alert], [1 + 80; 2], "internal_error");
        }
    }
    // A signature that is none: the peer notices.
    let mut token = Token::new(SERVER, Some(64));
    let server = context(server_config(), &[&token.credential(SERVER, &[]).unwrap()]);
    let pair = Pair::of(&context(client_config(), &[]), &server, "server.test");
    assert_eq!(pair.client_refusal().0, "FERRONET_ERR_TLS_CERTIFICATE");
}

#[test]
fn a_sign_callback_offers_schemes_of_its_key_only() {
    let (status, text) = Token::new(SERVER, None).credential(SERVER, &[0x0804]).err().unwrap();
    assert_eq!(status, "FERRONET_ERR_INVALID_ARGUMENT");
    assert!(text.contains("rsa_pss_rsae_sha256") && text.contains("ecdsa_secp256r1_sha256"), "{text}");
    let both = ferronet_tls_credential_config { sign: Some(sign), ..credential_config(SERVER) };
    let (status, text) = new_credential(&both).err().unwrap();
    assert_eq!(status, "FERRONET_ERR_INVALID_ARGUMENT");
    assert!(text.contains("both a key and a signer"), "{text}");
}
