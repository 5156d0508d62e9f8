//! What the levels mean, and what small bodies get.
//!
//! A caller asks for a level of zlib, and expects its size. zlib-rs numbers its algorithms otherwise: its level 1 uses
//! fixed codes only. LEVELS.md beside this file has the measurements behind the table.

use std::ffi::c_int;

use crate::error::{Error, Result};

/// Streams of at most so many bytes in all get [`SMALL_WINDOW_BITS`] and [`SMALL_MEMORY_LEVEL`].
pub const SMALL_BODY: u64 = 4096;
/// Window of a small body: all of it.
pub(super) const SMALL_WINDOW_BITS: u32 = 12;
/// Memory level of a small body: it fits one block, and less memory is initialised.
pub(super) const SMALL_MEMORY_LEVEL: u32 = 5;

/// How hard to compress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Stored blocks.
    Stored,
    /// Fixed codes: zlib-rs's own level 1.
    Fastest,
    /// zlib's default, 6.
    #[default]
    Default,
    /// 1 to 9.
    Number(u8),
}

impl Level {
    /// The level of a number as zlib has it: -1 is the default, 0 stored, 1 to 9.
    pub fn from_zlib(number: i32) -> Result<Self> {
        match number {
            -1 => Ok(Self::Default),
            0 => Ok(Self::Stored),
            1..=9 => Ok(Self::Number(number as u8)),
            _ => {
                Err(Error::invalid(format!("level is {number}, but zlib's levels are 0 to 9, and -1 for the default")))
            }
        }
    }

    /// zlib-rs's level whose output is no more than 5 % larger than zlib's, and which takes less time.
    pub(super) fn algorithm(self) -> c_int {
        match self {
            Self::Stored => 0,
            Self::Fastest => 1,
            Self::Default => 6,
            Self::Number(asked @ 1..=3) => c_int::from(asked) + 1,
            // zlib-rs's 9 gives more bytes than its 8 on text.
            Self::Number(asked) => c_int::from(asked).min(8),
        }
    }
}
