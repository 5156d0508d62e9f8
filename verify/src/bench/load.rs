//! The load generators, on a CPU of their own: `wrk` for closed loops, our own one for fixed rates and for closed loops in which
//! it must not be the limit.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ferronet_bench_load::{Outcome, Plan, closed, tls};
use ferronet_packaging::{Result, run};

use super::row::Route;
use super::system::{CLIENT_CPU, pin_thread};

/// What one run of the load generator saw. Latencies are in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Answered requests.
    pub requests: u64,
    /// Requests a second.
    pub rate: f64,
    /// Median latency.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest latency.
    pub max: f64,
    /// Socket errors, answers that are not 2xx or 3xx, and requests that were never answered.
    pub errors: u64,
    /// How the schedule was kept, where requests had one: then latencies count from when a request was due.
    pub schedule: Option<Schedule>,
    /// Share of its time in which the generator had nothing to do, where it tells.
    pub idle: Option<f64>,
    /// Why the generator itself is what was measured.
    pub was_the_limit: Option<String>,
    /// What the handshakes of the load negotiated and how often, where the generator tells.
    pub negotiated: BTreeMap<String, u64>,
}

/// How a fixed rate was kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// Requests a second that were asked for.
    pub rate: f64,
    /// 99.9th percentile of the latency.
    pub p999: f64,
    /// How long the generator did not look at its schedule, in all but one percent of its time, in microseconds.
    pub absence: f64,
}

/// Requests of this first second leave on schedule, but their latency does not count: connections start slowly.
const RAMP: Duration = Duration::from_secs(1);

/// Requests a path at a fixed rate; `seconds` count, after one that does not.
///
/// # Errors
/// When connections cannot be opened, or the CPU may not be used.
pub fn load_at(rate: f64, port: u16, path: &str, connections: usize, seconds: u64) -> Result<Load> {
    let plan = Plan { port, path, connections, rate, ramp: RAMP, window: Duration::from_secs(seconds) };
    Ok(kept(rate, &on_its_cpu(|| ferronet_bench_load::run(&plan))?))
}

/// Requests a path in a closed loop whose client has time left.
///
/// # Errors
/// When connections cannot be opened, or the CPU may not be used.
pub fn load_full(port: u16, route: Route, connections: usize, seconds: u64) -> Result<Load> {
    let (path, length, window) = (route.path, route.length, Duration::from_secs(seconds));
    let plan = closed::Plan { port, path, length, connections, window };
    Ok(full(&on_its_cpu(|| closed::run(&plan))?))
}

/// Runs a generator on a thread of its own, for it stays on its CPU.
fn on_its_cpu<T: Send>(generate: impl FnOnce() -> std::io::Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let generator = scope.spawn(|| {
            pin_thread(0, CLIENT_CPU)?;
            generate()
        });
        Ok(generator.join().map_err(|_| "the load generator's thread failed")??)
    })
}

fn full(outcome: &closed::Outcome) -> Load {
    let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1e3;
    Load {
        requests: outcome.answered,
        rate: outcome.answered as f64 / outcome.seconds,
        p50: microseconds(outcome.latency.p50),
        p99: microseconds(outcome.latency.p99),
        max: microseconds(outcome.latency.max),
        errors: outcome.failed,
        idle: Some(outcome.idle),
        was_the_limit: outcome.was_the_limit(),
        ..Load::default()
    }
}

fn kept(rate: f64, outcome: &Outcome) -> Load {
    let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1e3;
    Load {
        requests: outcome.answered,
        rate: outcome.answered as f64 / outcome.seconds,
        p50: microseconds(outcome.latency.p50),
        p99: microseconds(outcome.latency.p99),
        max: microseconds(outcome.latency.max),
        errors: outcome.scheduled - outcome.answered,
        schedule: Some(Schedule {
            rate,
            p999: microseconds(outcome.latency.p999),
            absence: microseconds(outcome.absence),
        }),
        idle: Some(outcome.idle),
        was_the_limit: outcome.fell_behind(),
        negotiated: BTreeMap::new(),
    }
}

/// What OpenSSL offers within `wrk`: the suite and the group of the TLS rows.
const OPENSSL_SETTINGS: &str = "openssl_conf = main
[main]
ssl_conf = ssl
[ssl]
system_default = rows
[rows]
MinProtocol = TLSv1.3
Ciphersuites = TLS_AES_128_GCM_SHA256
Groups = X25519
";

/// The file with [`OPENSSL_SETTINGS`], written once.
fn openssl_settings() -> Result<&'static Path> {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file);
    }
    let file = std::env::temp_dir().join(format!("ferronet-bench-openssl-{}.cnf", std::process::id()));
    std::fs::write(&file, OPENSSL_SETTINGS)?;
    Ok(FILE.get_or_init(|| file))
}

/// Loads a path for some seconds.
///
/// # Errors
/// When `wrk` cannot be run or its output is not understood.
pub fn load(tls: bool, port: u16, path: &str, connections: usize, seconds: u64) -> Result<Load> {
    let scheme = if tls { "https" } else { "http" };
    let mut command = Command::new("wrk");
    if tls {
        command.env("OPENSSL_CONF", openssl_settings()?);
    }
    command
        .args(["-t1", "--latency"])
        .arg(format!("-c{connections}"))
        .arg(format!("-d{seconds}s"))
        .arg(format!("{scheme}://127.0.0.1:{port}{path}"));
    // SAFETY: between fork and exec the closure makes one system call on memory of its own stack.
    unsafe { command.pre_exec(|| pin_thread(0, CLIENT_CPU)) };
    let output = run::output(&mut command)?;
    parse(&output).ok_or_else(|| format!("the output of wrk is not understood:\n{output}").into())
}

/// Makes TLS connections one after the other on several threads, each with one request.
///
/// # Errors
/// When a client cannot be made, or the CPU may not be used.
pub fn handshakes(resumed: bool, port: u16, path: &str, threads: usize, seconds: u64) -> Result<Load> {
    let started = Instant::now();
    let window = Duration::from_secs(seconds);
    let outcome = tls::handshakes(port, path, resumed, threads, window, || pin_thread(0, CLIENT_CPU))?;
    if let (0, Some(failure)) = (outcome.done, &outcome.failure) {
        return Err(format!("no TLS connection was made: {failure}").into());
    }
    let at = |share: f64| {
        let place = (outcome.latencies.len() as f64 * share) as usize;
        outcome
            .latencies
            .get(place.min(outcome.latencies.len().saturating_sub(1)))
            .map_or(0.0, |time| *time as f64 / 1e3)
    };
    Ok(Load {
        requests: outcome.done,
        rate: outcome.done as f64 / started.elapsed().as_secs_f64(),
        p50: at(0.5),
        p99: at(0.99),
        max: at(1.0),
        errors: outcome.failed,
        negotiated: outcome.negotiated,
        ..Load::default()
    })
}

fn parse(output: &str) -> Option<Load> {
    let mut load = Load::default();
    for line in output.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["50%", value] => load.p50 = microseconds(value)?,
            ["99%", value] => load.p99 = microseconds(value)?,
            ["Latency", _, _, max, _] => load.max = microseconds(max)?,
            [count, "requests", "in", ..] => load.requests = count.parse().ok()?,
            ["Requests/sec:", rate] => load.rate = rate.parse().ok()?,
            ["Socket", "errors:", rest @ ..] => {
                load.errors +=
                    rest.iter().filter_map(|word| word.trim_end_matches(',').parse::<u64>().ok()).sum::<u64>();
            }
            ["Non-2xx", "or", "3xx", "responses:", count] => load.errors += count.parse::<u64>().ok()?,
            _ => {}
        }
    }
    (load.requests > 0).then_some(load)
}

fn microseconds(text: &str) -> Option<f64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let number: f64 = text[..split].parse().ok()?;
    let unit = match &text[split..] {
        "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "m" => 60e6,
        _ => return None,
    };
    Some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
Running 2s test @ http://127.0.0.1:1/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   583.48us    1.22ms  10.98ms   89.43%
    Req/Sec    21.88k    11.97k   37.81k    55.00%
  Latency Distribution
     50%  400.00us
     75%  600.00us
     90%    1.20ms
     99%    5.30ms
  43626 requests in 2.00s, 5.33GB read
Requests/sec:  21758.79
Transfer/sec:      2.66GB
";

    #[test]
    fn figures_are_read() {
        let load = parse(OUTPUT).expect("understood");
        assert_eq!(load.requests, 43_626);
        assert_eq!((load.p50, load.p99, load.max), (400.0, 5_300.0, 10_980.0));
        assert_eq!(load.errors, 0);
    }

    #[test]
    fn requests_without_an_answer_are_errors() {
        let outcome = Outcome { scheduled: 100, answered: 97, seconds: 2.0, idle: 0.5, ..Outcome::default() };
        let load = kept(50.0, &outcome);
        assert_eq!((load.errors, load.requests, load.rate), (3, 97, 48.5));
        assert_eq!((load.idle, load.was_the_limit), (Some(0.5), None));
        let busy = kept(50.0, &Outcome { idle: 0.0, ..outcome });
        assert!(busy.was_the_limit.is_some());
    }

    #[test]
    fn a_closed_loop_of_our_own_tells_failures_and_whether_it_was_the_limit() {
        let outcome =
            closed::Outcome { answered: 90, failed: 2, seconds: 2.0, idle: 0.2, ..closed::Outcome::default() };
        let load = full(&outcome);
        assert_eq!((load.errors, load.requests, load.rate), (2, 90, 45.0));
        assert_eq!((load.idle, load.was_the_limit, load.schedule), (Some(0.2), None, None));
        assert!(full(&closed::Outcome { idle: 0.0, ..outcome }).was_the_limit.is_some());
    }

    #[test]
    fn errors_are_counted() {
        let text =
            format!("{OUTPUT}  Socket errors: connect 1, read 2, write 0, timeout 4\n  Non-2xx or 3xx responses: 8\n");
        assert_eq!(parse(&text).expect("understood").errors, 15);
    }

    #[test]
    fn a_run_without_an_answer_is_not_a_result() {
        assert!(parse("  0 requests in 2.00s, 0.00B read\n").is_none());
    }
}
