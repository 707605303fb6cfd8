//! The packages that the project was asked to build on: each a normal dependency of a shipped crate, and used there.

use cargo_metadata::{DependencyKind, Metadata};

use super::{Finding, Severity, SourceFile};

const RULE: &str = "requested-packages";

/// The twelve, and whether the code that needs them is written.
const REQUESTED: &[(&str, State)] = &[
    ("xshell", State::InUse),
    ("goblin", State::InUse),
    ("object", State::InUse),
    ("sha2", State::InUse),
    ("walkdir", State::InUse),
    ("bellperson", State::InUse),
    ("blstrs", State::InUse),
    ("cc", State::Due("the CUDA build script")),
    ("cust", State::Due("device discovery")),
    ("rayon", State::InUse),
    ("smallvec", State::Due("switch A1")),
    ("anyhow", State::InUse),
];

enum State {
    InUse,
    /// Comes with the named piece of work.
    Due(&'static str),
}

pub fn check(metadata: &Metadata, files: &[SourceFile]) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (package, state) in REQUESTED {
        let users = users_of(metadata, package);
        let used = users.iter().any(|dir| {
            files
                .iter()
                .any(|file| is_shipped(file, dir) && names(&file.text, package))
        });
        match state {
            State::InUse if !used => {
                let message = format!("`{package}` is not a normal dependency of a crate whose source names it");
                findings.push(Finding::error("Cargo.toml", 0, RULE, message));
            }
            State::Due(_) if used => {
                let message = format!("`{package}` is in use: say so in the table of this rule");
                findings.push(Finding::error("xtask/src/tidy/packages.rs", 0, RULE, message));
            }
            State::Due(with) => {
                let message = format!("`{package}` comes with {with}");
                let severity = Severity::Due;
                findings.push(Finding {
                    file: "Cargo.toml".into(),
                    line: 0,
                    rule: RULE,
                    severity,
                    message,
                });
            }
            State::InUse => {}
        }
    }
    Ok(findings)
}

/// Directories, relative to the root, of the workspace packages with a normal dependency on `package`.
fn users_of(metadata: &Metadata, package: &str) -> Vec<String> {
    let is_user = |member: &&cargo_metadata::Package| {
        member
            .dependencies
            .iter()
            .any(|d| d.name == package && d.kind == DependencyKind::Normal)
    };
    let root = metadata.workspace_root.as_path();
    let members = metadata.workspace_packages();
    let users = members.into_iter().filter(is_user);
    users
        .filter_map(|member| Some(member.manifest_path.parent()?.strip_prefix(root).ok()?.to_string()))
        .collect()
}

fn is_shipped(file: &SourceFile, dir: &str) -> bool {
    let is_test = file
        .path
        .components()
        .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
    file.path.starts_with(format!("{dir}/src")) && !is_test
}

/// Whether the source uses the package: `name::` outside comments and outside the part after `#[cfg(test)]`.
fn names(text: &str, package: &str) -> bool {
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    let path = format!("{package}::");
    let code = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.match_indices(&path).map(move |(at, _)| (line, at)))
        .any(|(line, at)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_counts_as_use() {
        assert!(names("use rayon::prelude::*;", "rayon"));
        assert!(names("let x = rayon::join(f, g);", "rayon"));
        assert!(!names("// rayon::join would do", "rayon"));
        assert!(!names("use my_rayon::prelude::*;", "rayon"));
        assert!(!names("#[cfg(test)]\nmod tests { use rayon::join; }", "rayon"));
    }

    #[test]
    fn test_files_do_not_ship() {
        assert!(is_shipped(
            &SourceFile::new("crates/srs/src/format.rs", ""),
            "crates/srs"
        ));
        assert!(!is_shipped(
            &SourceFile::new("crates/srs/tests/format.rs", ""),
            "crates/srs"
        ));
        assert!(!is_shipped(
            &SourceFile::new("crates/srs/src/format/tests.rs", ""),
            "crates/srs"
        ));
    }
}
