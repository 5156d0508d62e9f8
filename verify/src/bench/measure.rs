//! How one cell is measured: a fresh process, warmed up, then pinned.

use std::time::Instant;

use ferronet_packaging::Result;

use super::http;
use super::load::load;
use super::options::Options;
use super::row::{Peer, Row};
use super::sample::Sample;
use super::server::{Installed, Server};
use super::system::{self, CpuTimes};

/// Share of one CPU below which the JIT compiler counts as settled.
const SETTLED: f64 = 0.01;

const WARM_UP_WINDOW: u64 = 2;
const WARM_UP_LEAST: u64 = 6;

/// Windows that are measured at most; only the last one is kept. Another one follows when the compiler was still at work.
const WINDOWS: usize = 3;

/// Measures one cell once.
///
/// # Errors
/// When the server does not start or does not serve the right body, or the load generator cannot be run.
pub fn measure(installed: &Installed, options: &Options, row: &Row, peer: &Peer, round: usize) -> Result<Sample> {
    let server = installed.start(row, peer)?;
    http::validate(server.port, row.route)?;
    let mut warm_up = warm_up(&server, options, row)?;
    system::pin(server.pid(), system::SERVER_CPU)?;
    let congestion = settle(&server, options, row)?;

    let compiler_limit = if options.quick { f64::INFINITY } else { SETTLED };
    for left in (0..WINDOWS).rev() {
        let server_before = server.metrics()?;
        let before = CpuTimes::of(server.pid())?;
        let started = Instant::now();
        let load = load(server.port, row.route.path, options.connections, options.seconds)?;
        let elapsed = started.elapsed();
        let cpu = CpuTimes::of(server.pid())?.since(before);
        let mut sample = Sample {
            row: row.name,
            peer: peer.name,
            round,
            load,
            cpu,
            elapsed: u64::try_from(elapsed.as_nanos())?,
            peak_memory: system::peak_memory(server.pid()).unwrap_or_default(),
            warm_up,
            congestion: congestion.clone(),
            connections: options.connections,
            server_before,
            server: server.metrics()?,
            void: Vec::new(),
        };
        if left > 0 && sample.compiler_share() >= compiler_limit {
            warm_up += options.seconds;
            continue;
        }
        if let Err(error) = http::validate(server.port, row.route) {
            sample.void.push(format!("after the window: {error}"));
        }
        sample.judge(row, peer, compiler_limit);
        return Ok(sample);
    }
    Err("no window was measured".into())
}

/// Loads the server until its compiler has settled; returns how many seconds that took.
pub fn warm_up(server: &Server, options: &Options, row: &Row) -> Result<u64> {
    let mut seconds = 0;
    loop {
        let before = CpuTimes::of(server.pid())?;
        let started = Instant::now();
        load(server.port, row.route.path, options.connections, WARM_UP_WINDOW)?;
        seconds += WARM_UP_WINDOW;
        let compiler = CpuTimes::of(server.pid())?.since(before).compiler as f64;
        let settled = compiler / (started.elapsed().as_nanos() as f64) < SETTLED;
        if (settled && seconds >= WARM_UP_LEAST) || seconds >= options.warm_up_limit {
            return Ok(seconds);
        }
    }
}

/// Lets the pinned process find its pace, and asks the kernel for the congestion control meanwhile.
fn settle(server: &Server, options: &Options, row: &Row) -> Result<String> {
    let port = server.port;
    let (path, connections) = (row.route.path, options.connections);
    std::thread::scope(|scope| {
        let loading = scope.spawn(move || load(port, path, connections, 1));
        std::thread::sleep(std::time::Duration::from_millis(500));
        let congestion = server.congestion_in_use();
        loading.join().map_err(|_| "the load generator's thread failed")??;
        congestion
    })
}
