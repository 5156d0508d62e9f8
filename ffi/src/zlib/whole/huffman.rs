//! Codes of limited length from how often symbols occur.

/// The length of each symbol's code in bits, and the code with its first bit lowest.
#[derive(Clone)]
pub(super) struct Codes<const SYMBOLS: usize> {
    pub(super) lengths: [u8; SYMBOLS],
    pub(super) codes: [u16; SYMBOLS],
}

impl<const SYMBOLS: usize> Codes<SYMBOLS> {
    pub(super) const fn new() -> Self {
        Self { lengths: [0; SYMBOLS], codes: [0; SYMBOLS] }
    }

    /// The code with the least bits among those that are no longer than `limit`. Symbols that do not occur have none, but a
    /// code has at least two symbols: some decompressors want that.
    pub(super) fn build(&mut self, counts: &[u32; SYMBOLS], limit: usize) {
        self.lengths = [0; SYMBOLS];
        // Count and symbol in one word, so that sorting moves both.
        let mut sorted = [0u64; SYMBOLS];
        let mut used = 0;
        for (symbol, &count) in counts.iter().enumerate() {
            sorted[used] = u64::from(count) << 16 | symbol as u64;
            used += usize::from(count > 0);
        }
        if used < 2 {
            let only = if used == 1 { (sorted[0] & 0xffff) as usize } else { 0 };
            self.lengths[only] = 1;
            self.lengths[usize::from(only == 0)] = 1;
        } else {
            sorted[..used].sort_unstable();
            let mut weights = [0u32; SYMBOLS];
            for (weight, entry) in weights.iter_mut().zip(&sorted[..used]) {
                *weight = (entry >> 16) as u32;
            }
            depths(&mut weights[..used]);
            let numbers = limited(&weights[..used], limit);
            // The rarest symbols get the longest codes.
            let mut symbols = sorted[..used].iter();
            for length in (1..=limit).rev() {
                for entry in symbols.by_ref().take(numbers[length] as usize) {
                    self.lengths[(entry & 0xffff) as usize] = length as u8;
                }
            }
        }
        self.assign(limit);
    }

    /// Canonical codes of the lengths (RFC 1951, 3.2.2).
    pub(super) fn assign(&mut self, limit: usize) {
        let mut numbers = [0u16; 16];
        for &length in &self.lengths {
            numbers[usize::from(length & 15)] += 1;
        }
        numbers[0] = 0;
        let mut next = [0u16; 16];
        for length in 1..=limit {
            next[length] = (next[length - 1] + numbers[length - 1]) << 1;
        }
        for (code, &length) in self.codes.iter_mut().zip(&self.lengths) {
            if length > 0 {
                let place = &mut next[usize::from(length & 15)];
                *code = place.reverse_bits() >> (16 - length);
                *place += 1;
            }
        }
    }
}

/// Turns weights in rising order into the depths of their leaves in a tree of least cost, in place (Moffat and Katajainen, 1995).
fn depths(weights: &mut [u32]) {
    let count = weights.len();
    // Inner nodes: first their weights, then the places of their parents.
    let (mut leaf, mut root) = (0, 0);
    for node in 0..count - 1 {
        let mut sum = 0;
        for _ in 0..2 {
            if leaf >= count || root < node && weights[root] < weights[leaf] {
                sum += weights[root];
                weights[root] = node as u32;
                root += 1;
            } else {
                sum += weights[leaf];
                if leaf > node {
                    weights[leaf] = 0;
                }
                leaf += 1;
            }
        }
        weights[node] = sum;
    }
    // Depths of the inner nodes.
    weights[count - 2] = 0;
    for node in (0..count - 2).rev() {
        weights[node] = weights[weights[node] as usize] + 1;
    }
    // Depths of the leaves: what the inner nodes of a level leave free.
    let mut inner = count - 1;
    let mut place = count;
    let (mut free, mut depth) = (1usize, 0u32);
    while free > 0 {
        let mut taken = 0;
        while inner > 0 && weights[inner - 1] == depth {
            taken += 1;
            inner -= 1;
        }
        for _ in taken..free {
            place -= 1;
            weights[place] = depth;
        }
        free = 2 * taken;
        depth += 1;
    }
}

/// How many codes of each length there are when none may be longer than `limit`.
fn limited(depths: &[u32], limit: usize) -> [u32; 16] {
    let mut numbers = [0u32; 16];
    for &depth in depths {
        numbers[(depth as usize).min(limit)] += 1;
    }
    let full = 1u32 << limit;
    let mut sum: u32 = (1..=limit).map(|length| numbers[length] << (limit - length)).sum();
    while sum > full {
        // A code of the greatest length becomes the sibling of a shorter one, which gets one bit more.
        numbers[limit] -= 1;
        if let Some(shorter) = (1..limit).rev().find(|&length| numbers[length] > 0) {
            numbers[shorter] -= 1;
            numbers[shorter + 1] += 2;
        }
        sum -= 1;
    }
    numbers
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Sum of the codes' shares, in 1/2^15.
    fn share(lengths: &[u8]) -> u32 {
        lengths.iter().filter(|&&length| length > 0).map(|&length| 1u32 << (15 - length)).sum()
    }

    #[test]
    fn a_code_is_complete_and_no_longer_than_its_limit() {
        let mut state = 1u32;
        for round in 0..2000 {
            let mut counts = [0u32; 286];
            for (symbol, count) in counts.iter_mut().enumerate() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *count = match round % 4 {
                    0 => state >> 28,
                    // Fibonacci's numbers make the deepest trees.
                    1 if symbol < 30 => (0..symbol).fold((1u32, 1u32), |(a, b), _| (b, a + b)).0,
                    2 => (state >> 16) * u32::from(state & 0x700 == 0),
                    _ => 1 << (state >> 28),
                };
            }
            if counts.iter().filter(|&&count| count > 0).count() < 2 {
                continue;
            }
            for limit in [9, 14, 15] {
                let mut codes = Codes::<286>::new();
                codes.build(&counts, limit);
                assert_eq!(share(&codes.lengths), 1 << 15, "round {round}");
                assert!(codes.lengths.iter().all(|&length| usize::from(length) <= limit));
                assert!(codes.lengths.iter().zip(&counts).all(|(&length, &count)| (length > 0) == (count > 0)));
            }
        }
    }

    #[test]
    fn a_frequent_symbol_has_no_longer_code_than_a_rare_one() {
        let mut counts = [0u32; 30];
        for (symbol, count) in counts.iter_mut().enumerate() {
            *count = 1 << (symbol % 20);
        }
        let mut codes = Codes::<30>::new();
        codes.build(&counts, 15);
        for a in 0..30 {
            for b in 0..30 {
                assert!(counts[a] <= counts[b] || codes.lengths[a] <= codes.lengths[b], "{a} {b}");
            }
        }
    }

    #[test]
    fn one_symbol_or_none_gives_two_codes() {
        for symbol in [0, 1, 29] {
            let mut counts = [0u32; 30];
            counts[symbol] = 7;
            let mut codes = Codes::<30>::new();
            codes.build(&counts, 15);
            assert_eq!((codes.lengths[symbol], share(&codes.lengths)), (1, 1 << 15));
        }
        let mut codes = Codes::<30>::new();
        codes.build(&[0; 30], 15);
        assert_eq!(share(&codes.lengths), 1 << 15);
    }
}
