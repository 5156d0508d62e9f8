//! Records of one direction under its keys.
//!
//! RFC 8446, 5.2 and 5.3; RFC 5246, 6.2.3.3 with RFC 5288 (AES-GCM) and RFC 7905 (ChaCha20-Poly1305).

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use rustls::{CipherSuite, ConnectionTrafficSecrets};
use zeroize::Zeroize;

use super::record::{DATA, HEADER, MAX_DATA};

/// Bytes that every AEAD of ours adds.
const TAG: usize = 16;
/// Bytes of a nonce, of which TLS 1.2 sends the last eight with AES-GCM.
const NONCE: usize = 12;
const SENT_NONCE: usize = 8;
/// The most bytes of a key.
const MAX_KEY: usize = 32;

/// What records look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// TLS 1.3: the type is encrypted with the data.
    Tls13,
    /// TLS 1.2 with AES-GCM: a part of the nonce goes ahead of the data.
    Gcm12,
    /// TLS 1.2 with ChaCha20-Poly1305.
    ChaCha12,
}

impl Form {
    /// Bytes between the header and the data.
    const fn ahead(self) -> usize {
        if matches!(self, Self::Gcm12) { SENT_NONCE } else { 0 }
    }

    /// Bytes of the type behind the data.
    const fn inner(self) -> usize {
        if matches!(self, Self::Tls13) { 1 } else { 0 }
    }

    /// Bytes of a record that are not data, padding aside.
    pub(super) const fn overhead(self) -> usize {
        HEADER + self.ahead() + self.inner() + TAG
    }
}

/// A record that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unopened {
    /// It is not what the peer encrypted.
    BadMac,
    /// It holds more than a record may.
    TooLong,
    /// It has nothing but padding.
    NoType,
}

/// Where the data of an opened record lies, and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    pub kind: u8,
    /// From the front of what was opened, or written to.
    pub start: usize,
    pub length: usize,
}

/// The keys of one direction. aws-lc wipes its own copy when it goes.
pub(super) struct Cipher {
    aead: LessSafeKey,
    nonce: [u8; NONCE],
    form: Form,
    /// Of the next record.
    number: u64,
}

impl Drop for Cipher {
    fn drop(&mut self) {
        self.nonce.zeroize();
    }
}

impl Cipher {
    /// Keys as rustls extracts them, with the number of their next record; `None` for what is no cipher of ours.
    pub(super) fn new(tls13: bool, number: u64, secrets: &ConnectionTrafficSecrets) -> Option<Self> {
        let (algorithm, key, nonce, form) = match secrets {
            ConnectionTrafficSecrets::Aes128Gcm { key, iv } => (&AES_128_GCM, key, iv, Form::Gcm12),
            ConnectionTrafficSecrets::Aes256Gcm { key, iv } => (&AES_256_GCM, key, iv, Form::Gcm12),
            ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => (&CHACHA20_POLY1305, key, iv, Form::ChaCha12),
            _ => return None,
        };
        Some(Self {
            aead: LessSafeKey::new(UnboundKey::new(algorithm, key.as_ref()).ok()?),
            nonce: nonce.as_ref().try_into().ok()?,
            form: if tls13 { Form::Tls13 } else { form },
            number,
        })
    }

    /// The keys that follow: `fill` derives what TLS 1.3 calls by a label (RFC 8446, 7.3).
    pub(super) fn next(&self, fill: impl Fn(&[u8], &mut [u8]) -> bool) -> Option<Self> {
        Self::derived(self.aead.algorithm(), self.form, 0, fill)
    }

    /// The keys of a suite of TLS 1.3, derived likewise, with the number of their next record.
    pub(super) fn of(suite: CipherSuite, number: u64, fill: impl Fn(&[u8], &mut [u8]) -> bool) -> Option<Self> {
        let algorithm = match suite {
            CipherSuite::TLS13_AES_128_GCM_SHA256 => &AES_128_GCM,
            CipherSuite::TLS13_AES_256_GCM_SHA384 => &AES_256_GCM,
            CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => &CHACHA20_POLY1305,
            _ => return None,
        };
        Self::derived(algorithm, Form::Tls13, number, fill)
    }

    fn derived(
        algorithm: &'static Algorithm,
        form: Form,
        number: u64,
        fill: impl Fn(&[u8], &mut [u8]) -> bool,
    ) -> Option<Self> {
        let mut key = [0; MAX_KEY];
        let key = key.get_mut(..algorithm.key_len())?;
        let mut nonce = [0; NONCE];
        let filled = fill(b"key", key) && fill(b"iv", &mut nonce);
        let unbound = UnboundKey::new(algorithm, key);
        key.zeroize();
        Some(Self { aead: LessSafeKey::new(unbound.ok().filter(|_| filled)?), nonce, form, number })
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// The number of the next record.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    #[cfg(test)]
    pub(super) fn set_number(&mut self, number: u64) {
        self.number = number;
    }

    /// The nonce of a record: a start from the keys, exclusive-or its number.
    #[inline]
    fn unique(&self, number: u64) -> [u8; NONCE] {
        let mut nonce = self.nonce;
        for (byte, of_number) in nonce[NONCE - 8..].iter_mut().zip(number.to_be_bytes()) {
            *byte ^= of_number;
        }
        nonce
    }

    /// Makes a record of `record.len()` bytes, [`Form::overhead`] of which are not data. Without `data`, it lies in its place
    /// already: [`Self::place`]. `false`, with nothing written that could be sent, when all numbers are used.
    #[inline]
    pub(super) fn seal(&mut self, kind: u8, data: Option<&[u8]>, record: &mut [u8]) -> bool {
        let number = self.number;
        let Some(next) = number.checked_add(1) else { return false };
        let Some(length) = record.len().checked_sub(self.form.overhead()) else { return false };
        // Used up from here on, whatever comes: no nonce serves twice.
        self.number = next;
        let nonce = self.unique(number);
        let tls13 = self.form == Form::Tls13;
        let (header, body) = record.split_at_mut(HEADER);
        let [high, low] = (body.len() as u16).to_be_bytes();
        header.copy_from_slice(&[if tls13 { DATA } else { kind }, 3, 3, high, low]);
        let (ahead, rest) = body.split_at_mut(self.form.ahead());
        ahead.copy_from_slice(&nonce[NONCE - ahead.len()..]);
        let (text, end) = rest.split_at_mut(length);
        let inner = [kind];
        let inner = &inner[..self.form.inner()];
        let of_tls12;
        let bound = if tls13 {
            &*header
        } else {
            of_tls12 = bound(number, [kind, 3, 3], length);
            &of_tls12[..]
        };
        let (nonce, bound) = (Nonce::assume_unique_for_key(nonce), Aad::from(bound));
        match data {
            Some(data) => self.aead.seal_out_of_place_scatter(nonce, bound, data, text, inner, end),
            None => self.aead.seal_in_place_scatter(nonce, bound, text, inner, end),
        }
        .is_ok()
    }

    /// Where the data of a record of so many bytes lies.
    pub(super) fn place(&self, record: usize) -> std::ops::Range<usize> {
        let start = HEADER + self.form.ahead();
        start..start + record - self.form.overhead()
    }

    /// Bytes that opening a record of so many bytes writes: its data, and what TLS 1.3 puts behind it. `None` when the record
    /// is too short.
    #[inline]
    pub(super) fn room(&self, record: usize) -> Option<usize> {
        record.checked_sub(HEADER + self.form.ahead() + TAG)
    }

    /// Opens a record into `out`, of [`Self::room`] bytes. After a refusal they are zero.
    #[inline]
    pub(super) fn open(&mut self, record: &[u8], out: &mut [u8]) -> Result<Opened, Unopened> {
        let (nonce, bound, length) = self.begin(record)?;
        let (header, rest) = record.split_at(HEADER + self.form.ahead());
        let (text, tag) = rest.split_at(rest.len() - TAG);
        let bound = Aad::from(&bound[..length]);
        self.aead
            .open_separate_gather(Nonce::assume_unique_for_key(nonce), bound, text, tag, out)
            .map_err(|_| Unopened::BadMac)?;
        self.finish(header[0], out, 0)
    }

    /// Opens a record where it lies.
    #[inline]
    pub(super) fn open_in_place(&mut self, record: &mut [u8]) -> Result<Opened, Unopened> {
        let (nonce, bound, length) = self.begin(record)?;
        let (header, rest) = record.split_at_mut(HEADER + self.form.ahead());
        let (text, tag) = rest.split_at_mut(rest.len() - TAG);
        let bound = Aad::from(&bound[..length]);
        self.aead
            .open_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), bound, tag, text)
            .map_err(|_| Unopened::BadMac)?;
        self.finish(header[0], text, header.len())
    }

    /// Nonce and bound data of a record.
    #[inline]
    fn begin(&self, record: &[u8]) -> Result<([u8; NONCE], [u8; BOUND], usize), Unopened> {
        let room = self.room(record.len()).ok_or(Unopened::BadMac)?;
        if room > MAX_DATA + self.form.inner() {
            return Err(Unopened::TooLong);
        }
        // A peer that used all numbers has used none twice.
        if room < self.form.inner() || self.number == u64::MAX {
            return Err(Unopened::BadMac);
        }
        let mut nonce = self.unique(self.number);
        let mut header = [0; BOUND];
        if self.form == Form::Tls13 {
            // The version of a header is to be ignored (RFC 8446, 5.1), and is this one in what is bound (5.2).
            header[..HEADER].copy_from_slice(&[DATA, 3, 3, record[3], record[4]]);
            return Ok((nonce, header, HEADER));
        }
        if self.form == Form::Gcm12 {
            nonce[..NONCE - SENT_NONCE].copy_from_slice(&self.nonce[..NONCE - SENT_NONCE]);
            nonce[NONCE - SENT_NONCE..].copy_from_slice(&record[HEADER..HEADER + SENT_NONCE]);
        }
        Ok((nonce, bound(self.number, [record[0], record[1], record[2]], room), BOUND))
    }

    #[inline]
    fn finish(&mut self, kind: u8, text: &[u8], start: usize) -> Result<Opened, Unopened> {
        self.number += 1;
        if self.form != Form::Tls13 {
            return Ok(Opened { kind, start, length: text.len() });
        }
        let Some(length) = text.iter().rposition(|byte| *byte != 0) else { return Err(Unopened::NoType) };
        Ok(Opened { kind: text[length], start, length })
    }
}

/// Bytes that a record of TLS 1.2 is bound to.
const BOUND: usize = 13;

fn bound(number: u64, kind_and_version: [u8; 3], length: usize) -> [u8; BOUND] {
    let mut bound = [0; BOUND];
    bound[..8].copy_from_slice(&number.to_be_bytes());
    bound[8..11].copy_from_slice(&kind_and_version);
    bound[11..].copy_from_slice(&(length as u16).to_be_bytes());
    bound
}
