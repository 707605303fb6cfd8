//! A small program with markers, checked functions and a token, and the ways to damage a copy of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use cuzk_artifact::{Elf, Expectations, ExpectedMarker, ExpectedSymbol, Finding, ItemKind, Verdict};

pub const TOKEN: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

pub const SYNTH: &str = "CUZK_TIMING: synth_ms=";
pub const TOTAL: &str = "CUZK_TIMING: total_ms=";

/// Markers as the real programs have them: a constant that reaches the print site by address.
const SOURCE: &str = r#"
mod timing {
    pub struct Timeline(pub u32);
    impl Timeline {
        #[inline(never)]
        pub fn print(&self, marker: &str, ms: f64) {
            eprintln!("{marker}{ms:.3} job={}", self.0);
        }
    }
    impl std::fmt::Display for Timeline {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("timeline")
        }
    }
}
mod prover {
    #[inline(never)]
    pub fn prove(x: u32) -> u32 {
        std::hint::black_box(x) + 1
    }
    pub fn generic<T: std::fmt::Display>(x: T) -> String {
        std::hint::black_box(x).to_string()
    }
}
#[used]
static TOKEN: [u8; 82] = *b"CUZK_BUILD_TOKEN=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n";

fn main() {
    let timeline = timing::Timeline(prover::prove(3));
    timeline.print("CUZK_TIMING: synth_ms=", 1.0);
    timeline.print("CUZK_TIMING: total_ms=", 2.0);
    println!("{} {}", prover::generic(&timeline), std::str::from_utf8(&TOKEN[17..81]).unwrap());
}
"#;

/// How symbols are named.
#[derive(Clone, Copy, Debug)]
pub enum Mangling {
    Default,
    V0,
}

/// The fixture without debug information, in the compiler's own mangling.
pub static PROGRAM: LazyLock<Vec<u8>> = LazyLock::new(|| compile("plain", Mangling::Default, &["-Cstrip=debuginfo"]));

pub static PROGRAM_V0: LazyLock<Vec<u8>> = LazyLock::new(|| compile("v0", Mangling::V0, &["-Cstrip=debuginfo"]));

pub static PROGRAM_WITH_DEBUG: LazyLock<Vec<u8>> =
    LazyLock::new(|| compile("debug", Mangling::Default, &["-Cdebuginfo=2"]));

/// The fixture after `strip -s`.
pub static STRIPPED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = dir().join("to-strip");
    std::fs::write(&path, PROGRAM.as_slice()).unwrap();
    run(Command::new("strip").arg("-s").arg(&path));
    std::fs::read(path).unwrap()
});

pub fn dir() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("artifact-programs");
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn compile(name: &str, mangling: Mangling, options: &[&str]) -> Vec<u8> {
    let dir = dir().join(name);
    std::fs::create_dir_all(&dir).unwrap();
    let source = dir.join("main.rs");
    std::fs::write(&source, SOURCE).unwrap();
    let program = dir.join("program");
    let mut rustc = Command::new("rustc");
    rustc.args([
        "-Copt-level=3",
        "--edition=2024",
        "--crate-name=cuzk_fixture",
        "-Clink-arg=-Wl,--build-id",
    ]);
    rustc.args(options).arg("-o").arg(&program).arg(source);
    if matches!(mangling, Mangling::V0) {
        rustc.arg("-Csymbol-mangling-version=v0");
    }
    run(&mut rustc);
    std::fs::read(program).unwrap()
}

pub fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

pub fn marker(literal: &'static str) -> ExpectedMarker {
    ExpectedMarker {
        literal,
        printed_by: "cuzk-fixture",
    }
}

pub fn symbol(path: &'static str) -> ExpectedSymbol {
    ExpectedSymbol {
        path,
        purpose: "is checked by a test",
    }
}

/// All that the fixture holds.
pub fn expectations() -> Expectations {
    Expectations {
        markers: vec![marker(SYNTH), marker(TOTAL)],
        symbols: vec![
            symbol("cuzk_fixture::prover::prove"),
            symbol("cuzk_fixture::timing::Timeline::print"),
        ],
        token: Some(TOKEN.parse().unwrap()),
    }
}

pub fn of_kind(findings: &[Finding], kind: ItemKind) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.kind == kind).collect()
}

pub fn find<'a>(findings: &'a [Finding], item: &str) -> &'a Finding {
    findings
        .iter()
        .find(|finding| finding.item == item)
        .unwrap_or_else(|| panic!("no finding for {item}"))
}

pub fn assert_all(findings: &[&Finding], verdict: Verdict) {
    assert!(!findings.is_empty());
    for finding in findings {
        assert_eq!(finding.verdict, verdict, "{finding:?}");
    }
}

/// Every place of `needle`.
pub fn places(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
    memchr::memmem::find_iter(bytes, needle).collect()
}

/// A copy in which `needle` is overwritten everywhere.
pub fn blanked(bytes: &[u8], needle: &[u8]) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    let places = places(bytes, needle);
    assert!(!places.is_empty());
    for at in places {
        copy[at..at + needle.len()].fill(b'.');
    }
    copy
}

pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Offsets of header fields, as the System V ABI has them.
pub const E_TYPE: usize = 16;
pub const E_MACHINE: usize = 18;
pub const E_PHOFF: usize = 32;
pub const E_SHOFF: usize = 40;
pub const E_PHENTSIZE: usize = 54;
pub const E_PHNUM: usize = 56;
pub const E_SHENTSIZE: usize = 58;
pub const E_SHNUM: usize = 60;
pub const E_SHSTRNDX: usize = 62;

/// The file offset of a section's header and the range of its bytes.
pub fn section(bytes: &[u8], name: &str) -> (usize, std::ops::Range<usize>) {
    let elf = Elf::parse(bytes).unwrap();
    let (idx, section) = elf
        .sections()
        .map(|(_, section)| *section)
        .enumerate()
        .nth(index(&elf, name))
        .unwrap();
    let header = u64_at(bytes, E_SHOFF) as usize + 64 * idx;
    let start = section.offset as usize;
    (header, start..start + section.bytes as usize)
}

fn index(elf: &Elf<'_>, name: &str) -> usize {
    elf.sections()
        .position(|(known, _)| known == name)
        .unwrap_or_else(|| panic!("no section {name}"))
}

/// A copy whose section table is removed the way `sstrip` does it: nothing after the last loaded byte remains.
pub fn without_section_table(bytes: &[u8]) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    put(&mut copy, E_SHOFF, &[0; 8]);
    put(&mut copy, E_SHNUM, &[0; 4]);
    let elf = Elf::parse(bytes).unwrap();
    let end = elf
        .loaded_segments()
        .map(|part| part.file_offset as usize + part.bytes.len())
        .max()
        .unwrap();
    copy.truncate(end);
    copy
}
