//! A certificate chain with its key.

use std::fmt;
use std::sync::Arc;

use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::{CertifiedKey, SigningKey};
use zeroize::Zeroize;

use super::config::CredentialConfig;
use super::der::{self, unreadable};
use super::encrypted;
use super::failure::explained;
use super::native;
use super::signer::ExternalKey;
use crate::error::{Error, Result};

/// What marks a PEM key that is encrypted, but not as PKCS#8.
const OLD_ENCRYPTION: &[u8] = b"Proc-Type: 4,ENCRYPTED";

/// A certificate chain with its key. Clones are the same credential; contexts and sessions keep what they use. Any thread.
#[derive(Clone)]
pub struct Credential(Arc<Inner>);

struct Inner {
    key: Arc<CertifiedKey>,
    names: Vec<String>,
    external: bool,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("names", &self.0.names).finish_non_exhaustive()
    }
}

impl Credential {
    /// Reads and checks a chain and its key.
    ///
    /// # Errors
    /// `FERRONET_ERR_TLS_KEY`: unreadable, encrypted, or the key is not the certificate's.
    pub fn new(config: CredentialConfig) -> Result<Self> {
        let mut config = config;
        let chain = der::certificates("the certificates of the credential", &config.chain)?;
        let (key, external): (Arc<dyn SigningKey>, bool) = match config.signer.take() {
            Some(_) if !config.key.is_empty() => {
                config.key.zeroize();
                return Err(Error::invalid("the credential has both a key and a signer: pass one of them"));
            }
            Some(signer) => (Arc::new(ExternalKey::new(signer, &chain[0], &config.schemes)?), true),
            None => {
                let loaded = load(&config.key, &config.password);
                config.key.zeroize();
                config.password.zeroize();
                (loaded?, false)
            }
        };
        let shown = der::own_key(&chain[0])?;
        if key.public_key().is_some_and(|own| own.as_ref() != shown.encoding) {
            return Err(unreadable("the private key is not that of the first certificate: pass the end entity's certificate first, and its key".into()));
        }
        let mut key = CertifiedKey::new(chain, key);
        key.ocsp = Some(config.ocsp_response).filter(|response| !response.is_empty());
        let names = config.names.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_ascii_lowercase);
        Ok(Self(Arc::new(Inner { key: Arc::new(key), names: names.collect(), external })))
    }

    pub(super) fn key(&self) -> &Arc<CertifiedKey> {
        &self.0.key
    }

    /// Whether it signs through a hook.
    pub(super) fn is_external(&self) -> bool {
        self.0.external
    }

    /// The same with another OCSP response.
    pub(super) fn with_ocsp_response(&self, response: &[u8]) -> Self {
        let mut key = CertifiedKey::clone(&self.0.key);
        key.ocsp = Some(response.to_vec()).filter(|response| !response.is_empty());
        Self(Arc::new(Inner { key: Arc::new(key), names: self.0.names.clone(), external: self.0.external }))
    }

    /// Whether it serves that name.
    pub(super) fn serves(&self, name: &str) -> bool {
        if !self.0.names.is_empty() {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            return self.0.names.iter().any(|pattern| match pattern.strip_prefix('*') {
                Some(suffix) => {
                    name.strip_suffix(suffix).is_some_and(|label| !label.is_empty() && !label.contains('.'))
                }
                None => *pattern == name,
            });
        }
        let Ok(wanted) = ServerName::try_from(name) else { return false };
        let Ok(certificate) = ParsedCertificate::try_from(&self.0.key.cert[0]) else { return false };
        verify_server_name(&certificate, &wanted).is_ok()
    }

    /// Whether one of these authorities issued a certificate of the chain.
    pub(super) fn is_issued_by(&self, authorities: &[&[u8]]) -> bool {
        let issuers = self.0.key.cert.iter().filter_map(|certificate| der::issuer(certificate));
        issuers.into_iter().any(|issuer| authorities.contains(&issuer))
    }
}

fn load(key: &[u8], password: &[u8]) -> Result<Arc<dyn SigningKey>> {
    if key.is_empty() {
        return Err(unreadable("the credential has neither a key nor a signer".into()));
    }
    let provider = Arc::new(native::provider()?);
    if let Some(sealed) = encrypted::find(key) {
        let plain = encrypted::decrypt(&sealed, password)?;
        return load_der(&provider, PrivatePkcs8KeyDer::from(plain.to_vec()).into());
    }
    if key.windows(OLD_ENCRYPTION.len()).any(|window| window == OLD_ENCRYPTION) {
        return Err(unreadable(
            "the private key is encrypted in OpenSSL's old format, which is not supported: convert it with openssl pkcs8 -topk8".into(),
        ));
    }
    if der::is_pem(key) {
        return native::load_key(&provider, key);
    }
    let der = PrivateKeyDer::try_from(key.to_vec()).map_err(|error| {
        unreadable(format!("the private key is neither PEM nor DER of PKCS#8, PKCS#1 or SEC1 ({error})"))
    })?;
    load_der(&provider, der)
}

fn load_der(provider: &CryptoProvider, der: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>> {
    provider.key_provider.load_private_key(der).map_err(|error| {
        unreadable(format!("the private key cannot be used ({}): pass RSA of 2,048 bits or more, ECDSA on P-256, P-384 or P-521, or Ed25519", explained(&error)))
    })
}
