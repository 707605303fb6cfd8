//! Circuit ids: the closed list of proof kinds, strictly parsed and canonically printed.
//!
//! Left out: how the wire enumerations of a service map onto kinds; that belongs to the service.
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

use crate::porep::PorepKind;

/// The forms of a circuit id, for messages and help texts.
pub const KNOWN_FORMS: &str =
    "winning-32g, porep-2k, porep-32g, porep-32g:1, bench:K:F (K from 4 to 27, F from 0 to 1)";

const WINNING_32G: &str = "winning-32g";
const BENCH_PREFIX: &str = "bench:";
/// No id is longer than its prefix, two digits and a share printed in full; anything longer is not worth parsing.
const MAX_ID_BYTES: usize = 64;
const LOG_DOMAINS: RangeInclusive<u32> = 4..=27;

/// Which circuit a proof is made of. `Display` prints the circuit id, `FromStr` reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofKind {
    /// WinningPoSt for one 32 GiB sector: 66 challenges, 370,590 constraints.
    Winning32G,
    /// PoRep of one sector.
    Porep(PorepKind),
    /// The synthetic circuit of a chosen size and share of boolean variables.
    Bench(BenchSpec),
}

/// Size and boolean share of the bench circuit, within bounds by construction.
#[derive(Clone, Copy, Debug)]
pub struct BenchSpec {
    log_domain: u32,
    bool_share: f64,
}

/// Why a text is not a circuit id.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum KindError {
    #[error("unknown proof kind {actual:?} (hint: known kinds are {KNOWN_FORMS})")]
    Unknown { actual: String },
    #[error("proof kind of {actual} bytes is too long, at most {MAX_ID_BYTES} (hint: known kinds are {KNOWN_FORMS})")]
    TooLong { actual: usize },
    #[error("bench kind {actual:?} has not the form bench:K:F (hint: for instance bench:16:0.9)")]
    BenchForm { actual: String },
    #[error("bench size {actual:?} is not a whole number from 4 to 27 (hint: K is the binary logarithm of the domain)")]
    BenchSize { actual: String },
    #[error("boolean share {actual:?} is not a decimal number from 0 to 1 (hint: for instance 0.9)")]
    BenchShare { actual: String },
}

impl BenchSpec {
    /// A circuit of `2^log_domain - 3` constraints, of whose variables about `bool_share` are boolean.
    ///
    /// # Errors
    /// `log_domain` outside 4 to 27, `bool_share` outside 0 to 1 or not a number.
    pub fn new(log_domain: u32, bool_share: f64) -> Result<Self, KindError> {
        if !LOG_DOMAINS.contains(&log_domain) {
            return Err(KindError::BenchSize {
                actual: log_domain.to_string(),
            });
        }
        if !(0.0..=1.0).contains(&bool_share) {
            return Err(KindError::BenchShare {
                actual: bool_share.to_string(),
            });
        }
        // The sum turns -0 into 0, so that equal shares have equal bits and one printed form.
        Ok(Self {
            log_domain,
            bool_share: bool_share + 0.0,
        })
    }

    /// Binary logarithm of the evaluation domain that the circuit fills but for one row.
    pub fn log_domain(&self) -> u32 {
        self.log_domain
    }

    /// Share of boolean variables, 0 to 1.
    pub fn bool_share(&self) -> f64 {
        self.bool_share
    }

    /// Constraints of the circuit itself; one row for each of the two inputs comes on top.
    pub fn constraints(&self) -> usize {
        (1 << self.log_domain) - 3
    }
}

impl PartialEq for BenchSpec {
    fn eq(&self, other: &Self) -> bool {
        self.log_domain == other.log_domain && self.bool_share.to_bits() == other.bool_share.to_bits()
    }
}

impl Eq for BenchSpec {}

impl Hash for BenchSpec {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.log_domain, self.bool_share.to_bits()).hash(state);
    }
}

impl fmt::Display for ProofKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Winning32G => f.pad(WINNING_32G),
            Self::Porep(kind) => kind.fmt(f),
            Self::Bench(spec) => f.pad(&format!("{BENCH_PREFIX}{}:{}", spec.log_domain, spec.bool_share)),
        }
    }
}

impl FromStr for ProofKind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Self, KindError> {
        if text.len() > MAX_ID_BYTES {
            return Err(KindError::TooLong { actual: text.len() });
        }
        if text == WINNING_32G {
            return Ok(Self::Winning32G);
        }
        if let Some(kind) = PorepKind::ALL.into_iter().find(|kind| kind.id() == text) {
            return Ok(Self::Porep(kind));
        }
        match text.strip_prefix(BENCH_PREFIX) {
            Some(rest) => parse_bench(text, rest).map(Self::Bench),
            None => Err(KindError::Unknown {
                actual: text.to_owned(),
            }),
        }
    }
}

fn parse_bench(text: &str, rest: &str) -> Result<BenchSpec, KindError> {
    let Some((size, share)) = rest.split_once(':') else {
        return Err(KindError::BenchForm {
            actual: text.to_owned(),
        });
    };
    BenchSpec::new(parse_size(size)?, parse_share(share)?)
}

/// Digits only, and no leading zero: the standard parser would also take `+16` and `016`.
fn parse_size(text: &str) -> Result<u32, KindError> {
    let refused = || KindError::BenchSize {
        actual: text.to_owned(),
    };
    if !is_digits(text) || text.starts_with('0') {
        return Err(refused());
    }
    text.parse().map_err(|_| refused())
}

/// `0`, `1`, `0.9`, `0.90`: digits, and after a point more digits; no sign, exponent, `inf` or `NaN`.
fn parse_share(text: &str) -> Result<f64, KindError> {
    let refused = || KindError::BenchShare {
        actual: text.to_owned(),
    };
    let well_formed = match text.split_once('.') {
        Some((whole, fraction)) => is_digits(whole) && is_digits(fraction),
        None => is_digits(text),
    };
    let share = if well_formed {
        text.parse().map_err(|_| refused())?
    } else {
        return Err(refused());
    };
    if (0.0..=1.0).contains(&share) {
        Ok(share)
    } else {
        Err(refused())
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
