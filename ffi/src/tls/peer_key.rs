//! Signatures of a handshake under the key of a certificate that is not judged here.
//!
//! Where the application judges certificates, their form is its affair too: all that is read of one is its public key.

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use rustls::{CertificateError, DigitallySignedStruct, PeerMisbehaved, ProtocolVersion, SignatureScheme};

use super::der;
use super::names::scheme_name;
use super::negotiation;
use crate::abi::status::FERRONET_ERR_TLS_CERTIFICATE;
use crate::error::Error;

/// Checks what the peer signed. Which keys a scheme is good for: RFC 8446, 4.2.3 and 4.4.3 (one curve for each scheme, RSA with PSS only); RFC 5246,
/// 7.4.1.4.1 (the type of the key has to match, any curve).
pub(super) fn verify(
    version: ProtocolVersion,
    message: &[u8],
    certificate: &CertificateDer<'_>,
    signed: &DigitallySignedStruct,
    algorithms: &WebPkiSupportedAlgorithms,
) -> Result<HandshakeSignatureValid, rustls::Error> {
    let offered = algorithms.mapping.iter().find(|(scheme, _)| *scheme == signed.scheme);
    let Some((_, of_scheme)) = offered.filter(|_| is_of_version(signed.scheme, version)) else {
        return Err(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme.into());
    };
    let Some(key) = der::public_key(certificate) else {
        negotiation::fail(Error::new(
            FERRONET_ERR_TLS_CERTIFICATE,
            "the peer's certificate cannot be read as far as its public key: it is no X.509 in DER (RFC 5280, 4.1)",
        ));
        return Err(CertificateError::BadEncoding.into());
    };
    match algorithm(of_scheme, key.algorithm, version) {
        Some(algorithm) => algorithm
            .verify_signature(key.bits, message, signed.signature())
            .map(|()| HandshakeSignatureValid::assertion())
            .map_err(|_| CertificateError::BadSignature.into()),
        None => {
            negotiation::fail(Error::new(
                FERRONET_ERR_TLS_CERTIFICATE,
                format!(
                    "the peer signed with {}, which is none of its certificate's key type ({})",
                    scheme_name(signed.scheme.into()),
                    der::key_name(key.algorithm)
                ),
            ));
            Err(CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext {
                signature_algorithm_id: of_scheme
                    .first()
                    .map_or_else(Vec::new, |first| first.signature_alg_id().as_ref().to_vec()),
                public_key_algorithm_id: key.algorithm.into(),
            }
            .into())
        }
    }
}

/// The one for that type of key. TLS 1.3 takes the first only, whose curve is that of the scheme's name.
fn algorithm(
    of_scheme: &[&'static dyn SignatureVerificationAlgorithm],
    key: &[u8],
    version: ProtocolVersion,
) -> Option<&'static dyn SignatureVerificationAlgorithm> {
    let all = if version == ProtocolVersion::TLSv1_3 { 1 } else { of_scheme.len() };
    of_scheme.iter().take(all).find(|algorithm| algorithm.public_key_alg_id().as_ref() == key).copied()
}

fn is_of_version(scheme: SignatureScheme, version: ProtocolVersion) -> bool {
    use SignatureScheme::*;
    match scheme {
        RSA_PKCS1_SHA256 | RSA_PKCS1_SHA384 | RSA_PKCS1_SHA512 => version == ProtocolVersion::TLSv1_2,
        ECDSA_NISTP256_SHA256
        | ECDSA_NISTP384_SHA384
        | ECDSA_NISTP521_SHA512
        | RSA_PSS_SHA256
        | RSA_PSS_SHA384
        | RSA_PSS_SHA512
        | ED25519 => true,
        ML_DSA_44 | ML_DSA_65 | ML_DSA_87 => version == ProtocolVersion::TLSv1_3,
        _ => false,
    }
}
