//! Progress on standard error: a bar for people, a line every few seconds for files.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cuzk_groth16::srs::{Progress, Work};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const BETWEEN_LINES: Duration = Duration::from_secs(5);
const BAR: &str = "{prefix} [{bar:32}] {percent:>3} %  {per_sec}  {eta} left";

/// Shows how far the making of parameters is.
pub enum Display {
    Bar(ProgressBar),
    Lines {
        what: String,
        start: Instant,
        last: Mutex<Instant>,
    },
}

impl Display {
    /// `what` is being made.
    pub fn on_stderr(what: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            let start = Instant::now();
            return Self::Lines {
                what: what.to_owned(),
                start,
                last: Mutex::new(start),
            };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(BAR).expect("the template is a constant");
        bar.set_style(style.progress_chars("=> "));
        bar.set_prefix(what.to_owned());
        Self::Bar(bar)
    }

    /// Removes the bar; lines stay.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Display {
    fn advanced(&self, done: Work, total: Work) {
        match self {
            Self::Bar(bar) => {
                bar.set_length(total.0);
                bar.set_position(done.0);
            }
            Self::Lines { what, start, last } => {
                // A thread that finds another one printing has nothing to add.
                let Ok(mut last) = last.try_lock() else { return };
                if last.elapsed() >= BETWEEN_LINES {
                    *last = Instant::now();
                    eprintln!("{}", line(what, done, total, start.elapsed()));
                }
            }
        }
    }
}

fn line(what: &str, done: Work, total: Work, elapsed: Duration) -> String {
    let share = done.0 as f64 / total.0.max(1) as f64;
    let rate = done.0 as f64 / elapsed.as_secs_f64();
    let left = total.0.saturating_sub(done.0) as f64 / rate;
    format!(
        "{what}: {:.0} %, {rate:.0} multiplications/s, {left:.0} s left",
        share * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_share_rate_and_time_left() {
        let line = line("winning-32g", Work(250), Work(1000), Duration::from_secs(5));
        assert_eq!(line, "winning-32g: 25 %, 50 multiplications/s, 15 s left");
    }
}
