//! `cuzk-bench`, started as a process: parameters, readiness, the proof. Its JSON is all that is known about it here.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use cuzk_artifact::Receipt;
use cuzk_contract::exit::{ExitCode, TABLE};
use cuzk_os::SealedProgram;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::interrupt::Interrupt;
use super::scrub_environment;
use super::session::sealed_copy;
use crate::output::CommandError;

/// How often a running call is looked at.
const POLL: Duration = Duration::from_millis(2);

/// How long a client that was told to end may take.
const CLIENT_GRACE: Duration = Duration::from_secs(2);

/// The client program and what every call of it shares.
pub struct Client<'a> {
    program: SealedProgram,
    // The program may lie in it.
    _dir: tempfile::TempDir,
    cache: &'a Path,
    interrupt: &'a Interrupt,
    /// Bound on one call, parameters aside.
    limit: Duration,
}

/// What the running daemon says it is.
#[derive(Debug, Deserialize)]
pub struct Identity {
    pub pid: u32,
    pub build_token: String,
    pub program_sha256: String,
    pub build_id: String,
    pub backend: String,
}

/// A proof that the client has verified itself.
#[derive(Debug, Deserialize)]
pub struct Proved {
    pub request_id: String,
    /// Hex.
    pub proof: String,
    pub verified_by_bellperson: bool,
    pub verifying_key_sha256: String,
    pub development_parameters: bool,
}

/// The document that the client prints when it fails.
#[derive(Deserialize)]
struct Failure {
    error: FailureDetail,
}

#[derive(Deserialize)]
struct FailureDetail {
    message: String,
    hint: Option<String>,
}

impl<'a> Client<'a> {
    /// The judge of the proof is sealed like the prover: the bytes that were checked are the ones that run.
    pub fn new(receipt: &Receipt, cache: &'a Path, interrupt: &'a Interrupt, limit_s: u64) -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new()
            .prefix("cuzk-client-")
            .tempdir()
            .context("temporary directory")?;
        let checked = receipt.program();
        let program = sealed_copy(Path::new(&checked.path), &checked.sha256.to_string(), dir.path())?;
        Ok(Self {
            program,
            _dir: dir,
            cache,
            interrupt,
            limit: Duration::from_secs(limit_s),
        })
    }

    /// Makes the parameters if there are none; the program shows its progress on standard error.
    pub fn parameters(&self, proof: &str) -> anyhow::Result<serde_json::Value> {
        self.call(&["params", "--proof", proof, "--cache", &self.cache.to_string_lossy()])
    }

    /// Waits until the daemon answers, and asks it who it is.
    pub fn identity(&self, socket: &str) -> anyhow::Result<Identity> {
        self.call(&["identity", "--socket", socket, "--wait-s", "1"])
    }

    /// Has the daemon load the parameters, so that reading a file is not part of the measured proof.
    pub fn preload(&self, socket: &str, proof: &str) -> anyhow::Result<serde_json::Value> {
        self.call(&["preload", "--socket", socket, "--proof", proof])
    }

    pub fn prove(&self, socket: &str, request_id: &str, proof: &str, seed: u64) -> anyhow::Result<Proved> {
        let (cache, seed) = (self.cache.to_string_lossy(), seed.to_string());
        let timeout_s = self.limit.as_secs().to_string();
        let args = [
            "prove",
            "--socket",
            socket,
            "--request-id",
            request_id,
            "--proof",
            proof,
            "--seed",
            &seed,
        ];
        self.call(&[&args[..], &["--cache", &cache, "--timeout-s", &timeout_s]].concat())
    }

    fn call<T: DeserializeOwned>(&self, args: &[&str]) -> anyhow::Result<T> {
        let mut command = Command::new(self.program.exec_path());
        command
            .args(args)
            .arg("--json")
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        scrub_environment(&mut command);
        let what = format!("cuzk-bench {}", args[0]);
        let mut child = command.spawn().with_context(|| what.clone())?;
        self.wait_for_end(&mut child, args[0])?;
        let output = child.wait_with_output().with_context(|| what.clone())?;
        self.interrupt.check()?;
        if !output.status.success() {
            return Err(failure(args[0], output.status.code(), &output.stdout).into());
        }
        serde_json::from_slice(&output.stdout).with_context(|| format!("{what} printed no valid JSON"))
    }

    /// Waits for the client to end. Its output is one small document, which the pipe holds meanwhile.
    fn wait_for_end(&self, child: &mut Child, command: &str) -> anyhow::Result<()> {
        let started = Instant::now();
        while child.try_wait()?.is_none() {
            if let Err(interrupted) = self.interrupt.check() {
                end(child)?;
                return Err(interrupted);
            }
            // Making parameters shows its own progress and has no bound; the client itself ends first where it can.
            if command != "params" && started.elapsed() > self.limit + CLIENT_GRACE {
                end(child)?;
                let message = format!("cuzk-bench {command} took longer than {} s", self.limit.as_secs());
                return Err(CommandError::new(ExitCode::Timeout, message)
                    .with_hint("raise --timeout-s")
                    .into());
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}

/// Ends a client that is not wanted any more. One on the same terminal has got the signal too and cleans up meanwhile; what
/// a killed generator leaves, the next one removes.
fn end(child: &mut Child) -> anyhow::Result<()> {
    let started = Instant::now();
    while child.try_wait()?.is_none() && started.elapsed() < CLIENT_GRACE {
        std::thread::sleep(POLL);
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

fn failure(command: &str, status: Option<i32>, stdout: &[u8]) -> CommandError {
    let code = TABLE
        .iter()
        .map(|(code, _)| *code)
        .find(|code| status == Some(i32::from(code.code())));
    let code = code.unwrap_or(ExitCode::CheckFailed);
    match serde_json::from_slice::<Failure>(stdout) {
        Ok(Failure { error }) => {
            let message = format!("cuzk-bench {command}: {}", error.message);
            CommandError {
                code,
                message,
                hint: error.hint,
            }
        }
        Err(_) => CommandError::new(
            code,
            format!("cuzk-bench {command} failed without saying why: {status:?}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_code_message_and_hint() {
        let stdout = br#"{"ok":false,"error":{"code":23,"message":"proof refused","hint":"look"}}"#;
        let error = failure("prove", Some(23), stdout);
        assert_eq!(error.code, ExitCode::ProofInvalid);
        assert_eq!(error.message, "cuzk-bench prove: proof refused");
        assert_eq!(error.hint.as_deref(), Some("look"));
    }

    #[test]
    fn an_unknown_status_is_not_success() {
        assert_eq!(failure("prove", Some(99), b"").code, ExitCode::CheckFailed);
        assert_eq!(failure("prove", None, b"").code, ExitCode::CheckFailed);
    }
}
