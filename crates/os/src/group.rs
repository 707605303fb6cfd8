//! A process together with all its descendants, started as one and stopped as one.
//!
//! The process becomes the leader of a session of its own, so a terminal's Ctrl-C does not reach it, and asks the kernel
//! to be killed when the thread that started it dies.
//!
//! **Whom a signal can reach.** A process id can be given to somebody else once its process has been waited for and no
//! group or session bears its number. The leader is therefore observed without being waited for (`WNOWAIT`) and stays a
//! zombie until no other process of its group and session lives; up to then the number can only mean this group. A process
//! of the session outside the group is signalled through a process descriptor, after its session was read again behind
//! that descriptor. After the leader has been waited for nothing is signalled any more.
//!
//! **Forking against a kill.** One `kill` of a group reaches every member at one instant; a fork that it meets either is
//! complete, and the child is a member, or fails because of the pending signal. What joins later is met by repeating.
//!
//! Left out: descendants that open a session of their own, which nothing ties to us any more, and the environment of the
//! command, which the caller sets.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};

use crate::sealed::{ProgramSha256, SealError, running_program_sha256};
use members::{living_members, session_of};

mod members;
#[cfg(test)]
mod tests;

/// How often what cannot be waited for is looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);
/// How long killed processes may take to die. One that waits for a device in the kernel can take longer.
const KILL_LIMIT: Duration = Duration::from_secs(10);
/// How long a start waits for a descriptor that another thread's child still has open for writing.
const BUSY_LIMIT: Duration = Duration::from_secs(1);

/// The id of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a group could not be started, observed or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: io::Error },

    #[error(
        "SIGCHLD is ignored in this process, so the end of a child would go unseen and its id could be reused \
         (hint: the program that started this one ignores it)"
    )]
    ChildSignalIgnored,

    #[error("process {leader} was waited for by somebody else; its group is not signalled any more")]
    NotHeld { leader: ProcessId },

    #[error("cannot {step} process group {leader}: {source}")]
    System {
        step: &'static str,
        leader: ProcessId,
        source: io::Error,
    },

    #[error("processes {survivors:?} of group {leader} still live {waited:?} after SIGKILL")]
    Survivors {
        leader: ProcessId,
        survivors: Vec<ProcessId>,
        waited: Duration,
    },
}

/// What it took for the group to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It had ended, with all descendants, before it was asked to.
    ByItself,
    /// After SIGTERM, within the grace period.
    InGrace,
    /// By SIGKILL.
    Killed,
}

/// How a group ended; every process of it is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Status of the leader.
    pub leader: ExitStatus,
    /// Of the whole group: a leader can end in time and leave descendants that had to be killed.
    pub ending: Ending,
}

/// A running process and its descendants. Dropping it kills them.
#[derive(Debug)]
pub struct ProcessGroup {
    /// Never waited for through this handle until the group is empty.
    child: Child,
    leader: Pid,
    /// `None` where the kernel has no process descriptors; then the end is looked for instead of waited for.
    descriptor: Option<OwnedFd>,
    stopped: Option<Stopped>,
}

impl ProcessGroup {
    /// Starts `command` with standard input empty, standard output and error as pipes.
    ///
    /// The thread that calls this must live for as long as the group is to: the kernel kills the leader when it ends.
    ///
    /// # Errors
    /// The program cannot be started; SIGCHLD is ignored in this process.
    pub fn spawn(mut command: Command) -> Result<Self, GroupError> {
        if members::ignores_child_signal() {
            return Err(GroupError::ChildSignalIgnored);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let parent = rustix::process::getpid();
        // SAFETY: the hook runs in the child between fork and exec, where only async-signal-safe work is allowed.
        // `become_leader` makes three system calls; it allocates nothing, takes no lock and cannot panic.
        unsafe { command.pre_exec(move || become_leader(parent)) };
        let child = start(&mut command).map_err(|source| {
            let program = command.get_program().display().to_string();
            GroupError::Start { program, source }
        })?;
        let leader = Pid::from_child(&child);
        let descriptor = rustix::process::pidfd_open(leader, PidfdFlags::empty()).ok();
        Ok(Self {
            child,
            leader,
            descriptor,
            stopped: None,
        })
    }

    /// The id of the leader, which is also that of its group and session.
    pub fn leader(&self) -> ProcessId {
        process_id(self.leader)
    }

    /// The reading end of the leader's standard output, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// The reading end of the leader's standard error, once.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// The leader's status as soon as it has ended, `None` if it still runs after `timeout`.
    ///
    /// # Errors
    /// The leader was waited for by somebody else.
    pub fn wait_leader(&self, timeout: Duration) -> Result<Option<ExitStatus>, GroupError> {
        let deadline = Instant::now() + timeout;
        loop {
            let status = self.leader_status()?;
            let left = deadline.saturating_duration_since(Instant::now());
            if status.is_some() || left.is_zero() {
                return Ok(status);
            }
            self.sleep_until_leader_ends(left);
        }
    }

    /// Hash of the program that the leader runs; its id cannot have been reused.
    ///
    /// # Errors
    /// The leader has ended.
    pub fn program_sha256(&self) -> Result<ProgramSha256, SealError> {
        let pid = self.leader();
        match self.stopped {
            None => running_program_sha256(pid),
            Some(_) => Err(SealError::Running {
                pid,
                source: Errno::SRCH.into(),
            }),
        }
    }

    /// Ends the group: SIGTERM, then after `grace` SIGKILL until no process of it lives, then waits for the leader.
    /// Calling it again gives the same answer.
    ///
    /// # Errors
    /// Something still lives some seconds after SIGKILL (it can be called again), or the system does not let us look.
    pub fn terminate(&mut self, grace: Duration) -> Result<Stopped, GroupError> {
        if let Some(stopped) = self.stopped {
            return Ok(stopped);
        }
        let ending = if self.living()?.is_empty() {
            Ending::ByItself
        } else {
            self.signal(Signal::TERM)?;
            if self.is_empty_within(grace)? {
                Ending::InGrace
            } else {
                self.kill()?
            }
        };
        self.reap(ending)
    }

    fn leader_status(&self) -> Result<Option<ExitStatus>, GroupError> {
        if let Some(stopped) = self.stopped {
            return Ok(Some(stopped.leader));
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.leader), options) {
            Ok(status) => Ok(status.map(|status| {
                let core_flag = if status.dumped() { 0x80 } else { 0 };
                let signal = status.terminating_signal().unwrap_or(0) | core_flag;
                ExitStatus::from_raw(status.exit_status().map_or(signal, |code| code << 8))
            })),
            Err(Errno::CHILD) => Err(GroupError::NotHeld { leader: self.leader() }),
            Err(errno) => Err(self.system("observe", errno)),
        }
    }

    fn sleep_until_leader_ends(&self, at_most: Duration) {
        let Some(descriptor) = &self.descriptor else {
            return thread::sleep(at_most.min(LOOK_INTERVAL));
        };
        let timeout = Timespec::try_from(at_most).ok();
        let mut watched = [PollFd::new(descriptor, PollFlags::IN)];
        if rustix::event::poll(&mut watched, timeout.as_ref()).is_err() {
            thread::sleep(at_most.min(LOOK_INTERVAL));
        }
    }

    /// Processes of the group and session that are not zombies. Fails where the leader is not held, so that no signal
    /// follows.
    fn living(&self) -> Result<Vec<Pid>, GroupError> {
        self.leader_status()?;
        living_members(self.leader).map_err(|source| self.system("list", source))
    }

    fn is_empty_within(&self, limit: Duration) -> Result<bool, GroupError> {
        let deadline = Instant::now() + limit;
        self.wait_leader(limit)?;
        while !self.living()?.is_empty() {
            if Instant::now() >= deadline {
                return Ok(false);
            }
            thread::sleep(LOOK_INTERVAL);
        }
        Ok(true)
    }

    fn kill(&self) -> Result<Ending, GroupError> {
        let deadline = Instant::now() + KILL_LIMIT;
        loop {
            self.signal(Signal::KILL)?;
            let survivors = self.living()?;
            if survivors.is_empty() {
                return Ok(Ending::Killed);
            }
            if Instant::now() >= deadline {
                let survivors = survivors.into_iter().map(process_id).collect();
                return Err(GroupError::Survivors {
                    leader: self.leader(),
                    survivors,
                    waited: KILL_LIMIT,
                });
            }
            thread::sleep(LOOK_INTERVAL);
        }
    }

    fn signal(&self, signal: Signal) -> Result<(), GroupError> {
        let living = self.living()?;
        match rustix::process::kill_process_group(self.leader, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(errno) => return Err(self.system("signal", errno)),
        }
        living
            .into_iter()
            .for_each(|pid| self.signal_outside_group(pid, signal));
        Ok(())
    }

    /// A member of the session that made a group of its own. The descriptor fixes which process is meant before its
    /// session is read, so an id that was reused in between is never signalled.
    fn signal_outside_group(&self, pid: Pid, signal: Signal) {
        let Ok(descriptor) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else {
            return;
        };
        let is_outside = session_of(pid).is_some_and(|of| of.session == self.leader && of.group != self.leader);
        if is_outside {
            // It may have ended; what still lives is seen in the next look.
            let _ = rustix::process::pidfd_send_signal(&descriptor, signal);
        }
    }

    /// The group is empty but for its zombie leader, as far as a list that takes time to read can tell; a last SIGKILL
    /// reaches whoever was born beside the list. After this the number is free and must not be used.
    fn reap(&mut self, ending: Ending) -> Result<Stopped, GroupError> {
        let leader = self.leader();
        self.signal(Signal::KILL)?;
        let status = self.child.wait().map_err(|source| GroupError::System {
            step: "wait for",
            leader,
            source,
        })?;
        Ok(*self.stopped.insert(Stopped { leader: status, ending }))
    }

    fn system(&self, step: &'static str, source: impl Into<io::Error>) -> GroupError {
        GroupError::System {
            step,
            leader: self.leader(),
            source: source.into(),
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if self.stopped.is_none() && self.kill().is_ok() {
            let _ = self.reap(Ending::Killed);
        }
    }
}

fn process_id(pid: Pid) -> ProcessId {
    ProcessId(pid.as_raw_nonzero().get().unsigned_abs())
}

/// Runs in the child, before the program. A parent that died before the second call would never be noticed, hence the third.
fn become_leader(parent: Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() == Some(parent) {
        Ok(())
    } else {
        Err(Errno::SRCH.into())
    }
}

/// A freshly written program is busy as long as a child that another thread is just starting has inherited its descriptor.
fn start(command: &mut Command) -> io::Result<Child> {
    let deadline = Instant::now() + BUSY_LIMIT;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && Instant::now() < deadline => {
                thread::sleep(LOOK_INTERVAL);
            }
            result => return result,
        }
    }
}
