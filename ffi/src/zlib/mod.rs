//! Streaming compression and decompression: gzip, zlib and raw deflate over zlib-rs.
//!
//! [`Deflate`] and [`Inflate`] work on the caller's memory and can be reset, so that one state serves many streams.
//! [`deflate_buffer`] and [`inflate_buffer`] do a whole stream at once with states that the thread keeps. `level` has the
//! table of levels. Nothing here knows of pointers, sockets or handles.

mod buffer;
mod deflate;
mod inflate;
mod level;
mod raw;
mod whole;

pub use buffer::{deflate_buffer, inflate_buffer};
pub use deflate::{Deflate, DeflateConfig, bound};
pub use inflate::{DEFAULT_MAX_RATIO, DEFAULT_RATIO_FLOOR, Inflate, InflateConfig, InflateFormat};
pub use level::{Level, SMALL_BODY};

use crate::error::{Error, Result};

/// What stands around the compressed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// RFC 1952: header, CRC-32 and length.
    Gzip,
    /// RFC 1950: two bytes of header, Adler-32.
    Zlib,
    /// RFC 1951: nothing.
    Raw,
}

/// Which matches and codes are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Normal data.
    #[default]
    Default,
    /// Small values with a random distribution.
    Filtered,
    /// Codes only, no matches.
    Huffman,
    /// Matches of distance one only.
    Rle,
    /// Fixed codes only.
    Fixed,
}

/// How much of the input must become output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// As much as the library likes.
    None,
    /// All of it, up to a byte boundary.
    Sync,
    /// The same, and what follows does not refer to it.
    Full,
    /// All of it, and the stream ends (deflate) or has to end (inflate) here.
    Finish,
}

/// What a call leaves to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Everything was taken; more input may follow.
    NeedsInput,
    /// The output was full: call again with the rest of the input and the same flush.
    NeedsOutput,
    /// The stream is complete.
    End,
}

/// What a call has done; all numbers are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is left to be done.
    pub state: State,
    /// Input that this call took.
    pub consumed: usize,
    /// Output that this call wrote.
    pub produced: usize,
}

fn in_range(name: &str, value: u32, low: u32, high: u32) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(format!("{name} is {value}, but it must be {low} to {high}, or 0 for the default")))
}
