//! Suites, groups, schemes and versions by name.

use rustls::crypto::SupportedKxGroup;
use rustls::crypto::aws_lc_rs::{cipher_suite, kx_group};
use rustls::{SignatureScheme, SupportedCipherSuite};

use super::info::Names;
use crate::abi::status::FERRONET_ERR_TLS_UNSUPPORTED;
use crate::error::{Error, Result};
use crate::text::quoted;

struct Suite {
    iana: &'static str,
    openssl: &'static str,
    suite: SupportedCipherSuite,
}

/// All suites, the preferred first: AES-128 before AES-256, as BoringSSL and the JDK's clients on the same hardware.
static SUITES: [Suite; 9] = [
    Suite {
        iana: "TLS_AES_128_GCM_SHA256",
        openssl: "TLS_AES_128_GCM_SHA256",
        suite: cipher_suite::TLS13_AES_128_GCM_SHA256,
    },
    Suite {
        iana: "TLS_AES_256_GCM_SHA384",
        openssl: "TLS_AES_256_GCM_SHA384",
        suite: cipher_suite::TLS13_AES_256_GCM_SHA384,
    },
    Suite {
        iana: "TLS_CHACHA20_POLY1305_SHA256",
        openssl: "TLS_CHACHA20_POLY1305_SHA256",
        suite: cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
    },
    Suite {
        iana: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        openssl: "ECDHE-ECDSA-AES128-GCM-SHA256",
        suite: cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    },
    Suite {
        iana: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        openssl: "ECDHE-RSA-AES128-GCM-SHA256",
        suite: cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    },
    Suite {
        iana: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        openssl: "ECDHE-ECDSA-AES256-GCM-SHA384",
        suite: cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    },
    Suite {
        iana: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        openssl: "ECDHE-RSA-AES256-GCM-SHA384",
        suite: cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    },
    Suite {
        iana: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        openssl: "ECDHE-ECDSA-CHACHA20-POLY1305",
        suite: cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    },
    Suite {
        iana: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        openssl: "ECDHE-RSA-CHACHA20-POLY1305",
        suite: cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    },
];

/// All groups, the preferred first; of several names the first is the one that is told. The hybrids cost a server a
/// quarter more of a handshake, so that they are taken only where they are asked for, or the peer has nothing else.
static GROUPS: [(&[&str], &dyn SupportedKxGroup); 5] = [
    (&["X25519"], kx_group::X25519),
    (&["secp256r1", "P-256", "prime256v1"], kx_group::SECP256R1),
    (&["secp384r1", "P-384"], kx_group::SECP384R1),
    (&["X25519MLKEM768"], kx_group::X25519MLKEM768),
    (&["SecP256r1MLKEM768"], kx_group::SECP256R1MLKEM768),
];

/// Numbers and names of RFC 8446, 4.2.3.
const SCHEMES: &[(u16, &str)] = &[
    (0x0403, "ecdsa_secp256r1_sha256"),
    (0x0503, "ecdsa_secp384r1_sha384"),
    (0x0603, "ecdsa_secp521r1_sha512"),
    (0x0807, "ed25519"),
    (0x0804, "rsa_pss_rsae_sha256"),
    (0x0805, "rsa_pss_rsae_sha384"),
    (0x0806, "rsa_pss_rsae_sha512"),
    (0x0401, "rsa_pkcs1_sha256"),
    (0x0501, "rsa_pkcs1_sha384"),
    (0x0601, "rsa_pkcs1_sha512"),
];

/// A signature scheme for a text: its name, or its number when it is none of ours.
pub(super) fn scheme_name(scheme: u16) -> String {
    let known = SCHEMES.iter().find(|(number, _)| *number == scheme);
    known.map_or_else(|| format!("0x{scheme:04x}"), |(_, name)| (*name).to_owned())
}

/// Signature schemes for a text.
pub(super) fn scheme_names(schemes: &[SignatureScheme]) -> String {
    schemes.iter().map(|&scheme| scheme_name(scheme.into())).collect::<Vec<_>>().join(", ")
}

/// What this library supports, commas in between.
pub fn names(what: Names) -> String {
    match what {
        Names::Suites => SUITES.iter().map(|suite| format!("{}={}", suite.iana, suite.openssl)).collect::<Vec<_>>(),
        Names::Groups => GROUPS.iter().map(|(names, _)| names[0].to_owned()).collect(),
        Names::Schemes => SCHEMES.iter().map(|(_, name)| (*name).to_owned()).collect(),
        Names::Versions => vec!["TLSv1.2".to_owned(), "TLSv1.3".to_owned()],
    }
    .join(",")
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split([':', ',']).map(str::trim).filter(|word| !word.is_empty())
}

/// Suites by their names; all of them for none.
pub(super) fn suites(list: &str) -> Result<Vec<SupportedCipherSuite>> {
    let mut found: Vec<SupportedCipherSuite> = Vec::new();
    for name in words(list) {
        let known = SUITES
            .iter()
            .find(|suite| suite.iana.eq_ignore_ascii_case(name) || suite.openssl.eq_ignore_ascii_case(name));
        let Some(known) = known else { return Err(unknown_suite(name)) };
        if !found.iter().any(|suite| suite.suite() == known.suite.suite()) {
            found.push(known.suite);
        }
    }
    if found.is_empty() {
        found = SUITES.iter().map(|suite| suite.suite).collect();
    }
    Ok(found)
}

fn unknown_suite(name: &str) -> Error {
    let upper = name.to_ascii_uppercase();
    let has = |part: &str| upper.contains(part);
    let reason = if has("ANON") || has("NULL") || has("EXPORT") || has("RC4") || has("DES") {
        "it gives no security"
    } else if has("CBC") || (has("AES") && has("SHA") && !has("GCM") && !has("CCM")) {
        "suites with CBC are not supported: they are open to padding attacks"
    } else if has("DHE_RSA") && !has("ECDHE") || has("DHE-") && !has("ECDHE") || has("DHE_DSS") {
        "key exchange in finite fields is not supported"
    } else if has("CCM") || has("ARIA") || has("CAMELLIA") || has("PSK") || has("SRP") {
        "its cipher or key exchange is not supported"
    } else if (has("TLS_RSA_") || has("GCM")) && !has("ECDHE") {
        "suites without forward secrecy are not supported"
    } else {
        "no such suite is known"
    };
    Error::new(
        FERRONET_ERR_TLS_UNSUPPORTED,
        format!(
            "suites hold {}: {reason}; supported are {}",
            quoted(name.as_bytes()),
            SUITES.map_names(|suite| suite.iana)
        ),
    )
}

trait MapNames<T> {
    fn map_names(&self, name: impl Fn(&T) -> &'static str) -> String;
}

impl<T> MapNames<T> for [T] {
    fn map_names(&self, name: impl Fn(&T) -> &'static str) -> String {
        self.iter().map(name).collect::<Vec<_>>().join(", ")
    }
}

/// Groups by their names; all of them for none.
pub(super) fn groups(list: &str) -> Result<Vec<&'static dyn SupportedKxGroup>> {
    let mut found: Vec<&'static dyn SupportedKxGroup> = Vec::new();
    for name in words(list) {
        let known = GROUPS.iter().find(|(names, _)| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
        let Some((_, group)) = known else {
            return Err(Error::new(
                FERRONET_ERR_TLS_UNSUPPORTED,
                format!(
                    "groups hold {}, which is not supported; supported are {}",
                    quoted(name.as_bytes()),
                    names(Names::Groups)
                ),
            ));
        };
        if !found.iter().any(|known| known.name() == group.name()) {
            found.push(*group);
        }
    }
    if found.is_empty() {
        found = GROUPS.iter().map(|(_, group)| *group).collect();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_of_a_suite_and_any_order_are_taken() {
        let list =
            suites("ECDHE-RSA-CHACHA20-POLY1305:TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")
                .unwrap();
        let numbers: Vec<u16> = list.iter().map(|suite| suite.suite().into()).collect();
        assert_eq!(numbers, [0xcca8, 0x1302]);
        assert_eq!(suites("").unwrap().len(), 9);
    }

    #[test]
    fn a_refused_suite_says_why() {
        for (name, why) in [
            ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "CBC"),
            ("ECDHE-RSA-AES128-SHA", "CBC"),
            ("TLS_RSA_WITH_AES_128_GCM_SHA256", "forward secrecy"),
            ("AES128-GCM-SHA256", "forward secrecy"),
            ("DHE-RSA-AES128-GCM-SHA256", "finite fields"),
            ("TLS_DH_anon_WITH_AES_128_GCM_SHA256", "no security"),
            ("TLS_NO_SUCH", "no such suite"),
        ] {
            let error = suites(name).unwrap_err();
            assert_eq!(error.status, FERRONET_ERR_TLS_UNSUPPORTED);
            assert!(error.text.contains(why) && error.text.contains(name), "{error}");
        }
    }

    #[test]
    fn groups_keep_their_order() {
        let list = groups("P-384:x25519,secp384r1").unwrap();
        assert_eq!(list.iter().map(|group| u16::from(group.name())).collect::<Vec<_>>(), [24, 29]);
        assert!(groups("ffdhe2048").unwrap_err().text.contains("ffdhe2048"));
    }
}
