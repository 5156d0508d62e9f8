//! The descriptors that a reactor holds, each under one number only.

use std::os::fd::RawFd;

use super::socket;
use crate::error::{Error, Result};

/// A bit for each descriptor; descriptors are small numbers.
#[derive(Default)]
pub(crate) struct Descriptors {
    words: Vec<u64>,
}

impl Descriptors {
    /// Takes a socket in, sets its blocking mode, and says whether it is a datagram socket. What is no socket, or is held
    /// already, is refused as it is.
    pub(crate) fn take(&mut self, descriptor: RawFd, nonblocking: bool) -> Result<bool> {
        let datagram = socket::is_datagram(descriptor)?;
        let (word, bit) = place(descriptor);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if self.words[word] & bit != 0 {
            return Err(Error::new(
                -libc::EEXIST,
                format!(
                    "reactor add: descriptor {descriptor} is added already; close it through the reactor, or remove it first"
                ),
            ));
        }
        socket::set_nonblocking(descriptor, nonblocking)?;
        self.words[word] |= bit;
        Ok(datagram)
    }

    /// Lets a descriptor go that is the caller's again, or is being closed.
    pub(crate) fn release(&mut self, descriptor: RawFd) {
        let (word, bit) = place(descriptor);
        if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
        }
    }
}

fn place(descriptor: RawFd) -> (usize, u64) {
    (descriptor as usize / 64, 1 << (descriptor as usize % 64))
}
