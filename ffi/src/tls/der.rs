//! The little of DER and PEM that configuration and choices need.

use rustls::pki_types::pem::{PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};

use crate::abi::status::FERRONET_ERR_TLS_KEY;
use crate::error::{Error, Result};

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;

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
        (digits.iter().fold(0usize, |sum, &digit| sum << 8 | usize::from(digit)), &after_length[count..])
    };
    let contents = body.get(..length)?;
    let header = bytes.len() - body.len();
    Some(Element { tag, contents, encoding: &bytes[..header + length], rest: &body[length..] })
}

/// The issuer's name of a certificate, with its header.
pub(super) fn issuer(certificate: &[u8]) -> Option<&[u8]> {
    let whole = element(certificate)?;
    let body = element(whole.contents)?;
    let mut next = element(body.contents)?;
    if next.tag == VERSION {
        next = element(next.rest)?;
    }
    let signature = element(next.rest)?;
    Some(element(signature.rest)?.encoding)
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
        let (of, der) = section
            .map_err(|error| unreadable(format!("{what} are no valid PEM behind section {}: {error}", found.len())))?;
        if of == kind {
            found.push(der);
        }
    }
    Ok(found)
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
        for bad in [&[][..], &[0x30], &[0x30, 0x80], &[0x30, 0x85, 1, 1, 1, 1, 1], &[0x30, 2, 1], &[0x30, 0x82, 1]] {
            assert!(element(bad).is_none(), "{bad:?}");
        }
        assert!(issuer(&[0x30, 0x03, 0x30, 0x01, 0x02]).is_none());
    }
}
