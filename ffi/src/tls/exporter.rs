//! Keying material for other protocols: RFC 5705 (TLS 1.2), RFC 8446, 7.5 (TLS 1.3).
//!
//! rustls exports from buffered connections only. The secrets that it would use come through its key log hook.

use rustls::SupportedCipherSuite;
use rustls::crypto::tls13::OkmBlock;
use zeroize::Zeroize;

use crate::abi::status::{FERRONET_ERR_TLS_PROTOCOL, FERRONET_ERR_UNAVAILABLE};
use crate::error::{Error, Result};

/// The label of TLS 1.3's exporter secret in a key log.
pub(super) const EXPORTER_SECRET: &str = "EXPORTER_SECRET";
/// The label of TLS 1.2's master secret in a key log.
pub(super) const MASTER_SECRET: &str = "CLIENT_RANDOM";

/// The longest secret: of SHA-384, and the master secret.
pub(super) const SECRET: usize = 48;
const RANDOM: usize = 32;
/// HKDF-Expand gives 255 blocks of the shorter hash at most.
const MOST: usize = 255 * 32;

/// What material is derived from; wiped when it goes.
#[derive(Default)]
pub(super) struct Secrets(Option<Box<Inner>>);

struct Inner {
    secret: [u8; SECRET],
    length: usize,
    client_random: [u8; RANDOM],
    server_random: Option<[u8; RANDOM]>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

impl Secrets {
    fn inner(&mut self) -> &mut Inner {
        self.0.get_or_insert_with(|| {
            Box::new(Inner { secret: [0; SECRET], length: 0, client_random: [0; RANDOM], server_random: None })
        })
    }

    /// Takes what the key log hook gets.
    pub(super) fn set_secret(&mut self, client_random: &[u8], secret: &[u8]) {
        if secret.len() <= SECRET && client_random.len() == RANDOM {
            let inner = self.inner();
            inner.secret[..secret.len()].copy_from_slice(secret);
            inner.length = secret.len();
            inner.client_random.copy_from_slice(client_random);
        }
    }

    /// Takes the random of the ServerHello, which TLS 1.2 needs.
    pub(super) fn set_server_random(&mut self, random: &[u8]) {
        if let Ok(random) = random.try_into() {
            self.inner().server_random = Some(random);
        }
    }

    /// The client's random, which stands for a session that has no id.
    pub(super) fn client_random(&self) -> &[u8] {
        self.0.as_deref().map_or(&[], |inner| &inner.client_random)
    }

    /// Fills `out`.
    pub(super) fn export(
        &self,
        suite: SupportedCipherSuite,
        label: &[u8],
        context: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<()> {
        if out.is_empty() || out.len() > MOST {
            return Err(Error::invalid(format!("out has {} bytes, but 1 to {MOST} can be exported", out.len())));
        }
        if label.is_empty() || label.len() > 249 {
            return Err(Error::invalid(format!("label has {} bytes, but 1 to 249 are allowed", label.len())));
        }
        let Some(inner) = self.0.as_deref().filter(|inner| inner.length > 0) else {
            return Err(Error::new(FERRONET_ERR_UNAVAILABLE, "this session has no exporter secret"));
        };
        let secret = &inner.secret[..inner.length];
        match suite {
            SupportedCipherSuite::Tls13(suite) => {
                let hash = suite.common.hash_provider;
                let derived = suite.hkdf_provider.expander_for_okm(&OkmBlock::new(secret));
                let mut key = [0u8; SECRET];
                let key = &mut key[..hash.output_len()];
                expand(&*derived, label, hash.hash(b"").as_ref(), key)?;
                let last = suite.hkdf_provider.expander_for_okm(&OkmBlock::new(key));
                let bound = hash.hash(context.unwrap_or_default());
                key.zeroize();
                expand(&*last, b"exporter", bound.as_ref(), out)
            }
            SupportedCipherSuite::Tls12(suite) => {
                let Some(server_random) = &inner.server_random else {
                    return Err(Error::new(
                        FERRONET_ERR_UNAVAILABLE,
                        "the ServerHello came in pieces, and its random was not kept",
                    ));
                };
                let mut seed = [&inner.client_random[..], server_random].concat();
                if let Some(context) = context {
                    let Ok(length) = u16::try_from(context.len()) else {
                        return Err(Error::invalid("context has more than 65,535 bytes"));
                    };
                    seed.extend(length.to_be_bytes());
                    seed.extend(context);
                }
                suite.prf_provider.for_secret(out, secret, label, &seed);
                Ok(())
            }
        }
    }
}

/// HKDF-Expand-Label, RFC 8446, 7.1.
pub(super) fn expand(
    expander: &dyn rustls::crypto::tls13::HkdfExpander,
    label: &[u8],
    context: &[u8],
    out: &mut [u8],
) -> Result<()> {
    let length = (out.len() as u16).to_be_bytes();
    let info: [&[u8]; 6] = [&length, &[6 + label.len() as u8], b"tls13 ", label, &[context.len() as u8], context];
    expander
        .expand_slice(&info, out)
        .map_err(|_| Error::new(FERRONET_ERR_TLS_PROTOCOL, "more keying material than the hash gives"))
}
