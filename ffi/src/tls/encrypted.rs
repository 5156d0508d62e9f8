//! Private keys under a password: PKCS#8 with PBES2 (RFC 8018), PBKDF2 and AES-CBC, which is what OpenSSL and the JDK write.

use std::num::NonZeroU32;

use aws_lc_rs::cipher::{
    AES_128, AES_192, AES_256, Algorithm, DecryptionContext, PaddedBlockDecryptingKey, UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;
use aws_lc_rs::pbkdf2::{self, PBKDF2_HMAC_SHA1, PBKDF2_HMAC_SHA256, PBKDF2_HMAC_SHA384, PBKDF2_HMAC_SHA512};
use zeroize::Zeroizing;

use super::der::{Element, element, unreadable};
use crate::error::Result;

const BEGIN: &[u8] = b"-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &[u8] = b"-----END ENCRYPTED PRIVATE KEY-----";

/// Object identifiers in their DER encoding.
const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d];
const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c];
/// `hmacWithSHA*` but for the last byte.
const HMAC: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02];
/// `aes*-CBC-PAD` but for the last byte.
const AES: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01];

const INTEGER: u8 = 2;
const OCTETS: u8 = 4;
const IDENTIFIER: u8 = 6;
const SEQUENCE: u8 = 0x30;

/// More would only keep the caller busy.
const MOST_ITERATIONS: u32 = 10_000_000;

/// The encrypted key in PEM or DER; `None` for what is something else.
pub(super) fn find(key: &[u8]) -> Option<Vec<u8>> {
    let place = |text: &[u8]| key.windows(text.len()).position(|window| window == text);
    if let Some(begin) = place(BEGIN) {
        let end = place(END).filter(|&end| end > begin)?;
        return base64(&key[begin + BEGIN.len()..end]);
    }
    parse(key).map(|_| key.to_vec())
}

/// The PKCS#8 structure inside.
pub(super) fn decrypt(key: &[u8], password: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let Some(scheme) = parse(key).and_then(scheme) else {
        return Err(unreadable(
            "the private key is encrypted in a way that is not supported: use PBES2 with PBKDF2 and AES-CBC, as openssl pkcs8 -topk8 -v2 aes-256-cbc does".into(),
        ));
    };
    if password.is_empty() {
        return Err(unreadable("the private key is encrypted, but there is no password: pass it".into()));
    }
    let mut secret = Zeroizing::new(vec![0; scheme.cipher.0]);
    pbkdf2::derive(scheme.hash, scheme.iterations, scheme.salt, password, &mut secret);
    let mut data = Zeroizing::new(scheme.data.to_vec());
    let context = DecryptionContext::Iv128(FixedLength::from(scheme.vector));
    let opened = UnboundCipherKey::new(scheme.cipher.1, &secret)
        .and_then(PaddedBlockDecryptingKey::cbc_pkcs7)
        .and_then(|cipher| cipher.decrypt(&mut data, context).map(|plain| plain.to_vec()));
    match opened.map(Zeroizing::new) {
        Ok(plain) if element(&plain).is_some_and(|whole| whole.tag == SEQUENCE) => Ok(plain),
        _ => {
            Err(unreadable("the private key cannot be decrypted: the password is wrong, or the key is damaged".into()))
        }
    }
}

/// The parameters of the encryption, and what is encrypted.
fn parse(key: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let whole = element(key).filter(|whole| whole.tag == SEQUENCE)?;
    let algorithm = element(whole.contents).filter(|item| item.tag == SEQUENCE)?;
    let data = element(algorithm.rest).filter(|item| item.tag == OCTETS)?.contents;
    element(algorithm.contents).filter(|item| item.tag == IDENTIFIER)?;
    Some((algorithm, data))
}

struct Scheme<'a> {
    hash: pbkdf2::Algorithm,
    iterations: NonZeroU32,
    salt: &'a [u8],
    /// Bytes of the key, and the cipher.
    cipher: (usize, &'static Algorithm),
    vector: [u8; 16],
    data: &'a [u8],
}

fn scheme<'a>((algorithm, data): (Element<'a>, &'a [u8])) -> Option<Scheme<'a>> {
    let kind = element(algorithm.contents).filter(|kind| kind.contents == PBES2)?;
    let derivation = element(element(kind.rest)?.contents)?;
    let encryption = element(derivation.rest)?;

    let kind = element(derivation.contents).filter(|kind| kind.contents == PBKDF2)?;
    let salt = element(element(kind.rest)?.contents).filter(|salt| salt.tag == OCTETS)?;
    let count = element(salt.rest).filter(|count| count.tag == INTEGER && count.contents.len() <= 4)?;
    let iterations = count.contents.iter().fold(0u32, |sum, &byte| sum << 8 | u32::from(byte));
    let mut next = count.rest;
    if let Some(length) = element(next).filter(|length| length.tag == INTEGER) {
        next = length.rest;
    }
    let hash = match element(next) {
        None => PBKDF2_HMAC_SHA1,
        Some(function) => match element(function.contents)?.contents.strip_prefix(HMAC)? {
            [7] => PBKDF2_HMAC_SHA1,
            [9] => PBKDF2_HMAC_SHA256,
            [10] => PBKDF2_HMAC_SHA384,
            [11] => PBKDF2_HMAC_SHA512,
            _ => return None,
        },
    };

    let kind = element(encryption.contents)?;
    let cipher: (usize, &'static Algorithm) = match kind.contents.strip_prefix(AES)? {
        [2] => (16, &AES_128),
        [22] => (24, &AES_192),
        [42] => (32, &AES_256),
        _ => return None,
    };
    let vector = element(kind.rest)?.contents.try_into().ok()?;
    let iterations = NonZeroU32::new(iterations).filter(|count| count.get() <= MOST_ITERATIONS)?;
    Some(Scheme { hash, iterations, salt: salt.contents, cipher, vector, data })
}

/// Text in base64, with or without line ends.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for &letter in text.iter().filter(|letter| !letter.is_ascii_whitespace() && **letter != b'=') {
        let digit = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}
