//! Rules about one source file: its header, unsafe code, unfinished work, length.

use std::path::Path;

use super::graph::CrateRow;
use super::{Finding, Severity, SourceFile};

/// A longer file is a warning: is it one thought, or a flat catalogue?
const LONG_FILE_LINES: usize = 600;

pub fn check(file: &SourceFile, crates: &[CrateRow]) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(check_header(file));
    findings.extend(check_unsafe(file, crates));
    findings.extend(check_unfinished(file));
    findings.extend(check_length(file));
    findings
}

fn check_header(file: &SourceFile) -> Option<Finding> {
    let first = file.text.lines().next().unwrap_or_default();
    let has_text = first.strip_prefix("//!").is_some_and(|text| !text.trim().is_empty());
    let message = "the first line must be `//!` and say what the module is for";
    (!has_text).then(|| Finding::error(&file.path, 1, "module-header", message))
}

/// `unsafe` stands only in the crates that the table of ARCHITECTURE.md marks; every other crate root forbids it.
fn check_unsafe(file: &SourceFile, crates: &[CrateRow]) -> Vec<Finding> {
    const RULE: &str = "unsafe-code";
    let owner = crate_of(&file.path);
    if crates.iter().any(|row| row.may_use_unsafe && row.name == owner) {
        return Vec::new();
    }
    let mut findings: Vec<_> = code_lines(&file.text)
        .filter(|(_, code)| has_word(code, "unsafe"))
        .map(|(line, _)| {
            Finding::error(
                &file.path,
                line,
                RULE,
                format!("crate `{owner}` may not use unsafe code"),
            )
        })
        .collect();
    if is_crate_root(&file.path) && !file.text.contains("#![forbid(unsafe_code)]") {
        let message = "a crate root must say #![forbid(unsafe_code)]";
        findings.push(Finding::error(&file.path, 1, RULE, message));
    }
    findings
}

fn crate_of(path: &Path) -> String {
    let mut parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    match parts.next().as_deref() {
        Some("crates") => parts.next().unwrap_or_default(),
        Some(other) => other.to_owned(),
        None => String::new(),
    }
}

fn is_crate_root(path: &Path) -> bool {
    let is_root_file = path
        .file_name()
        .is_some_and(|name| name == "lib.rs" || name == "main.rs");
    is_root_file && path.parent().is_some_and(|dir| dir.ends_with("src"))
}

fn check_unfinished(file: &SourceFile) -> Vec<Finding> {
    // Written in pieces so that this file does not find itself.
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
    ];
    let ignored = concat!("#[ign", "ore");
    let hits = file
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)) || line.trim_start().starts_with(ignored));
    hits.map(|(idx, line)| {
        let message = format!("unfinished work does not land: {}", line.trim());
        Finding::error(&file.path, idx + 1, "unfinished", message)
    })
    .collect()
}

fn check_length(file: &SourceFile) -> Option<Finding> {
    let n_lines = file.text.lines().count();
    (n_lines > LONG_FILE_LINES).then(|| Finding {
        file: file.path.clone(),
        line: n_lines,
        rule: "file-length",
        severity: Severity::Warning,
        message: format!("{n_lines} lines, more than {LONG_FILE_LINES}: is it one thought, or a flat catalogue?"),
    })
}

/// Lines from 1 with comments and string contents taken out, as far as a line alone can tell.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    text.lines()
        .enumerate()
        .map(|(idx, line)| (idx + 1, without_comments_and_strings(line)))
}

fn without_comments_and_strings(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => drop(chars.next()),
            '"' => in_string = !in_string,
            '/' if !in_string && chars.peek() == Some(&'/') => break,
            _ if !in_string => code.push(c),
            _ => {}
        }
    }
    code
}

fn has_word(code: &str, word: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|found| found == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::graph::parse_table;

    const TABLE: &str = "## Crates\n| `safe` | - | - | x |\n| `wild` | - | blst | x |\n";
    const FORBID: &str = "#![forbid(unsafe_code)]";

    fn rules(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let crates = parse_table(TABLE).unwrap();
        check(&SourceFile::new(path, text), &crates)
            .iter()
            .map(|finding| (finding.rule, finding.line))
            .collect()
    }

    #[test]
    fn a_module_without_a_header_is_named() {
        assert_eq!(rules("crates/safe/src/a.rs", "use std::fmt;"), [("module-header", 1)]);
        assert_eq!(rules("crates/safe/src/a.rs", "//!\n"), [("module-header", 1)]);
        assert!(rules("crates/safe/src/a.rs", "//! Says what it is for.\n").is_empty());
    }

    #[test]
    fn unsafe_code_is_found_where_it_may_not_be() {
        let text = "//! x\nfn f() { unsafe { g() } }\n";
        assert_eq!(rules("crates/safe/src/a.rs", text), [("unsafe-code", 2)]);
        assert!(rules("crates/wild/src/a.rs", text).is_empty());
    }

    #[test]
    fn speaking_of_unsafe_is_not_using_it() {
        let text = "//! x\n// unsafe\nconst A: &str = \"unsafe { }\";\nfn not_unsafe() {}\n";
        assert!(rules("crates/safe/src/a.rs", text).is_empty());
    }

    #[test]
    fn crate_roots_forbid_it() {
        assert_eq!(rules("crates/safe/src/lib.rs", "//! x\n"), [("unsafe-code", 1)]);
        assert!(rules("crates/safe/src/lib.rs", &format!("//! x\n{FORBID}\n")).is_empty());
    }

    #[test]
    fn unfinished_work_and_long_files_are_named() {
        let text = format!("//! x\n// {} later\n", concat!("TO", "DO"));
        assert_eq!(rules("crates/safe/src/a.rs", &text), [("unfinished", 2)]);
        let long = format!("//! x\n{}", "\n".repeat(LONG_FILE_LINES));
        assert_eq!(
            rules("crates/safe/src/a.rs", &long),
            [("file-length", LONG_FILE_LINES + 1)]
        );
    }
}
