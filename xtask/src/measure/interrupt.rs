//! Ctrl-C and SIGTERM during a measurement: noticed, so that the daemon is stopped and the temporary directory removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use cuzk_contract::exit::ExitCode;

use crate::output::CommandError;

/// Whether the user asked to stop.
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Takes over the signals for the rest of the process.
    pub fn install() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&asked);
        ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst)).context("cannot handle Ctrl-C")?;
        Ok(Self { asked })
    }

    /// An error once the user has asked to stop.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.asked.load(Ordering::SeqCst) {
            return Err(CommandError::new(ExitCode::Interrupted, "interrupted").into());
        }
        Ok(())
    }
}
