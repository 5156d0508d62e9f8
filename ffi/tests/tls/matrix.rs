//! Versions, suites, groups and kinds of keys.

use ferronet::tls::{Config, Names, names};

use crate::support::*;

const VERSIONS: [u32; 2] = [0x0303, 0x0304];
const KEYS: [&str; 4] = ["ecdsa256", "ecdsa384", "rsa2048", "ed25519"];

fn only(version: u32, config: Config) -> Config {
    Config { min_version: version, max_version: version, ..config }
}

#[test]
fn every_version_with_every_kind_of_key() {
    for version in VERSIONS {
        for key in KEYS {
            let mut pair = connect(only(version, client()), server(key));
            assert_eq!(pair.client.info().version, version as u16, "{key}");
            assert_eq!(pair.server.info().version, version as u16, "{key}");
            assert_eq!(pair.client.info().suite, pair.server.info().suite);
            assert_eq!((pair.client.info().peer_certificates, pair.server.info().local_certificates), (1, 1));
            assert_ne!(pair.client.info().peer_scheme, 0);
            pair.talk(&varied(100_000));
        }
    }
}

#[test]
fn every_suite() {
    for name in names(Names::Suites).split(',') {
        let (iana, openssl) = name.split_once('=').unwrap();
        let key = if iana.contains("_RSA_") { "rsa2048" } else { "ecdsa256" };
        for (ours, theirs) in [(iana, ""), ("", openssl)] {
            let client = Config { suites: ours.into(), ..client() };
            let server = Config { suites: theirs.into(), ..server(key) };
            let mut pair = connect(client, server);
            let tls13 = !iana.contains("ECDHE");
            assert_eq!(pair.server.info().version, if tls13 { 0x0304 } else { 0x0303 }, "{name}");
            pair.talk(&varied(40_000));
        }
    }
}

#[test]
fn every_group_and_its_order() {
    let numbers =
        [("X25519", 29), ("P-256", 23), ("secp384r1", 24), ("X25519MLKEM768", 0x11ec), ("SecP256r1MLKEM768", 0x11eb)];
    for (name, number) in numbers {
        for version in VERSIONS {
            if number > 0xff && version == 0x0303 {
                continue;
            }
            let server = Config { groups: name.into(), ..server("ecdsa256") };
            let pair = connect(only(version, client()), server);
            assert_eq!(pair.client.info().group, number, "{name} 0x{version:04x}");
            assert_eq!(pair.server.info().group, number);
        }
    }
    let pair = connect(
        Config { groups: "P-384:X25519".into(), ..client() },
        Config { groups: "X25519:P-384".into(), ..server("ecdsa256") },
    );
    assert_eq!(pair.client.info().group, 24, "the share that the client sent saves a round trip");
}

#[test]
fn a_server_takes_its_own_order_unless_it_is_told_not_to() {
    let suites = "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256";
    for (client_order, suite) in [(false, 0x1301), (true, 0x1302)] {
        let client = Config { suites: suites.into(), ..client() };
        let server = Config { client_order, ..server("ecdsa256") };
        assert_eq!(connect(client, server).client.info().suite, suite);
    }
}

#[test]
fn suites_of_one_version_leave_the_other_out() {
    let server = Config { suites: "ECDHE-ECDSA-AES128-GCM-SHA256".into(), ..server("ecdsa256") };
    assert_eq!(connect(client(), server).client.info().version, 0x0303);
}

#[test]
fn what_is_not_in_common_is_said() {
    let pair = Pair::new(only(0x0304, client()), only(0x0303, server("ecdsa256")));
    let (client_error, server_error) = pair.refuse();
    let server_error = server_error.unwrap();
    assert_eq!(server_error.status, ferronet::abi::status::FERRONET_ERR_TLS_NO_COMMON, "{server_error}");
    let client_error = client_error.unwrap();
    assert_eq!(client_error.status, ferronet::abi::status::FERRONET_ERR_TLS_ALERT, "{client_error}");
    assert!(client_error.text.contains("protocol_version"), "{client_error}");

    let client = Config { groups: "P-384".into(), ..client() };
    let server = Config { groups: "P-256".into(), ..server("ecdsa256") };
    let (_, error) = Pair::new(client, server).refuse();
    assert!(error.as_ref().unwrap().text.contains("group"), "{error:?}");
}
