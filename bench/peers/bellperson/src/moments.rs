//! When bellperson was done with what, heard from its log.
//!
//! bellperson's calls go from circuit to proof; where synthesis ends inside, only its log tells. The moment at which a message
//! arrives is taken rather than the rounded duration in its text.

use std::sync::OnceLock;
use std::time::Instant;

use log::{LevelFilter, Log, Metadata, Record};

/// Beginning of the message that comes when all circuits are synthesised, just before bellperson's proof timer starts.
const SYNTHESISED: &str = "synthesis time: ";
/// Beginning of the message that comes when the proofs are made.
const PROVED: &str = "prover time: ";

static MOMENTS: Moments = Moments {
    synthesised: OnceLock::new(),
    proved: OnceLock::new(),
};

/// The first of each moment: a process makes one call.
struct Moments {
    synthesised: OnceLock<Instant>,
    proved: OnceLock<Instant>,
}

impl Moments {
    fn hear(&self, message: &str, now: Instant) {
        // A second message of a kind would not be the call that is measured.
        if message.starts_with(SYNTHESISED) {
            let _ = self.synthesised.set(now);
        } else if message.starts_with(PROVED) {
            let _ = self.proved.set(now);
        }
    }

    fn both(&self) -> Option<(Instant, Instant)> {
        Some((*self.synthesised.get()?, *self.proved.get()?))
    }
}

impl Log for Moments {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let now = Instant::now();
        if record.target().starts_with("bellperson") {
            self.hear(&record.args().to_string(), now);
        }
    }

    fn flush(&self) {}
}

/// Listens from now on.
pub fn listen() -> anyhow::Result<()> {
    log::set_logger(&MOMENTS).map_err(|error| anyhow::anyhow!("cannot listen to bellperson: {error}"))?;
    log::set_max_level(LevelFilter::Info);
    Ok(())
}

/// When synthesis and the proof were done; `None` where bellperson did not say so.
pub fn heard() -> Option<(Instant, Instant)> {
    MOMENTS.both()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_first_message_of_each_kind_counts() {
        let moments = Moments {
            synthesised: OnceLock::new(),
            proved: OnceLock::new(),
        };
        let at = |ms| Instant::now() + Duration::from_millis(ms);
        let (synthesised, proved) = (at(1), at(2));
        moments.hear("Bellperson 0.27.0 is being used!", at(0));
        moments.hear("synthesis time: 1.2s", synthesised);
        assert_eq!(moments.both(), None);
        moments.hear("prover time: 3s", proved);
        moments.hear("synthesis time: 9s", at(9));
        assert_eq!(moments.both(), Some((synthesised, proved)));
    }
}
