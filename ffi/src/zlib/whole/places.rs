//! The memory of earlier places, by the hash of the bytes there.

/// Bits of the largest table, and of the smallest.
pub(super) const MOST_BITS: u32 = 15;
pub(super) const LEAST_BITS: u32 = 9;
const HASHES: usize = 1 << MOST_BITS;
/// Of a hash, and of a place in the window, which has as many.
pub(super) const MASK: usize = HASHES - 1;

/// One memory for both ways to look for matches: what one has left is as old to the other as to itself.
pub(super) struct Places(Box<[[u32; HASHES]; 2]>);

/// The latest place of each hash, and the one before each place of the window that has the same.
pub(super) struct Chains<'a> {
    pub(super) heads: &'a mut [u32; HASHES],
    pub(super) before: &'a mut [u32; HASHES],
}

impl Places {
    pub(super) fn new() -> Self {
        Self(Box::new([[0; HASHES]; 2]))
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().fill(0);
    }

    /// The two latest places of each hash.
    #[inline(always)]
    pub(super) fn pairs(&mut self) -> &mut [[u32; 2]] {
        self.0.as_flattened_mut().as_chunks_mut().0
    }

    pub(super) fn chains(&mut self) -> Chains<'_> {
        let [heads, before] = &mut *self.0;
        Chains { heads, before }
    }
}
