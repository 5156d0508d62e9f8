//! A block: what it holds, which of the three kinds is shortest, and its bits (RFC 1951, 3.2.3 to 3.2.7).

use super::huffman::Codes;
use super::output::{Output, Writer};

const LITERALS: usize = 288;
const DISTANCES: usize = 32;
const LENGTHS: usize = 19;
const END: usize = 256;
/// Four literals and a rest of seven bits fit into a word.
const LITERAL_LIMIT: usize = 14;
const DISTANCE_LIMIT: usize = 15;
const LENGTH_LIMIT: usize = 7;
/// The order in which the lengths of the lengths' codes are written.
const ORDER: [usize; LENGTHS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// The longest stored piece.
const STORED: usize = 65_535;

/// Symbols from which on their shares mean something.
const ENOUGH: u32 = 1024;
/// Symbols beside which the codes of a block are few bytes.
const PLENTY: u32 = 16 * 1024;
/// How far the shares of symbols may lie apart in one block: 0 when they are equal, 2 when there are none in common.
const APART: f32 = 0.5;

/// For each length from 3 on: its symbol, less 257.
const LENGTH_SYMBOL: [u8; 256] = length_symbols();
/// The first length of a symbol less 3, and its further bits.
const LENGTH_BASE: [u16; 29] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 255];
const LENGTH_EXTRA: [u8; 29] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

const fn length_symbols() -> [u8; 256] {
    let mut table = [0; 256];
    let mut symbol = 0;
    while symbol < 29 {
        let mut length = LENGTH_BASE[symbol] as usize;
        let end = if symbol == 28 { 256 } else { LENGTH_BASE[symbol] as usize + (1 << LENGTH_EXTRA[symbol]) };
        while length < end {
            table[length] = symbol as u8;
            length += 1;
        }
        symbol += 1;
    }
    table
}

/// Symbol of a distance, its further bits, and how many.
#[inline(always)]
fn distance_symbol(distance: u32) -> (usize, u32, u32) {
    let less = distance - 1;
    if less < 4 {
        return (less as usize, 0, 0);
    }
    let extra = 30 - less.leading_zeros();
    let symbol = (extra << 1) + (less >> extra);
    (symbol as usize, less & ((1 << extra) - 1), extra)
}

/// Literals and the match behind them.
#[derive(Clone, Copy, Default)]
struct Sequence {
    literals: u32,
    /// Less 3.
    length: u16,
    /// Less 1; the format has 1 to 32,768.
    distance: u16,
}

/// What a block holds, and how often each symbol occurs.
pub(super) struct Block {
    sequences: Box<[Sequence; Block::MATCHES]>,
    count: usize,
    last_literals: usize,
    literals: [u32; LITERALS],
    distances: [u32; DISTANCES],
    /// `literals` where it was last looked whether the data has changed.
    seen: [u32; LITERALS],
    literal_codes: Codes<LITERALS>,
    distance_codes: Codes<DISTANCES>,
    fixed: (Codes<LITERALS>, Codes<DISTANCES>),
}

impl Block {
    /// Input of a block at most: the longest matches that it has room for are less.
    pub(super) const BYTES: usize = 4 << 20;
    /// Input from which on a block ends that has [`PLENTY`] of symbols. One of fewer is shorter than the codes of two.
    const LONG: usize = 128 * 1024;
    /// Input after which it is looked whether the data has changed.
    pub(super) const PORTION: usize = 8 * 1024;
    /// Matches of a block at most.
    const MATCHES: usize = 12 * 1024;

    pub(super) fn new() -> Self {
        let mut fixed = (Codes::new(), Codes::new());
        for (symbol, length) in fixed.0.lengths.iter_mut().enumerate() {
            *length = match symbol {
                0..=143 => 8,
                144..=255 => 9,
                256..=279 => 7,
                _ => 8,
            };
        }
        fixed.1.lengths = [5; DISTANCES];
        fixed.0.assign(15);
        fixed.1.assign(15);
        Self {
            sequences: Box::new([Sequence::default(); Self::MATCHES]),
            count: 0,
            last_literals: 0,
            literals: [0; LITERALS],
            distances: [0; DISTANCES],
            seen: [0; LITERALS],
            literal_codes: Codes::new(),
            distance_codes: Codes::new(),
            fixed,
        }
    }

    pub(super) fn begin(&mut self) {
        self.count = 0;
        self.literals = [0; LITERALS];
        self.distances = [0; DISTANCES];
        self.seen = [0; LITERALS];
        self.last_literals = 0;
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.count == Self::MATCHES
    }

    /// Whether a block of so many bytes had better end: it is long and has symbols enough to bear its codes, or the symbols
    /// since the last call are others than those before it. To be called every [`Self::PORTION`] bytes.
    pub(super) fn ends_at(&mut self, bytes: usize) -> bool {
        let sum = |counts: &[u32; LITERALS]| counts.iter().sum::<u32>();
        let before = sum(&self.seen);
        let all = sum(&self.literals);
        let since = all - before;
        if bytes >= Self::LONG && all >= PLENTY {
            return true;
        }
        if since < ENOUGH {
            return false;
        }
        let turned = before > 0 && apart(&self.seen, &self.literals, before as f32, since as f32) > APART;
        self.seen = self.literals;
        turned
    }

    #[cfg(test)]
    pub(super) fn matches(&self) -> usize {
        self.count
    }

    /// A literal in front of the next match.
    #[inline(always)]
    pub(super) fn literal(&mut self, literal: u8) {
        self.literals[usize::from(literal)] += 1;
    }

    /// A match, and the number of the literals in front of it.
    #[inline(always)]
    pub(super) fn add(&mut self, literals: u32, length: usize, distance: u32) {
        let length = length as u16 - 3;
        self.literals[257 + usize::from(LENGTH_SYMBOL[usize::from(length & 255)])] += 1;
        self.distances[distance_symbol(distance).0 & (DISTANCES - 1)] += 1;
        if let Some(place) = self.sequences.get_mut(self.count) {
            *place = Sequence { literals, length, distance: (distance - 1) as u16 };
        }
        self.count += 1;
    }

    /// The number of literals behind the last match.
    pub(super) fn end(&mut self, literals: usize) {
        self.last_literals = literals;
        self.literals[END] = 1;
    }

    /// Writes the block in the shortest way; `bytes` is its input.
    pub(super) fn write(&mut self, bytes: &[u8], last: bool, output: &mut Output) {
        let fixed = self.cost(&self.fixed.0, &self.fixed.1);
        let mut lengths = Lengths::default();
        let mut dynamic = u64::MAX;
        // A block of few symbols has no gain of its own codes, unless they are nearly all the same, as in a long run.
        if fixed > 300 || fixed > 130 && bytes.len() > 512 {
            self.literal_codes.build(&self.literals, LITERAL_LIMIT);
            self.distance_codes.build(&self.distances, DISTANCE_LIMIT);
            lengths.describe(&self.literal_codes.lengths, &self.distance_codes.lengths);
            dynamic = lengths.cost + self.cost(&self.literal_codes, &self.distance_codes);
        }
        let pieces = bytes.len().div_ceil(STORED).max(1) as u64;
        let stored = u64::from(output.to_boundary().wrapping_sub(3) & 7) + pieces * 40 - 5 + bytes.len() as u64 * 8;
        let least = fixed.min(dynamic);
        if stored <= least {
            write_stored(bytes, last, output);
            return;
        }
        output.reserve(least + 64);
        let mut writer = output.writer();
        writer.add(u64::from(last), 1);
        if dynamic < fixed {
            writer.add(2, 2);
            lengths.write(&mut writer);
            self.write_symbols(bytes, &self.literal_codes, &self.distance_codes, &mut writer);
        } else {
            writer.add(1, 2);
            self.write_symbols(bytes, &self.fixed.0, &self.fixed.1, &mut writer);
        }
        writer.end();
    }

    /// Bits of the symbols with these codes.
    fn cost(&self, literals: &Codes<LITERALS>, distances: &Codes<DISTANCES>) -> u64 {
        let mut bits = 0u64;
        for (&count, &length) in self.literals.iter().zip(&literals.lengths) {
            bits += u64::from(count) * u64::from(length);
        }
        for (&count, &extra) in self.literals[257..].iter().zip(&LENGTH_EXTRA) {
            bits += u64::from(count) * u64::from(extra);
        }
        for (symbol, (&count, &length)) in self.distances.iter().zip(&distances.lengths).enumerate() {
            let extra = (symbol as u64 / 2).saturating_sub(1);
            bits += u64::from(count) * (u64::from(length) + extra);
        }
        bits
    }

    fn write_symbols(
        &self,
        bytes: &[u8],
        literals: &Codes<LITERALS>,
        distances: &Codes<DISTANCES>,
        writer: &mut Writer<'_>,
    ) {
        // Code and length of each in one word: one load for a symbol.
        let mut codes = [0u32; 256];
        for (symbol, code) in codes.iter_mut().enumerate() {
            *code = u32::from(literals.codes[symbol]) | u32::from(literals.lengths[symbol]) << 16;
        }
        let mut matches = [0u32; 256];
        for (length, code) in matches.iter_mut().enumerate() {
            let symbol = usize::from(LENGTH_SYMBOL[length]);
            let bits = u32::from(literals.lengths[257 + symbol]);
            let extra = length as u32 - u32::from(LENGTH_BASE[symbol]);
            let all = u32::from(literals.codes[257 + symbol]) | extra << bits;
            *code = all | (bits + u32::from(LENGTH_EXTRA[symbol])) << 24;
        }
        let mut far = [0u32; DISTANCES];
        for (symbol, code) in far.iter_mut().enumerate() {
            *code = u32::from(distances.codes[symbol]) | u32::from(distances.lengths[symbol]) << 16;
        }
        writer.flush();
        let mut rest = bytes;
        for sequence in &self.sequences[..self.count] {
            let (run, behind) = rest.split_at(sequence.literals as usize);
            write_literals(run, &codes, writer);
            let code = matches[usize::from(sequence.length & 255)];
            writer.add(u64::from(code & 0x00ff_ffff), code >> 24);
            let (symbol, extra, count) = distance_symbol(u32::from(sequence.distance) + 1);
            let code = far[symbol & (DISTANCES - 1)];
            writer.add(u64::from(code & 0xffff) | u64::from(extra) << (code >> 16 & 15), (code >> 16) + count);
            writer.flush();
            rest = &behind[usize::from(sequence.length) + 3..];
        }
        write_literals(&rest[..self.last_literals], &codes, writer);
        writer.add(u64::from(literals.codes[END]), u32::from(literals.lengths[END]));
        writer.flush();
    }
}

/// How far the shares of symbols in the first counts lie apart from those that the second counts have beyond them.
fn apart(first: &[u32; LITERALS], second: &[u32; LITERALS], before: f32, since: f32) -> f32 {
    let (of_first, of_rest) = (1.0 / before, 1.0 / since);
    let mut sums = [0f32; 8];
    for (first, second) in first.as_chunks::<8>().0.iter().zip(second.as_chunks::<8>().0) {
        for (sum, (&first, &second)) in sums.iter_mut().zip(first.iter().zip(second)) {
            *sum += (first as i32 as f32 * of_first - (second - first) as i32 as f32 * of_rest).abs();
        }
    }
    sums.iter().sum()
}

#[inline(always)]
fn write_literals(literals: &[u8], codes: &[u32; 256], writer: &mut Writer<'_>) {
    let mut fours = literals.chunks_exact(4);
    for four in &mut fours {
        for &literal in four {
            let code = codes[usize::from(literal)];
            writer.add(u64::from(code & 0xffff), code >> 16);
        }
        writer.flush();
    }
    for &literal in fours.remainder() {
        let code = codes[usize::from(literal)];
        writer.add(u64::from(code & 0xffff), code >> 16);
    }
    writer.flush();
}

fn write_stored(bytes: &[u8], last: bool, output: &mut Output) {
    let mut rest = bytes;
    loop {
        let (piece, behind) = rest.split_at(rest.len().min(STORED));
        rest = behind;
        output.reserve(8);
        let mut writer = output.writer();
        writer.add(u64::from(last && rest.is_empty()), 3);
        writer.flush();
        writer.end();
        output.align();
        let length = piece.len() as u16;
        output.bytes(&length.to_le_bytes());
        output.bytes(&(!length).to_le_bytes());
        output.bytes(piece);
        if rest.is_empty() {
            return;
        }
    }
}

/// The lengths of a block's codes, as the block has them: runs, with codes of their own.
struct Lengths {
    /// Symbol, and the number behind it.
    items: [(u8, u8); 320],
    count: usize,
    literals: usize,
    distances: usize,
    codes: Codes<LENGTHS>,
    /// How many lengths of the lengths' codes are written.
    written: usize,
    /// Bits of all of it.
    cost: u64,
}

impl Default for Lengths {
    fn default() -> Self {
        Self { items: [(0, 0); 320], count: 0, literals: 0, distances: 0, codes: Codes::new(), written: 0, cost: 0 }
    }
}

impl Lengths {
    fn describe(&mut self, literals: &[u8; LITERALS], distances: &[u8; DISTANCES]) {
        let used = |lengths: &[u8], least: usize| {
            lengths.iter().rposition(|&length| length > 0).map_or(least, |at| (at + 1).max(least))
        };
        self.literals = used(literals, 257);
        self.distances = used(distances, 1);
        let mut all = [0u8; LITERALS + DISTANCES];
        all[..self.literals].copy_from_slice(&literals[..self.literals]);
        all[self.literals..self.literals + self.distances].copy_from_slice(&distances[..self.distances]);
        let all = &all[..self.literals + self.distances];
        let mut counts = [0u32; LENGTHS];
        let mut at = 0;
        while at < all.len() {
            let length = all[at];
            let run = all[at..].iter().take_while(|&&other| other == length).count();
            let (symbol, number, taken) = match (length, run) {
                (0, 11..) => (18, run.min(138) - 11, run.min(138)),
                (0, 3..) => (17, run - 3, run),
                (_, 4..) if length > 0 => {
                    self.push(length, 0, &mut counts);
                    (16, (run - 1).min(6) - 3, (run - 1).min(6) + 1)
                }
                _ => (length, 0, 1),
            };
            self.push(symbol, number as u8, &mut counts);
            at += taken;
        }
        self.codes.build(&counts, LENGTH_LIMIT);
        self.written = ORDER.iter().rposition(|&symbol| self.codes.lengths[symbol] > 0).map_or(4, |at| (at + 1).max(4));
        let mut bits = 5 + 5 + 4 + 3 * self.written as u64;
        for (symbol, &count) in counts.iter().enumerate() {
            bits += u64::from(count) * (u64::from(self.codes.lengths[symbol]) + u64::from(further(symbol)));
        }
        self.cost = bits;
    }

    fn push(&mut self, symbol: u8, number: u8, counts: &mut [u32; LENGTHS]) {
        if let Some(item) = self.items.get_mut(self.count) {
            *item = (symbol, number);
        }
        self.count += 1;
        counts[usize::from(symbol)] += 1;
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.add((self.literals - 257) as u64, 5);
        writer.add((self.distances - 1) as u64, 5);
        writer.add((self.written - 4) as u64, 4);
        writer.flush();
        for &symbol in &ORDER[..self.written] {
            writer.add(u64::from(self.codes.lengths[symbol]), 3);
            writer.flush();
        }
        for &(symbol, number) in &self.items[..self.count] {
            let symbol = usize::from(symbol);
            writer.add(u64::from(self.codes.codes[symbol]), u32::from(self.codes.lengths[symbol]));
            writer.add(u64::from(number), further(symbol));
            writer.flush();
        }
    }
}

/// Bits of the number behind a symbol of the lengths.
fn further(symbol: usize) -> u32 {
    match symbol {
        16 => 2,
        17 => 3,
        18 => 7,
        _ => 0,
    }
}
