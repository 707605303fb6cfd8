//! Who belongs to a group or session, read from `/proc`.
//!
//! Left out: signals. What is read here can be old the moment it is used; `group` argues why that is harmless.

use std::{fs, io};

use rustix::process::Pid;

/// The facts of `/proc/PID/stat` that tell membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    pub group: Pid,
    pub session: Pid,
    pub life: Life,
}

/// Whether a process can still run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    Living,
    /// A zombie: ended and not waited for.
    Ended,
}

/// Processes in the group or session of `leader` that have not ended.
///
/// # Errors
/// `/proc` cannot be listed, or does not show `leader`, which is there as long as nobody waits for it: then it shows
/// another set of processes than ours, and an empty answer would mean nothing.
pub fn living_members(leader: Pid) -> io::Result<Vec<Pid>> {
    let mut saw_leader = false;
    let mut living = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(parse_pid) else {
            continue;
        };
        let Some(of) = session_of(pid) else { continue };
        saw_leader |= pid == leader;
        if (of.group == leader || of.session == leader) && of.life == Life::Living {
            living.push(pid);
        }
    }
    if !saw_leader {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "/proc does not show the leader",
        ));
    }
    Ok(living)
}

/// `None` where the process is gone.
pub fn session_of(pid: Pid) -> Option<Membership> {
    parse_stat(&fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?)
}

/// The second field is the program's name in parentheses; it may hold anything, so fields are counted from the last one.
fn parse_stat(stat: &[u8]) -> Option<Membership> {
    let end_of_name = stat.iter().rposition(|byte| *byte == b')')?;
    let text = std::str::from_utf8(&stat[end_of_name + 1..]).ok()?;
    // state, parent, group, session, ... ; the number of threads is the 18th after the name.
    let fields: Vec<_> = text.split_ascii_whitespace().collect();
    let n_threads: u32 = fields.get(17)?.parse().ok()?;
    // A zombie with more than one thread is a program whose first thread has ended and whose others go on.
    let has_ended = matches!(*fields.first()?, "Z" | "X" | "x") && n_threads <= 1;
    let life = if has_ended { Life::Ended } else { Life::Living };
    Some(Membership {
        group: parse_pid(fields.get(2)?)?,
        session: parse_pid(fields.get(3)?)?,
        life,
    })
}

/// `None` for 0, which the kernel's own processes have as group, and for -1, which one has that is just being removed.
fn parse_pid(text: &str) -> Option<Pid> {
    text.parse().ok().filter(|raw| *raw > 0).and_then(Pid::from_raw)
}

/// Whether this process ignores SIGCHLD, which it may have inherited. The kernel then waits for children by itself.
pub fn ignores_child_signal() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| child_signal_ignored(&status))
}

fn child_signal_ignored(status: &str) -> bool {
    let child_bit = 1_u64 << (rustix::process::Signal::CHILD.as_raw() - 1);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & child_bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid(raw: i32) -> Pid {
        Pid::from_raw(raw).unwrap()
    }

    fn stat(name: &str, state: &str, n_threads: u32) -> Vec<u8> {
        format!("7 ({name}) {state} 1 40 41 0 -1 4 0 0 0 0 0 0 0 0 20 0 {n_threads} 0 9 0 0\n").into_bytes()
    }

    #[test]
    fn fields_are_counted_from_the_end_of_the_name() {
        for name in ["cuzk", "a b", ") Z 1 2 3 (", "\u{1f980}"] {
            let expected = Membership {
                group: pid(40),
                session: pid(41),
                life: Life::Living,
            };
            assert_eq!(parse_stat(&stat(name, "S", 3)), Some(expected), "{name}");
        }
        assert_eq!(parse_stat(b"7 (cuzk) S 1"), None);
        assert_eq!(
            parse_stat(b"7 (cuzk) X 0 -1 -1 0 -1 4 0 0 0 0 0 0 0 0 20 0 0 0 9 0 0\n"),
            None,
            "being removed"
        );
        assert_eq!(parse_stat(b""), None);
    }

    #[test]
    fn a_zombie_with_running_threads_lives() {
        assert_eq!(parse_stat(&stat("x", "Z", 1)).unwrap().life, Life::Ended);
        assert_eq!(parse_stat(&stat("x", "Z", 2)).unwrap().life, Life::Living);
    }

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        assert!(child_signal_ignored("Name:\tx\nSigIgn:\t0000000000010000\n"));
        assert!(!child_signal_ignored(
            "SigIgn:\t0000000000001000\nSigCgt:\t0000000000010000\n"
        ));
        assert!(!child_signal_ignored(""));
    }

    #[test]
    fn an_unseen_leader_is_an_error() {
        // Larger than any id that the kernel gives (its limit is 4,194,304).
        assert!(living_members(pid(i32::MAX)).is_err());
    }
}
