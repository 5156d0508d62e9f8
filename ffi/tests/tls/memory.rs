//! What sessions ask of the allocator: nothing for a record, and little while they are idle.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ferronet::tls::{Config, Context, Input, Session, SessionConfig};

use crate::support::*;

/// Counts what each thread asks for, and what it holds.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        LIVE.set(LIVE.get() + layout.size() as i64);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as i64);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(of: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    of();
    ALLOCATIONS.get() - before
}

const RECORDS: usize = 8;

#[test]
fn a_record_asks_for_no_memory() {
    for version in [0x0303, 0x0304] {
        for size in [13, 1024, 16_384] {
            let mut pair = connect(Config { max_version: version, ..client() }, server("ecdsa256"));
            let data = varied(size);
            // The first record in pieces asks for the thread's scratch.
            let bytes = pair.client.send(&data);
            let (one, other) = bytes.split_at(7);
            pair.server.session.unwrap(Input::Keep(&[one, other]), &mut [&mut vec![0; size]]).unwrap();
            let halves = data.split_at(size / 2);
            let mut wire = vec![0; RECORDS * (size + 100)];
            let mut output = vec![0; RECORDS * size + 100];
            let what = format!("{size} bytes, 0x{version:04x}");
            for gathered in [false, true] {
                let sources: &[&[u8]] = if gathered { &[halves.0, halves.1] } else { &[&data] };
                for round in 0..4 {
                    let mut length = 0;
                    let writes = allocations(|| {
                        for _ in 0..RECORDS {
                            length += pair.client.session.wrap(sources, &mut wire[length..]).unwrap().produced;
                        }
                    });
                    assert_eq!(writes, 0, "wrap of {what}, gathered: {gathered}");
                    let mut produced = 0;
                    let reads = allocations(|| {
                        let session = &mut pair.server.session;
                        let progress = match round {
                            0 => session.unwrap_in_place(&mut wire[..length]),
                            1 => session.unwrap(Input::Keep(&[&wire[..length]]), &mut [&mut output]),
                            // A room that ends with the data, and records in pieces: by way of the scratch.
                            2 => session.unwrap(Input::Keep(&[&wire[..length]]), &mut [&mut output[..RECORDS * size]]),
                            _ => {
                                let (one, other) = wire[..length].split_at_mut(length / 3);
                                let (left, right) = output.split_at_mut(size / 3);
                                session.unwrap(Input::Overwrite(&mut [one, other]), &mut [left, right])
                            }
                        };
                        produced = progress.unwrap().produced;
                    });
                    assert_eq!((reads, produced), (0, RECORDS * size), "unwrap of {what}, way {round}");
                }
            }
        }
    }
}

/// Heap that a closure leaves behind.
fn held<R>(of: impl FnOnce() -> R) -> (R, i64) {
    let before = LIVE.get();
    let result = of();
    (result, LIVE.get() - before)
}

/// Moves bytes from one session to another, and counts what each holds afterwards.
fn pass(from: &mut Session, to: &mut Session, heap: &mut [i64; 2], wire: &mut [u8]) {
    let (length, left) = held(|| from.wrap(&[], wire).unwrap().produced);
    heap[0] += left;
    let mut place = 0;
    while place < length {
        let input = Input::Keep(&[&wire[place..length]]);
        let (progress, left) = held(|| to.unwrap(input, &mut [&mut [0; 2000]]).unwrap());
        heap[1] += left;
        assert!(progress.consumed > 0, "{progress:?}");
        place += progress.consumed;
    }
}

#[test]
fn an_idle_session_holds_little() {
    for (version, most) in [(0x0303, [1600, 1400]), (0x0304, [3200, 1300])] {
        let client = Context::new(Config { max_version: version, no_session_cache: true, ..client() }).unwrap();
        let server = Context::new(server("ecdsa256")).unwrap();
        // What contexts and threads make at first use.
        Pair::of(&client, &server).connect().talk(b"data");
        let mut wire = vec![0; 40_000];
        let (mut ours, of_client) = held(|| Session::new(&client, localhost()).unwrap());
        let (mut theirs, of_server) = held(|| Session::new(&server, SessionConfig::default()).unwrap());
        let mut heap = [of_client, of_server];
        for _ in 0..3 {
            pass(&mut ours, &mut theirs, &mut heap, &mut wire);
            let mut turned = [heap[1], heap[0]];
            pass(&mut theirs, &mut ours, &mut turned, &mut wire);
            heap = [turned[1], turned[0]];
        }
        assert_eq!((ours.info().buffered, theirs.info().buffered), (0, 0));
        assert_eq!(ours.state(), ferronet::tls::State::Open);
        let own = size_of::<Session>() as i64;
        println!(
            "0x{version:04x}: a client holds {} bytes, a server {}, of which a session's structure {own}",
            heap[0] + own,
            heap[1] + own
        );
        assert!(heap[0] + own < most[0] && heap[1] + own < most[1], "{heap:?} + {own}");
    }
}
