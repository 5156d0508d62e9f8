//! Which parts of the input repeat an earlier one.

use super::block::Block;
use super::places::{LEAST_BITS, MASK, MOST_BITS, Places};

/// The shortest match that is looked for.
const SHORTEST: usize = 4;
/// The longest that the format has.
pub(super) const LONGEST: usize = 258;
/// How far back a match may lie.
pub(super) const WINDOW: u32 = 32 * 1024;
/// Bytes at the end of the input in which no match begins, so that whole words can be read.
pub(super) const TAIL: usize = 8;
/// Places within a match that are entered, from its end.
pub(super) const ENTERED: usize = 2;
/// A match of this length is good enough not to look for another.
const GOOD: usize = 16;
/// Literals in a row after which places are passed over.
const PATIENCE: usize = 64;
/// Of the places that are passed over, one in so many is tried at least.
const SPARSEST: usize = 32;
/// From this length on it is tried whether a match goes on.
const LONG: usize = 16;
/// Shorter distances are tried where a match of full length goes on.
const NEAR: u32 = 9;
/// Of what goes on so, one place in so many is entered: a later repeat is found by them.
pub(super) const STRIDE: usize = 64;

/// The places of earlier bytes, by their hash. Places count on from one input to the next with a gap as long as the window,
/// so that what an earlier input left is always too far away, and nothing has to be cleared.
pub(super) struct Finder {
    pub(super) places: Places,
    pub(super) bits: u32,
    /// Place of the input's first byte.
    pub(super) base: u32,
    /// The first place of the next input.
    next: u32,
}

impl Finder {
    pub(super) fn new() -> Self {
        Self { places: Places::new(), bits: MOST_BITS, base: 0, next: WINDOW + 1 }
    }

    /// Begins an input of that length.
    pub(super) fn begin(&mut self, length: usize) {
        let gap = length as u32 + WINDOW + 1;
        if self.next.checked_add(gap).is_none() {
            self.places.clear();
            self.next = WINDOW + 1;
        }
        self.base = self.next;
        self.next += gap;
        self.bits = (usize::BITS - length.leading_zeros()).clamp(LEAST_BITS, MOST_BITS);
    }

    /// Divides the input from a place on into literals and matches, until the block ends or the input; returns the
    /// place behind. Two places are tried.
    pub(super) fn parse(&mut self, input: &[u8], from: usize, block: &mut Block) -> usize {
        block.begin();
        let most = input.len().min(from + Block::BYTES);
        let limit = most.min(input.len().saturating_sub(TAIL));
        let (base, shift) = (self.base, 32 - self.bits);
        let mut search = Search { pairs: self.places.pairs(), base, shift, input, most };
        let mut at = from;
        let mut literals = 0;
        let mut portion = from + Block::PORTION;
        while at < limit && !block.is_full() {
            if at >= portion {
                if block.ends_at(at - from) {
                    break;
                }
                portion = at + Block::PORTION;
            }
            let (length, distance) = search.find(at);
            if length < SHORTEST {
                if literals < PATIENCE {
                    block.literal(input[at]);
                    literals += 1;
                    at += 1;
                    continue;
                }
                let end = pass_over(input, at, limit, literals / PATIENCE, block);
                literals += end - at;
                at = end;
                continue;
            }
            block.add(literals as u32, length, distance);
            literals = 0;
            let (mut end, mut stride) = (at + length, 1);
            let mut place = end - ENTERED;
            if length > LONG {
                let farther = go_on(input, most, end, (length, distance), block);
                if farther > end {
                    (end, stride) = (farther, STRIDE);
                }
            }
            while place < end.min(limit) {
                search.enter(place);
                place += stride;
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
    pairs: &'a mut [[u32; 2]],
    base: u32,
    shift: u32,
    input: &'a [u8],
    /// Where matches end at the latest.
    most: usize,
}

impl Search<'_> {
    /// Length and distance of the better match of the two places, and enters this one. Below four there is none.
    #[inline(always)]
    fn find(&mut self, at: usize) -> (usize, u32) {
        let input = self.input;
        let word = word_at(input, at);
        let place = self.base + at as u32;
        let slot = self.slot(word);
        let [first, second] = *slot;
        *slot = [place, first];
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

    #[inline(always)]
    fn slot(&mut self, word: u32) -> &mut [u32; 2] {
        // The shift leaves no more bits than that.
        &mut self.pairs[hash(word, self.shift)]
    }

    #[inline(always)]
    fn enter(&mut self, at: usize) {
        let place = self.base + at as u32;
        let slot = self.slot(word_at(self.input, at));
        *slot = [place, slot[0]];
    }
}

/// A place in the table of four bytes.
#[inline(always)]
pub(super) fn hash(word: u32, shift: u32) -> usize {
    (word.wrapping_mul(0x9e37_79b1) >> (shift & 31)) as usize & MASK
}

/// Where nothing was found for long, nothing is found in most places: adds literals up to the next place to try, which it
/// returns. Which are tried depends on what is there, so that those of a repeat are those of the original.
#[cold]
#[inline(never)]
pub(super) fn pass_over(input: &[u8], at: usize, limit: usize, sparse: usize, block: &mut Block) -> usize {
    let one_in = (1 + sparse).min(SPARSEST).next_power_of_two();
    let mask = one_in as u32 - 1;
    let most = limit.min(at + 4 * one_in);
    let mut next = at;
    let mut literal = input[at];
    for &byte in &input[at + 1..=most] {
        block.literal(literal);
        next += 1;
        if (u32::from(literal) + 2 * u32::from(byte)) & mask == 0 {
            break;
        }
        literal = byte;
    }
    next
}

/// Of a long match most places were not entered, so what goes on at its distance is not found by its hash: adds what does, up to
/// `most` and after one byte that differs, and returns the place behind.
#[cold]
#[inline(never)]
pub(super) fn go_on(
    input: &[u8],
    most: usize,
    mut at: usize,
    (mut length, mut distance): (usize, u32),
    block: &mut Block,
) -> usize {
    // A run is like an earlier one at any distance; the least costs least.
    if length == LONGEST {
        distance =
            (1..NEAR.min(distance)).find(|&near| equal(input, at, near as usize, most) > LONG).unwrap_or(distance);
    }
    while !block.is_full() {
        // A match that is not of full length ends before a byte that differs.
        let gap = usize::from(length < LONGEST);
        length = equal(input, at + gap, distance as usize, most);
        if length <= LONG {
            break;
        }
        for &literal in &input[at..at + gap] {
            block.literal(literal);
        }
        block.add(gap as u32, length, distance);
        at += gap + length;
    }
    at
}

/// Four bytes of the input; zero behind its end.
#[inline(always)]
pub(super) fn word_at(input: &[u8], at: usize) -> u32 {
    match input.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => 0,
    }
}

/// How many bytes from a place on equal those so far before it, up to the longest match; the first four do.
#[inline(always)]
pub(super) fn equal(input: &[u8], at: usize, distance: usize, end: usize) -> usize {
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
    use super::super::chains::{self, Effort};
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
                assert_eq!(finder.parse(input, 0, &mut block), input.len());
                assert_eq!(block.matches(), 0, "{next}");
                finder.begin(input.len());
                assert_eq!(chains::parse(&mut finder, input, 0, Effort::of(6, input.len()), &mut block), input.len());
                assert_eq!(block.matches(), 0, "{next}");
            }
        }
        assert!(finder.next < u32::MAX / 2);
    }
}
