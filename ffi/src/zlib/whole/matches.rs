//! Which parts of the input repeat an earlier one.

use super::block::Block;

/// The shortest match that is looked for.
const SHORTEST: usize = 4;
/// The longest that the format has.
const LONGEST: usize = 258;
/// How far back a match may lie.
const WINDOW: u32 = 32 * 1024;
/// Bytes at the end of the input in which no match begins, so that whole words can be read.
const TAIL: usize = 8;
/// Bits of the largest table, and of the smallest.
const MOST_BITS: u32 = 15;
const LEAST_BITS: u32 = 9;
/// Places within a match that are entered, from its end.
const ENTERED: usize = 2;
/// A match of this length is good enough not to look for another.
const GOOD: usize = 16;
/// The same for one that begins a byte later.
const LONG: usize = 32;
/// The longest input whose matches are looked for thoroughly, and the places that are tried then.
pub(super) const SHORT: usize = 4096;
const DEPTH: usize = 4;
/// Literals in a row after which places are passed over.
const PATIENCE: usize = 64;

/// The places of earlier four bytes, by their hash. Places count on from one input to the next with a gap as long as the window,
/// so that what an earlier input left is always too far away, and nothing has to be cleared.
pub(super) struct Finder {
    table: Box<Table>,
    bits: u32,
    /// Place of the input's first byte.
    base: u32,
    /// The first place of the next input.
    next: u32,
    /// The place before each place of a short input that has the same hash.
    chain: Box<Chain>,
}

type Chain = [u32; SHORT];

/// The two latest places of each hash.
type Table = [[u32; 2]; 1 << MOST_BITS];

impl Finder {
    pub(super) fn new() -> Self {
        Self {
            table: Box::new([[0; 2]; 1 << MOST_BITS]),
            bits: MOST_BITS,
            base: 0,
            next: WINDOW + 1,
            chain: Box::new([0; SHORT]),
        }
    }

    /// Begins an input of that length.
    pub(super) fn begin(&mut self, length: usize) {
        let gap = length as u32 + WINDOW + 1;
        if self.next.checked_add(gap).is_none() {
            *self.table = [[0; 2]; 1 << MOST_BITS];
            self.next = WINDOW + 1;
        }
        self.base = self.next;
        self.next += gap;
        self.bits = (usize::BITS - length.leading_zeros()).clamp(LEAST_BITS, MOST_BITS);
    }

    /// Divides the input from a place on into literals and matches, until the block is full or the input ends; returns the
    /// place behind. With `THOROUGH`, for inputs of at most [`SHORT`] bytes, more places are tried, all are entered, and a match
    /// gives way to a longer one that begins a byte later.
    pub(super) fn parse<const THOROUGH: bool>(&mut self, input: &[u8], from: usize, block: &mut Block) -> usize {
        block.begin();
        let most = input.len().min(from + Block::BYTES);
        let limit = most.min(input.len().saturating_sub(TAIL));
        let (base, shift) = (self.base, 32 - self.bits);
        let mut search = Search { table: &mut self.table, chain: &mut self.chain, base, shift, input, most };
        let mut at = from;
        let mut literals = 0;
        while at < limit && !block.is_full() {
            let (mut length, mut distance) = search.find::<THOROUGH>(at);
            if length < SHORTEST {
                // Where nothing was found for long, nothing is found in most places.
                let step = (1 + literals / PATIENCE).min(limit - at);
                for &literal in &input[at..at + step] {
                    block.literal(literal);
                }
                literals += step;
                at += step;
                continue;
            }
            let mut entered = 1;
            while THOROUGH && length < LONG && at + 1 < limit {
                let later = search.find::<THOROUGH>(at + 1);
                if later.0 <= length {
                    entered = 2;
                    break;
                }
                block.literal(input[at]);
                literals += 1;
                at += 1;
                (length, distance) = later;
            }
            block.add(literals as u32, length, distance);
            literals = 0;
            let end = at + length;
            if end < limit {
                let from = if THOROUGH { at + entered } else { end - ENTERED };
                for place in from..end {
                    search.enter::<THOROUGH>(place);
                }
            }
            at = end;
        }
        if at >= limit {
            for &literal in &input[at..most] {
                block.literal(literal);
            }
            literals += most - at;
            at = most;
        }
        block.end(literals);
        at
    }
}

struct Search<'a> {
    table: &'a mut Table,
    chain: &'a mut Chain,
    base: u32,
    shift: u32,
    input: &'a [u8],
    /// Where matches end at the latest.
    most: usize,
}

impl Search<'_> {
    /// Length and distance of the best match of the places that are tried, and enters this one. Below four there is none.
    #[inline(always)]
    fn find<const THOROUGH: bool>(&mut self, at: usize) -> (usize, u32) {
        let input = self.input;
        let word = word_at(input, at);
        let place = self.base + at as u32;
        let slot = slot(self.table, word, self.shift);
        let [first, second] = *slot;
        *slot = [place, first];
        if THOROUGH {
            self.chain[at & (SHORT - 1)] = first;
            return self.longest(at, word, first);
        }
        let mut length = 0;
        let mut distance = place.wrapping_sub(first);
        if distance <= WINDOW && word_at(input, at.wrapping_sub(distance as usize)) == word {
            length = equal(input, at, distance as usize, self.most);
        }
        let far = place.wrapping_sub(second);
        if length < GOOD && far <= WINDOW && word_at(input, at.wrapping_sub(far as usize)) == word {
            let other = equal(input, at, far as usize, self.most);
            if other > length {
                length = other;
                distance = far;
            }
        }
        (length, distance)
    }

    /// The longest match along the chain.
    #[inline(always)]
    fn longest(&self, at: usize, word: u32, first: u32) -> (usize, u32) {
        let place = self.base + at as u32;
        let mut candidate = first;
        let mut best = (0, 0);
        for _ in 0..DEPTH {
            let distance = place.wrapping_sub(candidate);
            if distance > WINDOW {
                break;
            }
            let there = at.wrapping_sub(distance as usize);
            // Only what goes on equally behind the best match can be longer.
            if word_at(self.input, there) == word && self.input.get(there + best.0) == self.input.get(at + best.0) {
                let length = equal(self.input, at, distance as usize, self.most);
                if length > best.0 {
                    best = (length, distance);
                    if length >= LONG {
                        break;
                    }
                }
            }
            candidate = self.chain[there & (SHORT - 1)];
        }
        best
    }

    #[inline(always)]
    fn enter<const THOROUGH: bool>(&mut self, at: usize) {
        let slot = slot(self.table, word_at(self.input, at), self.shift);
        if THOROUGH {
            self.chain[at & (SHORT - 1)] = slot[0];
        }
        *slot = [self.base + at as u32, slot[0]];
    }
}

#[inline(always)]
fn slot(table: &mut Table, word: u32, shift: u32) -> &mut [u32; 2] {
    let hash = word.wrapping_mul(0x9e37_79b1) >> (shift & 31);
    // The shift leaves no more bits than that.
    &mut table[hash as usize & ((1 << MOST_BITS) - 1)]
}

/// Four bytes of the input; zero behind its end.
#[inline(always)]
fn word_at(input: &[u8], at: usize) -> u32 {
    match input.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => 0,
    }
}

/// How many bytes from a place on equal those so far before it, up to the longest match; the first four do.
#[inline(always)]
fn equal(input: &[u8], at: usize, distance: usize, end: usize) -> usize {
    let end = end.min(at + LONGEST);
    let (Some(here), Some(there)) = (input.get(at..end), input.get(at - distance..end - distance)) else { return 0 };
    let mut length = 0;
    let (mut a, mut b) = (here, there);
    while let (Some((x, further_a)), Some((y, further_b))) = (a.split_first_chunk::<8>(), b.split_first_chunk::<8>()) {
        let difference = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if difference != 0 {
            return length + (difference.trailing_zeros() / 8) as usize;
        }
        length += 8;
        (a, b) = (further_a, further_b);
    }
    length + a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_input_left_is_never_found_and_places_start_anew_at_their_end() {
        let mut finder = Finder::new();
        let mut block = Block::new();
        let input = b"a text without anything that comes twice: 0123456789";
        for next in [WINDOW + 1, u32::MAX - WINDOW - input.len() as u32 - 1, u32::MAX - 5] {
            finder.next = next;
            for _ in 0..2 {
                finder.begin(input.len());
                assert_eq!(finder.parse::<false>(input, 0, &mut block), input.len());
                assert_eq!(block.matches(), 0, "{next}");
                finder.begin(input.len());
                assert_eq!(finder.parse::<true>(input, 0, &mut block), input.len());
                assert_eq!(block.matches(), 0, "{next}");
            }
        }
        assert!(finder.next < u32::MAX / 2);
    }
}
