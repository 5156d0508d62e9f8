//! One measurement of one cell, and what it was derived from.

use ferronet_bench_load::tls::SUITE;
use serde_json::{Value, json};

use super::load::Load;
use super::row::{Peer, Row};
use super::system::CpuTimes;

/// Fields of a server that must not differ between the peers of a row.
const COMPARED: &[&str] =
    &["gc", "heap_max", "jvm_arguments", "vm_options", "loop_threads", "auto_read", "java", "netty"];

/// Share of one CPU below which the JIT compiler counts as settled.
pub const COMPILER_ALLOWED: f64 = 0.01;

/// Share of one CPU that other programs and interrupts may use in a window.
const OTHERS_ALLOWED: f64 = 0.1;

/// Memory of a server in bytes, or how much it grew. The whole heap is resident from the start, so the two add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Heap in use after a collection.
    pub heap: u64,
    /// Resident memory.
    pub resident: u64,
}

impl Memory {
    /// What was added between two readings.
    pub fn since(self, earlier: Self) -> Self {
        Self { heap: self.heap.saturating_sub(earlier.heap), resident: self.resident.saturating_sub(earlier.resident) }
    }
}

/// One measurement.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The row's name.
    pub row: &'static str,
    /// The peer's name.
    pub peer: &'static str,
    /// Round, from 0; each has its own processes.
    pub round: usize,
    /// Pass within the round, from 0.
    pub pass: usize,
    /// What the load generator saw.
    pub load: Load,
    /// CPU time in the measured window.
    pub cpu: CpuTimes,
    /// Length of the window in nanoseconds.
    pub elapsed: u64,
    /// Peak resident memory in bytes.
    pub peak_memory: u64,
    /// Length of the warm-up in seconds.
    pub warm_up: u64,
    /// Congestion controls of the connections, as the kernel named them.
    pub congestion: String,
    /// Connections of the load.
    pub connections: usize,
    /// What a client that offered every group got; empty without TLS.
    pub chosen: String,
    /// How much the server grew, where connections were left open.
    pub memory: Option<Memory>,
    /// What the process said about itself before the window.
    pub server_before: Value,
    /// The same after the window.
    pub server: Value,
    /// Why the sample does not count; empty when it does.
    pub void: Vec<String>,
}

impl Sample {
    /// CPU time of a request in microseconds.
    pub fn cost(&self) -> f64 {
        self.cpu.cost() as f64 / self.load.requests as f64 / 1e3
    }

    /// Bytes of heap and other memory that a connection added, where connections were left open.
    pub fn bytes_per_connection(&self) -> f64 {
        self.memory.map_or(f64::NAN, |memory| (memory.heap + memory.resident) as f64 / self.connections as f64)
    }

    /// Share of one CPU that the JIT compiler used in the window.
    pub fn compiler_share(&self) -> f64 {
        self.cpu.compiler as f64 / self.elapsed as f64
    }

    /// Share of one CPU that the event loop used in the window.
    pub fn busy(&self) -> f64 {
        self.cpu.event_loop as f64 / self.elapsed as f64
    }

    /// Share of one CPU that other programs and interrupts used in the window; below zero by the error of the accounts.
    pub fn others(&self) -> f64 {
        self.cpu.others as f64 / self.elapsed as f64
    }

    /// Completions of a request, where the transport counts them.
    pub fn completions(&self) -> Option<f64> {
        let counted = self.server["completions"].as_u64()? - self.server_before["completions"].as_u64()?;
        Some(counted as f64 / self.load.requests as f64)
    }

    /// Milliseconds in the window for which garbage collections stopped the server.
    pub fn gc_ms(&self) -> Option<u64> {
        Some(self.server["gc_ms"].as_u64()?.saturating_sub(self.server_before["gc_ms"].as_u64()?))
    }

    /// Adds the reasons why the sample does not count. One whose figures mean nothing anyway may also be disturbed.
    pub fn judge(&mut self, row: &Row, peer: &Peer, disturbed: bool) {
        let mut reasons = Vec::new();
        if self.load.errors > 0 {
            reasons.push(format!("{} socket errors, wrong or missing answers", self.load.errors));
        }
        if self.server["backend"] != peer.backend {
            reasons.push(format!("backend {} instead of {}", self.server["backend"], peer.backend));
        }
        if self.congestion != row.congestion {
            reasons.push(format!("congestion control {:?} instead of {}", self.congestion, row.congestion));
        }
        if row.tls {
            reasons.extend(self.wrong_tls(row, peer));
        }
        if !disturbed {
            reasons.extend(self.disturbances());
        }
        self.void.extend(reasons);
    }

    /// What the server and the generator saw must be what the row compares; labels do not count.
    fn wrong_tls(&self, row: &Row, peer: &Peer) -> Vec<String> {
        let mut reasons = Vec::new();
        let mut expect = |what: &str, found: &str, expected: &str| {
            if found != expected {
                reasons.push(format!("TLS {what} {found:?} instead of {expected:?}"));
            }
        };
        let said = |field: &str| self.server[field].as_str().unwrap_or_default();
        expect("provider", said("tls_provider"), peer.provider());
        expect("parameters", said("tls_negotiated"), SUITE.rsplit_once(' ').map_or("", |parts| parts.0));
        expect("choice", self.chosen.strip_prefix(SUITE).map_or(self.chosen.as_str(), |_| SUITE), SUITE);
        if let Some(expected) = row.negotiated() {
            let found: Vec<&str> = self.load.negotiated.keys().map(String::as_str).collect();
            expect("handshakes", &found.join(", "), &expected);
        }
        reasons
    }

    fn disturbances(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        reasons.extend(self.load.was_the_limit.clone());
        if self.compiler_share() >= COMPILER_ALLOWED {
            reasons.push(format!("JIT compiler used {:.1} %", self.compiler_share() * 100.0));
        }
        if self.others() > OTHERS_ALLOWED {
            reasons.push(format!("other programs used {:.0} % of a CPU", self.others() * 100.0));
        }
        reasons
    }

    /// The sample as one JSON object.
    pub fn json(&self) -> Value {
        let schedule = self.load.schedule.as_ref();
        json!({
            "kind": "sample",
            "row": self.row,
            "peer": self.peer,
            "round": self.round,
            "pass": self.pass,
            "connections": self.connections,
            "requests": self.load.requests,
            "rate": self.load.rate,
            "p50_us": self.load.p50,
            "p99_us": self.load.p99,
            "p999_us": schedule.map(|schedule| schedule.p999),
            "max_us": self.load.max,
            "errors": self.load.errors,
            "scheduled_rate": schedule.map(|schedule| schedule.rate),
            "generator_absence_us": schedule.map(|schedule| schedule.absence),
            "generator_idle": self.load.idle,
            "cost_us": self.cost(),
            "elapsed_ns": self.elapsed,
            "loop_ns": self.cpu.event_loop,
            "ksoftirqd_ns": self.cpu.ksoftirqd,
            "compiler_ns": self.cpu.compiler,
            "process_ns": self.cpu.process,
            "busy": self.busy(),
            "loop_waiting_ns": self.cpu.waiting,
            "others": self.others(),
            "gc_ms": self.gc_ms(),
            "peak_memory": self.peak_memory,
            "warm_up_s": self.warm_up,
            "congestion": self.congestion,
            "completions": self.completions(),
            "tls_chosen": self.chosen,
            "tls_handshakes_of_load": self.load.negotiated,
            "heap_growth": self.memory.map(|memory| memory.heap),
            "resident_growth": self.memory.map(|memory| memory.resident),
            "server": self.server,
            "void": self.void,
        })
    }
}

/// Checks that the peers of a row differ in nothing but the transport.
///
/// # Errors
/// The field that differs, and both values.
pub fn comparable(samples: &[&Sample]) -> Result<(), String> {
    // The floor has no virtual machine whose settings could differ.
    let virtual_machines = |sample: &&Sample| sample.server["floor"] != true;
    let reference = samples.iter().copied().find(virtual_machines);
    let Some((first, rest)) = samples.split_first() else { return Ok(()) };
    let differing =
        |field: &str, first: &Sample, other: &Sample, left: &dyn std::fmt::Display, right: &dyn std::fmt::Display| {
            Err(format!("row {}: {field} is {left} for {} and {right} for {}", first.row, first.peer, other.peer))
        };
    for (first, other) in samples.iter().copied().filter(virtual_machines).filter_map(|other| Some((reference?, other)))
    {
        for field in COMPARED {
            if first.server[field] != other.server[field] {
                return differing(field, first, other, &first.server[field], &other.server[field]);
            }
        }
    }
    for other in rest {
        if first.congestion != other.congestion {
            return differing("congestion", first, other, &first.congestion, &other.congestion);
        }
        if first.connections != other.connections {
            return differing("connections", first, other, &first.connections, &other.connections);
        }
        let rate = |sample: &Sample| sample.load.schedule.as_ref().map_or(0.0, |schedule| schedule.rate);
        if rate(first) != rate(other) {
            return differing("the fixed rate", first, other, &rate(first), &rate(other));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::load::Schedule;
    use super::super::row::{BASE, ROWS, peer};
    use super::*;

    pub(in super::super) fn sample(peer: &'static str, round: usize, cost_us: u64) -> Sample {
        Sample {
            row: ROWS[0].name,
            peer,
            round,
            pass: 0,
            load: Load {
                requests: 1_000,
                rate: 1_000.0,
                p50: 100.0,
                p99: 200.0,
                max: 300.0,
                errors: 0,
                ..Load::default()
            },
            cpu: CpuTimes { event_loop: cost_us * 1_000_000, process: cost_us * 1_000_000, ..CpuTimes::default() },
            elapsed: 1_000_000_000,
            peak_memory: 1 << 20,
            warm_up: 4,
            congestion: ROWS[0].congestion.to_owned(),
            connections: 64,
            chosen: String::new(),
            memory: None,
            server_before: json!({"completions": 1_000}),
            server: json!({"completions": 3_000, "backend": "epoll", "gc": "Copy", "heap_max": 1, "jvm_arguments": "-Xmx1m", "vm_options": "",
                           "loop_threads": 1, "auto_read": true, "java": "25", "netty": "4.2.18.Final"}),
            void: Vec::new(),
        }
    }

    pub(in super::super) fn at_rate(peer: &'static str, round: usize, p99: f64) -> Sample {
        let mut sample = sample(peer, round, 5);
        sample.row = "hello-rate";
        sample.load.p99 = p99;
        sample.load.schedule = Some(Schedule { rate: 500.0, ..Schedule::default() });
        sample.load.idle = Some(0.5);
        sample
    }

    #[test]
    fn peers_that_differ_in_one_field_are_refused() {
        let base = sample("epoll", 0, 5);
        assert_eq!(comparable(&[&base, &sample("nio", 0, 6)]), Ok(()));
        let mut floor = sample("floor-epoll", 0, 3);
        floor.server = json!({"backend": "epoll", "floor": true});
        assert_eq!(comparable(&[&floor, &base, &sample("nio", 0, 6)]), Ok(()));
        for field in COMPARED {
            let mut other = sample("nio", 0, 6);
            other.server[*field] = json!("different");
            let refusal = comparable(&[&base, &other]).expect_err(field);
            assert!(refusal.contains(field) && refusal.contains("different"), "{refusal}");
            assert_eq!(comparable(&[&floor, &base, &other]), Err(refusal));
        }
        let mut other = sample("nio", 0, 6);
        other.congestion = "bbr".to_owned();
        assert!(comparable(&[&base, &other]).expect_err("congestion").contains("bbr"));
        let mut other = sample("nio", 0, 6);
        other.connections = 32;
        assert!(comparable(&[&base, &other]).expect_err("connections").contains("32"));
        let (base, mut other) = (at_rate("epoll", 0, 200.0), at_rate("nio", 0, 300.0));
        assert_eq!(comparable(&[&base, &other]), Ok(()));
        other.load.schedule = Some(Schedule { rate: 499.0, ..Schedule::default() });
        assert!(comparable(&[&base, &other]).expect_err("rate").contains("rate is 500 for epoll and 499 for nio"));
        assert!(comparable(&[&base, &sample("nio", 0, 6)]).is_err(), "no rate at all");
    }

    #[test]
    fn errors_and_fallbacks_void_a_sample() {
        let judged = |change: &dyn Fn(&mut Sample)| {
            let mut sample = sample("epoll", 0, 5);
            change(&mut sample);
            sample.judge(&ROWS[0], &BASE, false);
            sample.void
        };
        assert!(judged(&|_| {}).is_empty());
        assert!(judged(&|s| s.load.errors = 1)[0].contains("socket errors"));
        let late = |s: &mut Sample| s.load.was_the_limit = Some("behind".to_owned());
        assert_eq!(judged(&late), ["behind"]);
        let mut smoke = sample("epoll", 0, 5);
        late(&mut smoke);
        smoke.load.errors = 1;
        smoke.judge(&ROWS[0], &BASE, true);
        assert_eq!(smoke.void.len(), 1, "errors void a smoke test, disturbances do not: {:?}", smoke.void);
        assert!(judged(&|s| s.server["backend"] = json!("poll"))[0].contains("backend"));
        assert!(judged(&|s| s.congestion = "bbr".to_owned())[0].contains("bbr"));
        assert!(judged(&|s| s.cpu.others = 90_000_000).is_empty());
        assert!(judged(&|s| s.cpu.others = 120_000_000)[0].contains("12 %"));
        assert!(judged(&|s| s.cpu.compiler = s.elapsed / 50)[0].contains("2.0 %"));
    }

    #[test]
    fn other_tls_than_the_row_compares_voids_a_sample() {
        let row = ROWS.iter().find(|row| row.name == "tls-resumed").expect("known");
        let peer = peer("tcnative-epoll").expect("known");
        let judged = |change: &dyn Fn(&mut Sample)| {
            let mut sample = sample("tcnative-epoll", 0, 5);
            sample.server["tls_provider"] = json!("SslHandler/ReferenceCountedOpenSslEngine");
            sample.server["tls_negotiated"] = json!("TLSv1.3 TLS_AES_128_GCM_SHA256");
            sample.chosen = format!("{SUITE} full");
            sample.load.negotiated.insert(format!("{SUITE} resumed"), 9);
            change(&mut sample);
            sample.judge(row, &peer, false);
            sample.void
        };
        assert!(judged(&|_| {}).is_empty());
        assert!(judged(&|s| s.server["tls_provider"] = json!("SslHandler/SSLEngineImpl"))[0].contains("provider"));
        assert!(judged(&|s| s.server["tls_negotiated"] = json!("TLSv1.2 X"))[0].contains("TLSv1.2"));
        assert!(judged(&|s| s.chosen = SUITE.replace("X25519", "P-256") + " full")[0].contains("P-256"));
        let full = |s: &mut Sample| *s.load.negotiated.entry(format!("{SUITE} full")).or_default() += 1;
        assert!(judged(&full)[0].contains("full"));
    }

    #[test]
    fn the_cost_is_per_request() {
        assert!((sample("epoll", 0, 5).cost() - 5.0).abs() < 1e-9);
        assert_eq!(sample("epoll", 0, 5).completions(), Some(2.0));
    }
}
