//! Memory of a thread for records that cannot be opened where they lie, nor where their data goes.

use std::cell::RefCell;

use super::record::MAX_RECORD;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The thread's scratch, which goes back to it without what was written into it.
pub(super) struct Scratch {
    memory: Vec<u8>,
    used: usize,
}

impl Scratch {
    pub(super) fn take() -> Self {
        Self { memory: SCRATCH.take(), used: 0 }
    }

    /// Room for `length` bytes, at most a record's.
    pub(super) fn room(&mut self, length: usize) -> &mut [u8] {
        if self.memory.is_empty() {
            self.memory = vec![0; MAX_RECORD];
        }
        self.used = self.used.max(length);
        &mut self.memory[..length]
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.memory[..self.used].fill(0);
        SCRATCH.set(std::mem::take(&mut self.memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_of_what_was_written() {
        for length in [5, 300, 20] {
            let mut scratch = Scratch::take();
            scratch.room(length).fill(7);
            scratch.room(2).fill(9);
            drop(scratch);
            SCRATCH.with_borrow(|memory| {
                assert_eq!((memory.len(), memory.iter().all(|byte| *byte == 0)), (MAX_RECORD, true))
            });
        }
    }
}
