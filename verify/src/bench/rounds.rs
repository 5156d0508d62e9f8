//! The order of a run: which servers live when, and whose turn it is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use ferronet_packaging::Result;
use ferronet_packaging::console::Step;
use serde_json::{Value, json};

use super::measure::{Place, Warm};
use super::options::Options;
use super::row::{Pace, Peer, Row, groups};
use super::sample::Sample;
use super::server::Installed;

/// Length of the closed loop that tells how much a peer can do, in seconds.
const CAPACITY_WINDOW: u64 = 3;
/// How often a window is measured at most when it does not count.
const ATTEMPTS: usize = 3;
/// Share of the slowest peer's maximum that a fixed rate is.
const SHARE_OF_MAXIMUM: f64 = 0.7;

/// A run: its settings, what was found out, and where samples go.
pub struct Run<'a> {
    installed: &'a Installed,
    options: &'a Options,
    raw: File,
    /// The fixed rate of each row that has one.
    rates: BTreeMap<&'static str, f64>,
    samples: Vec<Sample>,
}

impl<'a> Run<'a> {
    /// A run whose raw samples go to a new file, which begins with `header`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn new(installed: &'a Installed, options: &'a Options, raw: &Path, header: &Value) -> Result<Self> {
        let mut raw = File::create(raw)?;
        writeln!(raw, "{header}")?;
        Ok(Self { installed, options, raw, rates: BTreeMap::new(), samples: Vec::new() })
    }

    /// Takes every sample.
    ///
    /// # Errors
    /// When a server or a load generator fails.
    pub fn samples(mut self) -> Result<Vec<Sample>> {
        for round in 0..self.options.rounds {
            for group in groups(&self.options.rows) {
                self.group(&group, round)?;
            }
        }
        Ok(self.samples)
    }

    /// One round of the rows of a group. Their servers live at the same time; those that are not measured wait in their
    /// loops and cost nothing.
    fn group(&mut self, group: &[Row], round: usize) -> Result<()> {
        let mut servers = Vec::new();
        for (row, peer) in rotated(cells(group, self.options), round) {
            let step = Step::start(format!("round {} warm up {} {}", round + 1, row.name, peer.name));
            servers.push(Warm::start(self.installed, self.options, &row, &peer)?);
            step.end("ready");
        }
        for pass in 0..self.options.passes {
            for row in group {
                let peers = rotated(self.options.peers_of(row), round + pass);
                let servers = peers.iter().filter_map(|peer| server_of(&servers, row, peer)).collect::<Vec<_>>();
                let rate = self.rate(row, &servers)?;
                for server in servers {
                    self.window(server, row, rate, Place { round, pass })?;
                }
            }
        }
        Ok(())
    }

    /// Measures a window, and again when it does not count; what does not count stays among the samples.
    fn window(&mut self, server: &Warm, row: &Row, rate: Option<f64>, place: Place) -> Result<()> {
        let name = format!("round {}/{} {} {}", place.round + 1, self.options.rounds, row.name, server.peer.name);
        for _ in 0..ATTEMPTS {
            let step = Step::start(name.clone());
            let sample = server.measure(self.options, row, rate, place)?;
            step.end(&match (sample.void.first(), row.pace) {
                (Some(reason), _) => format!("void: {reason}:"),
                (None, Pace::Idle) => format!("{:.1} kB", sample.bytes_per_connection() / 1e3),
                (None, Pace::Closed | Pace::Full | Pace::Handshakes { .. }) => format!("{:.2} us", sample.cost()),
                (None, Pace::Fixed) => format!("p99 {:.2} ms", sample.load.p99 / 1e3),
            });
            writeln!(self.raw, "{}", sample.json())?;
            let counts = sample.void.is_empty();
            self.samples.push(sample);
            if counts {
                break;
            }
        }
        Ok(())
    }

    /// The fixed rate of a row, found out once for all rounds and peers.
    fn rate(&mut self, row: &Row, servers: &[&Warm]) -> Result<Option<f64>> {
        if row.pace != Pace::Fixed {
            return Ok(None);
        }
        if let Some(rate) = self.rates.get(row.name) {
            return Ok(Some(*rate));
        }
        let step = Step::start(format!("maximum of each peer for {}", row.name));
        let mut maxima = BTreeMap::new();
        for server in servers {
            maxima.insert(server.peer.name, server.capacity(row, CAPACITY_WINDOW)?);
        }
        let rate = fixed_rate(maxima.values().copied()).ok_or("a fixed rate needs a peer")?;
        step.end(&format!("{rate:.0} requests/s"));
        let found = json!({"kind": "rate", "row": row.name, "maxima": maxima, "share": SHARE_OF_MAXIMUM, "rate": rate});
        writeln!(self.raw, "{found}")?;
        self.rates.insert(row.name, rate);
        Ok(Some(rate))
    }
}

/// The rate that every peer of a row is given.
fn fixed_rate(maxima: impl Iterator<Item = f64>) -> Option<f64> {
    maxima.min_by(f64::total_cmp).map(|least| (least * SHARE_OF_MAXIMUM).floor())
}

/// The servers that the rows of a group need, each with one row that it serves.
fn cells(group: &[Row], options: &Options) -> Vec<(Row, Peer)> {
    let mut cells: Vec<(Row, Peer)> = Vec::new();
    for row in group {
        for peer in options.peers_of(row) {
            if !cells.iter().any(|(other, known)| other.auto_read == row.auto_read && *known == peer) {
                cells.push((*row, peer));
            }
        }
    }
    cells
}

fn server_of<'s>(servers: &'s [Warm], row: &Row, peer: &Peer) -> Option<&'s Warm> {
    servers.iter().find(|server| server.peer == *peer && server.auto_read == row.auto_read)
}

/// The same things, beginning with another one each time.
fn rotated<T>(mut things: Vec<T>, by: usize) -> Vec<T> {
    let length = things.len().max(1);
    things.rotate_left(by % length);
    things
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Options {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).expect("valid")
    }

    #[test]
    fn the_slowest_peer_sets_the_rate_of_all() {
        assert_eq!(fixed_rate([2_000.0, 1_000.5, 3_000.0].into_iter()), Some(700.0));
        assert_eq!(fixed_rate(std::iter::empty()), None);
    }

    #[test]
    fn rows_share_a_server_unless_it_reads_differently() {
        let options = options("--rows hello-auto,hello-auto-200,hello-rate,hello-manual --peers epoll,nio");
        let cells: Vec<_> = cells(&options.rows, &options).iter().map(|(row, peer)| (row.name, peer.name)).collect();
        assert_eq!(
            cells,
            [("hello-auto", "epoll"), ("hello-auto", "nio"), ("hello-manual", "epoll"), ("hello-manual", "nio")]
        );
    }

    #[test]
    fn turns_rotate() {
        assert_eq!(rotated(vec![1, 2, 3], 4), [2, 3, 1]);
        assert!(rotated(Vec::<u8>::new(), 4).is_empty());
    }
}
