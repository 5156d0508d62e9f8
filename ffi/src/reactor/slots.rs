//! The socket table: numbers of an index and a generation, so that a stale number is found out.

use std::collections::VecDeque;

const INDEX_BITS: u32 = 22;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;
const LAST_GENERATION: u32 = (1 << (31 - INDEX_BITS)) - 1;
/// Free indices that wait while the table can still grow. A number comes back after this many times `LAST_GENERATION`
/// sockets at the earliest, however few are open at once.
const REST: usize = 256;

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// Values under numbers from 1 to 2^31 - 1. An index that was given back gets a new generation, and waits behind all
/// other free ones, so that a number comes back as late as possible.
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: VecDeque<u32>,
    used: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: VecDeque::new(), used: 0 }
    }
}

impl<T> Slots<T> {
    /// Most values that can be held at once.
    pub(crate) const LIMIT: usize = 1 << INDEX_BITS;

    /// Stores a value and returns its number, or gives the value back when the table is full.
    pub(crate) fn insert(&mut self, value: T) -> Result<u32, T> {
        let may_grow = self.slots.len() < Self::LIMIT;
        let index = if may_grow && self.free.len() <= REST {
            self.slots.push(Slot { generation: 1, value: None });
            self.slots.len() - 1
        } else if let Some(index) = self.free.pop_front() {
            index as usize
        } else {
            return Err(value);
        };
        let slot = &mut self.slots[index];
        slot.value = Some(value);
        self.used += 1;
        Ok(slot.generation << INDEX_BITS | index as u32)
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let slot = self.slots.get((number & INDEX_MASK) as usize)?;
        if slot.generation == number >> INDEX_BITS { slot.value.as_ref() } else { None }
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let slot = self.slots.get_mut((number & INDEX_MASK) as usize)?;
        if slot.generation == number >> INDEX_BITS { slot.value.as_mut() } else { None }
    }

    /// Takes the value out; its number is unknown from now on.
    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let index = number & INDEX_MASK;
        let slot = self.slots.get_mut(index as usize)?;
        if slot.generation != number >> INDEX_BITS {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = if slot.generation == LAST_GENERATION { 1 } else { slot.generation + 1 };
        self.free.push_back(index);
        self.used -= 1;
        Some(value)
    }

    pub(crate) fn len(&self) -> usize {
        self.used
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The numbers in use.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let live = self.slots.iter().enumerate().filter(|(_, slot)| slot.value.is_some());
        live.map(|(index, slot)| slot.generation << INDEX_BITS | index as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positive_and_fit_31_bits() {
        let mut slots = Slots::default();
        for value in 0..1000 {
            let number = slots.insert(value).unwrap();
            assert!(number > 0 && number <= i32::MAX as u32);
            assert_eq!(slots.get(number), Some(&value));
        }
        assert_eq!(slots.len(), 1000);
        assert_eq!(slots.numbers().len(), 1000);
    }

    #[test]
    fn a_stale_number_is_unknown() {
        let mut slots = Slots::default();
        let first = slots.insert('a').unwrap();
        assert_eq!(slots.remove(first), Some('a'));
        assert_eq!(slots.remove(first), None);
        let second = slots.insert('b').unwrap();
        assert_ne!(first, second);
        assert_eq!(slots.get(first), None);
        assert_eq!(slots.get_mut(second), Some(&mut 'b'));
        assert_eq!(slots.get(0), None);
        assert_eq!(slots.get(u32::MAX), None);
    }

    #[test]
    fn a_number_does_not_come_back_soon() {
        let mut slots = Slots::default();
        let first = slots.insert(()).unwrap();
        slots.remove(first);
        for _ in 0..100_000 {
            let number = slots.insert(()).unwrap();
            assert_ne!(number, first);
            slots.remove(number);
        }
        assert!(slots.slots.len() <= REST + 2, "{} places for one value", slots.slots.len());
    }

    #[test]
    fn generations_wrap_without_number_zero() {
        let mut slots = Slots::default();
        for _ in 0..3 * LAST_GENERATION * (REST as u32 + 1) {
            let number = slots.insert(()).unwrap();
            assert!(number > 0 && number <= i32::MAX as u32);
            slots.remove(number);
        }
        assert!(slots.is_empty());
    }
}
