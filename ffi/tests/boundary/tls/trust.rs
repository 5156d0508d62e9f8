//! Whom a context trusts: roots, the platform's roots, revocation lists, the length of chains.

use super::ends::*;
use super::*;

#[test]
fn a_listed_certificate_is_refused_where_the_list_is_given() {
    let server = context(server_config(), &[&credential(REVOKED)]);
    for version in [FERRONET_TLS_VERSION_1_2, FERRONET_TLS_VERSION_1_3] {
        let without = ferronet_tls_config { max_version: version, ..client_config() };
        Pair::connected(&context(without, &[]), &server, "server.test");
        let with = ferronet_tls_config { crls: region(AUTHORITY_LISTS), ..without };
        for policy in [0, FERRONET_TLS_CRL_END_ENTITY, FERRONET_TLS_CRL_ENFORCE_EXPIRY, FERRONET_TLS_CRL_ALLOW_UNKNOWN]
        {
            let pair =
                Pair::of(&context(ferronet_tls_config { crl_policy: policy, ..with }, &[]), &server, "server.test");
            let (status, text) = pair.client_refusal();
            assert_eq!(*status, "FERRONET_ERR_TLS_CERTIFICATE");
            assert!(text.contains("revoked"), "{text}");
            assert_eq!(pair.client.info().alert, 1 + 44, "certificate_revoked");
        }
    }
}

#[test]
fn a_certificate_that_no_list_covers_is_taken_where_that_is_allowed() {
    // Its issuer has no list of its own.
    let server = server();
    let with = ferronet_tls_config { crls: region(AUTHORITY_LISTS), ..client_config() };
    for (crl_policy, taken) in
        [(0, false), (FERRONET_TLS_CRL_END_ENTITY, false), (FERRONET_TLS_CRL_ALLOW_UNKNOWN, true)]
    {
        let pair = Pair::of(&context(ferronet_tls_config { crl_policy, ..with }, &[]), &server, "server.test");
        assert_eq!(pair.client.refused.is_none(), taken, "{crl_policy}: {:?}", pair.client.refused);
        if !taken {
            assert!(pair.client_refusal().1.contains("unknown revocation status"), "{}", pair.client_refusal().1);
        }
    }
}

#[test]
fn a_server_looks_for_its_clients_in_the_lists() {
    let lists = ferronet_tls_config { crls: region(AUTHORITY_LISTS), ..asking_config() };
    let server = context(lists, &[&credential(SERVER)]);
    let client = context(client_config(), &[&credential(CLIENT)]);
    Pair::connected(&client, &server, "server.test");
    // This one is for servers, and listed: it is refused for either.
    let client = context(client_config(), &[&credential(REVOKED)]);
    assert_eq!(Pair::of(&client, &server, "server.test").server_refusal().0, "FERRONET_ERR_TLS_CERTIFICATE");
    let (status, text) =
        new_context(ferronet_tls_config { crls: region(b"no list"), ..client_config() }, &[]).err().unwrap();
    assert_eq!(status, "FERRONET_ERR_TLS_KEY");
    assert!(text.contains("crls"), "{text}");
}

#[test]
fn a_chain_above_the_limit_is_refused() {
    let server = server();
    let client = context(client_config(), &[]);
    let pair = Pair::connected(&client, &server, "server.test");
    let chain: usize =
        [0, 1].map(|index| pair.client.bytes(FERRONET_TLS_BYTES_PEER_CERTIFICATE, index).len()).iter().sum();
    for version in [FERRONET_TLS_VERSION_1_2, FERRONET_TLS_VERSION_1_3] {
        let limited = |max_certificate_bytes| {
            context(ferronet_tls_config { max_certificate_bytes, max_version: version, ..client_config() }, &[])
        };
        Pair::connected(&limited(chain as u64), &server, "server.test");
        let pair = Pair::of(&limited(chain as u64 - 1), &server, "server.test");
        let (status, text) = pair.client_refusal();
        assert_eq!(*status, "FERRONET_ERR_TLS_CERTIFICATE");
        assert!(text.contains(&format!("{chain} bytes")) && text.contains("max_certificate_bytes"), "{text}");
    }
    // The same of a server that asks.
    let asking = context(ferronet_tls_config { max_certificate_bytes: 100, ..asking_config() }, &[&credential(SERVER)]);
    let pair = Pair::of(&context(client_config(), &[&credential(CLIENT)]), &asking, "server.test");
    assert_eq!(pair.server_refusal().0, "FERRONET_ERR_TLS_CERTIFICATE");
    let most = ferronet_tls_config { max_certificate_bytes: 65_536, ..client_config() };
    assert_eq!(new_context(most, &[]).err().unwrap().0, "FERRONET_ERR_INVALID_ARGUMENT");
}

/// Says to a child of the tests that it is one.
const CHILD: &str = "FERRONET_TEST_PLATFORM_ROOTS";

/// Runs that test alone in a process whose platform trusts the certificates of a file.
#[cfg(target_os = "linux")]
fn with_platform_roots(test: &str, file: &str) -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture"]).env("SSL_CERT_FILE", file).env_remove("SSL_CERT_DIR").env(CHILD, "1");
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
#[cfg(target_os = "linux")]
fn the_platforms_roots_are_trusted_where_they_are_named() {
    if std::env::var_os(CHILD).is_some() {
        let config = ferronet_tls_config { trust: FERRONET_TLS_TRUST_PLATFORM, roots: region(&[]), ..client_config() };
        let client = context(config, &[]);
        let pair = Pair::of(&client, &server(), "server.test");
        println!("verdict: {}", pair.client.refused.as_ref().map_or("taken", |(status, _)| status));
        let wrong = Pair::of(&client, &server(), "other.test");
        println!("other name: {}", wrong.client_refusal().0);
        return;
    }
    let test = "tls::trust::the_platforms_roots_are_trusted_where_they_are_named";
    let said = with_platform_roots(test, "../verify/contract/fixtures/authority.pem");
    assert!(said.contains("verdict: taken") && said.contains("other name: FERRONET_ERR_TLS_CERTIFICATE"), "{said}");
    let said = with_platform_roots(test, "tests/tls/fixtures/root.pem");
    assert!(said.contains("verdict: FERRONET_ERR_TLS_CERTIFICATE"), "{said}");
}

#[test]
fn the_platforms_roots_are_for_clients_and_never_without_their_name() {
    let platform = ferronet_tls_config { trust: FERRONET_TLS_TRUST_PLATFORM, ..server_config() };
    let (status, text) = new_context(platform, &[&credential(SERVER)]).err().unwrap();
    assert!(status == "FERRONET_ERR_INVALID_ARGUMENT" && text.contains("platform"), "{text}");
    let unset = ferronet_tls_config { trust: FERRONET_TLS_TRUST_UNSET, roots: region(&[]), ..client_config() };
    let (status, text) = new_context(unset, &[]).err().unwrap();
    assert!(status == "FERRONET_ERR_INVALID_ARGUMENT" && text.contains("trust is not set"), "{text}");
}
