//! The secrets of which a connection of TLS 1.3 makes its next keys (RFC 8446, 7.2 and 7.3).
//!
//! They are the only part of rustls's `KernelConnection` that a server needs, and a small one. They come through rustls's
//! key log hook.

use rustls::Tls13CipherSuite;
use rustls::crypto::tls13::OkmBlock;
use zeroize::Zeroize;

use super::cipher::Cipher;
use super::config::Side;
use super::exporter::{SECRET, expand};

/// The labels of a key log.
const OF_CLIENT: &str = "CLIENT_TRAFFIC_SECRET_0";
const OF_SERVER: &str = "SERVER_TRAFFIC_SECRET_0";

const HANDSHAKE_OF_CLIENT: &str = "CLIENT_HANDSHAKE_TRAFFIC_SECRET";
const HANDSHAKE_OF_SERVER: &str = "SERVER_HANDSHAKE_TRAFFIC_SECRET";

/// Whether a key log has secrets under a label that are needed here.
pub(super) fn is_needed(label: &str) -> bool {
    is_of_data(label) || label == HANDSHAKE_OF_CLIENT || label == HANDSHAKE_OF_SERVER
}

/// Whether the secret under a label is of data, not of the handshake.
pub(super) fn is_of_data(label: &str) -> bool {
    label == OF_CLIENT || label == OF_SERVER
}

/// Whether that side encrypts under the secret during its handshake. A client's handshake is over when it has the one of data.
pub(super) fn is_writing(label: &str, side: Side) -> bool {
    match side {
        Side::Client => label == HANDSHAKE_OF_CLIENT,
        Side::Server => label == HANDSHAKE_OF_SERVER || label == OF_SERVER,
    }
}

/// A secret of one direction; wiped when it goes.
pub(super) struct Secret {
    bytes: [u8; SECRET],
    length: u8,
}

impl Default for Secret {
    fn default() -> Self {
        Self { bytes: [0; SECRET], length: 0 }
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl Secret {
    /// Takes what the key log hook gets.
    pub(super) fn set(&mut self, secret: &[u8]) {
        if secret.len() <= SECRET {
            self.bytes[..secret.len()].copy_from_slice(secret);
            self.length = secret.len() as u8;
        }
    }

    /// Its keys, with the number of their next record.
    pub(super) fn cipher(&self, suite: &Tls13CipherSuite, number: u64) -> Option<Cipher> {
        let bytes = &self.bytes[..usize::from(self.length)];
        let expander = suite.hkdf_provider.expander_for_okm(&OkmBlock::new(bytes));
        Cipher::of(suite.common.suite, number, |label, out| expand(&*expander, label, b"", out).is_ok())
    }
}

/// The secrets of both directions.
#[derive(Default)]
pub(super) struct Schedule {
    client: Secret,
    server: Secret,
}

impl Schedule {
    /// Takes what the key log hook gets under a label that is needed.
    pub(super) fn set(&mut self, label: &str, secret: &[u8]) {
        let place = if label == OF_CLIENT { &mut self.client } else { &mut self.server };
        place.set(secret);
    }

    /// Whether both secrets are there.
    pub(super) fn is_whole(&self) -> bool {
        self.client.length > 0 && self.server.length > 0
    }

    /// The keys that follow those of a cipher; `None` if they cannot be made.
    pub(super) fn next(&mut self, suite: &Tls13CipherSuite, of_client: bool, cipher: &Cipher) -> Option<Cipher> {
        let secret = if of_client { &mut self.client } else { &mut self.server };
        let bytes = &mut secret.bytes[..usize::from(secret.length)];
        let mut next = [0; SECRET];
        let next = &mut next[..bytes.len()];
        let expander = suite.hkdf_provider.expander_for_okm(&OkmBlock::new(bytes));
        let made = expand(&*expander, b"traffic upd", b"", next);
        bytes.copy_from_slice(next);
        next.zeroize();
        made.ok()?;
        let expander = suite.hkdf_provider.expander_for_okm(&OkmBlock::new(bytes));
        cipher.next(|label, out| expand(&*expander, label, b"", out).is_ok())
    }
}
