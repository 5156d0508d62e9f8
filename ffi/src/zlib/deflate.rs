//! Compression.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use libz_rs_sys::{Z_BUF_ERROR, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH};

use super::level::{Level, SMALL_BODY, SMALL_MEMORY_LEVEL, SMALL_WINDOW_BITS};
use super::raw::RawDeflate;
use super::{Flush, Format, Progress, State, Strategy, in_range};
use crate::error::{Error, Result};

const DEFAULT_WINDOW_BITS: u32 = 15;
const DEFAULT_MEMORY_LEVEL: u32 = 8;

/// How to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeflateConfig {
    /// Framing.
    pub format: Format,
    /// How hard.
    pub level: Level,
    /// Base-two logarithm of the window, 9 to 15; 0 for the default.
    pub window_bits: u32,
    /// Memory for matches and codes, 1 to 9; 0 for the default.
    pub memory_level: u32,
    /// Which matches and codes are tried.
    pub strategy: Strategy,
    /// Bytes of the whole stream, if that is known; 0 otherwise. A hint only.
    pub expected_length: u64,
}

impl DeflateConfig {
    /// The defaults for a format.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            level: Level::Default,
            window_bits: 0,
            memory_level: 0,
            strategy: Strategy::Default,
            expected_length: 0,
        }
    }

    pub(super) fn shape(&self) -> Result<Shape> {
        let small = (1..=SMALL_BODY).contains(&self.expected_length);
        let window_bits = match self.window_bits {
            0 if small => SMALL_WINDOW_BITS,
            0 => DEFAULT_WINDOW_BITS,
            bits => bits,
        };
        in_range("window_bits", window_bits, 9, 15)?;
        let memory_level = match self.memory_level {
            0 if small => SMALL_MEMORY_LEVEL,
            0 => DEFAULT_MEMORY_LEVEL,
            level => level,
        };
        in_range("memory_level", memory_level, 1, 9)?;
        let bits = window_bits as c_int;
        let bits = match self.format {
            Format::Gzip => bits + 16,
            Format::Zlib => bits,
            Format::Raw => -bits,
        };
        Ok(Shape { bits, memory_level: memory_level as c_int })
    }

    fn strategy_number(&self) -> c_int {
        self.strategy as c_int
    }
}

/// What a state is allocated for; everything else can change at a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    bits: c_int,
    memory_level: c_int,
}

/// The most bytes that a stream of `length` bytes can become, whatever its settings, without flushes in between.
pub fn bound(length: u64) -> u64 {
    // 9 bits for a byte at worst (fixed codes), and the headers of small blocks; then header and trailer of gzip.
    length.saturating_add(length.div_ceil(8)).saturating_add(length.div_ceil(64)).saturating_add(5 + 18)
}

/// A compression stream.
pub struct Deflate {
    raw: RawDeflate,
    config: DeflateConfig,
    shape: Shape,
    dictionary: Vec<u8>,
    total_in: u64,
    total_out: u64,
    finishing: bool,
    ended: bool,
}

impl Deflate {
    /// A new stream.
    ///
    /// # Errors
    /// A setting out of range; no memory.
    pub fn new(config: DeflateConfig) -> Result<Self> {
        let shape = config.shape()?;
        let raw = RawDeflate::new(config.level.algorithm(), shape.bits, shape.memory_level, config.strategy_number())?;
        Ok(Self {
            raw,
            config,
            shape,
            dictionary: Vec::new(),
            total_in: 0,
            total_out: 0,
            finishing: false,
            ended: false,
        })
    }

    /// Begins a new stream with the same settings or others. What was not delivered is dropped; a dictionary stays. With
    /// the same format, window and memory level nothing is allocated.
    ///
    /// # Errors
    /// As for [`Self::new`]; the stream is as before then.
    pub fn reset(&mut self, config: Option<DeflateConfig>) -> Result<()> {
        let config = config.unwrap_or(self.config);
        let shape = config.shape()?;
        if shape == self.shape {
            self.raw.reset(config.level.algorithm(), config.strategy_number())?;
        } else {
            self.raw =
                RawDeflate::new(config.level.algorithm(), shape.bits, shape.memory_level, config.strategy_number())?;
        }
        self.config = config;
        self.shape = shape;
        self.total_in = 0;
        self.total_out = 0;
        self.finishing = false;
        self.ended = false;
        if self.config.format != Format::Gzip && !self.dictionary.is_empty() {
            self.raw.set_dictionary(&self.dictionary)?;
        }
        Ok(())
    }

    /// Sets what the stream may refer to from its beginning on, for this stream and those after a reset; empty for nothing.
    ///
    /// # Errors
    /// The format is gzip, or the stream has begun.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> Result<()> {
        if self.config.format == Format::Gzip && !dictionary.is_empty() {
            return Err(Error::invalid("gzip has no dictionaries: use the zlib or the raw format"));
        }
        if self.total_in > 0 || self.total_out > 0 || self.finishing {
            return Err(Error::invalid(
                "the stream has begun: set a dictionary before its first byte, or after a reset",
            ));
        }
        if !self.dictionary.is_empty() {
            self.dictionary.clear();
            self.reset(None)?;
        }
        if !dictionary.is_empty() {
            self.raw.set_dictionary(dictionary)?;
            self.dictionary.extend_from_slice(dictionary);
        }
        Ok(())
    }

    /// Compresses input into output.
    ///
    /// # Errors
    /// Input behind the end of the stream, or behind a call with [`Flush::Finish`] that was not complete.
    pub fn process(&mut self, input: &[u8], output: &mut [MaybeUninit<u8>], flush: Flush) -> Result<Progress> {
        if self.ended {
            if input.is_empty() {
                return Ok(Progress { state: State::End, consumed: 0, produced: 0 });
            }
            return Err(Error::invalid("the stream has ended: reset it before further input"));
        }
        if self.finishing && flush != Flush::Finish {
            return Err(Error::invalid(
                "the stream is being finished: call again with FERRONET_FLUSH_FINISH, or reset it",
            ));
        }
        self.finishing = flush == Flush::Finish;
        let mode = match flush {
            Flush::None => Z_NO_FLUSH,
            Flush::Sync => Z_SYNC_FLUSH,
            Flush::Full => Z_FULL_FLUSH,
            Flush::Finish => Z_FINISH,
        };
        let (mut consumed, mut produced) = (0usize, 0usize);
        let state = loop {
            // zlib counts in 32 bits, and the flush belongs behind the last piece.
            let piece = &input[consumed..input.len().min(consumed.saturating_add(u32::MAX as usize))];
            let last = consumed + piece.len() == input.len();
            let room = output.len() - produced;
            let step = self.raw.run(piece, &mut output[produced..], if last { mode } else { Z_NO_FLUSH });
            consumed += step.consumed;
            produced += step.produced;
            match step.code {
                Z_STREAM_END => {
                    self.ended = true;
                    break State::End;
                }
                Z_OK | Z_BUF_ERROR => {}
                code => return Err(Error::invalid(format!("deflate was refused with zlib's code {code}"))),
            }
            if step.produced == room {
                break State::NeedsOutput;
            }
            if last && step.consumed == piece.len() {
                break State::NeedsInput;
            }
        };
        self.total_in += consumed as u64;
        self.total_out += produced as u64;
        Ok(Progress { state, consumed, produced })
    }

    /// Bytes of input since the stream began.
    pub fn total_in(&self) -> u64 {
        self.total_in
    }

    /// Bytes of output since the stream began.
    pub fn total_out(&self) -> u64 {
        self.total_out
    }

    /// CRC-32 (gzip) or Adler-32 (zlib) of the input so far.
    pub fn checksum(&self) -> u32 {
        self.raw.checksum()
    }

    /// Whether the stream is complete.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn current_shape(&self) -> Shape {
        self.shape
    }
}
