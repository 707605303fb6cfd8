//! Real processes: small shell scripts that do what makes stopping hard.
#![allow(
    clippy::disallowed_methods,
    reason = "these tests start processes, one of them this program itself"
)]

use std::io::{BufRead, BufReader, Read};

use super::members::{Life, session_of};
use super::*;

/// Long enough for a busy machine, short enough to notice.
const PATIENCE: Duration = Duration::from_secs(20);
const ROLE: &str = "CUZK_OS_TEST_ROLE";

fn shell(script: &str) -> ProcessGroup {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    ProcessGroup::spawn(command).unwrap()
}

/// Reads numbers, one a line, until `n` have come: the script says that it is ready by printing them.
fn numbers(group: &mut ProcessGroup, n: usize) -> (Vec<i32>, BufReader<ChildStdout>) {
    let mut lines = BufReader::new(group.take_stdout().unwrap());
    let read = |lines: &mut BufReader<_>| {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    };
    ((0..n).map(|_| read(&mut lines)).collect(), lines)
}

/// This test program, running the one test that plays a part in another.
fn this_program(part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", part, "--nocapture"]).env(ROLE, "part");
    command
}

/// The process that a part of another test tells of.
fn announced_child(stdout: ChildStdout) -> i32 {
    let mut lines = BufReader::new(stdout).lines().map(Result::unwrap);
    lines
        .find_map(|line| line.split_once("child=")?.1.parse().ok())
        .unwrap()
}

fn is_living(pid: i32) -> bool {
    session_of(Pid::from_raw(pid).unwrap()).is_some_and(|of| of.life == Life::Living)
}

fn wait_for_death(pid: i32) {
    let deadline = Instant::now() + PATIENCE;
    while is_living(pid) {
        assert!(Instant::now() < deadline, "process {pid} still lives");
        thread::sleep(LOOK_INTERVAL);
    }
}

#[test]
fn a_process_that_obeys_ends_in_grace_with_its_own_status() {
    let mut group = shell("trap 'exit 7' TERM; echo $$; while :; do sleep 0.02; done");
    let (ids, _) = numbers(&mut group, 1);
    assert_eq!(ids, [group.leader().0.cast_signed()]);
    let stopped = group.terminate(PATIENCE).unwrap();
    assert_eq!((stopped.ending, stopped.leader.code()), (Ending::InGrace, Some(7)));
    assert_eq!(group.terminate(PATIENCE).unwrap(), stopped);
}

#[test]
fn a_process_that_ignores_sigterm_is_killed_after_the_grace_period() {
    let mut group = shell("trap '' TERM; echo $$; while :; do sleep 0.02; done");
    let (ids, _) = numbers(&mut group, 1);
    let start = Instant::now();
    let stopped = group.terminate(Duration::from_millis(200)).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(200));
    assert_eq!((stopped.ending, stopped.leader.signal()), (Ending::Killed, Some(9)));
    assert!(!is_living(ids[0]));
}

#[test]
fn what_is_forked_in_a_signal_handler_does_not_survive() {
    // Each child ignores SIGTERM and says who it is; the leader then exits in time, as if all were well.
    let child = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.02; done' &";
    let mut group = shell(&format!(
        "trap \"{} {} exit 0\" TERM; echo $$; while :; do sleep 0.02; done",
        quoted(child),
        quoted(child)
    ));
    let (_, mut lines) = numbers(&mut group, 1);
    let stopped = group.terminate(Duration::from_secs(1)).unwrap();
    assert_eq!((stopped.ending, stopped.leader.code()), (Ending::Killed, Some(0)));
    // Both children held the pipe: its end shows that no writer is left.
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    let children: Vec<i32> = rest.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(children.len(), 2, "{rest:?}");
    assert!(children.into_iter().all(|pid| !is_living(pid)));
}

fn quoted(script: &str) -> String {
    script.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")
}

#[test]
fn a_storm_of_forks_is_killed() {
    // Each process starts the next and ends, so that a list of processes is always old.
    let script = "trap '' TERM; storm() { (storm) & (exit 0); }; echo $$; storm; while :; do storm; sleep 0.2; done";
    let mut group = shell(script);
    let (_, mut lines) = numbers(&mut group, 1);
    let stopped = group.terminate(Duration::from_millis(100)).unwrap();
    assert_eq!(stopped.ending, Ending::Killed);
    assert_eq!(lines.read(&mut [0]).unwrap(), 0, "somebody still holds the pipe");
}

#[test]
fn a_member_of_the_session_in_a_group_of_its_own_is_killed() {
    let mut group = ProcessGroup::spawn(this_program("group::tests::leader_of_two_groups")).unwrap();
    let child = announced_child(group.take_stdout().unwrap());
    let of = session_of(Pid::from_raw(child).unwrap()).unwrap();
    assert_ne!(of.group, group.leader);
    assert_eq!(of.session, group.leader);
    assert_eq!(
        group.terminate(Duration::from_millis(100)).unwrap().ending,
        Ending::Killed
    );
    assert!(!is_living(child));
}

/// Not a test of its own: the program of the test above.
#[test]
fn leader_of_two_groups() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let mut stubborn = Command::new("/bin/sh");
    stubborn.args(["-c", "trap '' TERM; echo child=$$; while :; do sleep 0.02; done"]);
    let mut child = stubborn.process_group(0).spawn().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_process_that_ends_early_is_seen_and_not_signalled() {
    let mut group = shell("exit 3");
    let status = group.wait_leader(PATIENCE).unwrap().unwrap();
    assert_eq!(status.code(), Some(3));
    // Held as a zombie: the number is not free.
    assert_eq!(session_of(group.leader).unwrap().life, Life::Ended);
    let stopped = group.terminate(PATIENCE).unwrap();
    assert_eq!((stopped.ending, stopped.leader), (Ending::ByItself, status));
    assert!(group.program_sha256().is_err());
}

#[test]
fn descendants_of_a_leader_that_ended_are_stopped() {
    let mut group = shell("sleep 60 & echo $!");
    let (ids, _) = numbers(&mut group, 1);
    assert!(group.wait_leader(PATIENCE).unwrap().is_some());
    assert!(is_living(ids[0]));
    let stopped = group.terminate(PATIENCE).unwrap();
    assert_eq!((stopped.ending, stopped.leader.code()), (Ending::InGrace, Some(0)));
    assert!(!is_living(ids[0]));
}

#[test]
fn a_stopped_process_is_killed() {
    let mut group = shell("kill -STOP $$; sleep 60");
    let stat = format!("/proc/{}/stat", group.leader());
    while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
        thread::sleep(LOOK_INTERVAL);
    }
    let stopped = group.terminate(Duration::from_millis(50)).unwrap();
    assert_eq!(stopped.ending, Ending::Killed);
}

#[test]
fn a_signal_that_ended_the_leader_is_reported() {
    let mut group = shell("kill -SEGV $$");
    let status = group.wait_leader(PATIENCE).unwrap().unwrap();
    assert_eq!(status.signal(), Some(11));
    assert_eq!(group.terminate(PATIENCE).unwrap().leader.signal(), Some(11));
}

#[test]
fn a_leader_that_runs_on_is_none_after_the_timeout() {
    let group = shell("sleep 60");
    assert!(group.wait_leader(Duration::from_millis(50)).unwrap().is_none());
}

#[test]
fn dropping_kills() {
    let mut group = shell("sleep 60 & echo $!; wait");
    let (ids, _) = numbers(&mut group, 1);
    drop(group);
    assert!(!is_living(ids[0]));
}

#[test]
fn somebody_elses_child_is_not_signalled() {
    let mut group = shell("exit 0");
    group.wait_leader(PATIENCE).unwrap();
    group.child.wait().unwrap();
    assert!(matches!(group.terminate(PATIENCE), Err(GroupError::NotHeld { .. })));
}

#[test]
fn a_missing_program_is_named() {
    let error = ProcessGroup::spawn(Command::new("/nonexistent/cuzk")).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot start /nonexistent/cuzk: "),
        "{error}"
    );
}

#[test]
fn a_child_dies_with_its_parent() {
    let mut parent = this_program("group::tests::parent_that_is_killed")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let child = announced_child(parent.stdout.take().unwrap());
    assert!(is_living(child));
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_for_death(child);
}

/// Not a test of its own: the program of the test above.
#[test]
fn parent_that_is_killed() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let mut group = shell("echo $$; sleep 60");
    let (ids, _) = numbers(&mut group, 1);
    println!("child={}", ids[0]);
    thread::sleep(PATIENCE);
}
