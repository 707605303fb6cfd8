//! SIGINT and SIGTERM during a measurement: noticed, so that the daemon is stopped and the temporary directory removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context as _;
use cuzk_contract::exit::ExitCode;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::output::CommandError;

const NOTHING_SEEN: usize = 0;

/// Which signal asked to stop, if one did.
pub struct Interrupt {
    seen: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Takes over the signals for the rest of the process.
    pub fn install() -> anyhow::Result<Self> {
        let seen = Arc::new(AtomicUsize::new(NOTHING_SEEN));
        for signal in [SIGINT, SIGTERM] {
            let value = usize::try_from(signal).context("signals are small positive numbers")?;
            signal_hook::flag::register_usize(signal, Arc::clone(&seen), value).context("cannot handle signals")?;
        }
        Ok(Self { seen })
    }

    /// An error once a signal has come, with that signal's exit code.
    pub fn check(&self) -> anyhow::Result<()> {
        let (code, message) = match self.seen.load(Ordering::SeqCst) {
            NOTHING_SEEN => return Ok(()),
            seen if usize::try_from(SIGTERM) == Ok(seen) => (ExitCode::Terminated, "terminated"),
            _ => (ExitCode::Interrupted, "interrupted"),
        };
        Err(CommandError::new(code, message).into())
    }
}
