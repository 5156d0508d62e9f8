//! What the two sides agree on: credentials by name, scheme and callback, groups, suites.

use std::ffi::c_void;
use std::ptr::NonNull;

use ferronet::boundary::tls::*;

use super::ends::*;
use super::*;

fn local_certificate(end: &End) -> Vec<u8> {
    end.bytes(FERRONET_TLS_BYTES_LOCAL_CERTIFICATE, 0)
}

fn der((chain, _): (&[u8], &[u8])) -> Vec<u8> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    CertificateDer::from_pem_slice(chain).unwrap().to_vec()
}

#[test]
fn a_server_shows_the_certificate_for_the_name() {
    let all = [SERVER, OTHER, EDWARDS];
    let [one, two, three] = all.map(credential);
    let server = context(server_config(), &[&one, &two, &three]);
    for version in [FERRONET_TLS_VERSION_1_2, FERRONET_TLS_VERSION_1_3] {
        let client = context(ferronet_tls_config { max_version: version, ..client_config() }, &[]);
        for (host, expected) in
            [("server.test", SERVER), ("any.wild.test", SERVER), ("other.test", OTHER), ("edwards.test", EDWARDS)]
        {
            let pair = Pair::connected(&client, &server, host);
            assert_eq!(local_certificate(&pair.server), der(expected), "{host}, 0x{version:04x}");
            assert_eq!(pair.client.bytes(FERRONET_TLS_BYTES_PEER_CERTIFICATE, 0), der(expected));
            assert_eq!(pair.server.bytes(FERRONET_TLS_BYTES_SERVER_NAME, 0), host.as_bytes());
        }
        let pair = Pair::of(&client, &server, "unknown.test");
        assert_eq!(local_certificate(&pair.server), der(SERVER), "the first is for those without a name of ours");
        assert_eq!(pair.client_refusal().0, "FERRONET_ERR_TLS_CERTIFICATE");
        assert!(pair.client_refusal().1.contains("\"unknown.test\""), "{}", pair.client_refusal().1);
    }
}

#[test]
fn names_that_are_given_stand_above_those_in_the_certificate() {
    let named = |pair, names: &'static [u8]| {
        new_credential(&ferronet_tls_credential_config { names: region(names), ..credential_config(pair) }).unwrap()
    };
    let (one, two) = (named(SERVER, b"first.test"), named(OTHER, b"second.test,*.third.test"));
    let server = context(server_config(), &[&one, &two]);
    let client = context(client_config(), &[]);
    for (host, expected) in [
        ("second.test", OTHER),
        ("a.third.test", OTHER),
        ("a.b.third.test", SERVER),
        ("other.test", SERVER),
        ("first.test", SERVER),
    ] {
        let config = ferronet_tls_session_config {
            flags: FERRONET_TLS_NO_HOST_CHECK,
            server_name: region(host.as_bytes()),
            ..session_config()
        };
        let pair = Pair::with(&client, &config, &server, &session_config()).open();
        assert_eq!(local_certificate(&pair.server), der(expected), "{host}");
    }
}

#[test]
fn a_server_shows_a_certificate_whose_signature_the_client_takes() {
    let all = [EDWARDS, SERVER, OTHER];
    let [one, two, three] = all.map(credential);
    let server = context(server_config(), &[&one, &two, &three]);
    for (suite, expected) in [("ECDHE-RSA-AES128-GCM-SHA256", OTHER), ("ECDHE-ECDSA-AES128-GCM-SHA256", EDWARDS)] {
        let suites = region(suite.as_bytes());
        let client =
            context(ferronet_tls_config { max_version: FERRONET_TLS_VERSION_1_2, suites, ..client_config() }, &[]);
        let unnamed = ferronet_tls_session_config {
            flags: FERRONET_TLS_NO_HOST_CHECK,
            server_name: region(b"nobody.test"),
            ..session_config()
        };
        let pair = Pair::with(&client, &unnamed, &server, &session_config()).open();
        assert_eq!(local_certificate(&pair.server), der(expected), "{suite}");
    }
    // The name is that of a certificate that does not fit: one that fits is shown all the same.
    let rsa = region(b"ECDHE-RSA-AES128-GCM-SHA256");
    let client =
        context(ferronet_tls_config { max_version: FERRONET_TLS_VERSION_1_2, suites: rsa, ..client_config() }, &[]);
    let pair = Pair::of(&client, &server, "server.test");
    assert_eq!(local_certificate(&pair.server), der(OTHER));
    // None fits.
    let server = context(server_config(), &[&two]);
    let pair = Pair::of(&client, &server, "server.test");
    assert_eq!(pair.server_refusal().0, "FERRONET_ERR_TLS_NO_COMMON");
}

/// What a choose callback answers, and what it saw.
struct Chooser {
    answer: *mut ferronet_tls_credential,
    status: i32,
    seen: Vec<(u32, u64, String, u32, bool)>,
}

unsafe extern "C" fn choose(
    context: *mut c_void,
    request: *const ferronet_tls_choice,
    out: *mut *mut ferronet_tls_credential,
) -> i32 {
    // SAFETY: the tests pass a chooser; the request and what it names are the library's.
    let (chooser, request) = unsafe { (&mut *context.cast::<Chooser>(), &*request) };
    assert_eq!(request.size as usize, size_of::<ferronet_tls_choice>());
    // SAFETY: as above.
    let (name, schemes) = unsafe {
        assert!((*out).is_null(), "it holds NULL at first");
        *out = chooser.answer;
        (
            std::slice::from_raw_parts(request.server_name.addr as *const u8, request.server_name.len as usize),
            std::slice::from_raw_parts(request.schemes as *const u16, request.scheme_count as usize),
        )
    };
    let name = String::from_utf8_lossy(name).into_owned();
    chooser.seen.push((request.side, request.user, name, request.issuer_count, schemes.contains(&0x0403)));
    chooser.status
}

fn choosing(config: ferronet_tls_config, chooser: &mut Chooser) -> ferronet_tls_config {
    let choose_context = NonNull::new(std::ptr::from_mut(chooser).cast());
    ferronet_tls_config { choose: Some(choose), choose_context, ..config }
}

#[test]
fn a_callback_chooses_the_certificate_of_a_client() {
    let credential = credential(CLIENT);
    let server = context(asking_config(), &[&self::credential(SERVER)]);
    let mut chooser = Chooser { answer: credential.0.cast(), status: 0, seen: Vec::new() };
    let client = context(choosing(client_config(), &mut chooser), &[]);
    let config = ferronet_tls_session_config { user: 8, server_name: region(b"server.test"), ..session_config() };
    let pair = Pair::with(&client, &config, &server, &session_config()).open();
    assert_eq!(local_certificate(&pair.client), der(CLIENT));
    assert_eq!(pair.server.bytes(FERRONET_TLS_BYTES_PEER_CERTIFICATE, 0), der(CLIENT));
    assert_eq!((pair.client.info().issuers, pair.server.info().local_certificates), (1, 2));
    assert_eq!(chooser.seen, [(FERRONET_TLS_CLIENT, 8, "server.test".to_owned(), 1, true)]);
}

#[test]
fn a_callback_that_chooses_nothing_or_fails_ends_the_handshake() {
    let (server, optional) = (credential(SERVER), FERRONET_TLS_CLIENT_AUTH_OPTIONAL);
    let taking = context(ferronet_tls_config { client_auth: optional, ..asking_config() }, &[&server]);
    let asking = context(asking_config(), &[&server]);
    let mut chooser = Chooser { answer: null_mut(), status: 0, seen: Vec::new() };
    // A resumed session needs no choice.
    let config = ferronet_tls_config { flags: FERRONET_TLS_NO_RESUMPTION, ..client_config() };
    let client = context(choosing(config, &mut chooser), &[]);
    assert_eq!(Pair::connected(&client, &taking, "server.test").server.info().peer_certificates, 0);
    assert_eq!(Pair::of(&client, &asking, "server.test").server_refusal().0, "FERRONET_ERR_TLS_NO_CERTIFICATE");
    chooser.status = -5;
    let pair = Pair::of(&client, &taking, "server.test");
    assert_eq!(pair.client_refusal().0, "FERRONET_ERR_TLS_CALLBACK");
    assert!(pair.client_refusal().1.contains("-5"), "{}", pair.client_refusal().1);
    assert_eq!(
        (pair.server_refusal().0, pair.server.info().alert),
        ("FERRONET_ERR_TLS_ALERT", 1 + 80),
        "internal_error"
    );
    // A pointer to something else.
    chooser.status = 0;
    chooser.answer = client.0.cast();
    let pair = Pair::of(&client, &taking, "server.test");
    assert_eq!(pair.client_refusal().0, "FERRONET_ERR_TLS_CALLBACK");
    assert_eq!(chooser.seen.len(), 4);
}

#[test]
fn a_callback_chooses_the_certificate_of_a_server_and_may_free_it_then() {
    let (other, mut chooser) = (credential(OTHER), Chooser { answer: null_mut(), status: 0, seen: Vec::new() });
    chooser.answer = other.0.cast();
    let server = context(choosing(server_config(), &mut chooser), &[]);
    let client = context(client_config(), &[]);
    let pair = Pair::of(&client, &server, "other.test");
    drop(other);
    let pair = pair.open();
    assert_eq!(local_certificate(&pair.server), der(OTHER));
    assert_eq!(chooser.seen, [(FERRONET_TLS_SERVER, 0, "other.test".to_owned(), 0, true)]);
    chooser.answer = null_mut();
    let pair = Pair::of(&client, &server, "other.test");
    assert_eq!(
        (pair.server_refusal().0, pair.client_refusal().0),
        ("FERRONET_ERR_TLS_NO_COMMON", "FERRONET_ERR_TLS_ALERT")
    );
}

fn told(what: u32) -> Vec<String> {
    let mut text = vec![0u8; 4000];
    // SAFETY: the buffer has the room that is stated.
    let length = unsafe { ferronet_tls_names(what, text.as_mut_ptr().cast(), text.len() as u64) };
    text.truncate(usize::try_from(length).unwrap());
    String::from_utf8(text).unwrap().split(',').map(str::to_owned).collect()
}

#[test]
fn groups_are_taken_in_the_order_that_is_given() {
    const GROUPS: [(&str, u32); 5] =
        [("X25519", 29), ("P-256", 23), ("secp384r1", 24), ("X25519MLKEM768", 0x11ec), ("SecP256r1MLKEM768", 0x11eb)];
    assert_eq!(told(FERRONET_TLS_NAMES_GROUPS).len(), GROUPS.len());
    let server = server();
    for (index, (first, number)) in GROUPS.into_iter().enumerate() {
        let (second, _) = GROUPS[(index + 1) % GROUPS.len()];
        let list = format!("{first}:{second}");
        let groups = region(list.as_bytes());
        let client = context(ferronet_tls_config { groups, ..client_config() }, &[]);
        let pair = Pair::connected(&client, &server, "server.test");
        assert_eq!([pair.client.info().group, pair.server.info().group], [number; 2], "{list} of the client");
        // A server without the client's first takes the second.
        let only = context(
            ferronet_tls_config { groups: region(second.as_bytes()), ..server_config() },
            &[&credential(SERVER)],
        );
        let pair = Pair::connected(&client, &only, "server.test");
        assert_eq!(pair.server.info().group, GROUPS[(index + 1) % GROUPS.len()].1, "{second} of the server");
    }
    let none = context(ferronet_tls_config { groups: region(b"P-384"), ..server_config() }, &[&credential(SERVER)]);
    let client = context(ferronet_tls_config { groups: region(b"X25519"), ..client_config() }, &[]);
    let pair = Pair::of(&client, &none, "server.test");
    assert_eq!(pair.server_refusal().0, "FERRONET_ERR_TLS_NO_COMMON");
    assert!(pair.server_refusal().1.contains("group"), "{}", pair.server_refusal().1);
}

#[test]
fn every_suite_is_taken_under_both_of_its_names() {
    let (ecdsa, rsa) = (credential(SERVER), credential(OTHER));
    let server = context(server_config(), &[&ecdsa, &rsa]);
    let names = told(FERRONET_TLS_NAMES_SUITES);
    assert_eq!(names.len(), 9);
    let mut numbers = Vec::new();
    for pair in &names {
        let (iana, openssl) = pair.split_once('=').unwrap();
        let host = if iana.contains("_RSA_") { "other.test" } else { "server.test" };
        let chosen = [iana, openssl, &openssl.to_ascii_lowercase()].map(|name| {
            let client = context(ferronet_tls_config { suites: region(name.as_bytes()), ..client_config() }, &[]);
            Pair::connected(&client, &server, host).client.info().suite
        });
        assert!(chosen[0] != 0 && chosen == [chosen[0]; 3], "{pair}: {chosen:x?}");
        numbers.push(chosen[0]);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, [0x1301, 0x1302, 0x1303, 0xc02b, 0xc02c, 0xc02f, 0xc030, 0xcca8, 0xcca9]);
}

#[test]
fn the_order_of_suites_is_the_servers_unless_it_follows_the_client() {
    let [server_first, client_first] = [
        (region(b"TLS_CHACHA20_POLY1305_SHA256,TLS_AES_256_GCM_SHA384")),
        (region(b"TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")),
    ];
    let client = context(ferronet_tls_config { suites: client_first, ..client_config() }, &[]);
    for (flags, suite) in [(0, 0x1303), (FERRONET_TLS_CLIENT_ORDER, 0x1302)] {
        let server =
            context(ferronet_tls_config { suites: server_first, flags, ..server_config() }, &[&credential(SERVER)]);
        assert_eq!(Pair::connected(&client, &server, "server.test").server.info().suite, suite);
    }
}
