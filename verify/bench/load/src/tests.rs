//! Against servers of a few lines.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::*;

pub(crate) const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// Tests that depend on time run one after the other.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves each connection on a thread of its own: `before(request)` runs before the answer to the n-th request of a
/// connection, and ends the connection when it is false.
pub(crate) fn serve(answer: &'static [u8], before: fn(u64) -> bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut stream = stream;
                let mut request = [0; 512];
                for number in 0.. {
                    if !matches!(stream.read(&mut request), Ok(1..)) || !before(number) {
                        return;
                    }
                    let _ = stream.write_all(answer);
                }
            });
        }
    });
    port
}

fn plan(port: u16, rate: f64) -> Plan<'static> {
    let (ramp, window) = (Duration::from_millis(100), Duration::from_millis(500));
    Plan { port, path: "/", connections: 2, rate, ramp, window }
}

#[test]
fn every_request_of_the_schedule_is_answered() {
    let _alone = alone();
    let outcome = run(&plan(serve(ANSWER, |_| true), 200.0)).expect("connected");
    assert_eq!((outcome.scheduled, outcome.answered), (120, 120));
    assert!((0.55..2.0).contains(&outcome.seconds), "{outcome:?}");
    assert!(outcome.idle > 0.3 && outcome.latency.p50 > 0 && outcome.latency.max >= outcome.latency.p99, "{outcome:?}");
}

#[test]
fn a_stall_is_charged_with_the_requests_that_it_held_up() {
    let _alone = alone();
    // Of the 100 requests of the window 60 are due while their connection stalls for 300 ms.
    let port = serve(ANSWER, |number| {
        if number == 20 {
            std::thread::sleep(Duration::from_millis(300));
        }
        true
    });
    let outcome = run(&plan(port, 200.0)).expect("connected");
    assert_eq!(outcome.answered, outcome.scheduled);
    assert!(outcome.latency.p50 > 10_000_000, "half of the requests waited: {outcome:?}");
    assert!(outcome.latency.max > 290_000_000, "{outcome:?}");
    assert!(outcome.absence < 100_000_000, "the stall is the server's fault: {outcome:?}");
}

#[test]
fn what_was_not_answered_is_missing_in_the_count() {
    let _alone = alone();
    let outcome = run(&plan(serve(ANSWER, |number| number < 10), 200.0)).expect("connected");
    assert_eq!(outcome.answered, 20);
    let outcome =
        run(&plan(serve(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", |_| true), 200.0)).expect("connected");
    assert_eq!(outcome.answered, 0);
}

#[test]
fn a_generator_without_a_cpu_of_its_own_reports_that() {
    let _alone = alone();
    // Five threads that are always busy leave it a part of one CPU, in slices of milliseconds.
    let outcome = std::thread::scope(|scope| {
        let port = serve(ANSWER, |_| true);
        let until = Instant::now() + Duration::from_millis(800);
        for _ in 0..5 {
            scope.spawn(move || {
                stay_on_the_first_cpu();
                while Instant::now() < until {}
            });
        }
        let generator = scope.spawn(move || {
            stay_on_the_first_cpu();
            run(&plan(port, 2_000.0))
        });
        generator.join().expect("ended").expect("connected")
    });
    let reason = outcome.fell_behind().expect("it was late");
    assert!(reason.contains("load generator"), "{reason}");
}

fn stay_on_the_first_cpu() {
    // SAFETY: the set is a plain bit set, for which zero is a value, and it lives across the calls.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of_val(&allowed), &raw mut allowed), 0);
        let first = (0..libc::CPU_SETSIZE as usize).find(|cpu| libc::CPU_ISSET(*cpu, &allowed)).expect("one");
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(first, &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &raw const set), 0);
    }
}

#[test]
fn a_generator_that_was_late_or_had_no_time_left_says_so() {
    let latency = |p99| Percentiles { p99, ..Percentiles::default() };
    let outcome = |absence, p99, idle| Outcome { absence, latency: latency(p99), idle, ..Outcome::default() };
    assert_eq!(outcome(100_000, 0, 0.05).fell_behind(), None);
    assert!(outcome(101_000, 1_000_000, 0.5).fell_behind().is_some_and(|why| why.contains("101 us behind")));
    assert_eq!(outcome(300_000, 3_000_000, 0.5).fell_behind(), None);
    assert!(outcome(301_000, 3_000_000, 0.5).fell_behind().is_some_and(|why| why.contains("300 us are allowed")));
    assert!(outcome(501_000, 900_000_000, 0.5).fell_behind().is_some_and(|why| why.contains("500 us are allowed")));
    assert!(outcome(0, 0, 0.01).fell_behind().is_some_and(|why| why.contains("idle for 1.0 %")));
}
