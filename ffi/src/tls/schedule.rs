//! The secrets of which a connection of TLS 1.3 makes its next keys (RFC 8446, 7.2 and 7.3).
//!
//! They are the only part of rustls's `KernelConnection` that a server needs, and a small one. They come through rustls's
//! key log hook.

use rustls::Tls13CipherSuite;
use rustls::crypto::tls13::OkmBlock;
use zeroize::Zeroize;

use super::cipher::Cipher;
use super::exporter::{SECRET, expand};

/// The labels of a key log.
const OF_CLIENT: &str = "CLIENT_TRAFFIC_SECRET_0";
const OF_SERVER: &str = "SERVER_TRAFFIC_SECRET_0";

/// Whether a key log has secrets under a label that are needed here.
pub(super) fn is_needed(label: &str) -> bool {
    label == OF_CLIENT || label == OF_SERVER
}

/// A secret of one direction; wiped when it goes.
struct Secret {
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
        if secret.len() <= SECRET {
            place.bytes[..secret.len()].copy_from_slice(secret);
            place.length = secret.len() as u8;
        }
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
