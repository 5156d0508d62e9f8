//! A failure with its status and its text.

use std::fmt;
use std::io;

use crate::abi::status::{FERRONET_ERR_INVALID_ARGUMENT, FERRONET_ERR_UNAVAILABLE};

/// A failed call: the status a C caller gets, and what failed, on what, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A negated errno, or one of `FERRONET_ERR_*`.
    pub status: i32,
    /// What failed, on what value, by which rule, and the remedy.
    pub text: String,
}

/// The result of every fallible call.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failure with one of Ferronet's own statuses.
    pub fn new(status: i32, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// An argument that is out of range or contradicts another.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(FERRONET_ERR_INVALID_ARGUMENT, text)
    }

    /// A refusal by the operating system; its own words follow `what`.
    pub fn os(error: &io::Error, what: impl fmt::Display) -> Self {
        let words = error.to_string();
        // The number is the status already.
        let words = words.split(" (os error").next().unwrap_or_default();
        let status = error.raw_os_error().map_or(FERRONET_ERR_UNAVAILABLE, |errno| -errno);
        Self { status, text: format!("{what}: {words}") }
    }

    /// The refusal that the calling thread's `errno` holds.
    pub fn last_os(what: impl fmt::Display) -> Self {
        Self::os(&io::Error::last_os_error(), what)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (status {})", self.text, self.status)
    }
}

impl std::error::Error for Error {}
