//! Buffers that the caller has lent for receiving.

use crate::abi::status::{FERRONET_ERR_INVALID_ARGUMENT, FERRONET_ERR_LIMIT, Status};

/// Identities go from 0 to 65,535.
const IDENTITIES: usize = 1 << 16;

/// One lent buffer.
#[derive(Clone, Copy)]
pub(super) struct Lent {
    pub(super) address: u64,
    pub(super) length: u32,
    pub(super) identity: u16,
}

/// The free buffers; the one lent last is used first, while it is warm.
pub(super) struct LentBuffers {
    free: Vec<Lent>,
    capacity: usize,
    held: Box<[u64]>,
}

impl LentBuffers {
    pub(super) fn new(capacity: usize) -> Self {
        Self { free: Vec::with_capacity(capacity), capacity, held: vec![0; IDENTITIES / 64].into_boxed_slice() }
    }

    /// Takes a buffer in, or refuses it: an identity in use or out of range, no memory, or more than the capacity.
    pub(super) fn lend(&mut self, identity: u64, address: u64, length: u32) -> Result<(), Status> {
        let identity = u16::try_from(identity).map_err(|_| FERRONET_ERR_INVALID_ARGUMENT)?;
        let (word, bit) = place(identity);
        if address == 0 || length == 0 || length > i32::MAX as u32 || self.held[word] & bit != 0 {
            return Err(FERRONET_ERR_INVALID_ARGUMENT);
        }
        if self.free.len() == self.capacity {
            return Err(FERRONET_ERR_LIMIT);
        }
        let lent = Lent { address, length, identity };
        self.held[word] |= bit;
        self.free.push(lent);
        Ok(())
    }

    /// The buffer that the next receive fills.
    pub(super) fn next(&self) -> Option<Lent> {
        self.free.last().copied()
    }

    /// Gives that buffer back to the caller.
    pub(super) fn deliver(&mut self) {
        if let Some(lent) = self.free.pop() {
            let (word, bit) = place(lent.identity);
            self.held[word] &= !bit;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.free.len()
    }

    pub(super) fn clear(&mut self) {
        self.free.clear();
        self.held.fill(0);
    }
}

fn place(identity: u16) -> (usize, u64) {
    (usize::from(identity) / 64, 1 << (identity % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lends_up_to_the_capacity_and_each_identity_once() {
        let mut lent = LentBuffers::new(2);
        assert_eq!(lent.lend(65_535, 8, 8), Ok(()));
        assert_eq!(lent.lend(65_535, 8, 8), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(65_536, 8, 8), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(1, 0, 8), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(1, 8, 0), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(0, 8, 8), Ok(()));
        assert_eq!(lent.lend(1, 8, 8), Err(FERRONET_ERR_LIMIT));
        assert_eq!(lent.next().map(|buffer| buffer.identity), Some(0));
        lent.deliver();
        assert_eq!(lent.lend(0, 8, 8), Ok(()), "a delivered buffer can be lent again");
        lent.deliver();
        lent.deliver();
        assert!(lent.next().is_none());
        assert_eq!(lent.len(), 0);
    }
}
