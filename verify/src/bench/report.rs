//! Medians, paired ratios and the table.

use std::fmt::Write;

use super::row::{BASE, Peer, Row, STRONGEST};
use super::sample::{Sample, comparable};

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

    fn show(self, digits: usize) -> String {
        format!("{:.digits$} ({:.digits$}..{:.digits$})", self.median, self.least, self.most)
    }
}

/// A row and a peer, by name.
type Cell<'a> = (&'a str, &'a str);

/// Ratios of the cost of one cell to that of another, one for each round in which both samples count.
pub fn paired_ratios(samples: &[Sample], cell: Cell<'_>, base: Cell<'_>) -> Vec<f64> {
    let counted = |(row, peer): Cell<'_>, round: usize| {
        samples.iter().find(|s| s.row == row && s.peer == peer && s.round == round && s.void.is_empty())
    };
    let rounds = samples.iter().map(|sample| sample.round + 1).max().unwrap_or(0);
    (0..rounds).filter_map(|round| Some(counted(cell, round)?.cost() / counted(base, round)?.cost())).collect()
}

/// The report in Markdown.
///
/// # Errors
/// When the peers of a row differ in more than the transport.
pub fn markdown(samples: &[Sample], rows: &[Row], peers: &[Peer]) -> Result<String, String> {
    let mut text = String::new();
    for row in rows {
        let counted: Vec<&Sample> = samples.iter().filter(|s| s.row == row.name && s.void.is_empty()).collect();
        comparable(&counted)?;
        let _ = writeln!(
            text,
            "\n### {}: {} bytes, auto-read {}, {}\n",
            row.name,
            row.route.length,
            if row.auto_read { "on" } else { "off, one read() per message" },
            row.congestion
        );
        let strongest = strongest(&counted);
        let _ = writeln!(text, "{HEADINGS} {strongest} {MORE_HEADINGS}");
        for peer in peers {
            let mine: Vec<&Sample> = counted.iter().copied().filter(|s| s.peer == peer.name).collect();
            let all = samples.iter().filter(|s| s.row == row.name && s.peer == peer.name).count();
            text.push_str(&line(samples, row, peer, strongest, &mine, all));
        }
    }
    text.push_str(&read_by_read(samples, rows, peers));
    text.push_str(&void_samples(samples));
    Ok(text)
}

const HEADINGS: &str = "| peer | us / request | ksoftirqd | ratio to epoll | ratio to";
const MORE_HEADINGS: &str = "| requests/s | p50 ms | p99 ms | busy | completions | peak RSS MB | samples |
| --- | --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

/// The one of the strongest peers that costs less in this run.
fn strongest(counted: &[&Sample]) -> &'static str {
    let cost = |name: &str| Spread::of(counted.iter().filter(|s| s.peer == name).map(|s| s.cost()));
    let known = STRONGEST.iter().filter_map(|name| Some((*name, cost(name)?.median)));
    known.min_by(|left, right| left.1.total_cmp(&right.1)).map_or(BASE.name, |(name, _)| name)
}

fn line(samples: &[Sample], row: &Row, peer: &Peer, strongest: &str, mine: &[&Sample], all: usize) -> String {
    let of = |measure: &dyn Fn(&Sample) -> f64| Spread::of(mine.iter().map(|sample| measure(sample)));
    let Some(cost) = of(&Sample::cost) else {
        return format!("| {} | no sample counts ||||||||||0/{all} |\n", peer.name);
    };
    let median = |measure: &dyn Fn(&Sample) -> f64| of(measure).map_or(f64::NAN, |spread| spread.median);
    let ratio = |base: &str| {
        let ratios = paired_ratios(samples, (row.name, peer.name), (row.name, base));
        Spread::of(ratios).map_or_else(String::new, |ratio| ratio.show(3))
    };
    let completions = Spread::of(mine.iter().filter_map(|sample| sample.completions()));
    format!(
        "| {} | {} | {:.2} | {} | {} | {:.0} | {:.2} | {:.2} | {:.2} | {} | {:.0} | {}/{all} |\n",
        peer.name,
        cost.show(2),
        median(&|s| s.cpu.ksoftirqd.unwrap_or(0) as f64 / s.load.requests as f64 / 1e3),
        ratio(BASE.name),
        ratio(strongest),
        median(&|s| s.load.rate),
        median(&|s| s.load.p50 / 1e3),
        median(&|s| s.load.p99 / 1e3),
        median(&Sample::busy),
        completions.map_or_else(String::new, |completions| format!("{:.2}", completions.median)),
        median(&|s| s.peak_memory as f64 / 1e6),
        mine.len(),
    )
}

/// What one `read()` per message costs against auto-read, peer by peer.
fn read_by_read(samples: &[Sample], rows: &[Row], peers: &[Peer]) -> String {
    let mut text = String::new();
    for manual in rows.iter().filter(|row| !row.auto_read) {
        let same = |row: &&Row| row.auto_read && row.route == manual.route && row.congestion == manual.congestion;
        let Some(auto) = rows.iter().find(same) else { continue };
        let _ = writeln!(text, "\n### {} / {}\n\n| peer | ratio |\n| --- | --- |", manual.name, auto.name);
        for peer in peers {
            let ratios = paired_ratios(samples, (manual.name, peer.name), (auto.name, peer.name));
            if let Some(ratio) = Spread::of(ratios) {
                let _ = writeln!(text, "| {} | {} |", peer.name, ratio.show(3));
            }
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
        let _ = writeln!(text, "- {} {} round {}: {}", sample.row, sample.peer, sample.round, sample.void.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::row::{PEERS, ROWS};
    use super::super::sample::tests::sample;
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, most: 3.0 }));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]).map(|spread| spread.median), Some(2.5));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn ratios_pair_the_samples_of_one_round() {
        let mut samples = vec![
            sample("epoll", 0, 10),
            sample("nio", 0, 20),
            sample("epoll", 1, 5),
            sample("nio", 1, 15),
            sample("nio", 2, 9),
        ];
        assert_eq!(paired_ratios(&samples, (ROWS[0].name, "nio"), (ROWS[0].name, "epoll")), [2.0, 3.0]);
        samples[0].void.push("error".to_owned());
        assert_eq!(paired_ratios(&samples, (ROWS[0].name, "nio"), (ROWS[0].name, "epoll")), [3.0]);
    }

    #[test]
    fn the_table_names_void_samples_and_leaves_them_out() {
        let mut bad = sample("nio", 0, 20);
        bad.void.push("3 socket errors or wrong answers".to_owned());
        let text = markdown(&[sample("epoll", 0, 10), bad], &ROWS[..1], PEERS).expect("comparable");
        assert!(text.contains("| epoll | 10.00 (10.00..10.00) | 0.00 | 1.000"), "{text}");
        assert!(text.contains("| nio | no sample counts"), "{text}");
        assert!(text.contains("round 0: 3 socket errors"), "{text}");
    }

    #[test]
    fn the_cheaper_of_the_strongest_peers_is_the_one_to_beat() {
        let (epoll, uring, nio) = (sample("epoll", 0, 10), sample("io_uring", 0, 8), sample("nio", 0, 1));
        assert_eq!(strongest(&[&epoll, &uring, &nio]), "io_uring");
        assert_eq!(strongest(&[&nio]), "epoll");
        let text = markdown(&[epoll, uring, nio], &ROWS[..1], PEERS).expect("comparable");
        assert!(text.contains("ratio to io_uring"), "{text}");
        assert!(text.contains("| epoll | 10.00 (10.00..10.00) | 0.00 | 1.000 (1.000..1.000) | 1.250"), "{text}");
    }

    #[test]
    fn one_read_per_message_is_compared_with_auto_read() {
        let mut manual = sample("epoll", 0, 12);
        manual.row = ROWS[1].name;
        let text = read_by_read(&[sample("epoll", 0, 10), manual], &ROWS[..2], PEERS);
        assert!(text.contains("| epoll | 1.200 (1.200..1.200) |"), "{text}");
    }

    #[test]
    fn a_row_whose_peers_differ_is_refused() {
        let mut other = sample("nio", 0, 20);
        other.server["heap_max"] = 2.into();
        assert!(markdown(&[sample("epoll", 0, 10), other], &ROWS[..1], PEERS).is_err());
    }
}
