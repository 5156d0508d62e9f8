//! TLS 1.2 and 1.3: contexts, credentials and sessions that work on the caller's memory.
//!
//! A [`Context`] is made once from a [`Config`], a [`Session`] for each connection. A session never touches a socket: the
//! caller hands what it received to [`Session::unwrap`], and sends what [`Session::wrap`] wrote. Nothing here blocks, except
//! for hooks, which run inside [`Session::task`].
//!
//! `rustls-ffi` reads the configuration (keys, certificates, roots, revocation lists), and the same `rustls` does the
//! protocol; neither shows in the interface.

mod assembly;
mod cache;
mod cipher;
mod config;
mod connection;
mod context;
mod counters;
mod credential;
mod data;
mod der;
mod encrypted;
mod exporter;
mod failure;
mod handshake;
mod hooks;
mod info;
mod keylog;
mod layer;
#[cfg(test)]
mod limits;
mod names;
mod native;
mod negotiation;
mod peer_key;
mod record;
mod regions;
mod resolver;
mod schedule;
mod scratch;
mod session;
mod signer;
mod tickets;
mod verifier;

pub use config::{AlpnPolicy, ClientAuth, Config, CredentialConfig, CrlPolicy, SessionConfig, Side, Trust};
pub use context::Context;
pub use credential::Credential;
pub use hooks::{Choice, Chooser, KeyLog, Signer, Verdict, Verification, Verifier};
pub use info::{ContextInfo, Names, Outcome, Progress, SessionInfo, State, What, event};
pub use names::names;
pub use regions::Input;
pub use session::Session;
