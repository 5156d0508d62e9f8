//! Keys that the library does not hold.

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::sign::{Signer as RustlsSigner, SigningKey};
use rustls::{SignatureAlgorithm, SignatureScheme};

use super::der::{self, oid, unreadable};
use super::hooks::Signer;
use super::names::{scheme_name, scheme_names};
use super::negotiation;
use crate::abi::status::FERRONET_ERR_TLS_CALLBACK;
use crate::error::{Error, Result};

const RSA_SCHEMES: &[SignatureScheme] = &[
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PKCS1_SHA256,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA512,
];

/// A key behind a [`Signer`].
#[derive(Clone)]
pub(super) struct ExternalKey {
    signer: Arc<dyn Signer>,
    algorithm: SignatureAlgorithm,
    schemes: Arc<[SignatureScheme]>,
}

impl ExternalKey {
    /// The key of a certificate; without schemes it offers all of the key's type.
    pub(super) fn new(signer: Arc<dyn Signer>, certificate: &CertificateDer<'_>, schemes: &[u16]) -> Result<Self> {
        let (algorithm, all) = key_type(certificate)?;
        let schemes: Vec<SignatureScheme> = if schemes.is_empty() {
            all.to_vec()
        } else {
            let chosen: Vec<SignatureScheme> = schemes.iter().map(|&scheme| scheme.into()).collect();
            if let Some(alien) = chosen.iter().find(|scheme| !all.contains(scheme)) {
                return Err(Error::invalid(format!(
                    "schemes hold {}, which is none of the certificate's key type: allowed are {}",
                    scheme_name((*alien).into()),
                    scheme_names(all)
                )));
            }
            chosen
        };
        Ok(Self { signer, algorithm, schemes: schemes.into() })
    }
}

/// The type of a certificate's key, and the schemes of TLS 1.2 and 1.3 for it.
fn key_type(certificate: &CertificateDer<'_>) -> Result<(SignatureAlgorithm, &'static [SignatureScheme])> {
    let found = match der::own_key(certificate)?.identifiers() {
        (oid::RSA, _) => (SignatureAlgorithm::RSA, RSA_SCHEMES),
        (oid::EC, Some(oid::P256)) => (SignatureAlgorithm::ECDSA, &[SignatureScheme::ECDSA_NISTP256_SHA256][..]),
        (oid::EC, Some(oid::P384)) => (SignatureAlgorithm::ECDSA, &[SignatureScheme::ECDSA_NISTP384_SHA384][..]),
        (oid::EC, Some(oid::P521)) => (SignatureAlgorithm::ECDSA, &[SignatureScheme::ECDSA_NISTP521_SHA512][..]),
        (oid::ED25519, None) => (SignatureAlgorithm::ED25519, &[SignatureScheme::ED25519][..]),
        _ => {
            return Err(unreadable(
                "the certificate of the credential has a key of an unknown type: use RSA (rsaEncryption, not RSASSA-PSS), ECDSA on P-256, P-384 or P-521, or Ed25519"
                    .into(),
            ));
        }
    };
    Ok(found)
}

impl fmt::Debug for ExternalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalKey").field("schemes", &self.schemes).finish_non_exhaustive()
    }
}

impl SigningKey for ExternalKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn RustlsSigner>> {
        let scheme = *self.schemes.iter().find(|scheme| offered.contains(scheme))?;
        Some(Box::new(ExternalSigner { signer: Arc::clone(&self.signer), scheme }))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }
}

struct ExternalSigner {
    signer: Arc<dyn Signer>,
    scheme: SignatureScheme,
}

impl fmt::Debug for ExternalSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalSigner").field("scheme", &self.scheme).finish_non_exhaustive()
    }
}

impl RustlsSigner for ExternalSigner {
    fn sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, rustls::Error> {
        let user = negotiation::with(|own| own.user).unwrap_or_default();
        self.signer.sign(user, self.scheme.into(), message).map_err(|why| {
            negotiation::fail(Error::new(FERRONET_ERR_TLS_CALLBACK, format!("the signer failed: {why}")));
            rustls::Error::General(why)
        })
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }
}
