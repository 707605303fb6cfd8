//! `doctor`: what this machine has and lacks for building and measuring. It changes nothing.

use cuzk_contract::exit::ExitCode;
use serde::Serialize;

use crate::context::Context;
use crate::flags;
use crate::output;

/// Oldest compiler that builds the workspace (`rust-version` in Cargo.toml).
const OLDEST_RUST: (u32, u32) = (1, 95);
/// A full build with tests takes some 12 GiB of disk.
const DISK_NEEDED_GIB: u64 = 12;
/// Generating parameters of `winning-32g` and proving it peaks under 3 GiB.
const MEMORY_NEEDED_GIB: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Ok,
    /// Needed by the README's commands.
    Missing,
    /// Needed by some commands only.
    Optional,
    /// Enough to try, not enough to be sure of a full build or a large proof.
    Low,
    CouldNotCheck,
}

#[derive(Serialize)]
struct Item {
    name: &'static str,
    state: State,
    found: String,
    hint: Option<&'static str>,
}

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    ok: bool,
    items: &'a [Item],
}

pub fn run(context: &Context, flags: &flags::Doctor) -> anyhow::Result<ExitCode> {
    let items = [
        rust(context),
        c_compiler(context),
        git(context),
        disk(context),
        memory(),
        memory_files(context),
        cargo_deny(context),
        gpu(context),
    ];
    let ok = items.iter().all(|item| item.state != State::Missing);
    if flags.json {
        output::print_json(&Report {
            schema_version: output::SCHEMA_VERSION,
            ok,
            items: &items,
        })?;
    } else {
        output::print(&items.iter().map(human).collect::<String>());
    }
    Ok(if ok { ExitCode::Ok } else { ExitCode::ToolMissing })
}

fn human(item: &Item) -> String {
    let state = match item.state {
        State::Ok => "ok",
        State::Missing => "MISSING",
        State::Optional => "absent",
        State::Low => "low",
        State::CouldNotCheck => "could not check",
    };
    let hint = item
        .hint
        .filter(|_| item.state != State::Ok)
        .map(|hint| format!("\n    hint: {hint}"));
    format!(
        "{:<16} {:<16} {}{}\n",
        item.name,
        state,
        item.found,
        hint.unwrap_or_default()
    )
}

fn rust(context: &Context) -> Item {
    let name = "rustc";
    let hint = Some("install Rust 1.95 or newer with rustup");
    let found = first_line(context, "rustc", &["--version"]);
    let version = found.as_deref().and_then(|line| parse_version(line.split(' ').nth(1)?));
    let state = match version {
        Some(version) if version >= OLDEST_RUST => State::Ok,
        Some(_) | None => State::Missing,
    };
    Item {
        name,
        state,
        found: found.unwrap_or_else(|| "not found".into()),
        hint,
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn c_compiler(context: &Context) -> Item {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    tool(
        context,
        "C compiler",
        &compiler,
        State::Missing,
        "install gcc or clang (Debian: apt install gcc)",
    )
}

fn git(context: &Context) -> Item {
    tool(
        context,
        "git",
        "git",
        State::Optional,
        "without git a receipt cannot name the revision",
    )
}

fn cargo_deny(context: &Context) -> Item {
    let hint = "only ci/check.sh needs it: cargo install --locked cargo-deny";
    tool(context, "cargo-deny", "cargo-deny", State::Optional, hint)
}

fn gpu(context: &Context) -> Item {
    let hint = "without an NVIDIA GPU the CPU backend proves";
    let found = first_line(
        context,
        "nvidia-smi",
        &["--query-gpu=name,driver_version", "--format=csv,noheader"],
    );
    let state = if found.is_some() { State::Ok } else { State::Optional };
    Item {
        name: "NVIDIA GPU",
        state,
        found: found.unwrap_or_else(|| "none seen".into()),
        hint: Some(hint),
    }
}

fn tool(context: &Context, name: &'static str, program: &str, absent: State, hint: &'static str) -> Item {
    let found = first_line(context, program, &["--version"]);
    let state = if found.is_some() { State::Ok } else { absent };
    Item {
        name,
        state,
        found: found.unwrap_or_else(|| format!("{program} not found")),
        hint: Some(hint),
    }
}

fn first_line(context: &Context, program: &str, args: &[&str]) -> Option<String> {
    let output = context
        .shell
        .cmd(program)
        .args(args)
        .quiet()
        .ignore_stderr()
        .read()
        .ok()?;
    output.lines().next().map(str::to_owned)
}

fn disk(context: &Context) -> Item {
    let name = "disk";
    let hint = Some("a full build with tests takes some 12 GiB under the target directory");
    let existing = context
        .target_dir()
        .ok()
        .and_then(|dir| dir.ancestors().find(|dir| dir.exists()));
    let line = existing.and_then(|dir| {
        context
            .shell
            .cmd("df")
            .args(["-Pk"])
            .arg(dir)
            .quiet()
            .read()
            .ok()?
            .lines()
            .nth(1)
            .map(str::to_owned)
    });
    let free_kib = line.and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    amount(name, free_kib, DISK_NEEDED_GIB, "free under the target directory", hint)
}

fn memory() -> Item {
    let hint = Some("parameter generation and proving of winning-32g need some 4 GiB");
    let text = std::fs::read_to_string("/proc/meminfo").ok();
    let available = text
        .as_deref()
        .and_then(|text| text.lines().find(|line| line.starts_with("MemAvailable:")));
    let kib = available.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    amount("memory", kib, MEMORY_NEEDED_GIB, "available", hint)
}

fn amount(name: &'static str, kib: Option<u64>, needed_gib: u64, what: &str, hint: Option<&'static str>) -> Item {
    let Some(kib) = kib else {
        return Item {
            name,
            state: State::CouldNotCheck,
            found: "unknown".into(),
            hint,
        };
    };
    let gib = kib / (1024 * 1024);
    let state = if gib >= needed_gib { State::Ok } else { State::Low };
    Item {
        name,
        state,
        found: format!("{gib} GiB {what}"),
        hint,
    }
}

/// Whether a program can run from a sealed memory file, as `measure` does it.
fn memory_files(context: &Context) -> Item {
    let name = "memory files";
    let hint = Some("measure then runs a private copy of the program and hashes it again");
    let policy = context.shell.read_file("/proc/sys/vm/memfd_noexec").ok();
    let (state, found) = match policy.as_deref().map(str::trim) {
        Some("2") => (
            State::Optional,
            "this kernel forbids running them (vm.memfd_noexec = 2)".to_owned(),
        ),
        Some(value) => (State::Ok, format!("vm.memfd_noexec = {value}")),
        None => (State::Ok, "kernel without vm.memfd_noexec".to_owned()),
    };
    Item {
        name,
        state,
        found,
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(parse_version("1.95.0"), Some((1, 95)));
        assert!(parse_version("1.100.0-nightly").unwrap() > OLDEST_RUST);
        assert_eq!(parse_version("new"), None);
    }

    #[test]
    fn what_cannot_be_read_is_not_ok() {
        assert_eq!(amount("memory", None, 1, "", None).state, State::CouldNotCheck);
        assert_eq!(amount("memory", Some(3 << 20), 4, "", None).state, State::Low);
        assert_eq!(amount("memory", Some(5 << 20), 4, "", None).state, State::Ok);
    }
}
