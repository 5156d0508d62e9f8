//! Who judges the peer's certificates.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, OtherError, PeerMisbehaved, ProtocolVersion,
    SignatureScheme,
};

use super::config::ClientAuth;
use super::hooks::{Verdict, Verification, Verifier};
use super::negotiation;
use super::peer_key;
use crate::abi::status::{FERRONET_ERR_TLS_CALLBACK, FERRONET_ERR_TLS_CERTIFICATE};
use crate::error::Error;

/// The judge of a context.
#[derive(Clone)]
pub(super) enum Judge {
    Server(Arc<dyn ServerCertVerifier>),
    Client(Arc<dyn ClientCertVerifier>),
    Hook(Arc<dyn Verifier>),
    Nobody,
}

/// What rustls asks. Sessions that override `client_auth` have another one with the same judge.
#[derive(Clone)]
pub(super) struct PeerVerifier {
    pub judge: Judge,
    pub client_auth: ClientAuth,
    pub algorithms: WebPkiSupportedAlgorithms,
    pub max_bytes: usize,
    /// Authorities that a server names.
    pub hints: Arc<[DistinguishedName]>,
}

impl fmt::Debug for PeerVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerVerifier").field("client_auth", &self.client_auth).finish_non_exhaustive()
    }
}

type Outcome = Result<(), rustls::Error>;

impl PeerVerifier {
    /// The peer's proof that it has the certificate's key; the same on both sides.
    fn verify_signature(
        &self,
        version: ProtocolVersion,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        keep_scheme(signed);
        if self.reads_only_keys() {
            return peer_key::verify(version, message, certificate, signed, &self.algorithms);
        }
        if version == ProtocolVersion::TLSv1_2 {
            verify_tls12_signature(message, certificate, signed, &self.algorithms)
        } else {
            verify_tls13_signature(message, certificate, signed, &self.algorithms)
        }
    }

    /// Whether the form of certificates is not our affair: versions below 3, for example, which the judges of this library refuse.
    fn reads_only_keys(&self) -> bool {
        matches!(self.judge, Judge::Hook(_) | Judge::Nobody)
    }

    fn check_size(&self, first: &CertificateDer<'_>, others: &[CertificateDer<'_>]) -> Outcome {
        let total = others.iter().fold(first.len(), |sum, certificate| sum + certificate.len());
        if total <= self.max_bytes {
            return Ok(());
        }
        negotiation::fail(Error::new(
            FERRONET_ERR_TLS_CERTIFICATE,
            format!(
                "the peer's certificates have {total} bytes, but max_certificate_bytes is {}: raise it, at most to 65,535",
                self.max_bytes
            ),
        ));
        Err(CertificateError::Other(OtherError(Arc::new(Refused))).into())
    }

    fn ask(
        &self,
        hook: &dyn Verifier,
        first: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        ocsp: &[u8],
    ) -> Outcome {
        let known = negotiation::with(|own| (own.side, own.user, own.server_name.clone(), own.check_host));
        let Some((side, user, name, check_host)) = known else {
            return Err(rustls::Error::General("a certificate is judged outside of a step".into()));
        };
        let certificates: Vec<&[u8]> =
            std::iter::once(first).chain(others).map(|certificate| certificate.as_ref()).collect();
        let verdict = hook.verify(&Verification {
            side,
            user,
            certificates: &certificates,
            server_name: name.as_deref(),
            ocsp_response: ocsp,
            check_host: check_host && name.is_some(),
        });
        match verdict {
            Verdict::Accept => Ok(()),
            Verdict::Refuse(alert) => {
                negotiation::fail(Error::new(
                    FERRONET_ERR_TLS_CERTIFICATE,
                    format!("the verifier refused the peer's certificate with alert {alert}"),
                ));
                Err(with_alert(alert))
            }
            Verdict::Fail(why) => {
                negotiation::fail(Error::new(FERRONET_ERR_TLS_CALLBACK, format!("the verifier failed: {why}")));
                Err(rustls::Error::General(why))
            }
        }
    }
}

/// What makes rustls send that alert; handshake_failure for those that it never sends for a certificate.
fn with_alert(alert: u8) -> rustls::Error {
    let reason = match alert {
        42 => CertificateError::BadEncoding,
        43 => CertificateError::InvalidPurpose,
        44 => CertificateError::Revoked,
        45 => CertificateError::Expired,
        46 => CertificateError::Other(OtherError(Arc::new(Refused))),
        47 => return PeerMisbehaved::BadCertChainExtensions.into(),
        48 => CertificateError::UnknownIssuer,
        49 => CertificateError::ApplicationVerificationFailure,
        51 => CertificateError::BadSignature,
        113 => CertificateError::InvalidOcspResponse,
        _ => return rustls::Error::General(format!("refused with alert {alert}")),
    };
    reason.into()
}

/// The text of a refusal whose cause is kept elsewhere.
#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

fn keep_scheme(signed: &DigitallySignedStruct) {
    negotiation::with(|own| own.peer_scheme = signed.scheme.into());
}

impl ServerCertVerifier for PeerVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        negotiation::with(|own| own.ocsp_response = ocsp_response.into());
        self.check_size(end_entity, intermediates)?;
        match &self.judge {
            Judge::Nobody => {}
            Judge::Hook(hook) => self.ask(&**hook, end_entity, intermediates, ocsp_response)?,
            Judge::Server(judge) => {
                let judged = judge.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
                let check_host = negotiation::with(|own| own.check_host).unwrap_or(true);
                match judged {
                    Ok(_) => {}
                    // The name comes last, when the chain and its revocation are in order.
                    Err(rustls::Error::InvalidCertificate(
                        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
                    )) if !check_host => {}
                    Err(error) => return Err(error),
                }
            }
            Judge::Client(_) => return Err(rustls::Error::General("this context judges clients".into())),
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verify_signature(ProtocolVersion::TLSv1_2, message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verify_signature(ProtocolVersion::TLSv1_3, message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for PeerVerifier {
    fn offer_client_auth(&self) -> bool {
        self.client_auth != ClientAuth::None
    }

    fn client_auth_mandatory(&self) -> bool {
        self.client_auth == ClientAuth::Required
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.hints
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        self.check_size(end_entity, intermediates)?;
        match &self.judge {
            Judge::Nobody => {}
            Judge::Hook(hook) => self.ask(&**hook, end_entity, intermediates, &[])?,
            Judge::Client(judge) => {
                judge.verify_client_cert(end_entity, intermediates, now)?;
            }
            Judge::Server(_) => return Err(rustls::Error::General("this context judges servers".into())),
        }
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verify_signature(ProtocolVersion::TLSv1_2, message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verify_signature(ProtocolVersion::TLSv1_3, message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
