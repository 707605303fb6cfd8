//! Counters in the Prometheus text format.
//!
//! Left out: an HTTP endpoint. The text travels in `GetMetrics`.

use std::fmt::{Display, Write as _};

use cuzk_engine::{Family, FamilyStatus, Status};

/// All metrics, each with its help and type.
pub fn text(status: &Status) -> String {
    let mut text = Text(String::new());
    text.plain(
        "cuzk_uptime_seconds",
        "gauge",
        "Seconds since start.",
        status.uptime.as_secs(),
    );
    let loaded: u64 = status.parameters.iter().map(|parameters| parameters.bytes).sum();
    text.plain(
        "cuzk_srs_loaded_bytes",
        "gauge",
        "Size of the parameter files in memory.",
        loaded,
    );
    text.plain(
        "cuzk_backend_busy",
        "gauge",
        "1 while the backend proves.",
        u8::from(status.proving.is_some()),
    );
    let total = |of: fn(&FamilyStatus) -> u64| status.families.iter().map(of).sum::<u64>();
    text.plain(
        "cuzk_queue_depth",
        "gauge",
        "Jobs accepted and not begun.",
        total(|family| family.pending.into()),
    );
    text.plain(
        "cuzk_running_jobs",
        "gauge",
        "Jobs begun and not over.",
        total(|family| family.in_progress.into()),
    );
    text.plain(
        "cuzk_proofs_completed_total",
        "counter",
        "Jobs with a verified proof.",
        total(|family| family.completed),
    );
    text.plain(
        "cuzk_proofs_failed_total",
        "counter",
        "Jobs without one.",
        total(|family| family.failed),
    );
    text.plain(
        "cuzk_proofs_cancelled_total",
        "counter",
        "Jobs cancelled.",
        total(|family| family.cancelled),
    );
    let families = &status.families;
    text.by_kind(
        "cuzk_proofs_completed",
        "counter",
        "Jobs with a verified proof.",
        families,
        |family| family.completed,
    );
    text.by_kind(
        "cuzk_proofs_failed",
        "counter",
        "Jobs without one.",
        families,
        |family| family.failed,
    );
    text.durations(families);
    text.0
}

/// The label values that existing dashboards use.
fn label(family: Family) -> &'static str {
    match family {
        Family::WinningPost => "winning_post",
        Family::Porep => "porep_c2",
        Family::Bench => "bench",
    }
}

struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a String cannot fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn plain(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn by_kind(&mut self, name: &str, kind: &str, help: &str, families: &[FamilyStatus], of: fn(&FamilyStatus) -> u64) {
        self.head(name, kind, help);
        for family in families {
            let _ = writeln!(
                self.0,
                "{name}{{proof_kind=\"{}\"}} {}",
                label(family.family),
                of(family)
            );
        }
    }

    fn durations(&mut self, families: &[FamilyStatus]) {
        let name = "cuzk_proof_duration_seconds";
        self.head(name, "summary", "From the start of synthesis to the verified proof.");
        for family in families {
            let (label, seconds) = (label(family.family), family.proving_time.as_secs_f64());
            let _ = writeln!(self.0, "{name}_count{{proof_kind=\"{label}\"}} {}", family.completed);
            let _ = writeln!(self.0, "{name}_sum{{proof_kind=\"{label}\"}} {seconds:.6}");
        }
    }
}
