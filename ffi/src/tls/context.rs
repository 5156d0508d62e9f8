//! What sessions have in common.

use std::sync::Arc;

use super::config::Config;
use super::info::ContextInfo;
use crate::abi::status::FERRONET_ERR_UNAVAILABLE;
use crate::error::{Error, Result};

/// What sessions have in common: configuration, caches, ticket keys, counters. Any thread.
#[derive(Debug)]
pub struct Context {}

impl Context {
    /// Reads and checks the configuration.
    ///
    /// # Errors
    /// What is wrong in it, by which rule, and the remedy.
    pub fn new(_config: Config) -> Result<Arc<Self>> {
        Err(Error::new(FERRONET_ERR_UNAVAILABLE, "TLS contexts are not there yet"))
    }

    /// Replaces the keys of tickets: 48 bytes each (16 of name, 32 of key). The first encrypts, all decrypt.
    ///
    /// # Errors
    /// No key, a length that is no multiple of 48, or the context issues no tickets.
    pub fn set_ticket_keys(&self, _keys: &[u8]) -> Result<()> {
        Err(Error::new(FERRONET_ERR_UNAVAILABLE, "TLS contexts are not there yet"))
    }

    /// Replaces the OCSP response of the credential with that index, from the next handshake on; empty for none.
    ///
    /// # Errors
    /// There is no such credential.
    pub fn set_ocsp_response(&self, _index: usize, _der: &[u8]) -> Result<()> {
        Err(Error::new(FERRONET_ERR_UNAVAILABLE, "TLS contexts are not there yet"))
    }

    /// Counters and the size of the cache.
    pub fn info(&self) -> ContextInfo {
        ContextInfo::default()
    }

    /// Forgets every session.
    pub fn clear_sessions(&self) {}

    /// Forgets the sessions under a key (client), or with an id (server), and tells whether there was one.
    pub fn remove_session(&self, _key: &[u8]) -> bool {
        false
    }
}
