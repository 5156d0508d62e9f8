//! Compression of whole streams at levels 1 to 7, with nothing that a stream in pieces needs: no window to copy the input to, no tables to clear, and sizes of
//! blocks that are known before a byte of them is written.
//!
//! A thread keeps one [`Compressor`]. Its output is what the format allows and every decompressor reads; only its bytes differ
//! from those of a stream in pieces.

mod block;
mod chains;
mod huffman;
mod matches;
mod output;
mod places;

use std::cell::RefCell;

use super::raw;
use super::{Format, deflate::bound};
use block::Block;
use chains::Effort;
use matches::Finder;
use output::Output;

/// The longest input; a longer one is streamed. What it becomes is held as a whole until it is taken.
pub(super) const LONGEST: usize = 64 << 20;
/// The highest level.
pub(super) const HIGHEST: u8 = 7;
/// Memory of a long body is not kept for the next one.
const KEPT_OUTPUT: usize = 512 * 1024;

thread_local! {
    static KEPT: RefCell<Option<Box<Compressor>>> = const { RefCell::new(None) };
}

/// Calls with the thread's compressor.
pub(super) fn with<R>(call: impl FnOnce(&mut Compressor) -> R) -> R {
    KEPT.with_borrow_mut(|kept| {
        let compressor = kept.get_or_insert_with(|| Box::new(Compressor::new()));
        let result = call(compressor);
        compressor.output.trim(KEPT_OUTPUT);
        result
    })
}

/// What it takes to compress whole streams, one after the other.
pub(super) struct Compressor {
    finder: Finder,
    block: Block,
    output: Output,
}

impl Compressor {
    pub(super) fn new() -> Self {
        Self { finder: Finder::new(), block: Block::new(), output: Output::new() }
    }

    /// The input, at most [`LONGEST`] bytes, as one stream, and the checksum of the input that the stream ends with. The level is
    /// from 1 to [`HIGHEST`].
    pub(super) fn compress(&mut self, input: &[u8], format: Format, level: u8) -> (&[u8], u32) {
        self.output.begin();
        let checksum = match format {
            Format::Gzip => {
                // Deflate; no flags, no time, no hint, no system.
                self.output.bytes(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]);
                raw::crc32(input)
            }
            Format::Zlib => {
                // Deflate with a window of 32 KiB, how hard it was tried, and the check of both.
                self.output.bytes(match level {
                    1 => &[0x78, 0x01],
                    2..=5 => &[0x78, 0x5e],
                    6 => &[0x78, 0x9c],
                    _ => &[0x78, 0xda],
                });
                raw::adler32(input)
            }
            Format::Raw => 1,
        };
        let effort = Effort::of(level, input.len());
        self.finder.begin(input.len());
        let mut from = 0;
        loop {
            let to = match level {
                1 => self.finder.parse(input, from, &mut self.block),
                _ => chains::parse(&mut self.finder, input, from, effort, &mut self.block),
            };
            self.block.write(&input[from..to], to == input.len(), &mut self.output);
            from = to;
            if to == input.len() {
                break;
            }
        }
        self.output.align();
        match format {
            Format::Gzip => {
                self.output.bytes(&checksum.to_le_bytes());
                self.output.bytes(&(input.len() as u32).to_le_bytes());
            }
            Format::Zlib => self.output.bytes(&checksum.to_be_bytes()),
            Format::Raw => {}
        }
        debug_assert!(self.output.len() as u64 <= bound(input.len() as u64));
        (self.output.written(), checksum)
    }
}
