//! Wake-ups: none is lost, none is surplus.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::harness::*;

both_backends!(
    a_wake_ends_a_wait,
    a_wake_before_the_wait_is_not_lost,
    many_wakes_before_the_wait_are_one,
    no_wake_of_many_threads_is_lost,
    one_write_per_sleep_however_many_wake,
    a_loop_that_is_awake_needs_no_write,
    waking_a_closed_or_dropped_reactor_harms_nobody,
);

/// Enough for a loop that is about to wait to be in its wait, on a busy machine too.
const UNTIL_IT_SLEEPS: Duration = Duration::from_millis(300);

fn a_wake_ends_a_wait(backend: Backend) {
    let mut l = Loop::new(backend);
    let waker = l.reactor.waker();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(UNTIL_IT_SLEEPS);
        waker.wake();
    });
    let begin = Instant::now();
    assert_eq!(l.turn(None), [], "a wake-up has no completion");
    assert!(begin.elapsed() >= UNTIL_IT_SLEEPS / 2);
    thread.join().unwrap();
    assert_eq!(l.reactor.info().wakeups, 1);
}

/// A turn that returns at once though it may wait.
fn returns_at_once(l: &mut Loop) {
    let begin = Instant::now();
    l.turn(Some(PATIENCE));
    assert!(begin.elapsed() < PATIENCE / 2, "the wake-up was lost");
}

/// A turn that waits its whole time.
fn waits(l: &mut Loop) {
    let timeout = Duration::from_millis(20);
    let begin = Instant::now();
    l.turn(Some(timeout));
    assert!(begin.elapsed() >= timeout, "a surplus wake-up");
}

fn a_wake_before_the_wait_is_not_lost(backend: Backend) {
    let mut l = Loop::new(backend);
    for _ in 0..10 {
        l.reactor.waker().wake();
        returns_at_once(&mut l);
        waits(&mut l);
    }
    assert_eq!(l.reactor.info().wakeups, 0, "the loop was awake");
}

fn many_wakes_before_the_wait_are_one(backend: Backend) {
    let mut l = Loop::new(backend);
    (0..1000).for_each(|_| l.reactor.waker().wake());
    returns_at_once(&mut l);
    waits(&mut l);
}

fn no_wake_of_many_threads_is_lost(backend: Backend) {
    const THREADS: u64 = 4;
    const WAKES: u64 = 5_000;
    let mut l = Loop::new(backend);
    let asked = AtomicU64::new(0);
    let mut turns = 0;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let waker = l.reactor.waker();
            let asked = &asked;
            scope.spawn(move || {
                for wake in 0..WAKES {
                    asked.fetch_add(1, Ordering::SeqCst);
                    waker.wake();
                    if wake % (thread + 2) == 0 {
                        std::thread::yield_now();
                    }
                    if wake % 500 == 0 {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            });
        }
        while asked.load(Ordering::SeqCst) < THREADS * WAKES {
            returns_at_once(&mut l);
            turns += 1;
        }
    });
    let writes = l.reactor.info().wakeups;
    assert!(writes <= turns, "{writes} writes for {turns} turns");
}

fn one_write_per_sleep_however_many_wake(backend: Backend) {
    let mut l = Loop::new(backend);
    for round in 1..=3 {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let waker = l.reactor.waker();
                std::thread::spawn(move || {
                    std::thread::sleep(UNTIL_IT_SLEEPS);
                    waker.wake();
                })
            })
            .collect();
        let begin = Instant::now();
        l.turn(None);
        assert!(begin.elapsed() >= UNTIL_IT_SLEEPS / 2);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        // The late ones find the loop awake, and leave one notification behind.
        l.turn(Some(Duration::ZERO));
        assert_eq!(l.reactor.info().wakeups, round);
        waits(&mut l);
    }
}

fn a_loop_that_is_awake_needs_no_write(backend: Backend) {
    let mut l = Loop::new(backend);
    let waker = l.reactor.waker();
    for _ in 0..100 {
        waker.wake();
        l.turn(Some(Duration::ZERO));
    }
    assert_eq!(waker.writes(), 0);
    waits(&mut l);
}

fn waking_a_closed_or_dropped_reactor_harms_nobody(backend: Backend) {
    let mut l = Loop::new(backend);
    let waker = l.reactor.waker();
    l.turn(Some(Duration::ZERO));
    assert_eq!(l.reactor.close(Duration::from_secs(1)), 0);
    waker.wake();
    drop(l);
    (0..10).for_each(|_| waker.wake());
}
