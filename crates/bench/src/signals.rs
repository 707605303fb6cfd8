//! SIGINT and SIGTERM: the first one asks work to stop, the second one ends the program.

use std::sync::{Arc, OnceLock};
use std::thread;

use cuzk_groth16::contract::exit::ExitCode;
use cuzk_groth16::srs::CancelToken;
use tokio::signal::unix::{SignalKind, signal};

use crate::client;

/// Which signal came first, once one has come.
#[derive(Clone, Default)]
pub struct Ended(Arc<OnceLock<ExitCode>>);

impl Ended {
    /// The exit code that the signal stands for.
    pub fn by(&self) -> Option<ExitCode> {
        self.0.get().copied()
    }
}

/// From now on the first signal cancels `token`.
///
/// # Errors
/// The system refuses the handlers or the thread that waits for them.
pub fn cancel_on_signal(token: CancelToken) -> anyhow::Result<Ended> {
    let ended = Ended::default();
    let seen = ended.clone();
    let runtime = client::runtime()?;
    let (mut interrupt, mut terminate) = {
        let _context = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    thread::Builder::new().name("signals".into()).spawn(move || {
        runtime.block_on(async {
            loop {
                let code = tokio::select! {
                    Some(()) = interrupt.recv() => ExitCode::Interrupted,
                    Some(()) = terminate.recv() => ExitCode::Terminated,
                    else => return,
                };
                token.cancel();
                if seen.0.set(code).is_err() {
                    std::process::exit(code.code().into()); // Whoever signals twice does not want to wait.
                }
            }
        });
    })?;
    Ok(ended)
}
