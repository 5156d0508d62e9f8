//! How cells are measured: fresh processes, warmed up, then pinned; then one window after the other.

use std::time::Instant;

use ferronet_packaging::Result;

use super::http;
use super::load::{Load, load, load_at};
use super::options::Options;
use super::row::{Pace, Peer, Row};
use super::sample::{COMPILER_ALLOWED, Sample};
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

/// A server that is ready to be measured.
pub struct Warm {
    /// What it runs on.
    pub peer: Peer,
    /// How it asks for messages.
    pub auto_read: bool,
    server: Server,
    warm_up: u64,
    congestion: String,
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
        http::validate(server.port, row.route)?;
        let warm_up = if peer.floor { 0 } else { warm_up(&server, options, row)? };
        system::pin(server.pid(), system::SERVER_CPU)?;
        let congestion = settle(&server, row)?;
        Ok(Self { peer: *peer, auto_read: row.auto_read, server, warm_up, congestion })
    }

    /// Requests a second that the server answers in a closed loop.
    ///
    /// # Errors
    /// When the load generator cannot be run or the server answers wrongly.
    pub fn capacity(&self, row: &Row, seconds: u64) -> Result<f64> {
        let load = load(self.server.port, row.route.path, row.connections, seconds)?;
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
            let before = CpuTimes::of(self.server.pid())?;
            let started = Instant::now();
            let load = self.load(options, row, rate)?;
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
                server_before,
                server: self.server.metrics()?,
                void: Vec::new(),
            };
            if left > 0 && !options.quick && sample.compiler_share() >= COMPILER_ALLOWED {
                warm_up += options.seconds;
                continue;
            }
            if let Err(error) = http::validate(self.server.port, row.route) {
                sample.void.push(format!("after the window: {error}"));
            }
            sample.judge(row, &self.peer, options.quick);
            return Ok(sample);
        }
        Err("no window was measured".into())
    }

    fn load(&self, options: &Options, row: &Row, rate: Option<f64>) -> Result<Load> {
        let (port, path) = (self.server.port, row.route.path);
        match (row.pace, rate) {
            (Pace::Closed, _) => load(port, path, row.connections, options.seconds),
            (Pace::Fixed, Some(rate)) => {
                load_at(rate, port, path, row.connections, options.seconds * FIXED_RATE_FACTOR)
            }
            (Pace::Fixed, None) => Err(format!("row {} was given no rate", row.name).into()),
        }
    }
}

/// Loads the server until its compiler has settled; returns how many seconds that took.
pub fn warm_up(server: &Server, options: &Options, row: &Row) -> Result<u64> {
    let mut seconds = 0;
    loop {
        let before = CpuTimes::of(server.pid())?;
        let started = Instant::now();
        load(server.port, row.route.path, WARM_UP_CONNECTIONS, WARM_UP_WINDOW)?;
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
    let (port, path) = (server.port, row.route.path);
    std::thread::scope(|scope| {
        let loading = scope.spawn(move || load(port, path, WARM_UP_CONNECTIONS, 1));
        std::thread::sleep(std::time::Duration::from_millis(500));
        let congestion = server.congestion_in_use();
        loading.join().map_err(|_| "the load generator's thread failed")??;
        congestion
    })
}
