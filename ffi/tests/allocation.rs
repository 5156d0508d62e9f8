//! The calls of a running loop allocate nothing when they succeed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "boundary/functions/mod.rs"]
#[allow(dead_code, reason = "the other test crates use the rest")]
mod functions;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ferronet::boundary::reactor::*;
use functions::*;

/// Counts what each thread asks for.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn turn_submit_and_wake_allocate_nothing() {
    for backend in BACKENDS {
        let handle = started_on(backend);
        let round = || {
            // SAFETY: the reactor lives, and no record is submitted.
            unsafe {
                assert_eq!(ferronet_reactor_wake(handle.cast()), 0);
                assert_eq!(ferronet_reactor_turn(handle.cast(), 0, -1), 0);
                assert_eq!(ferronet_reactor_submit(handle.cast(), 0), 0);
                assert_eq!(ferronet_reactor_turn(handle.cast(), 0, 1_000), 0);
            }
        };
        (0..10).for_each(|_| round());
        let before = ALLOCATIONS.get();
        (0..1_000).for_each(|_| round());
        assert_eq!(ALLOCATIONS.get() - before, 0, "backend {backend}");
        free(handle);
    }
}

#[test]
fn the_count_sees_allocations() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![1u8; 100]));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}
