//! SIGTERM and SIGINT.

use std::io;

use cuzk_groth16::contract::exit::ExitCode;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A request to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndSignal {
    Terminate,
    Interrupt,
}

impl EndSignal {
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminate => "SIGTERM",
            Self::Interrupt => "SIGINT",
        }
    }

    pub fn exit_code(self) -> ExitCode {
        match self {
            Self::Terminate => ExitCode::Terminated,
            Self::Interrupt => ExitCode::Interrupted,
        }
    }
}

/// Catches both signals from its creation on.
pub struct EndSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl EndSignals {
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    pub async fn next(&mut self) -> EndSignal {
        tokio::select! {
            Some(()) = self.terminate.recv() => EndSignal::Terminate,
            Some(()) = self.interrupt.recv() => EndSignal::Interrupt,
            // The streams end with the process only.
            else => std::future::pending().await,
        }
    }
}
