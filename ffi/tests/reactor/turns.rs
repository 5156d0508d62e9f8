//! What a turn promises: time, order, capacity, counts.

use std::time::{Duration, Instant};

use ferronet::abi::config::*;
use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(
    a_turn_waits_no_less_and_not_much_longer_than_asked,
    a_turn_without_wait_returns_at_once,
    a_signal_does_not_cut_a_wait_short,
    more_completions_than_the_area_holds,
    a_full_area_of_submissions,
    submit_leaves_the_completion_records_alone,
    the_counters_count,
    the_areas_stay_where_they_are,
    a_turn_does_not_wait_when_something_has_completed,
);

fn a_turn_waits_no_less_and_not_much_longer_than_asked(backend: Backend) {
    let mut l = Loop::new(backend);
    let (_socket, _peer) = l.pair();
    l.turn(Some(Duration::ZERO));
    for timeout in [1, 300, 1_500, 20_000, 100_000].map(Duration::from_micros) {
        let begin = Instant::now();
        assert_eq!(l.turn(Some(timeout)), []);
        let waited = begin.elapsed();
        assert!(waited >= timeout, "{waited:?} is less than {timeout:?}");
        assert!(waited < timeout + limit(Duration::from_secs(3)), "{waited:?} is far more than {timeout:?}");
    }
}

fn a_turn_without_wait_returns_at_once(backend: Backend) {
    let mut l = Loop::new(backend);
    let begin = Instant::now();
    for _ in 0..100 {
        assert_eq!(l.turn(Some(Duration::ZERO)), []);
    }
    assert!(begin.elapsed() < limit(Duration::from_secs(1)));
}

extern "C" fn ignore(_signal: libc::c_int) {}

fn a_signal_does_not_cut_a_wait_short(backend: Backend) {
    let handler = ignore as extern "C" fn(libc::c_int);
    // SAFETY: the handler does nothing, and no system call of this process is restarted because of it (no SA_RESTART).
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut());
    }
    // SAFETY: no argument.
    let thread = unsafe { libc::pthread_self() };
    let mut l = Loop::new(backend);
    l.turn(Some(Duration::ZERO));
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::SeqCst) {
                // SAFETY: the thread waits for this one before it ends.
                unsafe { libc::pthread_kill(thread, libc::SIGUSR1) };
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        let begin = Instant::now();
        let mut turns = 0;
        while begin.elapsed() < Duration::from_millis(60) {
            l.turn(Some(Duration::from_millis(60).saturating_sub(begin.elapsed())));
            turns += 1;
        }
        done.store(true, std::sync::atomic::Ordering::SeqCst);
        assert!(turns <= 2, "{turns} turns for one wait");
    });
}

fn more_completions_than_the_area_holds(backend: Backend) {
    let mut l = Loop::with(ferronet_reactor_config {
        backend: backend.number(),
        completion_capacity: 16,
        ..Default::default()
    });
    let (socket, mut peer) = l.pair();
    let bytes = pattern(500);
    let sends: Vec<_> = bytes.chunks(1).map(|byte| l.send(socket, byte)).collect();
    let mut batches = Vec::new();
    while l.seen.len() < sends.len() {
        let batch = l.turn(Some(PATIENCE));
        assert!(!batch.is_empty() && batch.len() <= 16, "{} completions", batch.len());
        batches.push(batch.len());
    }
    assert!(batches.len() >= 500 / 16);
    assert_eq!(l.seen.iter().map(|c| c.user_data).collect::<Vec<_>>(), sends);
    assert!(l.seen.iter().all(|c| c.result == 1));
    assert_eq!(l.turn(Some(Duration::ZERO)), []);
    assert_eq!(read_exactly(&mut peer, 500), bytes);
}

fn a_full_area_of_submissions(backend: Backend) {
    let mut l = Loop::with(ferronet_reactor_config {
        backend: backend.number(),
        submission_capacity: 16,
        ..Default::default()
    });
    let (socket, mut peer) = l.pair();
    let bytes = pattern(1000);
    let sends: Vec<_> = bytes.chunks(1).map(|byte| l.send(socket, byte)).collect();
    assert_eq!(l.result_of(sends[999]), 1);
    assert_eq!(read_exactly(&mut peer, 1000), bytes);
    assert_eq!(l.reactor.info().submissions, 1000);
}

fn submit_leaves_the_completion_records_alone(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let send = l.send(socket, b"first");
    l.until("the send", |seen| !seen.is_empty());
    let before = l.reactor.completions(16).to_vec();
    assert_eq!(before[0].user_data, send);
    let later: Vec<_> = (0..10).map(|_| l.send(socket, b"later")).collect();
    l.submit();
    assert_eq!(l.reactor.completions(16), before);
    assert_eq!(l.result_of(later[9]), 5);
    assert_eq!(read_exactly(&mut peer, 55).len(), 55);
}

fn the_counters_count(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let mut memory = [0; 4];
    l.receive(socket, &mut memory);
    l.lend(0, 10);
    let send = l.send(socket, b"x");
    assert_eq!(l.result_of(send), 1);
    let info = l.reactor.info();
    assert_eq!(info.backend, backend.number());
    assert_eq!(info.requested_backend, backend.number());
    assert_eq!((info.sockets, info.in_flight, info.lent), (1, 1, 1));
    assert_eq!((info.submissions, info.completions), (3, 1));
    assert!(info.turns >= 1 && info.syscalls >= 1);
    assert_eq!(info.fallback_reason, FERRONET_REASON_NONE);
}

fn the_areas_stay_where_they_are(backend: Backend) {
    let mut l = Loop::with(ferronet_reactor_config {
        backend: backend.number(),
        submission_capacity: 32,
        completion_capacity: 64,
        lent_capacity: 128,
        ..Default::default()
    });
    let areas = l.reactor.areas();
    assert_eq!((areas.submission_capacity, areas.completion_capacity, areas.lent_capacity), (32, 64, 128));
    assert_eq!(areas.submissions, l.reactor.submissions().as_ptr() as u64);
    assert_eq!(areas.completions, l.reactor.completions(0).as_ptr() as u64);
    l.turn(Some(Duration::ZERO));
    assert_eq!(l.reactor.areas().submissions, areas.submissions);
}

fn a_turn_does_not_wait_when_something_has_completed(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let unknown = l.op(FERRONET_OP_ACCEPT, socket + 1);
    l.submit();
    let begin = Instant::now();
    let completions = l.turn(None);
    assert!(begin.elapsed() < PATIENCE / 2);
    assert_eq!(completions[0].user_data, unknown);
}

#[cfg(target_os = "linux")]
#[test]
fn a_request_costs_one_wait_one_read_and_one_write() {
    let mut l = Loop::new(Backend::Poll);
    let (socket, mut peer) = l.pair();
    (0..4).for_each(|identity| l.lend(identity, 4096));
    l.receive_lent(socket, true);
    l.idle(Duration::from_millis(5));
    let before = l.reactor.info();
    const REQUESTS: u64 = 200;
    for _ in 0..REQUESTS {
        write_all(&mut peer, &[1; 40]);
        l.until("the request", |seen| seen.iter().any(|c| c.flags & FERRONET_COMPLETE_BUFFER != 0));
        let buffer = l.seen[0].buffer;
        l.seen.clear();
        l.lend(buffer as usize, 4096);
        let send = l.send(socket, &[2; 150]);
        // The answer leaves with the call that waits for the next request.
        l.submit();
        read_exactly(&mut peer, 150);
        l.turn(Some(Duration::ZERO));
        assert_eq!(l.of(send).len(), 1);
        l.seen.clear();
    }
    let after = l.reactor.info();
    let (calls, turns) = (after.syscalls - before.syscalls, after.turns - before.turns);
    assert_eq!(calls, 2 * REQUESTS + turns, "a read and a write for each request, and a wait for each turn");
}
