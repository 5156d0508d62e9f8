//! How cells are measured: fresh processes, warmed up, then pinned; then one window after the other.

use std::cell::Cell;
use std::time::{Duration, Instant};

use ferronet_bench_load::tls::{Client, Open};
use ferronet_packaging::Result;

use super::http;
use super::load::{Load, handshakes, load, load_at, load_full};
use super::options::Options;
use super::row::{HELLO, Pace, Peer, Row};
use super::sample::{COMPILER_ALLOWED, Memory, Sample};
use super::server::{Installed, Server};
use super::system::{self, CpuTimes};

const WARM_UP_WINDOW: u64 = 2;
const WARM_UP_LEAST: u64 = 6;

/// Windows that are measured at most; only the last one is kept. Another one follows when the compiler was still at work.
const WINDOWS: usize = 3;

/// How much longer than others a window at a fixed rate is: a 99th percentile needs more requests than a mean.
const FIXED_RATE_FACTOR: u64 = 2;

/// Connections that warm a server up.
const WARM_UP_CONNECTIONS: usize = 64;
/// Threads whose handshakes warm a server up.
const WARM_UP_THREADS: usize = 8;
/// How long idle connections have been idle when memory is read.
const REST: Duration = Duration::from_millis(500);

/// A server that is ready to be measured.
pub struct Warm {
    /// What it runs on.
    pub peer: Peer,
    /// How it asks for messages.
    pub auto_read: bool,
    server: Server,
    warm_up: u64,
    congestion: String,
    /// What a client that offered every group got; empty without TLS.
    chosen: String,
}

/// Where a sample belongs.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Round, from 0.
    pub round: usize,
    /// Pass within the round, from 0.
    pub pass: usize,
}

impl Warm {
    /// Starts a server for a row and warms it up.
    ///
    /// # Errors
    /// When it does not start or does not serve the right body, or the load generator cannot be run.
    pub fn start(installed: &Installed, options: &Options, row: &Row, peer: &Peer) -> Result<Self> {
        let server = installed.start(row, peer)?;
        let chosen = http::validate(row.tls, server.port, row.route)?;
        let warm_up = if peer.floor { 0 } else { warm_up(&server, options, row)? };
        system::pin(server.pid(), system::SERVER_CPU)?;
        let congestion = settle(&server, row)?;
        Ok(Self { peer: *peer, auto_read: row.auto_read, server, warm_up, congestion, chosen })
    }

    /// Requests a second that the server answers in a closed loop.
    ///
    /// # Errors
    /// When the load generator cannot be run or the server answers wrongly.
    pub fn capacity(&self, row: &Row, seconds: u64) -> Result<f64> {
        let load = load(row.tls, self.server.port, row.route.path, row.connections, seconds)?;
        if load.errors > 0 {
            return Err(format!("{} answered {} requests wrongly or not at all", self.peer.name, load.errors).into());
        }
        Ok(load.rate)
    }

    /// Measures one window; `rate` is the fixed rate of a row that has one.
    ///
    /// # Errors
    /// When the load generator cannot be run or the server is gone.
    pub fn measure(&self, options: &Options, row: &Row, rate: Option<f64>, place: Place) -> Result<Sample> {
        let mut warm_up = self.warm_up;
        for left in (0..WINDOWS).rev() {
            let server_before = self.server.metrics()?;
            let memory_before = self.memory(row)?;
            let before = CpuTimes::of(self.server.pid())?;
            let started = Instant::now();
            let (load, open) = self.load(options, row, rate)?;
            let elapsed = started.elapsed();
            let cpu = CpuTimes::of(self.server.pid())?.since(before);
            let mut sample = Sample {
                row: row.name,
                peer: self.peer.name,
                round: place.round,
                pass: place.pass,
                load,
                cpu,
                elapsed: u64::try_from(elapsed.as_nanos())?,
                peak_memory: system::peak_memory(self.server.pid()).unwrap_or_default(),
                warm_up,
                congestion: self.congestion.clone(),
                connections: row.connections,
                chosen: self.chosen.clone(),
                memory: memory_before.zip(self.memory(row)?).map(|(before, after)| after.since(before)),
                server_before,
                server: self.server.metrics()?,
                void: Vec::new(),
            };
            drop(open);
            if left > 0 && !options.quick && row.pace != Pace::Idle && sample.compiler_share() >= COMPILER_ALLOWED {
                warm_up += options.seconds;
                continue;
            }
            if let Err(error) = http::validate(row.tls, self.server.port, row.route) {
                sample.void.push(format!("after the window: {error}"));
            }
            sample.judge(row, &self.peer, options.quick || row.pace == Pace::Idle);
            return Ok(sample);
        }
        Err("no window was measured".into())
    }

    /// The load of a window, and the connections that it leaves open.
    fn load(&self, options: &Options, row: &Row, rate: Option<f64>) -> Result<(Load, Vec<Open>)> {
        let (port, path) = (self.server.port, row.route.path);
        let load = match (row.pace, rate) {
            (Pace::Closed, _) => load(row.tls, port, path, row.connections, options.seconds),
            (Pace::Full, _) => load_full(port, row.route, row.connections, options.seconds),
            (Pace::Fixed, Some(rate)) => {
                load_at(rate, port, path, row.connections, options.seconds * FIXED_RATE_FACTOR)
            }
            (Pace::Fixed, None) => Err(format!("row {} was given no rate", row.name).into()),
            (Pace::Handshakes { resumed }, _) => handshakes(resumed, port, path, row.connections, options.seconds),
            (Pace::Idle, _) => return idle(port, path, row.connections),
        };
        Ok((load?, Vec::new()))
    }

    fn memory(&self, row: &Row) -> Result<Option<Memory>> {
        if row.pace != Pace::Idle {
            return Ok(None);
        }
        let heap = self.server.heap_in_use()?;
        Ok(Some(Memory { heap, resident: system::resident_memory(self.server.pid()).unwrap_or_default() }))
    }
}

/// Opens connections that stay open, and lets the server come to rest.
fn idle(port: u16, path: &str, connections: usize) -> Result<(Load, Vec<Open>)> {
    let mut client = Client::new(port, path, false, false)?;
    let mut load = Load { requests: connections as u64, ..Load::default() };
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        let (connection, _) = client.open()?;
        *load.negotiated.entry(connection.negotiated.clone()).or_default() += 1;
        open.push(connection);
    }
    std::thread::sleep(REST);
    Ok((load, open))
}

/// Loads the server until its compiler has settled; returns how many seconds that took.
pub fn warm_up(server: &Server, options: &Options, row: &Row) -> Result<u64> {
    let mut seconds = settle_compiler(server, options, |seconds| {
        load(row.tls, server.port, row.route.path, WARM_UP_CONNECTIONS, seconds).map(|_| ())
    })?;
    if row.tls && row.route == HELLO {
        let resumed = Cell::new(false);
        seconds += settle_compiler(server, options, |seconds| {
            resumed.set(!resumed.get());
            handshakes(resumed.get(), server.port, row.route.path, WARM_UP_THREADS, seconds).map(|_| ())
        })?;
    }
    Ok(seconds)
}

fn settle_compiler(server: &Server, options: &Options, load: impl Fn(u64) -> Result<()>) -> Result<u64> {
    let mut seconds = 0;
    loop {
        let before = CpuTimes::of(server.pid())?;
        let started = Instant::now();
        load(WARM_UP_WINDOW)?;
        seconds += WARM_UP_WINDOW;
        let compiler = CpuTimes::of(server.pid())?.since(before).compiler as f64;
        let settled = compiler / (started.elapsed().as_nanos() as f64) < COMPILER_ALLOWED;
        if (settled && seconds >= WARM_UP_LEAST) || seconds >= options.warm_up_limit {
            return Ok(seconds);
        }
    }
}

/// Lets the pinned process find its pace, and asks the kernel for the congestion control meanwhile.
fn settle(server: &Server, row: &Row) -> Result<String> {
    let (tls, port, path) = (row.tls, server.port, row.route.path);
    std::thread::scope(|scope| {
        let loading = scope.spawn(move || load(tls, port, path, WARM_UP_CONNECTIONS, 1));
        std::thread::sleep(std::time::Duration::from_millis(500));
        let congestion = server.congestion_in_use();
        loading.join().map_err(|_| "the load generator's thread failed")??;
        congestion
    })
}
