//! How much memory the process has used at most.

use anyhow::Context as _;

const FIELD: &str = "VmHWM:";

/// The highest resident set size so far, as the kernel counts it.
pub fn peak_kib() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    parse(&status).with_context(|| format!("/proc/self/status has no {FIELD} in kB"))
}

fn parse(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix(FIELD))?;
    value.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_read_and_nothing_else() {
        assert_eq!(parse("VmPeak:\t  9 kB\nVmHWM:\t   1234 kB\n"), Some(1234));
        assert_eq!(parse("VmPeak:\t  9 kB\n"), None);
        assert_eq!(parse("VmHWM:\t 12 MB\n"), None);
        assert!(peak_kib().unwrap() > 0);
    }
}
