//! Compression.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use libz_rs_sys::{Z_BUF_ERROR, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH};

use super::level::{Level, SMALL_BODY, SMALL_MEMORY_LEVEL, SMALL_WINDOW_BITS};
use super::raw::RawDeflate;
use super::whole;
use super::{Flush, Format, Progress, State, Strategy, in_range};
use crate::error::{Error, Result};

const DEFAULT_WINDOW_BITS: u32 = 15;
const DEFAULT_MEMORY_LEVEL: u32 = 8;
/// Room in which a flush ends: what zlib writes at the end of one, and more.
const FLUSH_ROOM: usize = 32;

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

    /// The level at which [`whole`] does what these settings ask for, for so many bytes in all.
    fn whole_level(&self, length: usize) -> Option<u8> {
        let level = match self.level {
            Level::Number(level @ 1..=whole::HIGHEST) => level,
            Level::Default => 6,
            _ => return None,
        };
        let plain = self.strategy == Strategy::Default && matches!(self.window_bits, 0 | DEFAULT_WINDOW_BITS);
        (plain && length <= whole::LONGEST).then_some(level)
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
    /// `raw` is still to be reset: clearing its tables costs more than a small body, which may not need it.
    stale: bool,
    /// A stream that was compressed as a whole.
    whole: Option<Whole>,
    /// Output that a tiny region had no room for.
    tiny: Option<Tiny>,
}

struct Tiny {
    bytes: [MaybeUninit<u8>; FLUSH_ROOM],
    length: usize,
    delivered: usize,
    /// How the call that gave the bytes has ended.
    state: State,
}

/// The checksum of a stream that was compressed as a whole, and what is left of its bytes.
struct Whole {
    checksum: u32,
    left: Vec<u8>,
    delivered: usize,
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
            stale: false,
            whole: None,
            tiny: None,
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
        let stale = shape == self.shape;
        if !stale {
            self.raw =
                RawDeflate::new(config.level.algorithm(), shape.bits, shape.memory_level, config.strategy_number())?;
        }
        self.stale = stale;
        self.config = config;
        self.shape = shape;
        self.total_in = 0;
        self.total_out = 0;
        self.finishing = false;
        self.ended = false;
        self.whole = None;
        self.tiny = None;
        if self.config.format != Format::Gzip && !self.dictionary.is_empty() {
            self.refresh()?;
            self.raw.set_dictionary(&self.dictionary)?;
        }
        Ok(())
    }

    /// Does the reset that was put off.
    fn refresh(&mut self) -> Result<()> {
        if self.stale {
            self.raw.reset(self.config.level.algorithm(), self.config.strategy_number())?;
            self.stale = false;
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
            self.refresh()?;
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
        if flush == Flush::Finish
            && let Some(level) = self.is_whole(input)
        {
            return self.process_whole(input, output, level);
        }
        self.refresh()?;
        self.finishing = flush == Flush::Finish;
        if self.tiny.is_some() || output.len() < FLUSH_ROOM && matches!(flush, Flush::Sync | Flush::Full) {
            return self.process_tiny(input, output, flush);
        }
        self.run(input, output, flush)
    }

    /// Flushes through memory of its own: zlib repeats the end of a flush for ever when its room is filled by it each time.
    fn process_tiny(&mut self, input: &[u8], output: &mut [MaybeUninit<u8>], flush: Flush) -> Result<Progress> {
        let mut total = Progress { state: State::NeedsOutput, consumed: 0, produced: 0 };
        loop {
            if let Some(tiny) = &mut self.tiny {
                let left = &tiny.bytes[tiny.delivered..tiny.length];
                let room = &mut output[total.produced..];
                let produced = left.len().min(room.len());
                room[..produced].copy_from_slice(&left[..produced]);
                tiny.delivered += produced;
                total.produced += produced;
                self.total_out += produced as u64;
                if tiny.delivered < tiny.length {
                    return Ok(total);
                }
                let state = tiny.state;
                self.tiny = None;
                if state != State::NeedsOutput && total.consumed == input.len() {
                    self.ended = state == State::End;
                    total.state = state;
                    return Ok(total);
                }
            }
            let mut tiny =
                Tiny { bytes: [MaybeUninit::uninit(); FLUSH_ROOM], length: 0, delivered: 0, state: State::NeedsOutput };
            let before = self.total_out;
            let progress = self.run(&input[total.consumed..], &mut tiny.bytes, flush)?;
            // Delivered is only what the caller has.
            (self.total_out, self.ended) = (before, false);
            total.consumed += progress.consumed;
            (tiny.length, tiny.state) = (progress.produced, progress.state);
            self.tiny = Some(tiny);
        }
    }

    fn run(&mut self, input: &[u8], output: &mut [MaybeUninit<u8>], flush: Flush) -> Result<Progress> {
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

    /// The level to compress the input at if it is all of the stream, or that has been so.
    fn is_whole(&self, input: &[u8]) -> Option<u8> {
        if self.whole.is_some() {
            return self.config.whole_level(0);
        }
        let new = self.total_in == 0 && self.total_out == 0 && self.dictionary.is_empty();
        if new { self.config.whole_level(input.len()) } else { None }
    }

    fn process_whole(&mut self, input: &[u8], output: &mut [MaybeUninit<u8>], level: u8) -> Result<Progress> {
        self.finishing = true;
        if output.is_empty() {
            return Ok(Progress { state: State::NeedsOutput, consumed: 0, produced: 0 });
        }
        let produced = match &mut self.whole {
            Some(_) if !input.is_empty() => {
                return Err(Error::invalid(
                    "the stream is being finished, and its input was taken: call again without input, or reset it",
                ));
            }
            Some(whole) => {
                let produced = write(&whole.left[whole.delivered..], output);
                whole.delivered += produced;
                self.ended = whole.delivered == whole.left.len();
                if self.ended {
                    // The stream may be kept for another one, and this one may have been long.
                    whole.left = Vec::new();
                }
                produced
            }
            none => whole::with(|compressor| {
                let (packed, checksum) = compressor.compress(input, self.config.format, level);
                let produced = write(packed, output);
                self.ended = produced == packed.len();
                *none = Some(Whole { checksum, left: packed[produced..].to_vec(), delivered: 0 });
                produced
            }),
        };
        self.total_in += input.len() as u64;
        self.total_out += produced as u64;
        let state = if self.ended { State::End } else { State::NeedsOutput };
        Ok(Progress { state, consumed: input.len(), produced })
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
        match &self.whole {
            Some(whole) => whole.checksum,
            None if self.stale => RawDeflate::first_checksum(self.config.format),
            None => self.raw.checksum(),
        }
    }

    /// Whether the stream is complete.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn current_shape(&self) -> Shape {
        self.shape
    }

    /// Bytes of memory for output that is not delivered.
    #[cfg(test)]
    pub(super) fn undelivered(&self) -> usize {
        self.whole.as_ref().map_or(0, |whole| whole.left.capacity())
    }
}

/// As much as there is room for.
fn write(bytes: &[u8], output: &mut [MaybeUninit<u8>]) -> usize {
    let length = bytes.len().min(output.len());
    for (place, &byte) in output.iter_mut().zip(bytes) {
        place.write(byte);
    }
    length
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_was_delivered_in_pieces_keeps_nothing_of_them() {
        let input: Vec<u8> = (0..1u32 << 16).flat_map(|n| n.wrapping_mul(0x9e37_79b1).to_le_bytes()).collect();
        let mut deflate = Deflate::new(DeflateConfig::new(Format::Gzip)).unwrap();
        let mut output = [MaybeUninit::uninit(); 10_000];
        let mut progress = deflate.process(&input, &mut output, Flush::Finish).unwrap();
        assert!(deflate.undelivered() > 0);
        while progress.state == State::NeedsOutput {
            progress = deflate.process(&[], &mut output, Flush::Finish).unwrap();
        }
        assert_eq!((progress.state, deflate.undelivered()), (State::End, 0));
    }
}
