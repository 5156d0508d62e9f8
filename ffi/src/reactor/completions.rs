//! The completion area and the queue of what does not fit into it.

use std::collections::VecDeque;

use super::area::Area;
use crate::abi::record::ferronet_completion;

/// Where backends put results. Records go into the shared area while a turn is open and it has room, and into a queue
/// otherwise: the caller still reads the area between two turns.
pub(crate) struct Completions {
    area: Area<ferronet_completion>,
    filled: usize,
    open: bool,
    overflow: VecDeque<ferronet_completion>,
    delivered: u64,
}

impl Completions {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { area: Area::new(capacity), filled: 0, open: false, overflow: VecDeque::new(), delivered: 0 }
    }

    /// Adds a result behind all earlier ones.
    pub(crate) fn push(&mut self, completion: ferronet_completion) {
        if self.open && self.filled < self.area.capacity() {
            self.area.write(self.filled, completion);
            self.filled += 1;
        } else {
            self.overflow.push_back(completion);
        }
    }

    /// Whether nothing waits to be delivered.
    pub(crate) fn is_empty(&self) -> bool {
        self.filled == 0 && self.overflow.is_empty()
    }

    /// Records that still fit into the area of the open turn; 0 outside a turn.
    pub(crate) fn room(&self) -> usize {
        if self.open { self.area.capacity() - self.filled } else { 0 }
    }

    /// Opens a turn: the area is the library's again, and what waited moves into it.
    pub(super) fn open(&mut self) {
        self.filled = 0;
        self.open = true;
        while self.filled < self.area.capacity() {
            let Some(completion) = self.overflow.pop_front() else { break };
            self.area.write(self.filled, completion);
            self.filled += 1;
        }
    }

    /// Ends a turn: the area is the caller's until the next one. Returns the number of valid records.
    pub(super) fn seal(&mut self) -> u32 {
        self.open = false;
        let count = self.filled;
        self.filled = 0;
        self.delivered += count as u64;
        count as u32
    }

    /// Replaces each record of the open turn by what `change` makes of it.
    #[cfg(feature = "test-hooks")]
    pub(super) fn rewrite(&mut self, mut change: impl FnMut(ferronet_completion) -> [Option<ferronet_completion>; 2]) {
        let records = self.area.records(self.filled).to_vec();
        self.filled = 0;
        records.into_iter().flat_map(&mut change).flatten().for_each(|completion| self.push(completion));
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    pub(super) fn area(&self) -> &Area<ferronet_completion> {
        &self.area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(user_data: u64) -> ferronet_completion {
        ferronet_completion { user_data, ..Default::default() }
    }

    fn delivered(completions: &Completions, count: u32) -> Vec<u64> {
        completions.area().records(count as usize).iter().map(|c| c.user_data).collect()
    }

    #[test]
    fn keeps_order_across_overflow_and_turns() {
        let mut completions = Completions::new(2);
        completions.push(numbered(1));
        assert!(!completions.is_empty());
        assert_eq!(completions.room(), 0);
        completions.open();
        assert_eq!(completions.room(), 1);
        (2..=5).for_each(|n| completions.push(numbered(n)));
        let count = completions.seal();
        assert_eq!(delivered(&completions, count), [1, 2]);
        completions.push(numbered(6));
        completions.open();
        let count = completions.seal();
        assert_eq!(delivered(&completions, count), [3, 4]);
        completions.open();
        completions.push(numbered(7));
        let count = completions.seal();
        assert_eq!(delivered(&completions, count), [5, 6]);
        completions.open();
        let count = completions.seal();
        assert_eq!(delivered(&completions, count), [7]);
        assert!(completions.is_empty());
        assert_eq!(completions.delivered(), 7);
    }

    #[test]
    fn does_not_touch_the_area_between_turns() {
        let mut completions = Completions::new(4);
        completions.open();
        completions.push(numbered(1));
        let count = completions.seal();
        completions.push(numbered(2));
        assert_eq!(delivered(&completions, count), [1]);
    }
}
