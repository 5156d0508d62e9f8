//! Connections that flood the reactor, and quiet ones that must not wait for them.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ferronet::abi::config::FERRONET_RING_BUFFER_RING;
use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(
    few_buffers_are_shared_with_one_flood,
    few_buffers_are_shared_with_many_floods,
    many_quiet_connections_are_served_during_a_flood,
);

/// Passes of the loop that a quiet connection's byte may take: one in which it finds no buffer, and then its turn among all
/// that have found none.
const PASSES: usize = 24;
/// How long 99 of 100 may take. Loose, because others use the machine too.
const TIME: Duration = Duration::from_millis(100);
const SIZE: usize = 16 * 1024;

/// Takes what a turn has brought: lends the buffers again, and receives again as soon as a receive ends, in the order
/// of the completions. Whether something came for the socket.
fn pass(l: &mut Loop, quiet: u32) -> bool {
    let completions = l.turn(Some(PATIENCE));
    l.seen.clear();
    for completion in &completions {
        if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
            l.lend(completion.buffer as usize, SIZE);
        }
        if is_final(completion) {
            l.receive_lent(completion.socket, true);
        }
    }
    completions.iter().any(|completion| completion.socket == quiet && completion.result > 0)
}

/// Counts the passes that bytes of quiet connections take while others flood the reactor.
fn check(backend: Backend, buffers: usize, floods: usize, quiet: usize, bytes: usize) {
    let mut l = Loop::new(backend);
    (0..buffers).for_each(|identity| l.lend(identity, SIZE));
    let done = AtomicBool::new(false);
    let (flooded, flooding): (Vec<_>, Vec<_>) = (0..floods).map(|_| l.pair()).unzip();
    let mut quiet: Vec<_> = (0..quiet).map(|_| l.pair()).collect();
    for socket in flooded.iter().chain(quiet.iter().map(|(socket, _)| socket)) {
        l.receive_lent(*socket, true);
    }
    let mut taken: Vec<_> = std::thread::scope(|scope| {
        for mut flood in flooding {
            let done = &done;
            scope.spawn(move || {
                let block = vec![1; 1 << 20];
                while !done.load(Ordering::Acquire) && flood.write(&block).is_ok_and(|count| count > 0) {}
            });
        }
        (0..20).for_each(|_| _ = pass(&mut l, 0));
        let taken = (0..bytes).map(|number| {
            let count = quiet.len();
            let (socket, peer) = &mut quiet[number % count];
            let begin = Instant::now();
            write_all(peer, &[7]);
            let mut passes = 1;
            while !pass(&mut l, *socket) {
                passes += 1;
                assert!(passes < 1000, "{backend:?}: a quiet connection is passed over for ever");
            }
            (passes, begin.elapsed())
        });
        let taken = taken.collect();
        done.store(true, Ordering::Release);
        drop(l);
        taken
    });
    let most = taken.iter().map(|(passes, _)| *passes).max().unwrap();
    taken.sort_unstable_by_key(|(_, time)| *time);
    let late = taken[bytes * 99 / 100].1;
    println!("{backend:?}, {buffers} buffers, {floods} floods: at most {most} passes, 99 % within {late:?}");
    assert!(most <= PASSES && late <= limit(TIME), "at most {most} passes, 99 % within {late:?}");
}

fn few_buffers_are_shared_with_one_flood(backend: Backend) {
    check(backend, 8, 1, 1, 300);
}

fn few_buffers_are_shared_with_many_floods(backend: Backend) {
    let features = Loop::new(backend).reactor.info().ring_features;
    if backend == Backend::IoUring && features & FERRONET_RING_BUFFER_RING == 0 {
        // Below Linux 5.19, where AUTO takes poll, whoever is ready first has the buffer.
        return;
    }
    check(backend, 8, 12, 1, 100);
}

fn many_quiet_connections_are_served_during_a_flood(backend: Backend) {
    check(backend, 64, 1, 50, 500);
}
