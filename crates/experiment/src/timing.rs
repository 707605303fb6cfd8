//! Reading of one timing line.
//!
//! `CUZK_TIMING: synth_ms=12.345 start_ms=0.678 job=J partition=0`: pairs separated by single spaces, exactly one of them a
//! phase of the catalogue; times have three decimals. Keys that nobody here knows are ignored, unless they end in `_ms`: then
//! they are a phase that the catalogue does not have. With the prefix and without any `=` a line is a note.
//!
//! Two programs that write to one pipe in pieces tear each other's lines. Everything that such a tear can leave behind is a
//! fault here: a prefix in the middle of a line, a cut prefix or key, a remainder without its beginning. What a tear takes
//! away is found by [`crate::phases`], which knows what has to be there.

use std::time::Duration;

use cuzk_contract::phase::{LINE_PREFIX, PHASES, Phase, by_key};
use cuzk_contract::{JobId, PartitionIndex};

use crate::span::Span;

#[cfg(test)]
mod tests;

const START_KEY: &str = "start_ms";
/// The prefix without its separator.
const NAME: &str = "CUZK_TIMING";

/// A phase that was timed.
#[derive(Clone, Debug)]
pub struct TimedPhase {
    pub phase: &'static Phase,
    pub span: Span,
    pub job: JobId,
    pub partition: PartitionIndex,
    /// Further pairs whose value is a whole number.
    pub counts: Vec<(String, u64)>,
}

/// What a line of standard error is.
#[derive(Clone, Debug)]
pub enum TimingLine<'a> {
    Timed(TimedPhase),
    /// With the prefix, without a pair.
    Note(&'a str),
    /// Not a timing line.
    Other,
}

/// What a tear has left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Torn {
    #[error("`{NAME}` begins in the middle of it, at byte {at}")]
    PrefixInside { at: usize },
    #[error("`{NAME}` is in it twice, the second time at byte {at}")]
    PrefixTwice { at: usize },
    #[error("it is only the beginning of a timing line")]
    OnlyBeginning,
    #[error("it holds `{key}=` and not the beginning of a timing line")]
    WithoutBeginning { key: &'static str },
}

/// What is wrong with a number of milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTime {
    #[error("it is negative")]
    Negative,
    #[error("it is not finite")]
    NotFinite,
    #[error("expected digits, a point and three digits")]
    NotThreeDecimals,
    #[error("it is too large")]
    TooLarge,
}

/// Why a line that is, or was, a timing line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    #[error("torn line: {0}")]
    Torn(Torn),
    #[error("it is not UTF-8 from byte {valid_up_to} on")]
    NotUtf8 { valid_up_to: usize },
    #[error("`{pair}` is not of the form key=value")]
    MalformedPair { pair: String },
    #[error("`{key}` is in it twice")]
    RepeatedKey { key: String },
    #[error("it has no phase")]
    NoPhase,
    #[error("it has more than one phase: `{first}` and `{second}`")]
    SeveralPhases { first: String, second: String },
    #[error("the catalogue has no phase `{key}` (hint: add it to crates/contract/src/phase.rs)")]
    UnknownPhase { key: String },
    #[error("`{key}` is missing")]
    Missing { key: &'static str },
    #[error("`{key}={value}` is no time in milliseconds: {why}")]
    BadTime { key: String, value: String, why: BadTime },
    #[error("`job={value}` is no job name")]
    BadJob { value: String },
    #[error("`partition={value}` is no partition index")]
    BadPartition { value: String },
}

/// Reads a line of standard error, given without its newline.
///
/// # Errors
/// The line is a timing line, or has been one, and is damaged or of another form than the one promised.
pub fn parse_line(line: &[u8]) -> Result<TimingLine<'_>, LineFault> {
    let Some(body) = body_of(line).map_err(LineFault::Torn)? else {
        return Ok(TimingLine::Other);
    };
    let valid_up_to = |error: std::str::Utf8Error| LINE_PREFIX.len() + error.valid_up_to();
    let text = std::str::from_utf8(body).map_err(|error| LineFault::NotUtf8 {
        valid_up_to: valid_up_to(error),
    })?;
    if text.contains('=') {
        return Pairs::read(text)?.into_phase().map(TimingLine::Timed);
    }
    if PHASES.iter().any(|phase| phase.marker.key().starts_with(text)) {
        return Err(LineFault::Torn(Torn::OnlyBeginning));
    }
    Ok(TimingLine::Note(text))
}

/// What follows the prefix, `None` for a line that never was a timing line.
fn body_of(line: &[u8]) -> Result<Option<&[u8]>, Torn> {
    let Some(at) = find(line, NAME) else {
        return no_name(line).map(|()| None);
    };
    if at > 0 {
        return Err(Torn::PrefixInside { at });
    }
    if let Some(second) = find(&line[NAME.len()..], NAME) {
        return Err(Torn::PrefixTwice {
            at: NAME.len() + second,
        });
    }
    line.strip_prefix(LINE_PREFIX.as_bytes())
        .map(Some)
        .ok_or(Torn::OnlyBeginning)
}

/// A line without the name may still be half of a timing line.
fn no_name(line: &[u8]) -> Result<(), Torn> {
    if !line.is_empty() && NAME.as_bytes().starts_with(line) {
        return Err(Torn::OnlyBeginning);
    }
    let keys = PHASES.iter().map(|phase| phase.marker.key()).chain([START_KEY]);
    match keys.into_iter().find(|key| holds_key(line, key)) {
        Some(key) => Err(Torn::WithoutBeginning { key }),
        None => Ok(()),
    }
}

fn holds_key(line: &[u8], key: &str) -> bool {
    find(line, key).is_some_and(|at| {
        let rest = &line[at + key.len()..];
        rest.first() == Some(&b'=') || holds_key(rest, key)
    })
}

fn find(line: &[u8], text: &str) -> Option<usize> {
    line.windows(text.len()).position(|window| window == text.as_bytes())
}

/// The pairs of a line that mean something, each at most once.
#[derive(Default)]
struct Pairs<'a> {
    phase: Option<(&'static Phase, &'a str)>,
    start: Option<&'a str>,
    job: Option<&'a str>,
    partition: Option<&'a str>,
    counts: Vec<(String, u64)>,
}

impl<'a> Pairs<'a> {
    fn read(text: &'a str) -> Result<Self, LineFault> {
        let mut pairs = Self::default();
        for pair in text.split(' ') {
            let (key, value) = split_pair(pair).ok_or_else(|| LineFault::MalformedPair { pair: pair.into() })?;
            match key {
                START_KEY => set(&mut pairs.start, key, value)?,
                "job" => set(&mut pairs.job, key, value)?,
                "partition" => set(&mut pairs.partition, key, value)?,
                _ if key.ends_with("_ms") => pairs.set_phase(key, value)?,
                _ => pairs
                    .counts
                    .extend(value.parse().ok().map(|count| (key.to_owned(), count))),
            }
        }
        Ok(pairs)
    }

    fn set_phase(&mut self, key: &'a str, value: &'a str) -> Result<(), LineFault> {
        let phase = by_key(key).ok_or_else(|| LineFault::UnknownPhase { key: key.into() })?;
        match self.phase.replace((phase, value)) {
            None => Ok(()),
            Some((first, _)) => Err(LineFault::SeveralPhases {
                first: first.marker.key().into(),
                second: key.into(),
            }),
        }
    }

    fn into_phase(self) -> Result<TimedPhase, LineFault> {
        let (phase, length) = self.phase.ok_or(LineFault::NoPhase)?;
        let length = time(phase.marker.key(), length)?;
        let start = time(START_KEY, required(self.start, START_KEY)?)?;
        let job = required(self.job, "job")?;
        let job = JobId::new(job).ok_or_else(|| LineFault::BadJob { value: job.into() })?;
        let partition = required(self.partition, "partition")?;
        let partition = index(partition).ok_or_else(|| LineFault::BadPartition {
            value: partition.into(),
        })?;
        Ok(TimedPhase {
            phase,
            span: Span { start, length },
            job,
            partition: PartitionIndex(partition),
            counts: self.counts,
        })
    }
}

fn set<'a>(slot: &mut Option<&'a str>, key: &str, value: &'a str) -> Result<(), LineFault> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(LineFault::RepeatedKey { key: key.into() }),
    }
}

fn required<'a>(slot: Option<&'a str>, key: &'static str) -> Result<&'a str, LineFault> {
    slot.ok_or(LineFault::Missing { key })
}

/// A second `=` in a pair is the seam of a tear.
fn split_pair(pair: &str) -> Option<(&str, &str)> {
    let (key, value) = pair.split_once('=')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_key && !value.is_empty() && !value.contains('=')).then_some((key, value))
}

/// Only as it is printed: no sign and no leading zeros, so that two numbers run together are seldom a third.
fn index(text: &str) -> Option<u32> {
    canonical_digits(text)?.parse().ok()
}

fn canonical_digits(text: &str) -> Option<&str> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits && (text == "0" || !text.starts_with('0'))).then_some(text)
}

/// Exact, in microseconds: a time printed with three decimals is one.
fn time(key: &str, value: &str) -> Result<Duration, LineFault> {
    let micros = parse_time(value);
    micros.map(Duration::from_micros).map_err(|why| LineFault::BadTime {
        key: key.into(),
        value: value.into(),
        why,
    })
}

fn parse_time(value: &str) -> Result<u64, BadTime> {
    let unsigned = value.trim_start_matches(['-', '+']);
    if ["nan", "inf"]
        .iter()
        .any(|word| unsigned.to_ascii_lowercase().starts_with(word))
    {
        return Err(BadTime::NotFinite);
    }
    if value.starts_with('-') {
        return Err(BadTime::Negative);
    }
    let (whole, fraction) = value.split_once('.').ok_or(BadTime::NotThreeDecimals)?;
    let is_fraction = fraction.len() == 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let whole = canonical_digits(whole)
        .filter(|_| is_fraction)
        .ok_or(BadTime::NotThreeDecimals)?;
    let whole: u64 = whole.parse().map_err(|_| BadTime::TooLarge)?;
    let fraction: u64 = fraction.parse().map_err(|_| BadTime::NotThreeDecimals)?;
    whole
        .checked_mul(1000)
        .and_then(|micros| micros.checked_add(fraction))
        .ok_or(BadTime::TooLarge)
}
