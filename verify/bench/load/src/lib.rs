//! An open-loop load generator for HTTP/1.1: requests leave at a fixed rate, whether answers come or not.
//!
//! Request `i` is due at `i / rate` and belongs to connection `i % connections`, one request at a time on each. Its latency
//! counts from the moment at which it was due, so that a server that stalls is charged with every request that it kept
//! from being sent (coordinated omission corrected). The generator polls without ever sleeping and needs a CPU of its own;
//! how late it was by its own fault, and how much of its time was left, is part of the outcome.
//!
//! [`closed`] sends the next request of a connection when the answer has come, instead; [`tls`] makes TLS connections one
//! after the other.
#![cfg(target_os = "linux")]

pub mod closed;
mod connection;
mod epoll;
mod latency;
pub mod tls;

use std::io;
use std::time::{Duration, Instant};

use connection::{Answer, Connection};
use epoll::Epoll;
pub use latency::Percentiles;
use latency::Steps;

/// Time that is left after the last request for the answers still missing.
const DRAIN: Duration = Duration::from_secs(2);
/// More than what one answer fills, so that most are read at once.
const RECEIVE_BUFFER: usize = 256 * 1024;
/// The least share of idle time with which the generator itself is not what is measured.
const LEAST_IDLE: f64 = 0.05;
/// The generator's own absence may be a tenth of the latency that it measures, both at the 99th percentile, within these
/// bounds in nanoseconds: the upper one because an absent generator makes the latency long, too.
const ABSENCE_ALLOWED: std::ops::RangeInclusive<u64> = 100_000..=500_000;

/// What is requested, and how fast.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// Path of the request.
    pub path: &'a str,
    /// Keep-alive connections.
    pub connections: usize,
    /// Requests a second, all connections together.
    pub rate: f64,
    /// Requests due in this first part are sent, but their latency does not count.
    pub ramp: Duration,
    /// Length of the part that counts.
    pub window: Duration,
}

/// What came of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Requests that were due.
    pub scheduled: u64,
    /// Requests that were answered with 200 and a whole body.
    pub answered: u64,
    /// Seconds from the first due time to the last answer.
    pub seconds: f64,
    /// Latencies of the part that counts, from the due time.
    pub latency: Percentiles,
    /// All but one percent of the time the generator looked at its schedule and its connections at least so often, in
    /// nanoseconds: what is longer makes requests leave late and answers seem late, by its own fault.
    pub absence: u64,
    /// Share of the time in which there was nothing to do.
    pub idle: f64,
}

impl Outcome {
    /// Why the generator, not the server, is what was measured; `None` when it kept to its schedule.
    pub fn fell_behind(&self) -> Option<String> {
        if self.idle < LEAST_IDLE {
            return Some(format!("the load generator was idle for {:.1} % of its time only", self.idle * 100.0));
        }
        let allowed = (self.latency.p99 / 10).clamp(*ABSENCE_ALLOWED.start(), *ABSENCE_ALLOWED.end());
        (self.absence > allowed).then(|| {
            format!(
                "the load generator fell {} us behind its schedule in the worst percent of its time, {} us are allowed",
                self.absence / 1000,
                allowed / 1000
            )
        })
    }
}

/// Carries a plan out on the calling thread; it takes the plan's time and at most two seconds more.
///
/// # Errors
/// When a connection cannot be opened. What goes wrong later is told by `answered`.
pub fn run(plan: &Plan<'_>) -> io::Result<Outcome> {
    let epoll = Epoll::new()?;
    let connections = open(&epoll, plan.port, plan.path, plan.connections, |index| index as u64)?;
    Ok(Generator::new(plan, connections).run(&epoll))
}

/// Opens connections that are watched under their index; `first` tells the number of their first request.
fn open(
    epoll: &Epoll,
    port: u16,
    path: &str,
    count: usize,
    first: impl Fn(usize) -> u64,
) -> io::Result<Vec<Connection>> {
    let mut connections = Vec::with_capacity(count);
    for index in 0..count {
        let connection = Connection::open(port, path, first(index))?;
        epoll.watch(&connection, index)?;
        connections.push(connection);
    }
    Ok(connections)
}

struct Generator {
    connections: Vec<Connection>,
    /// Number of requests.
    total: u64,
    /// Requests from this one on count.
    counted_from: u64,
    /// Between two requests, in nanoseconds.
    interval: f64,
    /// The next request whose due time has not come yet.
    cursor: u64,
    answered: u64,
    outstanding: usize,
    latencies: Vec<u32>,
    steps: Steps,
    buffer: Vec<u8>,
    start: Instant,
}

impl Generator {
    fn new(plan: &Plan<'_>, connections: Vec<Connection>) -> Self {
        let requests = |time: Duration| (time.as_secs_f64() * plan.rate) as u64;
        let total = requests(plan.ramp + plan.window);
        Self {
            connections,
            total,
            counted_from: requests(plan.ramp),
            interval: 1e9 / plan.rate,
            cursor: 0,
            answered: 0,
            outstanding: 0,
            latencies: Vec::with_capacity(total as usize),
            steps: Steps::new(),
            buffer: vec![0; RECEIVE_BUFFER],
            start: Instant::now(),
        }
    }

    fn run(mut self, epoll: &Epoll) -> Outcome {
        self.start = Instant::now();
        let end = self.due(self.total) + DRAIN.as_nanos() as u64;
        let mut ready = Vec::with_capacity(self.connections.len());
        let (mut idle, mut now) = (0, 0);
        while (self.cursor < self.total || self.outstanding > 0) && now < end {
            let (before, began) = (self.cursor, now);
            self.send_due();
            epoll.ready(&mut ready);
            let nothing_to_do = ready.is_empty() && self.cursor == before;
            for index in ready.drain(..) {
                self.receive(index);
                self.send_due();
            }
            now = self.step();
            if nothing_to_do {
                idle += now - began;
            }
        }
        Outcome {
            scheduled: self.total,
            answered: self.answered,
            seconds: now as f64 / 1e9,
            latency: Percentiles::of(self.latencies),
            absence: self.steps.length_of_all_but(0.01),
            idle: idle as f64 / now.max(1) as f64,
        }
    }

    /// Nanoseconds since the start; ends a step.
    fn step(&mut self) -> u64 {
        let now = self.start.elapsed().as_nanos() as u64;
        self.steps.end(now);
        now
    }

    /// When a request is due, in nanoseconds since the start.
    fn due(&self, request: u64) -> u64 {
        (request as f64 * self.interval) as u64
    }

    /// Sends every request whose time has come and whose connection is free. One whose connection is not free leaves
    /// when that connection's answer has come.
    fn send_due(&mut self) {
        while self.cursor < self.total {
            if self.due(self.cursor) > self.step() {
                return;
            }
            let index = (self.cursor % self.connections.len() as u64) as usize;
            if self.connections[index].is_free_for(self.cursor) {
                self.send(index);
            }
            self.cursor += 1;
        }
    }

    fn send(&mut self, index: usize) {
        if self.connections[index].send() {
            self.outstanding += 1;
        }
    }

    fn receive(&mut self, index: usize) {
        match self.connections[index].receive(&mut self.buffer) {
            Answer::Part => {}
            Answer::Failed { was_waiting } => self.outstanding -= usize::from(was_waiting),
            Answer::Whole { request } => {
                let now = self.step();
                self.outstanding -= 1;
                self.answered += 1;
                if request >= self.counted_from {
                    self.latencies.push(nanoseconds(now - self.due(request)));
                }
                let next = request + self.connections.len() as u64;
                self.connections[index].next_is(next);
                if next < self.total && self.due(next) <= now {
                    self.send(index);
                }
            }
        }
    }
}

/// A time that saturates at 4.29 s.
fn nanoseconds(time: u64) -> u32 {
    u32::try_from(time).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
