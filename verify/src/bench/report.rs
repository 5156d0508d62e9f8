//! Medians, paired ratios and the table.

use std::fmt::Write;

use super::options::Options;
use super::row::{Pace, Peer, Row, SAME_TRANSPORT, floor_of};
use super::sample::{Memory, Sample, comparable};

/// Median, smallest and largest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    /// Of no numbers there is none.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) };
        Some(Self { median, least, most })
    }

    fn scaled(self, by: f64) -> Self {
        Self { median: self.median * by, least: self.least * by, most: self.most * by }
    }

    fn show(self, digits: usize) -> String {
        format!("{:.digits$} ({:.digits$}..{:.digits$})", self.median, self.least, self.most)
    }
}

/// A row and a peer, by name.
type Cell<'a> = (&'a str, &'a str);

/// What a row compares.
pub type Measure = fn(&Sample) -> f64;

/// What a row compares: the cost of a request, or at a fixed rate the 99th percentile of the latency.
pub fn measure_of(row: &Row) -> Measure {
    match row.pace {
        Pace::Closed | Pace::Full | Pace::Handshakes { .. } => Sample::cost,
        Pace::Idle => Sample::bytes_per_connection,
        Pace::Fixed => |sample| sample.load.p99,
    }
}

/// Ratios of one cell to another, one for each pass of a round in which both samples count.
pub fn paired_ratios(samples: &[Sample], measure: Measure, cell: Cell<'_>, base: Cell<'_>) -> Vec<f64> {
    let counted =
        |sample: &Sample, (row, peer): Cell<'_>| sample.row == row && sample.peer == peer && sample.void.is_empty();
    let pair_of = |sample: &Sample| {
        let place = (sample.round, sample.pass);
        samples.iter().find(|other| counted(other, base) && (other.round, other.pass) == place)
    };
    let mine = samples.iter().filter(|sample| counted(sample, cell));
    mine.filter_map(|sample| Some(measure(sample) / measure(pair_of(sample)?))).collect()
}

/// The report in Markdown.
///
/// # Errors
/// When the peers of a row differ in more than the transport.
pub fn markdown(samples: &[Sample], options: &Options) -> Result<String, String> {
    let mut text = String::new();
    for row in &options.rows {
        let counted: Vec<&Sample> = samples.iter().filter(|s| s.row == row.name && s.void.is_empty()).collect();
        comparable(&counted)?;
        let _ = writeln!(
            text,
            "\n### {}: {} bytes, {} connections, auto-read {}, {}{}\n",
            row.name,
            row.route.length,
            row.connections,
            if row.auto_read { "on" } else { "off, one read() per message" },
            row.congestion,
            rate_of(&counted).map_or_else(String::new, |rate| format!(", {rate:.0} requests/s")),
        );
        let strongest = strongest(row, &counted, measure_of(row));
        let (first, rest) = match row.pace {
            Pace::Closed | Pace::Full => ("us / request", CLOSED_REST),
            Pace::Handshakes { .. } => ("us / connection", CLOSED_REST),
            Pace::Fixed => ("p99 ms", FIXED_REST),
            Pace::Idle => ("kB / connection", IDLE_REST),
        };
        let _ = writeln!(text, "| peer | {first} | ratio to {} | ratio to {strongest} {rest}", row.base());
        for peer in options.peers_of(row) {
            let mine: Vec<&Sample> = counted.iter().copied().filter(|s| s.peer == peer.name).collect();
            let all = samples.iter().filter(|s| s.row == row.name && s.peer == peer.name).count();
            text.push_str(&line(samples, row, &peer, strongest, &mine, all));
        }
    }
    text.push_str(&read_by_read(samples, options));
    text.push_str(&above_the_floor(samples, options));
    text.push_str(&tls_alone(samples, options));
    text.push_str(&void_samples(samples));
    Ok(text)
}

const CLOSED_REST: &str =
    "| samples | ksoftirqd | requests/s | p50 ms | p99 ms | busy | generator idle | completions | peak RSS MB |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";
const FIXED_REST: &str = "| samples | p50 ms | p99.9 ms | max ms | us / request | busy | generator idle |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

const IDLE_REST: &str = "| samples | heap kB | other kB |
| --- | --- | --- | --- | ---: | ---: | ---: |";

fn rate_of(counted: &[&Sample]) -> Option<f64> {
    Some(counted.first()?.load.schedule.as_ref()?.rate)
}

/// The one of the strongest peers that does better in this run.
fn strongest(row: &Row, counted: &[&Sample], measure: Measure) -> &'static str {
    let of = |name: &str| Spread::of(counted.iter().filter(|s| s.peer == name).map(|s| measure(s)));
    let known = row.strongest().iter().filter_map(|name| Some((*name, of(name)?.median)));
    known.min_by(|left, right| left.1.total_cmp(&right.1)).map_or(row.base(), |(name, _)| name)
}

fn line(samples: &[Sample], row: &Row, peer: &Peer, strongest: &str, mine: &[&Sample], all: usize) -> String {
    let of = |measure: &dyn Fn(&Sample) -> f64| Spread::of(mine.iter().map(|sample| measure(sample)));
    let measure = measure_of(row);
    let Some(main) = of(&measure) else {
        return format!("| {} | no sample counts ||| 0/{all} |\n", peer.name);
    };
    let median = |measure: &dyn Fn(&Sample) -> f64| of(measure).map_or(f64::NAN, |spread| spread.median);
    let ratio = |base: &str| {
        let ratios = paired_ratios(samples, measure, (row.name, peer.name), (row.name, base));
        Spread::of(ratios).map_or_else(String::new, |ratio| ratio.show(3))
    };
    let main = match row.pace {
        Pace::Closed | Pace::Full | Pace::Handshakes { .. } => main,
        Pace::Fixed | Pace::Idle => main.scaled(1e-3),
    };
    let mut text = format!(
        "| {} | {} | {} | {} | {}/{all} |",
        peer.name,
        main.show(2),
        ratio(row.base()),
        ratio(strongest),
        mine.len()
    );
    let _ = match row.pace {
        Pace::Closed | Pace::Full | Pace::Handshakes { .. } => writeln!(
            text,
            " {:.2} | {:.0} | {:.2} | {:.2} | {:.2} | {} | {} | {:.0} |",
            median(&|s| s.cpu.ksoftirqd.unwrap_or(0) as f64 / s.load.requests as f64 / 1e3),
            median(&|s| s.load.rate),
            median(&|s| s.load.p50 / 1e3),
            median(&|s| s.load.p99 / 1e3),
            median(&Sample::busy),
            Spread::of(mine.iter().filter_map(|sample| sample.load.idle))
                .map_or_else(String::new, |idle| format!("{:.2}", idle.median)),
            Spread::of(mine.iter().filter_map(|sample| sample.completions()))
                .map_or_else(String::new, |completions| format!("{:.2}", completions.median)),
            median(&|s| s.peak_memory as f64 / 1e6),
        ),
        Pace::Idle => {
            let each = |of: fn(&Memory) -> u64| {
                median(&move |s: &Sample| {
                    s.memory.as_ref().map_or(f64::NAN, |m| of(m) as f64 / s.connections as f64 / 1e3)
                })
            };
            writeln!(text, " {:.1} | {:.1} |", each(|memory| memory.heap), each(|memory| memory.resident))
        }
        Pace::Fixed => writeln!(
            text,
            " {:.3} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            median(&|s| s.load.p50 / 1e3),
            median(&|s| s.load.schedule.as_ref().map_or(f64::NAN, |schedule| schedule.p999 / 1e3)),
            median(&|s| s.load.max / 1e3),
            median(&Sample::cost),
            median(&Sample::busy),
            median(&|s| s.load.idle.unwrap_or(f64::NAN)),
        ),
    };
    text
}

/// What one `read()` per message costs against auto-read, peer by peer; the A/A pair of the auto-read row tells what a
/// difference between two servers means.
fn read_by_read(samples: &[Sample], options: &Options) -> String {
    let mut text = String::new();
    for manual in options.rows.iter().filter(|row| !row.auto_read) {
        let same = |row: &&Row| {
            *row == &Row { auto_read: true, name: row.name, peers: row.peers, optional: row.optional, ..*manual }
        };
        let Some(auto) = options.rows.iter().find(same) else { continue };
        let _ = writeln!(text, "\n### {} / {}\n\n| peer | ratio |\n| --- | --- |", manual.name, auto.name);
        let measure = measure_of(manual);
        let mut show = |name: &str, ratios: Vec<f64>| {
            if let Some(ratio) = Spread::of(ratios) {
                let _ = writeln!(text, "| {name} | {} |", ratio.show(3));
            }
        };
        for peer in options.peers_of(manual) {
            show(peer.name, paired_ratios(samples, measure, (manual.name, peer.name), (auto.name, peer.name)));
        }
        show(
            "A/A: epoll-again / epoll",
            paired_ratios(samples, measure, (auto.name, "epoll-again"), (auto.name, "epoll")),
        );
    }
    text
}

/// What each peer costs against a bare loop on the same kernel interface.
fn above_the_floor(samples: &[Sample], options: &Options) -> String {
    let mut text = String::new();
    for row in options.rows.iter().filter(|row| matches!(row.pace, Pace::Closed | Pace::Full)) {
        let heading = format!("\n### {} / floor\n\n| peer | floor | ratio |\n| --- | --- | --- |\n", row.name);
        let mut lines = String::new();
        for peer in options.peers_of(row) {
            let Some(floor) = floor_of(&peer) else { continue };
            let ratios = paired_ratios(samples, measure_of(row), (row.name, peer.name), (row.name, floor.name));
            if let Some(ratio) = Spread::of(ratios) {
                let _ = writeln!(lines, "| {} | {} | {} |", peer.name, floor.name, ratio.show(3));
            }
        }
        if !lines.is_empty() {
            text.push_str(&(heading + &lines));
        }
    }
    text
}

/// Our TLS against tcnative on the same transport.
fn tls_alone(samples: &[Sample], options: &Options) -> String {
    let mut text = String::new();
    for row in options.rows.iter().filter(|row| row.tls) {
        let mut lines = String::new();
        for (ours, theirs) in SAME_TRANSPORT {
            if let Some(ratio) =
                Spread::of(paired_ratios(samples, measure_of(row), (row.name, ours), (row.name, theirs)))
            {
                let _ = writeln!(lines, "| {ours} | {theirs} | {} |", ratio.show(3));
            }
        }
        if !lines.is_empty() {
            let _ = writeln!(
                text,
                "\n### {} on the same transport\n\n| ours | theirs | ratio |\n| --- | --- | --- |",
                row.name
            );
            text.push_str(&lines);
        }
    }
    text
}

fn void_samples(samples: &[Sample]) -> String {
    let mut text = String::new();
    for sample in samples.iter().filter(|sample| !sample.void.is_empty()) {
        if text.is_empty() {
            text.push_str("\nSamples that do not count:\n");
        }
        let _ = writeln!(
            text,
            "- {} {} round {} pass {}: {}",
            sample.row,
            sample.peer,
            sample.round,
            sample.pass,
            sample.void.join("; ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::row::ROWS;
    use super::super::sample::tests::{at_rate, sample};
    use super::*;

    fn options(text: &str) -> Options {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).expect("valid")
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, most: 3.0 }));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]).map(|spread| spread.median), Some(2.5));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn ratios_pair_the_samples_of_one_pass() {
        let mut samples = vec![
            sample("epoll", 0, 10),
            sample("nio", 0, 20),
            sample("epoll", 1, 5),
            sample("nio", 1, 15),
            sample("nio", 2, 9),
        ];
        let ratios =
            |samples: &[Sample]| paired_ratios(samples, Sample::cost, (ROWS[0].name, "nio"), (ROWS[0].name, "epoll"));
        assert_eq!(ratios(&samples), [2.0, 3.0]);
        samples[0].void.push("error".to_owned());
        assert_eq!(ratios(&samples), [3.0]);
        samples[2].pass = 1;
        assert_eq!(ratios(&samples), [0.0; 0]);
        samples[3].pass = 1;
        assert_eq!(ratios(&samples), [3.0]);
    }

    #[test]
    fn the_table_names_void_samples_and_leaves_them_out() {
        let mut bad = sample("io_uring", 0, 20);
        bad.void.push("3 socket errors".to_owned());
        let text = markdown(&[sample("epoll", 0, 10), bad], &options("--rows hello-auto")).expect("comparable");
        assert!(text.contains("| epoll | 10.00 (10.00..10.00) | 1.000 (1.000..1.000) |"), "{text}");
        assert!(text.contains("| io_uring | no sample counts ||| 0/1 |"), "{text}");
        assert!(text.contains("round 0 pass 0: 3 socket errors"), "{text}");
    }

    #[test]
    fn the_cheaper_of_the_strongest_peers_is_the_one_to_beat() {
        let (epoll, uring, nio) = (sample("epoll", 0, 10), sample("io_uring", 0, 8), sample("nio", 0, 1));
        assert_eq!(strongest(&ROWS[0], &[&epoll, &uring, &nio], Sample::cost), "io_uring");
        assert_eq!(strongest(&ROWS[0], &[&nio], Sample::cost), "epoll");
        let text = markdown(&[epoll, uring, nio], &options("--rows hello-auto")).expect("comparable");
        assert!(text.contains("ratio to io_uring"), "{text}");
        assert!(text.contains("| epoll | 10.00 (10.00..10.00) | 1.000 (1.000..1.000) | 1.250"), "{text}");
    }

    #[test]
    fn at_a_fixed_rate_the_99th_percentile_is_compared() {
        let samples =
            [at_rate("epoll", 0, 2_000.0), at_rate("io_uring", 0, 4_000.0), at_rate("ferronet-uring", 0, 1_500.0)];
        let text = markdown(&samples, &options("--rows hello-rate")).expect("comparable");
        assert!(text.contains("reno, 500 requests/s"), "{text}");
        assert!(text.contains("| ferronet-uring | 1.50 (1.50..1.50) | 0.750 (0.750..0.750) | 0.750"), "{text}");
        assert!(text.contains("| io_uring | 4.00 (4.00..4.00) | 2.000"), "{text}");
    }

    #[test]
    fn one_read_per_message_is_compared_with_auto_read_at_as_many_connections() {
        let mut manual = sample("ferronet-poll", 0, 12);
        manual.row = "hello-manual";
        let mut others = sample("ferronet-poll", 0, 24);
        others.row = "hello-auto-200";
        let samples =
            [sample("ferronet-poll", 0, 10), manual, others, sample("epoll", 0, 10), sample("epoll-again", 0, 9)];
        let text = read_by_read(&samples, &options("--rows hello-auto-200,hello-auto,hello-manual"));
        assert!(text.contains("### hello-manual / hello-auto\n"), "{text}");
        assert!(text.contains("| ferronet-poll | 1.200 (1.200..1.200) |"), "{text}");
        assert!(text.contains("| A/A: epoll-again / epoll | 0.900 (0.900..0.900) |"), "{text}");
    }

    #[test]
    fn each_peer_is_compared_with_the_floor_of_its_kernel_interface() {
        let samples = [
            sample("epoll", 0, 10),
            sample("ferronet-uring", 0, 9),
            sample("floor-epoll", 0, 5),
            sample("floor-uring", 0, 3),
        ];
        let text = above_the_floor(&samples, &options("--rows hello-auto,json-auto"));
        assert!(text.contains("### hello-auto / floor\n") && !text.contains("json-auto"), "{text}");
        assert!(text.contains("| epoll | floor-epoll | 2.000 (2.000..2.000) |"), "{text}");
        assert!(text.contains("| ferronet-uring | floor-uring | 3.000 (3.000..3.000) |"), "{text}");
    }

    #[test]
    fn tls_is_compared_with_tcnative_and_on_the_same_transport() {
        let samples = ["tcnative-epoll", "jdk-tls-epoll", "tcnative-ferronet-uring", "ferronet-tls-uring"]
            .into_iter()
            .zip([10, 8, 9, 18])
            .map(|(peer, cost)| Sample { row: "tls-full", ..sample(peer, 0, cost) })
            .collect::<Vec<_>>();
        let text = markdown(&samples, &options("--rows tls-full")).expect("comparable");
        assert!(text.contains("| us / connection | ratio to tcnative-epoll | ratio to jdk-tls-epoll |"), "{text}");
        assert!(text.contains("| ferronet-tls-uring | tcnative-ferronet-uring | 2.000 (2.000..2.000) |"), "{text}");
    }

    #[test]
    fn memory_is_told_of_a_connection() {
        let idle = |peer, heap| Sample {
            row: "tls-idle",
            connections: 1_000,
            memory: Some(Memory { heap, resident: 30_000_000 }),
            ..sample(peer, 0, 1)
        };
        let samples = [idle("tcnative-epoll", 10_000_000), idle("ferronet-tls-poll", 0)];
        let text = markdown(&samples, &options("--rows tls-idle")).expect("comparable");
        assert!(text.contains("| ferronet-tls-poll | 30.00 (30.00..30.00) | 0.750"), "{text}");
        assert!(text.contains("1/1 | 10.0 | 30.0 |"), "{text}");
    }

    #[test]
    fn a_row_whose_peers_differ_is_refused() {
        let mut other = sample("nio", 0, 20);
        other.server["heap_max"] = 2.into();
        assert!(markdown(&[sample("epoll", 0, 10), other], &options("--rows hello-auto")).is_err());
    }
}
