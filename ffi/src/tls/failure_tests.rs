use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::{ServerName, UnixTime};
use rustls::{CertRevocationListError, ContentType, ExtendedKeyPurpose, HandshakeType, OtherError};

use super::*;

#[test]
fn alerts_have_their_names_of_the_rfc() {
    assert_eq!(alert_name(AlertDescription::UnknownCA), "unknown_ca");
    assert_eq!(alert_name(AlertDescription::BadRecordMac), "bad_record_mac");
    assert_eq!(alert_name(AlertDescription::CloseNotify), "close_notify");
    assert_eq!(alert_name(AlertDescription::Unknown(250)), "unknown");
}

#[test]
fn an_incompatible_peer_says_in_what() {
    let refusal = Refusal::PeerIncompatible(PeerIncompatible::Tls12NotOffered);
    let found = failure(&refusal, None, Side::Server);
    assert_eq!((found.error.status, found.alert), (FERRONET_ERR_TLS_NO_COMMON, Some(70)));
    assert!(found.error.text.contains("version"), "{}", found.error);
    assert!(old_version(0x0301).contains("TLS 1.0"));
}

fn misbehaviours() -> Vec<Refusal> {
    use PeerMisbehaved::*;
    [
        AttemptedDowngradeToTls12WhenTls13IsSupported,
        BadCertChainExtensions,
        CipherSuiteDifferedOnRetry,
        DisallowedEncryptedExtension,
        DuplicateClientHelloExtensions,
        DuplicateEncryptedExtensions,
        DuplicateHelloRetryRequestExtensions,
        DuplicateNewSessionTicketExtensions,
        DuplicateServerHelloExtensions,
        DuplicateServerNameTypes,
        EarlyDataAttemptedInSecondClientHello,
        EarlyDataExtensionWithoutResumption,
        EarlyDataOfferedWithVariedCipherSuite,
        EchAcceptanceVariedAfterRetry,
        HandshakeHashVariedAfterRetry,
        IllegalHelloRetryRequestWithEmptyCookie,
        IllegalHelloRetryRequestWithNoChanges,
        IllegalHelloRetryRequestWithOfferedGroup,
        IllegalHelloRetryRequestWithUnofferedCipherSuite,
        IllegalHelloRetryRequestWithUnofferedNamedGroup,
        IllegalHelloRetryRequestWithUnsupportedVersion,
        IllegalHelloRetryRequestWithWrongSessionId,
        IllegalHelloRetryRequestWithInvalidEch,
        IllegalMiddleboxChangeCipherSpec,
        IllegalTlsInnerPlaintext,
        IncorrectBinder,
        InvalidCertCompression,
        InvalidMaxEarlyDataSize,
        InvalidKeyShare,
        KeyEpochWithPendingFragment,
        KeyUpdateReceivedInQuicConnection,
        MessageInterleavedWithHandshakeMessage,
        MissingBinderInPskExtension,
        MissingKeyShare,
        MissingPskExtensionInSecondClientHello,
        MissingPskModesExtension,
        MissingQuicTransportParameters,
        OfferedDuplicateCertificateCompressions,
        OfferedDuplicateKeyShares,
        OfferedEarlyDataWithOldProtocolVersion,
        OfferedEmptyApplicationProtocol,
        OfferedIncorrectCompressions,
        PskExtensionMustBeLast,
        PskExtensionWithMismatchedIdsAndBinders,
        RefusedToFollowHelloRetryRequest,
        RejectedEarlyDataInterleavedWithHandshakeMessage,
        ResumptionAttemptedWithVariedEms,
        ResumptionOfferedWithVariedCipherSuite,
        ResumptionOfferedWithVariedEms,
        ResumptionOfferedWithIncompatibleCipherSuite,
        SelectedDifferentCipherSuiteAfterRetry,
        SelectedInvalidPsk,
        SelectedTls12UsingTls13VersionExtension,
        SelectedUnofferedApplicationProtocol,
        SelectedUnofferedCertCompression,
        SelectedUnofferedCipherSuite,
        SelectedUnofferedCompression,
        SelectedUnofferedKxGroup,
        SelectedUnofferedPsk,
        SelectedUnusableCipherSuiteForVersion,
        ServerEchoedCompatibilitySessionId,
        ServerHelloMustOfferUncompressedEcPoints,
        ServerNameDifferedOnRetry,
        ServerNameMustContainOneHostName,
        SignedKxWithWrongAlgorithm,
        SignedHandshakeWithUnadvertisedSigScheme,
        TooManyEmptyFragments,
        TooManyKeyUpdateRequests,
        TooManyRenegotiationRequests,
        TooManyWarningAlertsReceived,
        TooMuchEarlyDataReceived,
        UnexpectedCleartextExtension,
        UnsolicitedCertExtension,
        UnsolicitedEncryptedExtension,
        UnsolicitedSctList,
        UnsolicitedServerHelloExtension,
        WrongGroupForKeyShare,
        UnsolicitedEchExtension,
    ]
    .map(Refusal::from)
    .into()
}

fn incompatibilities() -> Vec<Refusal> {
    use PeerIncompatible::*;
    [
        EcPointsExtensionRequired,
        ExtendedMasterSecretExtensionRequired,
        IncorrectCertificateTypeExtension,
        KeyShareExtensionRequired,
        NamedGroupsExtensionRequired,
        NoCertificateRequestSignatureSchemesInCommon,
        NoCipherSuitesInCommon,
        NoEcPointFormatsInCommon,
        NoKxGroupsInCommon,
        NoSignatureSchemesInCommon,
        NullCompressionRequired,
        ServerDoesNotSupportTls12Or13,
        ServerSentHelloRetryRequestWithUnknownExtension,
        ServerTlsVersionIsDisabledByOurConfig,
        SignatureAlgorithmsExtensionRequired,
        SupportedVersionsExtensionRequired,
        Tls12NotOffered,
        Tls12NotOfferedOrEnabled,
        Tls13RequiredForQuic,
        UncompressedEcPointsRequired,
        UnsolicitedCertificateTypeExtension,
    ]
    .map(Refusal::from)
    .into()
}

fn messages() -> Vec<Refusal> {
    use InvalidMessage::*;
    let named = [
        MissingData("ServerName"),
        TrailingData("CertificateStatusRequest"),
        UnexpectedMessage("ClientHello"),
        IllegalEmptyList("ProtocolNames"),
        DuplicateExtension(35),
    ];
    [
        CertificatePayloadTooLarge,
        HandshakePayloadTooLarge,
        InvalidCcs,
        InvalidContentType,
        InvalidCertificateStatusType,
        InvalidCertRequest,
        InvalidDhParams,
        InvalidEmptyPayload,
        InvalidKeyUpdate,
        InvalidServerName,
        MessageTooLarge,
        MessageTooShort,
        MissingKeyExchange,
        NoSignatureSchemes,
        UnknownProtocolVersion,
        UnsupportedCompression,
        UnsupportedCurveType,
        EmptyTicketValue,
        IllegalEmptyValue,
        PreSharedKeyIsNotFinalExtension,
        UnknownHelloRetryRequestExtension,
        UnknownCertificateExtension,
    ]
    .into_iter()
    .chain(named)
    .map(Refusal::from)
    .collect()
}

fn wrong_name(presented: &[&str]) -> CertificateError {
    let expected = ServerName::try_from("wrong.test").unwrap();
    CertificateError::NotValidForNameContext {
        expected,
        presented: presented.iter().map(|&name| name.to_owned()).collect(),
    }
}

fn certificates() -> Vec<Refusal> {
    use CertificateError::*;
    let time = UnixTime::since_unix_epoch(Duration::from_secs(1_000_000));
    let contexts = [
        ExpiredContext { time, not_after: time },
        NotValidYetContext { time, not_before: time },
        ExpiredRevocationListContext { time, next_update: time },
        wrong_name(&[
            "DnsName(\"one.test\")",
            "IpAddress(10.0.0.1)",
            "DirectoryName",
            "UniformResourceIdentifier(\"http://a\")",
            "Unsupported(0xa0)",
        ]),
        wrong_name(&[]),
        InvalidPurposeContext {
            required: ExtendedKeyPurpose::ServerAuth,
            presented: vec![ExtendedKeyPurpose::ClientAuth, ExtendedKeyPurpose::Other(vec![1, 3, 6, 1])],
        },
        UnsupportedSignatureAlgorithmForPublicKeyContext {
            signature_algorithm_id: vec![1, 2],
            public_key_algorithm_id: vec![3],
        },
        UnsupportedSignatureAlgorithmContext { signature_algorithm_id: vec![1, 2], supported_algorithms: Vec::new() },
        Other(OtherError(Arc::new(Error::invalid("a judgement")))),
    ];
    [
        BadEncoding,
        Expired,
        NotValidYet,
        Revoked,
        UnhandledCriticalExtension,
        UnknownIssuer,
        UnknownRevocationStatus,
        ExpiredRevocationList,
        BadSignature,
        NotValidForName,
        InvalidPurpose,
        InvalidOcspResponse,
        ApplicationVerificationFailure,
    ]
    .into_iter()
    .chain(contexts)
    .map(Refusal::from)
    .collect()
}

fn lists() -> Vec<Refusal> {
    use CertRevocationListError::*;
    [
        BadSignature,
        InvalidCrlNumber,
        InvalidRevokedCertSerialNumber,
        IssuerInvalidForCrl,
        ParseError,
        UnsupportedCrlVersion,
        UnsupportedCriticalExtension,
        UnsupportedDeltaCrl,
        UnsupportedIndirectCrl,
        UnsupportedRevocationReason,
    ]
    .map(Refusal::InvalidCertRevocationList)
    .into()
}

fn others() -> Vec<Refusal> {
    use Refusal::*;
    let expect_types = vec![HandshakeType::ClientHello, HandshakeType::HelloVerifyRequest];
    vec![
        InappropriateMessage {
            expect_types: vec![ContentType::Handshake, ContentType::Alert],
            got_type: ContentType::ApplicationData,
        },
        InappropriateMessage { expect_types: Vec::new(), got_type: ContentType::Unknown(99) },
        InappropriateHandshakeMessage { expect_types, got_type: HandshakeType::Unknown(77) },
        AlertReceived(AlertDescription::HandshakeFailure),
        AlertReceived(AlertDescription::Unknown(200)),
        InconsistentKeys(rustls::InconsistentKeys::KeyMismatch),
        General("a text".into()),
        DecryptError,
        EncryptError,
        NoCertificatesPresented,
        UnsupportedNameType,
        PeerSentOversizedRecord,
        HandshakeNotComplete,
        NoApplicationProtocol,
        FailedToGetCurrentTime,
        FailedToGetRandomBytes,
        BadMaxFragmentSize,
    ]
}

#[test]
fn no_refusal_shows_notation_of_rust() {
    let all = [misbehaviours(), incompatibilities(), messages(), certificates(), lists(), others()].concat();
    assert!(all.len() > 150, "{}", all.len());
    for refusal in all {
        for side in [Side::Client, Side::Server] {
            let text = failure(&refusal, None, side).error.text;
            crate::prose::assert_prose(&text);
            assert!(text.len() > 30, "{text}");
        }
        crate::prose::assert_prose(&explained(&refusal));
    }
}

#[test]
fn a_name_that_is_not_in_the_certificate_is_told_with_those_that_are() {
    let refusal = wrong_name(&["DnsName(\"one.test\")", "IpAddress(10.0.0.1)"]).into();
    assert_eq!(
        failure(&refusal, None, Side::Client).error.text,
        "the server's certificate was refused: certificate not valid for name \"wrong.test\"; it is valid only for \"one.test\", \"10.0.0.1\""
    );
}
