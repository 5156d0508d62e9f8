//! What an application can do itself: judge certificates, sign, choose credentials, receive the key log.
//!
//! All but [`KeyLog`] run inside `Session::task`, on the thread that calls it, for several sessions at a time. None may call
//! a function of the session that it is called for.

use super::config::Side;
use super::credential::Credential;

/// Judges the peer's certificates.
pub trait Verifier: Send + Sync {
    /// The judgement on a chain.
    fn verify(&self, verification: &Verification<'_>) -> Verdict;
}

/// A judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The peer is who it says.
    Accept,
    /// It is not: the handshake ends with this alert (RFC 8446, 6.2).
    Refuse(u8),
    /// The judgement itself failed, and why: the handshake ends with internal_error.
    Fail(String),
}

/// What is to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Verification<'a> {
    /// Our side.
    pub side: Side,
    /// The session's number.
    pub user: u64,
    /// Certificates, DER, the end entity's first.
    pub certificates: &'a [&'a [u8]],
    /// The name that a client wants to reach.
    pub server_name: Option<&'a str>,
    /// The stapled OCSP response, DER; empty for none.
    pub ocsp_response: &'a [u8],
    /// The certificate must be for the name.
    pub check_host: bool,
}

/// Signs with a key that the library does not hold.
pub trait Signer: Send + Sync {
    /// The signature over the message, which is not hashed yet, by a scheme of RFC 8446, 4.2.3.
    ///
    /// # Errors
    /// Why there is none.
    fn sign(&self, user: u64, scheme: u16, message: &[u8]) -> Result<Vec<u8>, String>;
}

/// Chooses the credential of a session.
pub trait Chooser: Send + Sync {
    /// The credential; `None` for none, which ends a server's handshake.
    ///
    /// # Errors
    /// Why it could not be chosen.
    fn choose(&self, choice: &Choice<'_>) -> Result<Option<Credential>, String>;
}

/// What a credential is chosen by.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Our side.
    pub side: Side,
    /// The session's number.
    pub user: u64,
    /// The name that the client sent; for a client its own.
    pub server_name: Option<&'a str>,
    /// Protocols that the client offers, each as a length byte and its name; for a server.
    pub alpn: &'a [u8],
    /// Signature schemes that the peer takes, the preferred first.
    pub schemes: &'a [u16],
    /// Suites that the client offers; for a server.
    pub suites: &'a [u16],
    /// Names of the authorities that the peer trusts, DER.
    pub issuers: &'a [&'a [u8]],
}

/// Receives the key log, with which whoever has it can read the connection.
pub trait KeyLog: Send + Sync {
    /// A line of the NSS format, without its end.
    fn line(&self, user: u64, line: &str);
}
