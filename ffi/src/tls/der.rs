//! The little of DER and PEM that configuration and choices need.

use rustls::pki_types::pem::{self, PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};

use crate::abi::status::FERRONET_ERR_TLS_KEY;
use crate::error::{Error, Result};
use crate::text::quoted;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OBJECT_IDENTIFIER: u8 = 0x06;

/// Object identifiers of keys and curves (RFC 3279, 4055, 5480, 8410) in their encoding.
pub(super) mod oid {
    pub const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    pub const RSA_PSS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a];
    pub const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
    pub const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
    pub const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
    pub const P521: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];
    pub const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
}

/// An element: its tag, its contents, its whole encoding and what follows. `None` for what is no DER.
pub(super) struct Element<'a> {
    pub tag: u8,
    pub contents: &'a [u8],
    pub encoding: &'a [u8],
    pub rest: &'a [u8],
}

/// The first element of some bytes.
pub(super) fn element(bytes: &[u8]) -> Option<Element<'_>> {
    let (&tag, after_tag) = bytes.split_first()?;
    let (&first, after_length) = after_tag.split_first()?;
    let (length, body) = if first < 0x80 {
        (usize::from(first), after_length)
    } else {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 {
            return None;
        }
        let digits = after_length.get(..count)?;
        // DER has one form for each length: the shortest (X.690, 10.1).
        if digits[0] == 0 || (count == 1 && digits[0] < 0x80) {
            return None;
        }
        (digits.iter().fold(0usize, |sum, &digit| sum << 8 | usize::from(digit)), &after_length[count..])
    };
    let contents = body.get(..length)?;
    let header = bytes.len() - body.len();
    Some(Element { tag, contents, encoding: &bytes[..header + length], rest: &body[length..] })
}

/// The fields of a certificate behind its version and serial number (RFC 5280, 4.1): signature's algorithm, issuer, validity, subject, public key and more.
fn fields(certificate: &[u8]) -> Option<&[u8]> {
    let whole = element(certificate).filter(|whole| whole.tag == SEQUENCE && whole.rest.is_empty())?;
    let body = element(whole.contents).filter(|body| body.tag == SEQUENCE)?;
    let mut next = element(body.contents)?;
    if next.tag == VERSION {
        next = element(next.rest)?;
    }
    Some(next).filter(|serial| serial.tag == INTEGER).map(|serial| serial.rest)
}

/// The issuer's name of a certificate, with its header.
pub(super) fn issuer(certificate: &[u8]) -> Option<&[u8]> {
    let signature = element(fields(certificate)?)?;
    Some(element(signature.rest)?.encoding)
}

/// A certificate's public key, of whichever version the certificate is.
pub(super) struct PublicKey<'a> {
    /// The whole SubjectPublicKeyInfo.
    pub encoding: &'a [u8],
    /// The contents of its AlgorithmIdentifier.
    pub algorithm: &'a [u8],
    pub bits: &'a [u8],
}

impl<'a> PublicKey<'a> {
    /// The algorithm's identifier, and its parameter if that is one, too (a curve).
    pub(super) fn identifiers(&self) -> (&'a [u8], Option<&'a [u8]>) {
        identifiers(self.algorithm)
    }
}

/// The public key of a certificate; `None` for what is no certificate.
pub(super) fn public_key(certificate: &[u8]) -> Option<PublicKey<'_>> {
    let mut rest = fields(certificate)?;
    for _ in ["signature", "issuer", "validity", "subject"] {
        rest = element(rest).filter(|field| field.tag == SEQUENCE)?.rest;
    }
    let info = element(rest).filter(|info| info.tag == SEQUENCE)?;
    let algorithm = element(info.contents).filter(|algorithm| algorithm.tag == SEQUENCE)?;
    let key = element(algorithm.rest).filter(|key| key.tag == BIT_STRING && key.rest.is_empty())?;
    // The first byte says how many bits at the end are unused.
    let bits = key.contents.strip_prefix(&[0])?;
    Some(PublicKey { encoding: info.encoding, algorithm: algorithm.contents, bits })
}

fn identifiers(algorithm: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(first) = element(algorithm).filter(|first| first.tag == OBJECT_IDENTIFIER) else { return (&[], None) };
    let second = element(first.rest).filter(|second| second.tag == OBJECT_IDENTIFIER && second.rest.is_empty());
    (first.contents, second.map(|second| second.contents))
}

/// The public key of the first certificate of a credential.
pub(super) fn own_key(certificate: &[u8]) -> Result<PublicKey<'_>> {
    public_key(certificate).ok_or_else(|| {
        unreadable(
            "the first certificate of the credential cannot be read: pass X.509 (RFC 5280, 4.1) in PEM or DER".into(),
        )
    })
}

/// What to call the type of a key with this AlgorithmIdentifier.
pub(super) fn key_name(algorithm: &[u8]) -> &'static str {
    match identifiers(algorithm) {
        (oid::RSA, _) => "RSA",
        (oid::RSA_PSS, _) => "RSASSA-PSS, for which no scheme is supported",
        (oid::EC, Some(oid::P256)) => "EC on P-256",
        (oid::EC, Some(oid::P384)) => "EC on P-384",
        (oid::EC, Some(oid::P521)) => "EC on P-521",
        (oid::EC, _) => "EC on a curve that is not supported",
        (oid::ED25519, _) => "Ed25519",
        _ => "one that is not supported",
    }
}

/// Whether these bytes are PEM.
pub(super) fn is_pem(bytes: &[u8]) -> bool {
    bytes.windows(11).any(|window| window == b"-----BEGIN ")
}

/// Certificates from PEM or concatenated DER.
pub(super) fn certificates(what: &str, bytes: &[u8]) -> Result<Vec<CertificateDer<'static>>> {
    let list: Vec<_> = if is_pem(bytes) {
        sections(what, bytes, SectionKind::Certificate)?.into_iter().map(CertificateDer::from).collect()
    } else {
        sequences(what, bytes)?.into_iter().map(CertificateDer::from).collect()
    };
    if list.is_empty() {
        return Err(unreadable(format!("{what} hold no certificate: pass PEM (BEGIN CERTIFICATE) or DER")));
    }
    Ok(list)
}

/// Revocation lists from PEM or concatenated DER.
pub(super) fn revocation_lists(what: &str, bytes: &[u8]) -> Result<Vec<CertificateRevocationListDer<'static>>> {
    let list: Vec<_> = if is_pem(bytes) {
        sections(what, bytes, SectionKind::Crl)?.into_iter().map(CertificateRevocationListDer::from).collect()
    } else {
        sequences(what, bytes)?.into_iter().map(CertificateRevocationListDer::from).collect()
    };
    if list.is_empty() {
        return Err(unreadable(format!("{what} hold no revocation list: pass PEM (BEGIN X509 CRL) or DER")));
    }
    Ok(list)
}

fn sections(what: &str, bytes: &[u8], kind: SectionKind) -> Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(bytes) {
        let (of, der) = section.map_err(|error| {
            unreadable(format!("{what} are no valid PEM behind section {}: {}", found.len(), explained(&error)))
        })?;
        if of == kind {
            found.push(der);
        }
    }
    Ok(found)
}

/// What is wrong with a PEM text. Keys are not quoted.
fn explained(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { end_marker } => format!("the line {} is missing", quoted(end_marker)),
        pem::Error::IllegalSectionStart { line } => format!("{} begins no section", quoted(line)),
        pem::Error::Base64Decode(_) => "a section is no base64".to_owned(),
        other => other.to_string(),
    }
}

fn sequences(what: &str, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(item) = element(rest).filter(|item| item.tag == SEQUENCE) else {
            return Err(unreadable(format!(
                "{what} are neither PEM nor DER: byte {} begins no complete DER sequence",
                bytes.len() - rest.len()
            )));
        };
        found.push(item.encoding.to_vec());
        rest = item.rest;
    }
    Ok(found)
}

pub(super) fn unreadable(text: String) -> Error {
    Error::new(FERRONET_ERR_TLS_KEY, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_their_long_form() {
        let mut long = vec![SEQUENCE, 0x82, 0x01, 0x00];
        long.extend([7; 256]);
        long.extend([1, 2]);
        let found = element(&long).unwrap();
        assert_eq!((found.contents.len(), found.encoding.len(), found.rest), (256, 260, &[1u8, 2][..]));
    }

    #[test]
    fn what_is_cut_short_is_no_element() {
        for bad in [
            &[][..],
            &[0x30],
            &[0x30, 0x80],
            &[0x30, 0x85, 1, 1, 1, 1, 1],
            &[0x30, 2, 1],
            &[0x30, 0x82, 1],
            &[0x30, 0x81, 1, 7],
            &[0x30, 0x82, 0, 1, 7],
        ] {
            assert!(element(bad).is_none(), "{bad:?}");
        }
        assert!(issuer(&[0x30, 0x03, 0x30, 0x01, 0x02]).is_none());
        assert!(public_key(&[0x30, 0x03, 0x30, 0x01, 0x02]).is_none());
    }
}
