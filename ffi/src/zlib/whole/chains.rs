//! Matches by trying many places, for every level above the first.

use super::block::Block;
use super::matches::{ENTERED, Finder, STRIDE, TAIL, WINDOW, equal, go_on, hash, pass_over, word_at};
use super::places::{Chains, MASK};

/// The shortest match that is looked for. Those of three bytes, which the format has, give more output and take more time.
const SHORTEST: usize = 4;
/// Matches that follow each other without a literal, from which on it goes deep.
const STREAK: usize = 2;
/// The same, from which on it goes deepest.
const LONG_STREAK: usize = 24;
/// Bytes of input that make one more place worth a try.
const DEEPER: usize = 256;

/// How hard to look for a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Places that are tried.
    depth: usize,
    /// The same where match follows match: a longer one saves all of the next there, while elsewhere it saves a literal.
    deep: usize,
    /// The same after [`LONG_STREAK`] matches, as in data of few symbols, where a longer match is a rare one.
    deepest: usize,
    /// A match of this length is taken without trying further places.
    nice: usize,
    /// A match that is shorter gives way to a better one that begins a byte later.
    lazy: usize,
    /// Of a match that is longer, only the last places are entered.
    entered: usize,
    /// Literals in a row after which places are passed over.
    patience: usize,
}

impl Effort {
    /// The effort of a level from 2 to 7 for so many bytes.
    pub(super) fn of(level: u8, length: usize) -> Self {
        let (depth, deep, deepest, nice, lazy, entered, patience) = match level {
            ..=2 => (2, 4, 6, 16, 0, 16, 128),
            3 => (3, 24, 24, 24, 0, 16, 128),
            4 => (3, 12, 12, 24, 8, 64, 256),
            5 => (4, 32, 32, 40, 10, 64, 256),
            6 => (8, 64, 64, 80, 16, 80, 512),
            _ => (16, 128, 128, 128, 16, 128, 1024),
        };
        Self { depth, deep: deep.min((deep / 4).max(length / DEEPER)), deepest, nice, lazy, entered, patience }
    }
}

/// Divides the input from a place on into literals and matches, until the block ends or the input; returns the
/// place behind.
pub(super) fn parse(finder: &mut Finder, input: &[u8], from: usize, effort: Effort, block: &mut Block) -> usize {
    block.begin();
    let most = input.len().min(from + Block::BYTES);
    let limit = most.min(input.len().saturating_sub(TAIL));
    let (base, shift) = (finder.base, 32 - finder.bits);
    let mut search = Search { places: finder.places.chains(), base, shift, input, most, nice: effort.nice };
    let mut at = from;
    let (mut literals, mut streak, mut depth) = (0, 0, effort.depth);
    let mut portion = from + Block::PORTION;
    while at < limit && !block.is_full() {
        if at >= portion {
            if block.ends_at(at - from) {
                break;
            }
            portion = at + Block::PORTION;
        }
        let (mut length, mut distance) = search.find(at, depth, SHORTEST - 1);
        if length == 0 {
            (streak, depth) = (0, effort.depth);
            if literals < effort.patience {
                block.literal(input[at]);
                literals += 1;
                at += 1;
                continue;
            }
            let end = pass_over(input, at, limit, literals / effort.patience, block);
            literals += end - at;
            at = end;
            continue;
        }
        let mut next = at + 1;
        while length < effort.lazy && at + 1 < limit {
            let later = search.find(at + 1, depth.div_ceil(2), length - 1);
            next = at + 2;
            if !is_better(later, (length, distance)) {
                break;
            }
            block.literal(input[at]);
            literals += 1;
            at += 1;
            (length, distance) = later;
        }
        block.add(literals as u32, length, distance);
        literals = 0;
        streak += 1;
        if streak >= STREAK {
            depth = if streak < LONG_STREAK { effort.deep } else { effort.deepest };
        }
        let (mut end, mut stride) = (at + length, 1);
        if length > effort.entered {
            next = end - ENTERED;
            let farther = go_on(input, most, end, (length, distance), block);
            if farther > end {
                (end, stride) = (farther, STRIDE);
            }
        }
        while next < end.min(limit) {
            search.enter(next);
            next += stride;
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

/// Whether a match that begins a byte later saves more than the literal before it costs: a byte is worth four bits of distance.
#[inline(always)]
fn is_better(later: (usize, u32), now: (usize, u32)) -> bool {
    let bits = |distance: u32| 32 - i64::from(distance.leading_zeros());
    later.0 >= now.0 && 4 * (later.0 as i64 - now.0 as i64) + bits(now.1) - bits(later.1) > 2
}

struct Search<'a> {
    places: Chains<'a>,
    base: u32,
    shift: u32,
    input: &'a [u8],
    /// Where matches end at the latest.
    most: usize,
    nice: usize,
}

impl Search<'_> {
    /// Length and distance of the longest match at a place of those that are tried, and enters the place; zero when none is
    /// longer than that.
    #[inline(always)]
    fn find(&mut self, at: usize, depth: usize, least: usize) -> (usize, u32) {
        let least = least.max(SHORTEST - 1);
        let place = self.base + at as u32;
        let word = word_at(self.input, at);
        let (mut length, mut distance) = (least, 0);
        // Only what equals it up to one byte behind the best match can be longer.
        let mut reach = least + 1 - SHORTEST;
        let mut last = word_at(self.input, at + reach);
        let mut back = place.wrapping_sub(self.enter(at));
        let mut tries = depth;
        while back <= WINDOW {
            let there = at.wrapping_sub(back as usize);
            if word_at(self.input, there + reach) == last && (reach == 0 || word_at(self.input, there) == word) {
                let equal = equal(self.input, at, back as usize, self.most);
                if equal > length {
                    (length, distance) = (equal, back);
                    if equal >= self.nice {
                        break;
                    }
                    reach = equal + 1 - SHORTEST;
                    last = word_at(self.input, at + reach);
                }
            }
            tries -= 1;
            if tries == 0 {
                break;
            }
            back = place.wrapping_sub(self.places.before[there & MASK]);
        }
        if distance == 0 { (0, 0) } else { (length, distance) }
    }

    /// Enters a place; returns the latest one with the same hash.
    #[inline(always)]
    fn enter(&mut self, at: usize) -> u32 {
        let head = &mut self.places.heads[hash(word_at(self.input, at), self.shift)];
        let before = std::mem::replace(head, self.base + at as u32);
        self.places.before[at & MASK] = before;
        before
    }
}
