//! A queue whose first entry needs no allocation: most sockets have one operation per direction.

use std::collections::VecDeque;

pub(super) struct Queue<T> {
    first: Option<T>,
    rest: VecDeque<T>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { first: None, rest: VecDeque::new() }
    }
}

impl<T> Queue<T> {
    pub(super) fn push(&mut self, entry: T) {
        if self.first.is_none() {
            self.first = Some(entry);
        } else {
            self.rest.push_back(entry);
        }
    }

    pub(super) fn first(&self) -> Option<&T> {
        self.first.as_ref()
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut T> {
        self.first.as_mut()
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        let entry = self.first.take();
        self.first = self.rest.pop_front();
        entry
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(super) fn len(&self) -> usize {
        self.rest.len() + usize::from(self.first.is_some())
    }

    /// Takes out what matches, in order.
    pub(super) fn extract(&mut self, matches: impl Fn(&T) -> bool, mut taken: impl FnMut(T)) {
        for _ in 0..self.len() {
            let Some(entry) = self.pop() else { return };
            if matches(&entry) {
                taken(entry);
            } else {
                // A full turn of the queue keeps the order of what stays.
                self.push(entry);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(mut queue: Queue<u32>) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn is_first_in_first_out() {
        let mut queue = Queue::default();
        (0..5).for_each(|entry| queue.push(entry));
        assert_eq!(queue.first(), Some(&0));
        assert_eq!(queue.pop(), Some(0));
        queue.push(5);
        assert_eq!(queue.len(), 5);
        assert_eq!(drain(queue), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn extracts_in_order_and_keeps_the_rest_in_order() {
        let mut queue = Queue::default();
        (0..7).for_each(|entry| queue.push(entry));
        let mut taken = Vec::new();
        queue.extract(|entry| entry % 2 == 0, |entry| taken.push(entry));
        assert_eq!(taken, [0, 2, 4, 6]);
        assert_eq!(drain(queue), [1, 3, 5]);
    }
}
