//! Bits into memory that grows.

/// Bytes that are written beyond the last whole one.
const SLACK: usize = 8;

/// The output so far; bits come first into the low end of a word.
pub(super) struct Output {
    /// Longer than what is written, so that a word can be stored at any place.
    memory: Vec<u8>,
    at: usize,
    bits: u64,
    count: u32,
}

impl Output {
    pub(super) fn new() -> Self {
        Self { memory: Vec::new(), at: 0, bits: 0, count: 0 }
    }

    pub(super) fn begin(&mut self) {
        (self.at, self.bits, self.count) = (0, 0, 0);
    }

    pub(super) fn len(&self) -> usize {
        self.at
    }

    /// Bits that are missing to a whole byte, were no more written.
    pub(super) fn to_boundary(&self) -> u32 {
        self.count.wrapping_neg() & 7
    }

    /// Makes room for so many bits.
    pub(super) fn reserve(&mut self, bits: u64) {
        let needed = self.at + (bits / 8) as usize + 2 * SLACK;
        if self.memory.len() < needed {
            self.memory.resize(needed.max(self.memory.len() * 2), 0);
        }
    }

    /// A writer into the room that was made.
    #[inline]
    pub(super) fn writer(&mut self) -> Writer<'_> {
        let (bits, count) = (self.bits, self.count);
        Writer {
            memory: &mut self.memory[self.at..],
            at: 0,
            bits,
            count,
            end: (&mut self.at, &mut self.bits, &mut self.count),
        }
    }

    /// Up to the next byte.
    pub(super) fn align(&mut self) {
        self.reserve(8);
        let padding = self.to_boundary();
        let mut writer = self.writer();
        writer.add(0, padding);
        writer.flush();
        writer.end();
    }

    /// Whole bytes, at a byte boundary.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        debug_assert_eq!(self.count, 0);
        self.reserve(bytes.len() as u64 * 8);
        self.memory[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    pub(super) fn written(&self) -> &[u8] {
        &self.memory[..self.at]
    }

    pub(super) fn trim(&mut self, most: usize) {
        if self.memory.len() > most {
            self.memory = Vec::new();
        }
    }
}

/// The word that is filled, held where the compiler can keep it in registers.
pub(super) struct Writer<'a> {
    memory: &'a mut [u8],
    at: usize,
    bits: u64,
    count: u32,
    end: (&'a mut usize, &'a mut u64, &'a mut u32),
}

impl Writer<'_> {
    /// Adds bits; at most 56 may come together before a flush.
    #[inline(always)]
    pub(super) fn add(&mut self, bits: u64, count: u32) {
        self.bits |= bits << (self.count & 63);
        self.count += count;
    }

    /// Stores the whole bytes.
    #[inline(always)]
    pub(super) fn flush(&mut self) {
        if let Some(place) = self.memory.get_mut(self.at..self.at + 8) {
            place.copy_from_slice(&self.bits.to_le_bytes());
        }
        self.at += (self.count >> 3) as usize;
        self.bits >>= self.count & 56;
        self.count &= 7;
    }

    /// Hands the state back.
    #[inline]
    pub(super) fn end(self) {
        *self.end.0 += self.at;
        *self.end.1 = self.bits;
        *self.end.2 = self.count;
    }
}
