//! The measured daemon: started from a sealed copy in its own temporary directory, watched, and stopped with its group.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use cuzk_artifact::Receipt;
use cuzk_contract::exit::ExitCode;
use cuzk_experiment::capture::{ByteLimit, Capture, Captured};
use cuzk_experiment::phases::Expectation;
use cuzk_os::{Ending, ProcessGroup, SealedProgram, memory};

use super::client::{Client, Identity};
use super::scrub_environment;
use crate::output::CommandError;

/// How long the daemon may take to answer.
const READY_LIMIT: Duration = Duration::from_secs(30);
/// How long after the answer the last timing line may come.
const LINES_LIMIT: Duration = Duration::from_secs(10);
/// How long a daemon without work may take to end.
pub const STOP_GRACE: Duration = Duration::from_secs(10);
/// How long the pipes may stay open after the group has ended.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// A running daemon that nobody else uses.
pub struct Session {
    group: ProcessGroup,
    capture: Capture,
    started: Instant,
    socket: String,
    // Declared last: the program and the directory outlive the process.
    _program: SealedProgram,
    _dir: tempfile::TempDir,
}

/// What a session leaves.
pub struct Ended {
    pub captured: Captured,
    /// Peak resident memory of the daemon; absent where it could not be read.
    pub peak_memory_kib: Option<u64>,
    /// How the daemon ended, unless it did as it was asked and with success.
    pub bad_end: Option<String>,
    /// From its start to its end.
    pub lived: Duration,
}

impl Session {
    /// Starts the program that `receipt` is about: the bytes that run are hashed as they are copied.
    pub fn start(receipt: &Receipt, cache: &Path) -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new()
            .prefix("cuzk-measure-")
            .tempdir()
            .context("temporary directory")?;
        let checked = receipt.program();
        let program = sealed_copy(Path::new(&checked.path), &checked.sha256.to_string(), dir.path())?;
        let socket = format!("unix://{}", dir.path().join("cuzk.sock").display());
        let mut command = Command::new(program.exec_path());
        command
            .args([
                "serve",
                "--listen",
                &socket,
                "--allow-development-parameters",
                "--cache",
            ])
            .arg(cache);
        scrub_environment(&mut command);
        let started = Instant::now();
        let mut group = ProcessGroup::spawn(command)?;
        let stdout = group.take_stdout().context("the daemon has no standard output")?;
        let stderr = group.take_stderr().context("the daemon has no standard error")?;
        let capture = Capture::start(stdout, stderr, started, ByteLimit::DEFAULT);
        Ok(Self {
            group,
            capture,
            started,
            socket,
            _program: program,
            _dir: dir,
        })
    }

    pub fn socket(&self) -> &str {
        &self.socket
    }

    /// Waits for the daemon's answer and makes sure that it is the process and the program that were started.
    pub fn wait_until_ready(&self, client: &Client<'_>, receipt: &Receipt) -> anyhow::Result<Identity> {
        let started = Instant::now();
        let identity = loop {
            match client.identity(&self.socket) {
                Ok(identity) => break identity,
                Err(error) if self.has_died()? || started.elapsed() > READY_LIMIT => return Err(error),
                Err(error) if is_final(&error) => return Err(error),
                Err(_) => {}
            }
        };
        self.check_identity(&identity, receipt)?;
        Ok(identity)
    }

    fn check_identity(&self, identity: &Identity, receipt: &Receipt) -> anyhow::Result<()> {
        let program_sha256 = receipt.program().sha256.to_string();
        let kernels_view = self.group.program_sha256()?.to_string();
        same(
            "process id",
            &self.group.leader().0.to_string(),
            &identity.pid.to_string(),
        )?;
        same(
            "build token",
            &receipt.build().build_token.to_string(),
            &identity.build_token,
        )?;
        same(
            "SHA-256 of the running program",
            &program_sha256,
            &identity.program_sha256,
        )?;
        same(
            "SHA-256 of the running program, seen from outside",
            &program_sha256,
            &kernels_view,
        )?;
        same(
            "build-id",
            receipt.program().build_id.as_deref().unwrap_or_default(),
            &identity.build_id,
        )
    }

    /// Waits until every expected line has arrived. Lines that have not are found missing later.
    pub fn wait_for_lines(&self, expectation: &Expectation) {
        self.capture.wait_until(expectation.arrivals(), LINES_LIMIT);
    }

    fn has_died(&self) -> anyhow::Result<bool> {
        Ok(self.group.wait_leader(Duration::ZERO)?.is_some())
    }

    /// Stops the whole group and collects what it printed.
    pub fn stop(mut self, grace: Duration) -> anyhow::Result<Ended> {
        let peak = memory::peak_resident_set(self.group.leader()).ok();
        // A client may notice the end of a dying daemon before the kernel reports it.
        self.group.wait_leader(Duration::from_millis(50))?;
        let stopped = self.group.terminate(grace)?;
        let lived = self.started.elapsed();
        let is_good = stopped.ending == Ending::InGrace && stopped.leader.success();
        let bad_end = (!is_good).then(|| format!("{:?}, {}", stopped.ending, stopped.leader));
        let captured = self.capture.finish(DRAIN_LIMIT);
        Ok(Ended {
            captured,
            peak_memory_kib: peak.map(|peak| peak.0),
            bad_end,
            lived,
        })
    }
}

/// A copy that cannot change any more of the program at `path`, or an error if it is not the checked one.
pub fn sealed_copy(path: &Path, checked_sha256: &str, private_root: &Path) -> anyhow::Result<SealedProgram> {
    let program = SealedProgram::load(path, private_root)?;
    same("SHA-256 of the program", checked_sha256, &program.sha256().to_string())
        .with_context(|| format!("{} changed between its check and its start", path.display()))?;
    Ok(program)
}

fn same(what: &str, expected: &str, actual: &str) -> anyhow::Result<()> {
    if expected == actual {
        return Ok(());
    }
    let message = format!("{what}: expected {expected}, found {actual}");
    let hint = "what answers is not what was checked; nothing is measured";
    Err(CommandError::new(ExitCode::MeasurementInvalid, message)
        .with_hint(hint)
        .into())
}

/// Whether asking again is of no use: a signal asked to stop.
pub fn is_final(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<CommandError>()
        .is_some_and(|error| matches!(error.code, ExitCode::Interrupted | ExitCode::Terminated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A program of one's own and its hash when it was checked.
    fn checked_program() -> (tempfile::TempDir, PathBuf, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        std::fs::copy("/bin/true", &path).unwrap();
        let sha256 = cuzk_artifact::Sha256Hash::of(&std::fs::read(&path).unwrap()).to_string();
        (dir, path, sha256)
    }

    fn assert_refused(result: anyhow::Result<SealedProgram>) {
        let Err(error) = result else {
            panic!("it must not start")
        };
        assert_eq!(
            error.downcast_ref::<CommandError>().unwrap().code,
            ExitCode::MeasurementInvalid
        );
        assert!(
            format!("{error:#}").contains("changed between its check and its start"),
            "{error:#}"
        );
    }

    #[test]
    fn a_program_that_is_as_it_was_checked_is_sealed() {
        let (dir, path, sha256) = checked_program();
        assert!(sealed_copy(&path, &sha256, dir.path()).is_ok());
    }

    #[test]
    fn a_program_replaced_between_check_and_start_is_refused() {
        let (dir, path, sha256) = checked_program();
        let other = dir.path().join("other");
        std::fs::copy("/bin/false", &other).unwrap();
        std::fs::rename(other, &path).unwrap();
        assert_refused(sealed_copy(&path, &sha256, dir.path()));
    }

    #[test]
    fn a_program_overwritten_in_place_between_check_and_start_is_refused() {
        let (dir, path, sha256) = checked_program();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_refused(sealed_copy(&path, &sha256, dir.path()));
    }
}
