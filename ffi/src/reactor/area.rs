//! Fixed-address record arrays that are shared with the caller.

use std::ptr::NonNull;

/// Records at a fixed address. The caller reads and writes them between calls, so that they are reached through a raw
/// pointer, and references to them live only inside one call.
pub(crate) struct Area<T: Copy + Default> {
    first: NonNull<T>,
    capacity: usize,
}

// SAFETY: an area owns plain records; who may touch them is the reactor's thread rule.
unsafe impl<T: Copy + Default + Send> Send for Area<T> {}

impl<T: Copy + Default> Area<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        let records: Box<[T]> = vec![T::default(); capacity].into_boxed_slice();
        let first = NonNull::from(Box::leak(records)).cast();
        Self { first, capacity }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn address(&self) -> u64 {
        self.first.as_ptr() as u64
    }

    /// Writes one record; `index` must be below the capacity.
    pub(crate) fn write(&mut self, index: usize, record: T) {
        assert!(index < self.capacity, "record {index} of {}", self.capacity);
        // SAFETY: the index is inside the allocation, and `&mut self` excludes other accesses from this side.
        unsafe { self.first.as_ptr().add(index).write(record) }
    }

    /// The first `count` records, at most all of them.
    pub(crate) fn records(&self, count: usize) -> &[T] {
        // SAFETY: all records are initialised, and the caller does not write during a call.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), count.min(self.capacity)) }
    }

    pub(crate) fn records_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `records`, with unique access.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.capacity) }
    }
}

impl<T: Copy + Default> Drop for Area<T> {
    fn drop(&mut self) {
        let records = std::ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.capacity);
        // SAFETY: this is the boxed slice that `new` leaked.
        drop(unsafe { Box::from_raw(records) });
    }
}
