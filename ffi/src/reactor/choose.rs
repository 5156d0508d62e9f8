//! Which backend a reactor gets.

use std::sync::Arc;

use super::backend::Backend;
use super::poll::PollBackend;
use super::probe::{self, Refusal};
use super::settings::Settings;
use super::waker::Waker;
use crate::abi::config::*;
use crate::error::{Error, Result};

/// The steps of the kernel ladder without which AUTO takes poll.
const AUTO_NEEDS: u64 = FERRONET_RING_BUFFER_RING | FERRONET_RING_MULTISHOT_RECV | FERRONET_RING_DEFER_TASKRUN;

/// A backend, and why AUTO did not take io_uring.
pub(crate) struct Choice {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) fallback_reason: u32,
    pub(crate) fallback_status: i32,
    /// What was refused and the remedy; empty if nothing was.
    pub(crate) fallback_text: String,
}

impl Choice {
    fn wanted(backend: Box<dyn Backend>) -> Self {
        Self { backend, fallback_reason: FERRONET_REASON_NONE, fallback_status: 0, fallback_text: String::new() }
    }
}

/// Makes the backend that the settings ask for. AUTO takes poll when io_uring is refused, at any reactor of a process.
pub(crate) fn choose(settings: &Settings) -> Result<Choice> {
    match settings.backend {
        FERRONET_BACKEND_POLL => poll(settings, None).map(Choice::wanted),
        FERRONET_BACKEND_IO_URING => uring(settings).map(Choice::wanted).map_err(refused),
        _ => match auto(settings) {
            Ok(backend) => Ok(Choice::wanted(backend)),
            Err(refusal) => fall_back(settings, None, refusal),
        },
    }
}

/// The poll backend in place of a refused io_uring; on the waker that callers already hold, if there is one.
pub(crate) fn fall_back(settings: &Settings, waker: Option<Arc<Waker>>, refusal: Refusal) -> Result<Choice> {
    Ok(Choice {
        backend: poll(settings, waker)?,
        fallback_reason: refusal.reason,
        fallback_status: refusal.status,
        fallback_text: refusal.text,
    })
}

fn poll(settings: &Settings, waker: Option<Arc<Waker>>) -> Result<Box<dyn Backend>> {
    Ok(Box::new(PollBackend::new(settings, waker)?))
}

/// The error of an explicit choice.
fn refused(refusal: Refusal) -> Error {
    let status = if refusal.status < 0 { refusal.status } else { crate::abi::status::FERRONET_ERR_UNAVAILABLE };
    Error::new(status, refusal.text)
}

fn auto(settings: &Settings) -> std::result::Result<Box<dyn Backend>, Refusal> {
    if settings.any_thread {
        // Such a ring has no deferred work, and the kernel cancels requests whose submitting thread has ended.
        return Err(Refusal {
            reason: FERRONET_REASON_SWITCHED_OFF,
            status: 0,
            text: "AUTO takes poll for a reactor that any thread may drive, because such a ring can have no deferred task work; ask for IO_URING to have it all the same".into(),
        });
    }
    let available = probe::ring_features()?;
    let missing = AUTO_NEEDS & !(available & !settings.disabled_ring_features);
    if missing != 0 {
        return Err(Refusal {
            reason: FERRONET_REASON_KERNEL_TOO_OLD,
            status: 0,
            text: format!(
                "AUTO takes poll, because the ring steps {missing:#x} are missing or switched off; it needs buffer rings, multishot receive and deferred task work (Linux 6.1)"
            ),
        });
    }
    uring(settings)
}

#[cfg(all(target_os = "linux", feature = "io-uring"))]
fn uring(settings: &Settings) -> std::result::Result<Box<dyn Backend>, Refusal> {
    let available = probe::ring_features()?;
    let made = super::uring::UringBackend::new(settings, available);
    made.map(|backend| Box::new(backend) as Box<dyn Backend>).map_err(|error| probe::refusal(&error))
}

#[cfg(not(all(target_os = "linux", feature = "io-uring")))]
fn uring(_: &Settings) -> std::result::Result<Box<dyn Backend>, Refusal> {
    probe::ring_features()
        .and_then(|_| Err(Refusal { reason: FERRONET_REASON_NOT_BUILT, status: 0, text: String::new() }))
}
