//! One process with its time and its output bounded.

use std::io::{self, Read as _};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cuzk_groth16::srs::CancelToken;

use crate::peer::error::PeerError;
use crate::peer::line::{LineError, MAX_LINE_BYTES};

/// Between two looks at a process. Rarely enough to leave it the processor, and no part of what is measured.
const POLL: Duration = Duration::from_millis(10);

/// When a process is stopped.
pub struct Limits {
    pub timeout: Duration,
    pub cancel: CancelToken,
}

/// A process that does not outlive its handle.
pub struct Running(Child);

impl Running {
    pub fn start(program: &str, command: &mut Command) -> Result<Self, PeerError> {
        let started = command.stdin(Stdio::null()).spawn();
        started.map(Self).map_err(|reason| PeerError::NotStarted {
            program: program.to_owned(),
            reason,
        })
    }

    /// Waits for the end of the process and, where `also` is given, until that holds too.
    pub fn wait(&mut self, program: &str, limits: &Limits, also: impl Fn() -> bool) -> Result<ExitStatus, PeerError> {
        let start = Instant::now();
        let lost = |source| PeerError::Lost {
            program: program.to_owned(),
            source,
        };
        loop {
            if let Some(status) = self.0.try_wait().map_err(lost)?
                && also()
            {
                return Ok(status);
            }
            if limits.cancel.is_cancelled() {
                return Err(PeerError::Interrupted);
            }
            if start.elapsed() >= limits.timeout {
                return Err(PeerError::TimedOut {
                    program: program.to_owned(),
                    after: limits.timeout,
                });
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail where the process has ended and was waited for, which is what they are after.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a program to its successful end and returns what it printed. Its standard error is this program's.
pub fn output(program: &str, mut command: Command, limits: &Limits) -> Result<Vec<u8>, PeerError> {
    let mut running = Running::start(program, command.stdout(Stdio::piped()))?;
    let reader = running.0.stdout.take().map(read);
    let status = running.wait(program, limits, || reader.as_ref().is_none_or(JoinHandle::is_finished))?;
    let stdout = reader.and_then(|reader| reader.join().ok()).unwrap_or(Ok(vec![]));
    let stdout = stdout.map_err(|source| PeerError::Lost {
        program: program.to_owned(),
        source,
    })?;
    // A program that prints without end dies of its closed pipe; the cause is the better answer.
    if stdout.len() as u64 > MAX_LINE_BYTES {
        return Err(PeerError::Line {
            program: program.to_owned(),
            source: LineError::TooLong,
        });
    }
    if !status.success() {
        let program = program.to_owned();
        return Err(PeerError::Ended { program, status });
    }
    Ok(stdout)
}

/// Reads one byte more than is allowed at most, and closes the pipe then.
fn read(pipe: ChildStdout) -> JoinHandle<io::Result<Vec<u8>>> {
    thread::spawn(move || {
        let mut bytes = vec![];
        pipe.take(MAX_LINE_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}
