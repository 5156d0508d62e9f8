//! A mistake that a caller can make: two threads end one handle at once.

use std::ffi::c_void;
use std::sync::Barrier;

use ferronet::abi::status::*;
use ferronet::boundary::reactor::ferronet_reactor_free;
use ferronet::boundary::runtime::ferronet_detach;
use ferronet::boundary::zlib::{ferronet_deflate_free, ferronet_inflate_free};

use crate::functions::*;

const ROUNDS: usize = 300;

struct Case {
    make: fn() -> *mut c_void,
    end: fn(*mut c_void) -> i32,
}

/// Handles in a state in which any thread may end them.
const CASES: [Case; 4] = [
    // SAFETY: the library refuses what is ended already.
    Case { make: runtime, end: |handle| unsafe { ferronet_detach(handle.cast()) } },
    // SAFETY: as above.
    Case { make: reactor, end: |handle| unsafe { ferronet_reactor_free(handle.cast()) } },
    // SAFETY: as above.
    Case { make: deflate, end: |handle| unsafe { ferronet_deflate_free(handle.cast()) } },
    // SAFETY: as above.
    Case { make: inflate, end: |handle| unsafe { ferronet_inflate_free(handle.cast()) } },
];

#[test]
fn of_two_threads_that_free_a_handle_one_succeeds() {
    for case in &CASES {
        let barrier = Barrier::new(2);
        for round in 0..ROUNDS {
            let handle = (case.make)();
            let free = || {
                let sent = Sent(handle);
                let barrier = &barrier;
                move || {
                    let sent = sent;
                    barrier.wait();
                    (case.end)(sent.0)
                }
            };
            let mut statuses = std::thread::scope(|scope| {
                let threads = [scope.spawn(free()), scope.spawn(free())];
                threads.map(|thread| thread.join().unwrap())
            });
            statuses.sort_unstable();
            assert_eq!(statuses, [FERRONET_ERR_CLOSED, 0], "round {round}");
        }
    }
    // A handle that was put away twice would be given out twice.
    let mut handles: Vec<_> = (0..4 * ROUNDS).map(|_| inflate() as usize).collect();
    handles.sort_unstable();
    handles.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    handles.into_iter().for_each(|handle| free(handle as *mut c_void));
}
