//! How much memory a process has used.

use std::fs;
use std::io;

use crate::group::ProcessId;

/// An amount of memory in units of 1024 bytes, as the kernel reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kibibytes(pub u64);

/// The largest resident set that a process has had (`VmHWM` of `/proc/PID/status`).
///
/// # Errors
/// The process has ended: its memory, and this figure with it, goes when it becomes a zombie. Ask while it runs.
pub fn peak_resident_set(pid: ProcessId) -> io::Result<Kibibytes> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    parse(&status).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("process {pid} has no VmHWM line")))
}

fn parse(status: &str) -> Option<Kibibytes> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    value.trim().strip_suffix("kB")?.trim_end().parse().ok().map(Kibibytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_read_with_its_unit() {
        let status = "Name:\tcuzk\nVmPeak:\t  90 kB\nVmHWM:\t   12345 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(parse(status), Some(Kibibytes(12345)));
        assert_eq!(parse("VmHWM:\t 12 MB\n"), None);
        assert_eq!(parse("Name:\tx\n"), None);
    }

    #[test]
    fn memory_that_was_touched_shows_in_the_peak() {
        let own = ProcessId(std::process::id());
        let before = peak_resident_set(own).unwrap();
        let touched = std::hint::black_box(vec![1_u8; 64 << 20]);
        drop(touched);
        let after = peak_resident_set(own).unwrap();
        assert!(
            after.0 >= 64 << 10,
            "{after:?} after 64 MiB were written, {before:?} before"
        );
        assert!(after >= before);
    }
}
