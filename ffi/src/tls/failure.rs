//! What rustls refuses, as a status, a text and an alert.

use std::fmt;

use rustls::{AlertDescription, CertificateError, Error as Refusal, InvalidMessage, PeerIncompatible, PeerMisbehaved};

use super::config::Side;
use crate::abi::status::*;
use crate::error::Error;
use crate::text::{quoted, words};

/// A session's end.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub error: Error,
    /// The alert that was received, or that is sent.
    pub alert: Option<u8>,
}

/// TLS 1.2 as on the wire.
pub(super) const TLS_1_2: u16 = 0x0303;

/// Says what a refusal means. `hook` is what one of our hooks said about it.
pub(super) fn failure(refusal: &Refusal, hook: Option<Error>, side: Side) -> Failure {
    let (status, text) = meaning(refusal, side);
    Failure { error: hook.unwrap_or_else(|| Error::new(status, text)), alert: alert(refusal) }
}

fn meaning(refusal: &Refusal, side: Side) -> (i32, String) {
    let peer = match side {
        Side::Client => "server",
        Side::Server => "client",
    };
    match refusal {
        Refusal::AlertReceived(alert) => (
            FERRONET_ERR_TLS_ALERT,
            format!("the {peer} sent the fatal alert {} ({})", alert_name(*alert), u8::from(*alert)),
        ),
        Refusal::InvalidCertificate(reason) => (FERRONET_ERR_TLS_CERTIFICATE, certificate_text(reason, peer)),
        Refusal::NoCertificatesPresented => {
            (FERRONET_ERR_TLS_NO_CERTIFICATE, format!("the {peer} sent no certificate, but one is required"))
        }
        Refusal::PeerIncompatible(reason) => incompatible(reason, peer),
        Refusal::NoApplicationProtocol => {
            (FERRONET_ERR_TLS_NO_COMMON, format!("the {peer} offers no application protocol (ALPN) of ours"))
        }
        Refusal::PeerMisbehaved(PeerMisbehaved::TooManyRenegotiationRequests) => (
            FERRONET_ERR_TLS_UNSUPPORTED,
            format!(
                "the {peer} asked for renegotiation again, which is refused by design: it has to open a new connection"
            ),
        ),
        Refusal::PeerSentOversizedRecord | Refusal::InvalidMessage(InvalidMessage::MessageTooLarge) => (
            FERRONET_ERR_TLS_PROTOCOL,
            format!("the {peer} sent a record with more than 16,384 bytes of data (RFC 8446, 5.1)"),
        ),
        Refusal::DecryptError => (
            FERRONET_ERR_TLS_PROTOCOL,
            format!("a record of the {peer} cannot be decrypted: it was changed on the way, or the {peer} is broken"),
        ),
        Refusal::General(text) => (FERRONET_ERR_TLS_PROTOCOL, format!("the handshake was refused: {text}")),
        other => (FERRONET_ERR_TLS_PROTOCOL, format!("the {peer} broke the protocol: {}", explained(other))),
    }
}

fn certificate_text(reason: &CertificateError, peer: &str) -> String {
    match reason {
        CertificateError::UnknownIssuer => {
            format!("the {peer}'s certificate was issued by nobody who is trusted: add its authority to the roots")
        }
        other => format!("the {peer}'s certificate was refused: {}", certificate_refused(other)),
    }
}

/// What rustls refuses, in words.
pub(super) fn explained(refusal: &Refusal) -> String {
    match refusal {
        Refusal::InappropriateMessage { expect_types, got_type } => unexpected("record", got_type, expect_types),
        Refusal::InappropriateHandshakeMessage { expect_types, got_type } => {
            unexpected("message", got_type, expect_types)
        }
        Refusal::InvalidMessage(reason) => words(&format!("{reason:?}")),
        Refusal::PeerMisbehaved(reason) => words(&format!("{reason:?}")),
        Refusal::PeerIncompatible(reason) => words(&format!("{reason:?}")),
        Refusal::InvalidCertRevocationList(reason) => {
            format!("invalid certificate revocation list: {}", words(&format!("{reason:?}")))
        }
        Refusal::InvalidEncryptedClientHello(reason) => words(&format!("{reason:?}")),
        Refusal::InconsistentKeys(reason) => words(&format!("{reason:?}")),
        Refusal::AlertReceived(alert) => format!("received the fatal alert {}", alert_name(*alert)),
        Refusal::InvalidCertificate(reason) => certificate_refused(reason),
        other => other.to_string(),
    }
}

fn unexpected(what: &str, got: &impl fmt::Debug, expected: &[impl fmt::Debug]) -> String {
    let got = words(&format!("{got:?}"));
    let expected: Vec<String> = expected.iter().map(|kind| words(&format!("{kind:?}"))).collect();
    if expected.is_empty() {
        return format!("unexpected {what} ({got})");
    }
    format!("unexpected {what} ({got}, where there should be: {})", expected.join(", "))
}

fn certificate_refused(reason: &CertificateError) -> String {
    match reason {
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<String> = presented.iter().map(|name| alternative_name(name)).collect();
            let expected = quoted(expected.to_str().as_bytes());
            if names.is_empty() {
                return format!("certificate not valid for name {expected}; it names no other in its subjectAltName");
            }
            format!("certificate not valid for name {expected}; it is valid only for {}", names.join(", "))
        }
        CertificateError::Other(other) => {
            let text = other.0.to_string();
            // webpki shows the name of the cause alone.
            if text.contains(' ') { text } else { words(&text) }
        }
        CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYetContext { .. }
        | CertificateError::ExpiredRevocationListContext { .. }
        | CertificateError::InvalidPurposeContext { .. } => reason.to_string(),
        other => words(&format!("{other:?}")),
    }
}

/// A name in the certificate, which webpki gives as `DnsName("server.test")`, `IpAddress(127.0.0.1)` or `DirectoryName`.
fn alternative_name(presented: &str) -> String {
    let Some((kind, name)) = presented.split_once('(') else { return words(presented) };
    let name = name.trim_end_matches(')').trim_matches('"');
    match kind {
        "DnsName" | "IpAddress" => quoted(name.as_bytes()),
        other => format!("{} {}", words(other), quoted(name.as_bytes())),
    }
}

/// A client that is too old.
pub(super) fn old_version(offered: u16) -> String {
    let newest = match offered {
        0x0302 => "TLS 1.1",
        0x0301 => "TLS 1.0",
        _ => "SSL 3.0",
    };
    format!("the client offers no version above {newest}, but TLS 1.2 is the oldest that is supported (RFC 8996)")
}

fn incompatible(reason: &PeerIncompatible, peer: &str) -> (i32, String) {
    match reason {
        PeerIncompatible::ServerDoesNotSupportTls12Or13 => (
            FERRONET_ERR_TLS_UNSUPPORTED,
            "the server chose a version below TLS 1.2, which is the oldest that is supported (RFC 8996)".into(),
        ),
        PeerIncompatible::Tls12NotOffered
        | PeerIncompatible::Tls12NotOfferedOrEnabled
        | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
        | PeerIncompatible::SupportedVersionsExtensionRequired => {
            (FERRONET_ERR_TLS_NO_COMMON, format!("the {peer} and this side have no version in common"))
        }
        PeerIncompatible::NoCipherSuitesInCommon => {
            (FERRONET_ERR_TLS_NO_COMMON, format!("the {peer} and this side have no cipher suite in common"))
        }
        PeerIncompatible::NoKxGroupsInCommon => {
            (FERRONET_ERR_TLS_NO_COMMON, format!("the {peer} and this side have no key-exchange group in common"))
        }
        PeerIncompatible::NoSignatureSchemesInCommon
        | PeerIncompatible::NoCertificateRequestSignatureSchemesInCommon => {
            (FERRONET_ERR_TLS_NO_COMMON, format!("the {peer} takes no signature of our certificates"))
        }
        PeerIncompatible::ExtendedMasterSecretExtensionRequired => (
            FERRONET_ERR_TLS_UNSUPPORTED,
            format!("the {peer} has no extended master secret (RFC 7627), which is required"),
        ),
        other => (FERRONET_ERR_TLS_NO_COMMON, format!("the {peer} does not fit: {}", words(&format!("{other:?}")))),
    }
}

/// The alert that rustls sends for it, or that was received; `None` when it sends none, or when that is not known.
fn alert(refusal: &Refusal) -> Option<u8> {
    let description = match refusal {
        Refusal::AlertReceived(alert) => *alert,
        Refusal::InvalidCertificate(reason) => reason.clone().into(),
        Refusal::NoApplicationProtocol => AlertDescription::NoApplicationProtocol,
        Refusal::NoCertificatesPresented => AlertDescription::CertificateRequired,
        Refusal::InvalidMessage(reason) => (*reason).into(),
        Refusal::PeerSentOversizedRecord => AlertDescription::RecordOverflow,
        Refusal::DecryptError => AlertDescription::BadRecordMac,
        Refusal::InappropriateMessage { .. } | Refusal::InappropriateHandshakeMessage { .. } => {
            AlertDescription::UnexpectedMessage
        }
        Refusal::PeerIncompatible(
            PeerIncompatible::Tls12NotOffered
            | PeerIncompatible::Tls12NotOfferedOrEnabled
            | PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
            | PeerIncompatible::SupportedVersionsExtensionRequired,
        ) => AlertDescription::ProtocolVersion,
        Refusal::PeerIncompatible(_) | Refusal::General(_) => AlertDescription::HandshakeFailure,
        Refusal::PeerMisbehaved(_) => AlertDescription::IllegalParameter,
        _ => return None,
    };
    Some(description.into())
}

/// The name in RFC 8446, 6.
fn alert_name(alert: AlertDescription) -> String {
    let camel = format!("{alert:?}");
    if camel.contains('(') {
        return "unknown".to_owned();
    }
    let mut name = String::with_capacity(camel.len() + 4);
    for (index, letter) in camel.char_indices() {
        if letter.is_ascii_uppercase() && index > 0 && !camel[..index].ends_with(|c: char| c.is_ascii_uppercase()) {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#[path = "failure_tests.rs"]
mod tests;
