//! Whole streams through the stream interface, in pieces of any size.

use std::io::Write;
use std::mem::MaybeUninit;

use ferronet::zlib::*;

pub const FORMATS: [Format; 3] = [Format::Gzip, Format::Zlib, Format::Raw];
pub const STRATEGIES: [Strategy; 5] =
    [Strategy::Default, Strategy::Filtered, Strategy::Huffman, Strategy::Rle, Strategy::Fixed];

pub fn levels() -> impl Iterator<Item = Level> {
    [Level::Stored, Level::Fastest, Level::Default].into_iter().chain((1..=9).map(Level::Number))
}

/// A repeatable source of random numbers (xorshift64*).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound
    }
}

/// Calls with room for `room` bytes, and appends what was written.
pub fn with_room<R>(
    result: &mut Vec<u8>,
    room: usize,
    call: impl FnOnce(&mut [MaybeUninit<u8>]) -> ferronet::Result<(usize, R)>,
) -> ferronet::Result<R> {
    result.reserve(room);
    let (written, value) = call(&mut result.spare_capacity_mut()[..room])?;
    // SAFETY: the library has written so many bytes.
    unsafe { result.set_len(result.len() + written) };
    Ok(value)
}

/// One piece of input with its flush, through output regions of `room` bytes.
pub fn deflate_piece(stream: &mut Deflate, input: &[u8], flush: Flush, room: usize, result: &mut Vec<u8>) -> State {
    let mut taken = 0;
    loop {
        let progress = with_room(result, room, |output| {
            let progress = stream.process(&input[taken..], output, flush)?;
            Ok((progress.produced, progress))
        })
        .unwrap();
        taken += progress.consumed;
        if progress.state != State::NeedsOutput {
            assert_eq!(taken, input.len());
            return progress.state;
        }
    }
}

/// The whole input as one stream.
pub fn compress(config: DeflateConfig, input: &[u8]) -> Vec<u8> {
    let mut stream = Deflate::new(config).unwrap();
    let mut result = Vec::new();
    assert_eq!(deflate_piece(&mut stream, input, Flush::Finish, 4096, &mut result), State::End);
    assert_eq!((stream.total_in(), stream.total_out()), (input.len() as u64, result.len() as u64));
    result
}

/// Everything that comes out of the input, given in pieces; the end of the input is the end of the stream.
pub fn inflate_in_pieces(
    stream: &mut Inflate,
    input: &[u8],
    piece: usize,
    room: usize,
) -> (Vec<u8>, ferronet::Result<State>) {
    let mut result = Vec::new();
    let mut at = 0usize;
    // Far more calls than any stream of these tests needs: a stream that gets nowhere is a failure, not a hang.
    for _ in 0..100_000_000u64 {
        let end = input.len().min(at.saturating_add(piece));
        let flush = if end == input.len() { Flush::Finish } else { Flush::None };
        let progress = with_room(&mut result, room, |output| {
            let progress = stream.process(&input[at..end], output, flush)?;
            Ok((progress.produced, progress))
        });
        match progress {
            Err(error) => return (result, Err(error)),
            Ok(progress) => {
                at += progress.consumed;
                if progress.state == State::End && (at == input.len() || progress.consumed == 0) {
                    return (result, Ok(State::End));
                }
            }
        }
    }
    panic!("no end of {} bytes in pieces of {piece}", input.len());
}

pub fn only(format: Format) -> InflateConfig {
    InflateConfig { format: InflateFormat::Only(format), ..InflateConfig::default() }
}

/// The input, which must be one whole stream of that format.
pub fn decompress(format: Format, input: &[u8]) -> Vec<u8> {
    let mut stream = Inflate::new(InflateConfig { ratio: None, ..only(format) }).unwrap();
    let (result, state) = inflate_in_pieces(&mut stream, input, usize::MAX, 65_536);
    assert_eq!(state, Ok(State::End));
    assert_eq!(stream.total_in(), input.len() as u64);
    result
}

/// Says on a line of its own, as the test harness would, that a test did not run, and why.
pub fn skipped(name: &str, reason: &str) {
    let line = format!("\ntest {name} ... ignored, {reason}\n");
    let _ = std::io::stdout().write_all(line.as_bytes());
}
