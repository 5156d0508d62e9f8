//! A certificate chain with its key.

use super::config::CredentialConfig;
use crate::abi::status::FERRONET_ERR_UNAVAILABLE;
use crate::error::{Error, Result};

/// A certificate chain with its key. Clones are the same credential; contexts and sessions keep what they use. Any thread.
#[derive(Clone, Debug)]
pub struct Credential {}

impl Credential {
    /// Reads and checks a chain and its key.
    ///
    /// # Errors
    /// `FERRONET_ERR_TLS_KEY`: unreadable, encrypted, or the key is not the certificate's.
    pub fn new(_config: CredentialConfig) -> Result<Self> {
        Err(Error::new(FERRONET_ERR_UNAVAILABLE, "TLS credentials are not there yet"))
    }
}
