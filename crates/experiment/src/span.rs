//! Stretches of time, and sets of them: how much they cover together, how much they share.

use std::time::Duration;

/// A stretch of time on the measured process's clock, in whole microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Since the start of the process.
    pub start: Duration,
    pub length: Duration,
}

impl Span {
    /// Saturates, as a line from outside may hold any number.
    pub fn end(self) -> Duration {
        self.start.saturating_add(self.length)
    }
}

/// Time that is covered by at least one of some spans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanSet {
    /// Start and end; sorted, disjoint, none empty.
    pieces: Vec<(Duration, Duration)>,
}

impl SpanSet {
    /// How much time the set covers.
    pub fn length(&self) -> Duration {
        self.pieces.iter().map(|(start, end)| *end - *start).sum()
    }

    /// Where the first span begins; `None` for the empty set.
    pub fn start(&self) -> Option<Duration> {
        self.pieces.first().map(|(start, _)| *start)
    }

    /// Time that both sets cover.
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut left, mut right) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        let mut pieces = Vec::new();
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let (start, end) = (a.0.max(b.0), a.1.min(b.1));
            if start < end {
                pieces.push((start, end));
            }
            // The piece that ends first meets nothing further.
            if a.1 <= b.1 {
                left.next()
            } else {
                right.next()
            };
        }
        Self { pieces }
    }
}

impl FromIterator<Span> for SpanSet {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        let mut sorted: Vec<_> = spans.into_iter().map(|span| (span.start, span.end())).collect();
        sorted.sort_unstable();
        let mut pieces: Vec<(Duration, Duration)> = Vec::with_capacity(sorted.len());
        for (start, end) in sorted.into_iter().filter(|(start, end)| start < end) {
            match pieces.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => pieces.push((start, end)),
            }
        }
        Self { pieces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(start: u64, length: u64) -> Span {
        Span {
            start: Duration::from_micros(start),
            length: Duration::from_micros(length),
        }
    }

    fn micros(set: &SpanSet) -> u128 {
        set.length().as_micros()
    }

    #[test]
    fn overlapping_touching_and_empty_spans_are_counted_once() {
        let set: SpanSet = [
            span(10, 5),
            span(0, 4),
            span(12, 8),
            span(20, 1),
            span(3, 0),
            span(2, 1),
        ]
        .into_iter()
        .collect();
        assert_eq!(micros(&set), 4 + 11);
        assert_eq!(set.pieces.len(), 2);
    }

    #[test]
    fn an_end_beyond_all_time_saturates() {
        let set: SpanSet = [Span {
            start: Duration::from_secs(1),
            length: Duration::MAX,
        }]
        .into_iter()
        .collect();
        assert_eq!(set.length(), Duration::MAX - Duration::from_secs(1));
    }

    proptest! {
        /// Against counting microsecond by microsecond.
        #[test]
        fn union_and_intersection_agree_with_counting(
            a in prop::collection::vec((0_u64..60, 0_u64..20), 0..8),
            b in prop::collection::vec((0_u64..60, 0_u64..20), 0..8),
        ) {
            let covers = |spans: &[(u64, u64)], at: u64| spans.iter().any(|(start, length)| (*start..start + length).contains(&at));
            let set = |spans: &[(u64, u64)]| spans.iter().map(|(start, length)| span(*start, *length)).collect::<SpanSet>();
            let count = |holds: &dyn Fn(u64) -> bool| (0..100).filter(|at| holds(*at)).count() as u128;
            prop_assert_eq!(micros(&set(&a)), count(&|at| covers(&a, at)));
            prop_assert_eq!(micros(&set(&a).intersection(&set(&b))), count(&|at| covers(&a, at) && covers(&b, at)));
        }
    }
}
