//! Decompression: detection of the format, members, bounds, and what went wrong where.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use libz_rs_sys::{Z_BUF_ERROR, Z_DATA_ERROR, Z_FINISH, Z_MEM_ERROR, Z_NEED_DICT, Z_NO_FLUSH, Z_OK, Z_STREAM_END};

use super::raw::{RawInflate, Step};
use super::{Flush, Format, Progress, State, in_range};
use crate::abi::status::{FERRONET_ERR_DATA, FERRONET_ERR_DICTIONARY, FERRONET_ERR_LIMIT, FERRONET_ERR_TRUNCATED};
use crate::error::{Error, Result};

/// Bytes that a stream may give before its ratio counts.
pub const DEFAULT_RATIO_FLOOR: u64 = 16 << 20;
/// Bytes of output for each byte of input above the floor. JSON of identical lines reaches 150, and deflate 1,032.
pub const DEFAULT_MAX_RATIO: u32 = 200;

const DEFAULT_WINDOW_BITS: u32 = 15;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Which format is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InflateFormat {
    /// gzip or zlib by their first two bytes, else raw.
    #[default]
    Auto,
    /// This one only.
    Only(Format),
}

/// How to decompress, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InflateConfig {
    /// Framing.
    pub format: InflateFormat,
    /// Gzip members that follow each other are one stream.
    pub concatenated: bool,
    /// Base-two logarithm of the largest window, 9 to 15; 0 for the default.
    pub window_bits: u32,
    /// Bytes that a stream may give in all; 0 for no such bound.
    pub max_output: u64,
    /// Bytes before the ratio counts, and the ratio; `None` for no such bound.
    pub ratio: Option<(u64, u32)>,
}

impl Default for InflateConfig {
    fn default() -> Self {
        Self {
            format: InflateFormat::Auto,
            concatenated: false,
            window_bits: 0,
            max_output: 0,
            ratio: Some((DEFAULT_RATIO_FLOOR, DEFAULT_MAX_RATIO)),
        }
    }
}

impl InflateConfig {
    fn bits(&self, format: Format) -> Result<c_int> {
        let bits = if self.window_bits == 0 { DEFAULT_WINDOW_BITS } else { self.window_bits };
        in_range("window_bits", bits, 9, 15)?;
        let bits = bits as c_int;
        Ok(match format {
            Format::Gzip => bits + 16,
            Format::Zlib => bits,
            Format::Raw => -bits,
        })
    }
}

/// Where in the stream it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first byte, or with one byte held back, whose format is not known yet.
    Undecided(Option<u8>),
    /// In a stream of that format.
    In(Format),
    /// Behind a complete gzip member, to which another may follow.
    Between,
    /// Behind the last member, in zero bytes.
    Padding,
    /// Behind the end.
    Ended,
}

/// A decompression stream.
pub struct Inflate {
    raw: RawInflate,
    config: InflateConfig,
    place: Place,
    dictionary: Vec<u8>,
    total_in: u64,
    total_out: u64,
    members: u32,
    /// What every further call returns, until a reset.
    failure: Option<Error>,
}

impl Inflate {
    /// A new stream.
    ///
    /// # Errors
    /// A setting out of range; no memory.
    pub fn new(config: InflateConfig) -> Result<Self> {
        let (place, format) = begin(&config);
        let raw = RawInflate::new(config.bits(format)?)?;
        Ok(Self { raw, config, place, dictionary: Vec::new(), total_in: 0, total_out: 0, members: 0, failure: None })
    }

    /// Begins a new stream with the same settings or others; a dictionary stays.
    ///
    /// # Errors
    /// As for [`Self::new`]; the stream is as before then.
    pub fn reset(&mut self, config: Option<InflateConfig>) -> Result<()> {
        let config = config.unwrap_or(self.config);
        let (place, format) = begin(&config);
        let bits = config.bits(format)?;
        self.raw.reset(bits)?;
        self.config = config;
        self.place = place;
        self.total_in = 0;
        self.total_out = 0;
        self.members = 0;
        self.failure = None;
        if self.place == Place::In(Format::Raw) {
            self.preset_dictionary();
        }
        Ok(())
    }

    /// Sets what the stream may refer to from its beginning on, for this stream and those after a reset; empty for nothing.
    ///
    /// # Errors
    /// The stream has begun.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> Result<()> {
        if self.total_in > 0 {
            return Err(Error::invalid(
                "the stream has begun: set a dictionary before its first byte, or after a reset",
            ));
        }
        let was_set = !self.dictionary.is_empty();
        self.dictionary.clear();
        self.dictionary.extend_from_slice(dictionary);
        if was_set {
            return self.reset(None);
        }
        if self.place == Place::In(Format::Raw) {
            self.preset_dictionary();
        }
        Ok(())
    }

    /// A raw stream does not say which dictionary it needs, so any is taken.
    fn preset_dictionary(&mut self) {
        if !self.dictionary.is_empty() {
            self.raw.set_dictionary(&self.dictionary);
        }
    }

    /// Decompresses input into output. Output that was complete before an error is delivered first; the next call fails.
    ///
    /// # Errors
    /// Data that is no such stream, a wrong checksum or length, a missing dictionary, more output than the bounds allow, and
    /// with [`Flush::Finish`] a stream that does not end with the input. The text names the byte.
    pub fn process(&mut self, input: &[u8], output: &mut [MaybeUninit<u8>], flush: Flush) -> Result<Progress> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let mut progress = Progress { state: State::NeedsInput, consumed: 0, produced: 0 };
        match self.advance(input, output, flush, &mut progress) {
            Ok(state) => progress.state = state,
            Err(failure) => {
                self.failure = Some(failure.clone());
                // What a broken bound has let through must not be used.
                if progress.produced == 0 || failure.status == FERRONET_ERR_LIMIT {
                    return Err(failure);
                }
                progress.state = State::NeedsOutput;
            }
        }
        Ok(progress)
    }

    fn advance(
        &mut self,
        input: &[u8],
        output: &mut [MaybeUninit<u8>],
        flush: Flush,
        progress: &mut Progress,
    ) -> Result<State> {
        loop {
            let rest = &input[progress.consumed..];
            match self.place {
                Place::Undecided(held) => {
                    if rest.is_empty() {
                        return self.out_of_input(flush);
                    }
                    self.decide(held, rest, progress)?;
                }
                Place::Between | Place::Padding => {
                    let Some(&next) = rest.first() else { return Ok(State::End) };
                    if next == 0 {
                        self.place = Place::Padding;
                        self.take(progress, 1);
                    } else if self.place == Place::Between && next == GZIP_MAGIC[0] {
                        if progress.produced > 0 {
                            // Members stay apart for who wants to know where they end.
                            return Ok(State::NeedsOutput);
                        }
                        self.raw.reset(self.config.bits(Format::Gzip)?)?;
                        self.place = Place::In(Format::Gzip);
                    } else {
                        return Err(self.data_error("bytes behind the last gzip member are no member"));
                    }
                }
                Place::Ended => return Ok(State::End),
                Place::In(format) => {
                    if let Some(state) = self.inflate(format, rest, output, flush, progress)? {
                        return Ok(state);
                    }
                }
            }
        }
    }

    /// Runs zlib once; `None` when the place has changed and it goes on.
    fn inflate(
        &mut self,
        format: Format,
        input: &[u8],
        output: &mut [MaybeUninit<u8>],
        flush: Flush,
        progress: &mut Progress,
    ) -> Result<Option<State>> {
        let mut room = output.len() - progress.produced;
        let allowed = match self.config.max_output {
            0 => u64::MAX,
            bound => bound.saturating_sub(self.total_out),
        };
        let mut beyond = [MaybeUninit::uninit()];
        // Z_FINISH differs from no flush in that a stream which ends within the call leaves no window behind.
        let step = if allowed == 0 {
            // Whether the stream ends exactly at its bound shows when it has room for one byte more.
            let step = self.raw.run(input, &mut beyond, Z_FINISH);
            if step.produced > 0 {
                return Err(self.limit_error(format!("max_output is {}", self.config.max_output)));
            }
            step
        } else {
            let cut = room.min(usize::try_from(allowed).unwrap_or(usize::MAX));
            let step = self.raw.run(input, &mut output[progress.produced..progress.produced + cut], Z_FINISH);
            if cut < room && step.produced == cut {
                // At the bound: the next round asks whether there is more.
                room = usize::MAX;
            }
            step
        };
        self.take(progress, step.consumed);
        progress.produced += step.produced;
        self.total_out += step.produced as u64;
        self.check_ratio()?;
        match step.code {
            Z_STREAM_END => {
                self.members = self.members.saturating_add(1);
                let more = format == Format::Gzip && self.config.concatenated;
                self.place = if more { Place::Between } else { Place::Ended };
                Ok(None)
            }
            Z_OK | Z_BUF_ERROR if room == usize::MAX => Ok(None),
            Z_OK | Z_BUF_ERROR => self.pause(step, input, room, flush),
            Z_NEED_DICT => self.answer_dictionary().map(|()| None),
            Z_DATA_ERROR => Err(self.data_error(self.raw.message())),
            Z_MEM_ERROR => Err(Error { status: -libc::ENOMEM, text: "no memory for the window".to_owned() }),
            code => Err(self.data_error(&format!("zlib's code {code}"))),
        }
    }

    fn pause(&self, step: Step, input: &[u8], room: usize, flush: Flush) -> Result<Option<State>> {
        if step.produced == room && room > 0 || room == 0 && step.consumed == 0 && !input.is_empty() {
            return Ok(Some(State::NeedsOutput));
        }
        if step.consumed < input.len() {
            // zlib counts in 32 bits, so that a piece of the input is left.
            return Ok(None);
        }
        if room == 0 && flush == Flush::Finish {
            return Ok(Some(State::NeedsOutput));
        }
        self.out_of_input(flush).map(Some)
    }

    fn out_of_input(&self, flush: Flush) -> Result<State> {
        if flush != Flush::Finish {
            return Ok(State::NeedsInput);
        }
        Err(Error::new(
            FERRONET_ERR_TRUNCATED,
            format!(
                "the compressed data ends after {} bytes (and {} of output), but the stream does not: the sender or the transfer cut it off",
                self.total_in, self.total_out
            ),
        ))
    }

    /// Finds the format; the first two bytes tell.
    fn decide(&mut self, held: Option<u8>, input: &[u8], progress: &mut Progress) -> Result<()> {
        let (first, second) = match held {
            Some(first) => (first, input.first().copied()),
            None => (input[0], input.get(1).copied()),
        };
        let format = match (first, second) {
            (0x1f, Some(0x8b)) => Format::Gzip,
            (first, Some(second)) if is_zlib_header(first, second) => Format::Zlib,
            (first, None) if first == GZIP_MAGIC[0] || is_zlib_method(first) => {
                self.place = Place::Undecided(Some(first));
                self.take(progress, 1);
                return Ok(());
            }
            _ => Format::Raw,
        };
        self.raw.reset(self.config.bits(format)?)?;
        self.place = Place::In(format);
        if format == Format::Raw {
            self.preset_dictionary();
        }
        if let Some(first) = held {
            // One byte is no more than a part of a header, so that no output arises.
            let step = self.raw.run(&[first], &mut [], Z_NO_FLUSH);
            if step.code == Z_DATA_ERROR {
                return Err(self.data_error(self.raw.message()));
            }
        }
        Ok(())
    }

    fn answer_dictionary(&mut self) -> Result<()> {
        if self.dictionary.is_empty() {
            let text = format!(
                "the stream needs the dictionary with the Adler-32 {:08x}: set it before the first byte",
                self.raw.checksum()
            );
            return Err(Error::new(FERRONET_ERR_DICTIONARY, text));
        }
        let needed = self.raw.checksum();
        if self.raw.set_dictionary(&self.dictionary) {
            return Ok(());
        }
        let text = format!("the stream needs the dictionary with the Adler-32 {needed:08x}, but another one was set");
        Err(Error::new(FERRONET_ERR_DICTIONARY, text))
    }

    fn take(&mut self, progress: &mut Progress, bytes: usize) {
        progress.consumed += bytes;
        self.total_in += bytes as u64;
    }

    fn check_ratio(&self) -> Result<()> {
        if let Some((floor, ratio)) = self.config.ratio
            && self.total_out > floor
            && self.total_out > self.total_in.saturating_mul(u64::from(ratio))
        {
            return Err(self.limit_error(format!("max_ratio is {ratio} above {floor} bytes")));
        }
        Ok(())
    }

    #[cold]
    fn limit_error(&self, rule: String) -> Error {
        Error::new(
            FERRONET_ERR_LIMIT,
            format!(
                "{} bytes of input gave {} bytes or more, but {rule}: refuse the input, or raise the bound if it is trusted",
                self.total_in, self.total_out
            ),
        )
    }

    #[cold]
    fn data_error(&self, reason: &str) -> Error {
        let what = match self.place {
            Place::In(Format::Gzip) | Place::Between | Place::Padding => "gzip",
            Place::In(Format::Zlib) => "zlib",
            _ => "deflate",
        };
        Error::new(FERRONET_ERR_DATA, format!("invalid {what} data at byte {} of the input: {reason}", self.total_in))
    }

    /// Bytes of input since the stream began.
    pub fn total_in(&self) -> u64 {
        self.total_in
    }

    /// Bytes of output since the stream began.
    pub fn total_out(&self) -> u64 {
        self.total_out
    }

    /// CRC-32 (gzip) or Adler-32 (zlib) of the output so far.
    pub fn checksum(&self) -> u32 {
        self.raw.checksum()
    }

    /// Complete gzip members; 0 or 1 for other formats.
    pub fn members(&self) -> u32 {
        self.members
    }

    /// Whether no byte is missing.
    pub fn has_ended(&self) -> bool {
        matches!(self.place, Place::Ended | Place::Between | Place::Padding)
    }
}

fn begin(config: &InflateConfig) -> (Place, Format) {
    match config.format {
        InflateFormat::Auto => (Place::Undecided(None), Format::Raw),
        InflateFormat::Only(format) => (Place::In(format), format),
    }
}

/// RFC 1950, 2.2: method 8, and a window of at most 32 KiB.
fn is_zlib_method(first: u8) -> bool {
    first & 0x0f == 8 && first >> 4 <= 7
}

fn is_zlib_header(first: u8, second: u8) -> bool {
    is_zlib_method(first) && (u16::from(first) << 8 | u16::from(second)) % 31 == 0
}
