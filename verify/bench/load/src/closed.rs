//! A closed loop: each connection sends its next request as soon as the answer to the one before has come.
//!
//! The generator polls without ever sleeping and needs a CPU of its own. It does as little as it can for an answer: what
//! is left of a long body when its head was read is thrown away within the kernel. So the server is the limit, and where it
//! is not, `idle` tells.

use std::io;
use std::time::{Duration, Instant};

use crate::connection::{Answer, Connection};
use crate::epoll::Epoll;
use crate::{DRAIN, LEAST_IDLE, Percentiles, nanoseconds, open};

/// Holds the head and a short body; the rest of a long one is not copied out of the kernel.
const RECEIVE_BUFFER: usize = 4 * 1024;
/// Latencies for which memory is reserved, a second.
const RESERVED_RATE: u64 = 500_000;

/// What is requested, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// Path of the request.
    pub path: &'a str,
    /// Length of the body in bytes; an answer with another one counts as wrong.
    pub length: usize,
    /// Keep-alive connections, each with one request under way.
    pub connections: usize,
    /// Requests are sent for so long.
    pub window: Duration,
}

/// What came of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Requests that were answered with 200 and a body of the right length.
    pub answered: u64,
    /// Requests that were answered otherwise or not at all, and connections that ended by themselves.
    pub failed: u64,
    /// Seconds from the first request to the last answer.
    pub seconds: f64,
    /// From the request to the whole answer.
    pub latency: Percentiles,
    /// Share of the time in which no connection could be read.
    pub idle: f64,
}

impl Outcome {
    /// Why the generator, not the server, is what was measured; `None` when it had time left.
    pub fn was_the_limit(&self) -> Option<String> {
        (self.idle < LEAST_IDLE).then(|| {
            format!(
                "the load generator was idle for {:.1} % of its time only: the server waited for it",
                self.idle * 100.0
            )
        })
    }
}

/// Carries a plan out on the calling thread; it takes the plan's time and at most two seconds more.
///
/// # Errors
/// When a connection cannot be opened. What goes wrong later is told by `failed`.
pub fn run(plan: &Plan<'_>) -> io::Result<Outcome> {
    let epoll = Epoll::new()?;
    let connections = open(&epoll, plan.port, plan.path, plan.connections, |_| 0)?;
    Ok(Generator::new(plan, connections).run(plan, &epoll))
}

struct Generator {
    connections: Vec<Connection>,
    length: usize,
    /// When each connection sent its request, in nanoseconds since the start.
    sent: Vec<u64>,
    outstanding: usize,
    failed: u64,
    latencies: Vec<u32>,
    buffer: Vec<u8>,
}

impl Generator {
    fn new(plan: &Plan<'_>, connections: Vec<Connection>) -> Self {
        let expected = (plan.window.as_secs() + 1) * RESERVED_RATE;
        Self {
            sent: vec![0; connections.len()],
            connections,
            length: plan.length,
            outstanding: 0,
            failed: 0,
            latencies: Vec::with_capacity(expected as usize),
            buffer: vec![0; RECEIVE_BUFFER],
        }
    }

    fn run(mut self, plan: &Plan<'_>, epoll: &Epoll) -> Outcome {
        let end = plan.window.as_nanos() as u64;
        let given_up = end + DRAIN.as_nanos() as u64;
        let mut ready = Vec::with_capacity(self.connections.len());
        let (mut idle, mut now) = (0, 0);
        let start = Instant::now();
        for index in 0..self.connections.len() {
            self.send(index, 0);
        }
        while self.outstanding > 0 && now < given_up {
            let began = now;
            epoll.ready(&mut ready);
            let nothing_to_do = ready.is_empty();
            for index in ready.drain(..) {
                self.receive(index, began, began < end);
            }
            now = start.elapsed().as_nanos() as u64;
            if nothing_to_do {
                idle += now - began;
            }
        }
        Outcome {
            answered: self.latencies.len() as u64,
            failed: self.failed + self.outstanding as u64,
            seconds: now as f64 / 1e9,
            latency: Percentiles::of(self.latencies),
            idle: idle as f64 / now.max(1) as f64,
        }
    }

    fn send(&mut self, index: usize, now: u64) {
        if self.connections[index].send() {
            self.outstanding += 1;
            self.sent[index] = now;
        } else {
            self.failed += 1;
        }
    }

    /// Reads what is there; a whole answer is followed by the next request if there is to be one.
    fn receive(&mut self, index: usize, now: u64, goes_on: bool) {
        let connection = &mut self.connections[index];
        match connection.receive_or_discard(&mut self.buffer) {
            Answer::Part => {}
            Answer::Failed { was_waiting } => {
                self.outstanding -= usize::from(was_waiting);
                self.failed += 1;
            }
            Answer::Whole { .. } => {
                self.outstanding -= 1;
                if connection.body_length() == self.length {
                    self.latencies.push(nanoseconds(now - self.sent[index]));
                } else {
                    self.failed += 1;
                }
                if goes_on {
                    self.send(index, now);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ANSWER, alone, serve};

    fn plan(port: u16, length: usize) -> Plan<'static> {
        Plan { port, path: "/", length, connections: 2, window: Duration::from_millis(200) }
    }

    #[test]
    fn every_answer_is_followed_by_a_request() {
        let _alone = alone();
        let port = serve(ANSWER, |_| {
            std::thread::sleep(Duration::from_millis(10));
            true
        });
        let outcome = run(&plan(port, 5)).expect("connected");
        // Two connections, 10 ms for each request: 40 at most, and fewer on a busy machine.
        assert!((4..=42).contains(&outcome.answered), "{outcome:?}");
        assert_eq!(outcome.failed, 0);
        assert!((0.2..2.0).contains(&outcome.seconds), "{outcome:?}");
        assert!(outcome.latency.p50 >= 10_000_000 && outcome.latency.max >= outcome.latency.p99, "{outcome:?}");
        assert!(outcome.idle > 0.3, "{outcome:?}");
        assert_eq!(outcome.was_the_limit(), None);
    }

    #[test]
    fn a_long_body_is_counted_though_it_is_not_kept() {
        const LENGTH: usize = 300_000;
        let _alone = alone();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n");
        let port = serve([head.into_bytes(), vec![7; LENGTH]].concat().leak(), |_| true);
        let outcome = run(&plan(port, LENGTH)).expect("connected");
        assert!(outcome.answered > 2 && outcome.failed == 0, "{outcome:?}");
    }

    #[test]
    fn wrong_and_missing_answers_fail() {
        let _alone = alone();
        let outcome = run(&plan(serve(ANSWER, |number| number < 10), 5)).expect("connected");
        assert_eq!((outcome.answered, outcome.failed), (20, 2), "the connections ended");
        let outcome = run(&plan(serve(ANSWER, |_| true), 6)).expect("connected");
        assert!(outcome.answered == 0 && outcome.failed > 0, "another length than expected: {outcome:?}");
        let refusal = b"HTTP/1.1 503 No\r\nContent-Length: 5\r\n\r\nhello";
        let outcome = run(&plan(serve(refusal, |_| true), 5)).expect("connected");
        assert_eq!((outcome.answered, outcome.failed), (0, 2));
        let longer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!";
        let outcome = run(&plan(serve(longer, |_| true), 5)).expect("connected");
        assert!(outcome.answered == 0 && outcome.failed == 2, "a body that is longer than its head tells: {outcome:?}");
        let silent = run(&plan(serve(b"", |_| true), 5)).expect("connected");
        assert_eq!((silent.answered, silent.failed), (0, 2));
    }

    #[test]
    fn a_generator_without_time_left_says_so() {
        let outcome = |idle| Outcome { idle, ..Outcome::default() };
        assert_eq!(outcome(0.05).was_the_limit(), None);
        assert!(outcome(0.049).was_the_limit().is_some_and(|why| why.contains("idle for 4.9 %")));
    }
}
