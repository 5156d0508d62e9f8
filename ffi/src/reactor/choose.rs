//! Which backend a reactor gets.

use super::backend::Backend;
use super::error::{Error, Result};
use super::poll::PollBackend;
use super::settings::Settings;
use crate::abi::config::{FERRONET_BACKEND_AUTO, FERRONET_BACKEND_IO_URING, FERRONET_REASON_NONE, FERRONET_REASON_NOT_BUILT};
use crate::abi::status::FERRONET_ERR_UNAVAILABLE;

/// A backend, and why AUTO did not take io_uring.
pub(crate) struct Choice {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) fallback_reason: u32,
    pub(crate) fallback_status: i32,
}

/// Makes the backend that the settings ask for.
pub(crate) fn choose(settings: &Settings) -> Result<Choice> {
    if settings.backend == FERRONET_BACKEND_IO_URING {
        return Err(Error::new(FERRONET_ERR_UNAVAILABLE, "io_uring was asked for, and is not built in; use AUTO or POLL"));
    }
    let fallback_reason = if settings.backend == FERRONET_BACKEND_AUTO { FERRONET_REASON_NOT_BUILT } else { FERRONET_REASON_NONE };
    Ok(Choice { backend: Box::new(PollBackend::new(settings)?), fallback_reason, fallback_status: 0 })
}
