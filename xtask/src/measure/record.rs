//! What one measurement leaves behind: a folder with the raw output as it came and a record that names its receipt.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde::Serialize;

/// Version of `record.json`.
pub const RECORD_VERSION: u32 = 1;

/// The record of one measurement, beside the raw output.
#[derive(Serialize)]
pub struct RunRecord<'a, Report: Serialize> {
    pub schema_version: u32,
    pub started_unix_s: u64,
    pub receipt_sha256: &'a str,
    pub build_token: &'a str,
    pub program_sha256: &'a str,
    pub proof: &'a str,
    pub seed: u64,
    pub development_parameters: bool,
    pub verifying_key_sha256: &'a str,
    /// From the daemon's start to its end.
    pub daemon_ms: f64,
    pub peak_memory_kib: Option<u64>,
    pub host: Host,
    pub measurement: &'a Report,
}

/// The machine, as far as it tells.
#[derive(Serialize)]
pub struct Host {
    pub cpu: Option<String>,
    pub cores: Option<usize>,
    pub memory_kib: Option<u64>,
    pub kernel: Option<String>,
}

impl Host {
    pub fn read() -> Self {
        let field = |file: &str, key: &str| {
            let text = std::fs::read_to_string(file).ok()?;
            let line = text.lines().find(|line| line.starts_with(key))?.to_owned();
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let memory = field("/proc/meminfo", "MemTotal");
        Self {
            cpu: field("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().ok().map(usize::from),
            memory_kib: memory.and_then(|text| text.split_whitespace().next()?.parse().ok()),
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease")
                .ok()
                .map(|text| text.trim().to_owned()),
        }
    }
}

/// The folder of one run.
pub struct RunFolder {
    dir: PathBuf,
    started_unix_s: u64,
}

impl RunFolder {
    /// A new folder under `runs`, named by time and process so that two runs never share one.
    pub fn create(runs: &Path) -> anyhow::Result<Self> {
        let started_unix_s = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .context("the clock is before 1970")?
            .as_secs();
        let dir = runs.join(format!("{started_unix_s}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
        Ok(Self { dir, started_unix_s })
    }

    /// Unique among the runs of a target directory.
    pub fn name(&self) -> String {
        self.dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub fn path(&self) -> &Path {
        &self.dir
    }

    pub fn started_unix_s(&self) -> u64 {
        self.started_unix_s
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.dir.join(name);
        std::fs::write(&path, bytes).with_context(|| path.display().to_string())
    }

    pub fn write_record<Report: Serialize>(&self, record: &RunRecord<'_, Report>) -> anyhow::Result<()> {
        self.write("record.json", serde_json::to_string_pretty(record)?.as_bytes())
    }
}
