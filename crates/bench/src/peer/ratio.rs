//! The median of paired ratios, with an interval that assumes nothing about their distribution.
//!
//! Each ratio is above the true median with chance one half, so that the number of ratios above it is binomial: the `k`-th
//! smallest and the `k`-th largest ratio enclose it unless fewer than `k` lie on one side. That needs independent pairs
//! and nothing else.

use serde::Serialize;

/// What the interval may miss, at most.
const MISS: f64 = 0.05;

/// Ours over the peer's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    pub median: f64,
    /// `None`: too few pairs for one.
    pub interval: Option<Interval>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// Chance that the interval holds the median, at least 0.95.
    pub coverage: f64,
}

/// `ratios` are of pairs, finite, at least one.
pub fn of(ratios: &[f64]) -> Ratio {
    let mut sorted = ratios.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ratio {
        median: median_of_sorted(&sorted),
        interval: interval(&sorted),
    }
}

/// Of at least one value.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        f64::midpoint(sorted[half - 1], sorted[half])
    }
}

/// The narrowest symmetric pair of order statistics that misses the median seldom enough.
fn interval(sorted: &[f64]) -> Option<Interval> {
    let n = sorted.len();
    let mut found = None;
    // Chance that exactly `below` ratios lie below the median, and that at most so many do.
    let mut chance = 0.5f64.powi(i32::try_from(n).ok()?);
    let mut tail = 0.0;
    for below in 0..n / 2 {
        tail += chance;
        if 2.0 * tail > MISS {
            break;
        }
        found = Some(Interval {
            low: sorted[below],
            high: sorted[n - 1 - below],
            coverage: 1.0 - 2.0 * tail,
        });
        chance *= (n - below) as f64 / (below + 1) as f64;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascending(n: u32) -> Vec<f64> {
        (1..=n).rev().map(f64::from).collect()
    }

    /// Ranks, counted from 1, and coverage: from tables of the binomial distribution.
    #[test]
    fn the_order_statistics_are_those_of_the_tables() {
        for (n, rank, coverage) in [
            (6, 1, 0.96875),
            (7, 1, 0.984375),
            (8, 1, 0.9921875),
            (9, 2, 0.9609375),
            (12, 3, 0.961426),
            (20, 6, 0.958611),
        ] {
            let interval = of(&ascending(n)).interval.unwrap();
            assert_eq!(
                (interval.low, interval.high),
                (f64::from(rank), f64::from(n + 1 - rank)),
                "{n} pairs"
            );
            assert!((interval.coverage - coverage).abs() < 1e-6, "{n} pairs: {interval:?}");
        }
    }

    #[test]
    fn under_six_pairs_there_is_no_interval() {
        for n in 1..6 {
            assert_eq!(of(&ascending(n)).interval, None, "{n} pairs");
        }
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(of(&[5.0, 1.0, 3.0]).median, 3.0);
        assert_eq!(of(&[4.0, 1.0, 3.0, 100.0]).median, 3.5);
    }

    #[test]
    fn the_interval_of_many_pairs_is_narrow_and_covers_enough() {
        let interval = of(&ascending(999)).interval.unwrap();
        assert!(interval.coverage >= 0.95 && interval.coverage < 0.96, "{interval:?}");
        assert!(interval.low > 465.0 && interval.high < 535.0, "{interval:?}");
    }
}
