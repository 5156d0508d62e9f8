//! Percentiles of latencies, and how long the generator's own steps took.

/// Percentiles in nanoseconds; all zero when nothing was timed. A time above 4.29 s counts as that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentiles {
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Largest.
    pub max: u64,
}

impl Percentiles {
    /// Exact percentiles of times in nanoseconds, in any order: the least time that so many percent do not exceed.
    pub fn of(mut times: Vec<u32>) -> Self {
        times.sort_unstable();
        let at = |share: f64| {
            let rank = (times.len() as f64 * share).ceil() as usize;
            times.get(rank.saturating_sub(1)).copied().map_or(0, u64::from)
        };
        Self { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1.0) }
    }
}

/// How time divides into steps of different lengths.
pub(crate) struct Steps {
    /// Time in nanoseconds that was spent in steps of so many microseconds; the last also holds all that are longer.
    time: Vec<u64>,
    last: u64,
}

impl Steps {
    const LONGEST: usize = 100_000;

    pub(crate) fn new() -> Self {
        Self { time: vec![0; Self::LONGEST + 1], last: 0 }
    }

    /// A step ends, and the next one begins.
    pub(crate) fn end(&mut self, now: u64) {
        let step = now - self.last;
        self.last = now;
        self.time[(step as usize / 1000).min(Self::LONGEST)] += step;
    }

    /// The length in nanoseconds above which steps took no more than this share of all time.
    pub(crate) fn length_of_all_but(&self, share: f64) -> u64 {
        let allowed = self.time.iter().sum::<u64>() as f64 * share;
        let mut longer = 0;
        let longest = self.time.iter().rposition(|time| {
            longer += time;
            longer as f64 > allowed
        });
        longest.map_or(0, |microseconds| (microseconds as u64 + 1) * 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_steps_count_by_the_time_that_they_take() {
        let mut steps = Steps::new();
        assert_eq!(steps.length_of_all_but(0.01), 0);
        // A millisecond in a thousand steps, and one step of 20 us: two percent of the time.
        (1..=1_000).for_each(|number| steps.end(number * 1_000 - 1));
        assert_eq!(steps.length_of_all_but(0.01), 2_000);
        steps.end(1_000_000 + 20_000);
        assert_eq!(steps.length_of_all_but(0.01), 21_000);
        assert_eq!(steps.length_of_all_but(0.03), 2_000);
    }

    #[test]
    fn percentiles_are_exact() {
        let times = (1..=1_000).rev().collect();
        assert_eq!(Percentiles::of(times), Percentiles { p50: 500, p90: 900, p99: 990, p999: 999, max: 1_000 });
        assert_eq!(Percentiles::of(vec![7]), Percentiles { p50: 7, p90: 7, p99: 7, p999: 7, max: 7 });
        assert_eq!(Percentiles::of(Vec::new()), Percentiles::default());
    }
}
