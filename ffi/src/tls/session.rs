//! One connection.

use std::sync::Arc;

use super::config::SessionConfig;
use super::context::Context;
use super::info::{Progress, SessionInfo, What};
use crate::abi::status::FERRONET_ERR_UNAVAILABLE;
use crate::error::{Error, Result};

/// What [`Session::unwrap`] reads.
pub enum Input<'a, 'b> {
    /// Regions that stay as they are; records are copied before they are decrypted.
    Keep(&'b [&'a [u8]]),
    /// Regions that may be overwritten; a record that lies in one region is decrypted there.
    Overwrite(&'b mut [&'a mut [u8]]),
}

/// One connection. It belongs to one thread at a time, which may change between calls.
///
/// After an `Err` of a call, [`Self::progress`] has the state and the alert; [`Self::wrap`] delivers the alert once.
#[derive(Debug)]
pub struct Session {
    context: Arc<Context>,
}

impl Session {
    /// A session of a context.
    ///
    /// # Errors
    /// What is wrong in the configuration; a client without a server name that has to check it.
    pub fn new(context: &Arc<Context>, _config: SessionConfig) -> Result<Self> {
        let _session = Self { context: Arc::clone(context) };
        Err(unavailable())
    }

    /// Encrypts sources into the output, behind what the handshake has to send. No sources: sends what is pending.
    ///
    /// # Errors
    /// The session has failed, and its alert was delivered; the keys are exhausted.
    pub fn wrap(&mut self, _sources: &[&[u8]], _output: &mut [u8]) -> Result<Progress> {
        Err(unavailable())
    }

    /// Takes records from the input and writes data to the outputs, as many as fit.
    ///
    /// # Errors
    /// The session fails: `FERRONET_ERR_TLS_*`.
    pub fn unwrap(&mut self, _input: Input<'_, '_>, _outputs: &mut [&mut [u8]]) -> Result<Progress> {
        Err(unavailable())
    }

    /// The same in one region, whose front the data is moved to.
    ///
    /// # Errors
    /// As for [`Self::unwrap`].
    pub fn unwrap_in_place(&mut self, _region: &mut [u8]) -> Result<Progress> {
        Err(unavailable())
    }

    /// Does the part of the handshake that [`super::State::NeedTask`] stands for, with its hooks.
    ///
    /// # Errors
    /// As for [`Self::unwrap`].
    pub fn task(&mut self) -> Result<Progress> {
        Err(unavailable())
    }

    /// Says that no more data will be sent: [`Self::wrap`] then delivers close_notify.
    ///
    /// # Errors
    /// The session has failed.
    pub fn close(&mut self) -> Result<Progress> {
        Err(unavailable())
    }

    /// Says that the transport gives no more bytes.
    ///
    /// # Errors
    /// `FERRONET_ERR_TLS_TRUNCATED` when the peer's close_notify did not come.
    pub fn end_input(&mut self) -> Result<()> {
        Err(unavailable())
    }

    /// State and alert, with zero counts.
    pub fn progress(&self) -> Progress {
        Progress::default()
    }

    /// What was negotiated and counted.
    pub fn info(&self) -> SessionInfo {
        SessionInfo::default()
    }

    /// One of the session's byte strings; `None` when there is none (with that index).
    pub fn bytes(&self, _what: What, _index: usize) -> Option<&[u8]> {
        None
    }

    /// Keying material (RFC 5705; RFC 8446, 7.5).
    ///
    /// # Errors
    /// The handshake is not complete; nothing is asked for, or too much.
    pub fn export(&self, _label: &[u8], _context: Option<&[u8]>, _out: &mut [u8]) -> Result<()> {
        Err(unavailable())
    }

    /// The context that it was made with.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

fn unavailable() -> Error {
    Error::new(FERRONET_ERR_UNAVAILABLE, "TLS sessions are not there yet")
}
