//! The result of a measurement as text for a terminal: ASCII, numbers right-aligned, units in the header.
//!
//! The bar beside each phase is its place in the total, so that what ran side by side is seen side by side. It is left out
//! where the terminal is too narrow for it.

use std::fmt::Write as _;

use crate::report::{MeasurementReport, PartitionReport, PhaseReport};

#[cfg(test)]
mod tests;

/// The longest key of the catalogue.
const KEY_WIDTH: usize = 15;
const DURATION_WIDTH: usize = 12;
const SHARE_WIDTH: usize = 7;
/// The longest title of the catalogue and two spaces.
const TITLE_WIDTH: usize = 36;
/// Key, duration and share, with two spaces before the last.
const ALWAYS_WIDTH: usize = KEY_WIDTH + DURATION_WIDTH + 2 + SHARE_WIDTH;
const MIN_BAR_WIDTH: usize = 16;
const MAX_BAR_WIDTH: usize = 48;

impl MeasurementReport {
    /// A table for each partition, or the list of faults, for a terminal of so many columns. Every line ends in a newline and in nothing else that is blank.
    pub fn table(&self, columns: usize) -> String {
        let mut text = String::new();
        let layout = Layout::new(columns);
        self.partitions
            .iter()
            .for_each(|partition| layout.write(&mut text, partition));
        for fault in &self.faults {
            writeln_to(&mut text, &format!("invalid: {}", fault.message));
        }
        for note in &self.notes {
            writeln_to(&mut text, &format!("note: {}", note.text));
        }
        text
    }
}

/// Which columns there is room for.
struct Layout {
    has_title: bool,
    /// 0 for none.
    bar_width: usize,
}

impl Layout {
    fn new(columns: usize) -> Self {
        let has_title = columns >= ALWAYS_WIDTH + TITLE_WIDTH;
        let used = ALWAYS_WIDTH + 2 + if has_title { TITLE_WIDTH } else { 0 };
        let room = columns.saturating_sub(used);
        let bar_width = if room < MIN_BAR_WIDTH {
            0
        } else {
            room.min(MAX_BAR_WIDTH)
        };
        Self { has_title, bar_width }
    }

    fn write(&self, text: &mut String, partition: &PartitionReport) {
        writeln_to(
            text,
            &format!("job {}, partition {}", partition.job, partition.partition),
        );
        self.row(text, "phase", "", "ms", "share", "");
        for phase in &partition.phases {
            let share = phase.share_of_total.map_or("-".into(), percent);
            let bar = self.bar(partition, phase);
            self.row(text, &phase.key, &phase.title, &number(phase.duration_ms), &share, &bar);
        }
        let unaccounted = percent(partition.unaccounted_share);
        self.row(
            text,
            "-",
            "belonging to no phase",
            &number(partition.unaccounted_ms),
            &unaccounted,
            "",
        );
        self.row(
            text,
            "total_ms",
            "total",
            &number(partition.total_ms),
            &percent(1.0),
            "",
        );
    }

    fn row(&self, text: &mut String, key: &str, title: &str, duration: &str, share: &str, bar: &str) {
        let title = if self.has_title {
            format!("{title:<TITLE_WIDTH$}")
        } else {
            String::new()
        };
        writeln_to(
            text,
            &format!("{key:<KEY_WIDTH$}{title}{duration:>DURATION_WIDTH$}  {share:>SHARE_WIDTH$}  {bar}"),
        );
    }

    fn bar(&self, partition: &PartitionReport, phase: &PhaseReport) -> String {
        if self.bar_width == 0 || phase.share_of_total.is_none() {
            return String::new();
        }
        let cell = |at_ms: f64| {
            let at = (at_ms - partition.total_start_ms) / partition.total_ms * self.bar_width as f64;
            // A share of a few dozen cells; what lies outside the total is clipped.
            at.clamp(0.0, self.bar_width as f64).round() as usize
        };
        let (start, end) = (cell(phase.start_ms), cell(phase.start_ms + phase.duration_ms));
        // Something that took time shows, however short.
        let start = start.min(self.bar_width - 1);
        format!("{}{}", " ".repeat(start), "#".repeat(end.saturating_sub(start).max(1)))
    }
}

fn writeln_to(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", line.trim_end());
}

fn number(value_ms: f64) -> String {
    format!("{value_ms:.3}")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
