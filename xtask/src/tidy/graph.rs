//! The crate table of ARCHITECTURE.md against what cargo says.
//!
//! Rules: every crate stands in the table and the other way round; every listed arrow exists; a dependency that is not
//! listed must be reached through listed ones, so that arrows point one way; some things must not be reached at all.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use cargo_metadata::{DependencyKind, Metadata, Package};

use super::Finding;

const RULE: &str = "crate-graph";
const FILE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Crates";

/// Packages that xtask must not reach, so that it stays quick to build and starts programs instead of linking them.
const KEPT_OUT_OF_XTASK: &[&str] = &["tonic", "tokio", "bellperson", "blstrs"];

/// One row of the table.
pub struct CrateRow {
    pub name: String,
    pub line: usize,
    pub depends_on: BTreeSet<String>,
    pub may_use_unsafe: bool,
}

/// Reads the table under the heading `## Crates`: name, depends on, unsafe, purpose.
pub fn parse_table(architecture: &str) -> anyhow::Result<Vec<CrateRow>> {
    let start = architecture.lines().position(|line| line.trim() == HEADING);
    let start = start.with_context(|| format!("{FILE} has no heading `{HEADING}`"))?;
    let lines = architecture.lines().enumerate().skip(start + 1);
    let in_section = lines.take_while(|(_, line)| !line.starts_with("## "));
    let rows: Vec<_> = in_section.filter_map(|(idx, line)| parse_row(idx + 1, line)).collect();
    anyhow::ensure!(!rows.is_empty(), "{FILE}: no rows in the table under `{HEADING}`");
    Ok(rows)
}

fn parse_row(line: usize, text: &str) -> Option<CrateRow> {
    let cells: Vec<_> = text.trim().strip_prefix('|')?.split('|').map(str::trim).collect();
    let name = cells.first()?.strip_prefix('`')?.strip_suffix('`')?.to_owned();
    let depends_on = cells.get(1)?.split(',').map(|cell| cell.trim().trim_matches('`'));
    let depends_on = depends_on
        .filter(|name| !name.is_empty() && *name != "-")
        .map(str::to_owned)
        .collect();
    let may_use_unsafe = cells.get(2).is_some_and(|cell| !cell.is_empty() && *cell != "-");
    Some(CrateRow {
        name,
        line,
        depends_on,
        may_use_unsafe,
    })
}

pub fn check(rows: &[CrateRow], metadata: &Metadata) -> anyhow::Result<Vec<Finding>> {
    let actual = workspace_graph(metadata)?;
    let mut findings = check_rows(rows, &actual);
    findings.extend(check_kept_out(metadata)?);
    Ok(findings)
}

/// Short name of each workspace crate and the short names that it depends on, tests left out.
fn workspace_graph(metadata: &Metadata) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let packages = metadata.workspace_packages();
    anyhow::ensure!(!packages.is_empty(), "cargo metadata lists no workspace packages");
    let members: BTreeSet<_> = packages.iter().map(|package| package.name.to_string()).collect();
    let edges = |package: &Package| {
        let shipped = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind != DependencyKind::Development);
        shipped
            .filter(|dependency| members.contains(&dependency.name))
            .map(|d| short(&d.name))
            .collect()
    };
    Ok(packages
        .iter()
        .map(|package| (short(&package.name), edges(package)))
        .collect())
}

fn short(package: &str) -> String {
    package.strip_prefix("cuzk-").unwrap_or(package).to_owned()
}

fn check_rows(rows: &[CrateRow], actual: &BTreeMap<String, BTreeSet<String>>) -> Vec<Finding> {
    let listed: BTreeMap<_, _> = rows
        .iter()
        .map(|row| (row.name.clone(), row.depends_on.clone()))
        .collect();
    let mut findings = Vec::new();
    for name in actual.keys().filter(|name| !listed.contains_key(*name)) {
        findings.push(Finding::error(
            FILE,
            0,
            RULE,
            format!("crate `{name}` is missing from the table"),
        ));
    }
    for row in rows {
        let Some(edges) = actual.get(&row.name) else {
            let message = format!("crate `{}` is listed and does not exist", row.name);
            findings.push(Finding::error(FILE, row.line, RULE, message));
            continue;
        };
        let allowed = reachable(&row.name, &listed);
        if allowed.contains(&row.name) {
            findings.push(Finding::error(
                FILE,
                row.line,
                RULE,
                format!("`{}` depends on itself", row.name),
            ));
        }
        for name in row.depends_on.difference(edges) {
            let message = format!(
                "`{}` -> `{name}` is listed and cargo knows no such dependency",
                row.name
            );
            findings.push(Finding::error(FILE, row.line, RULE, message));
        }
        for name in edges.difference(&allowed) {
            let message = format!("`{}` depends on `{name}`, which the table does not allow", row.name);
            findings.push(Finding::error(FILE, row.line, RULE, message));
        }
    }
    findings
}

/// Everything that can be reached from `start` along listed arrows.
fn reachable(start: &str, edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![start.to_owned()];
    while let Some(name) = open.pop() {
        for next in edges.get(&name).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

fn check_kept_out(metadata: &Metadata) -> anyhow::Result<Vec<Finding>> {
    let reached = packages_reached_by(metadata, "xtask")?;
    let all: BTreeSet<_> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for name in KEPT_OUT_OF_XTASK {
        // A misspelt name would be absent like a kept-out one: the name itself must exist.
        anyhow::ensure!(
            all.contains(name),
            "`{name}` is not in the dependency graph: the rule checks nothing"
        );
        if reached.contains(*name) {
            findings.push(Finding::error(
                "xtask/Cargo.toml",
                0,
                RULE,
                format!("xtask reaches `{name}`"),
            ));
        }
    }
    Ok(findings)
}

fn packages_reached_by(metadata: &Metadata, name: &str) -> anyhow::Result<BTreeSet<String>> {
    let resolve = metadata
        .resolve
        .as_ref()
        .context("cargo metadata has no resolved graph")?;
    let start = metadata.packages.iter().find(|package| package.name == name);
    let mut open = vec![start.with_context(|| format!("no package `{name}`"))?.id.clone()];
    let mut seen = BTreeSet::from_iter(open.clone());
    while let Some(id) = open.pop() {
        let node = resolve
            .nodes
            .iter()
            .find(|node| node.id == id)
            .context("a package has no node")?;
        let shipped = node.deps.iter().filter(|dependency| {
            dependency
                .dep_kinds
                .iter()
                .any(|kind| kind.kind != DependencyKind::Development)
        });
        for dependency in shipped {
            if seen.insert(dependency.pkg.clone()) {
                open.push(dependency.pkg.clone());
            }
        }
    }
    Ok(seen.iter().map(|id| metadata[id].name.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
## Crates

| crate | depends on | exempt | what it is for |
| --- | --- | --- | --- |
| `a` | - | - | bottom |
| `b` | `a` | blst | middle |
| `c` | `b` | - | top |

## Next
| `d` | `c` | - | outside the section |
";

    fn graph(edges: &[(&str, &[&str])]) -> BTreeMap<String, BTreeSet<String>> {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        edges
            .iter()
            .map(|(name, names)| (name.to_string(), set(names)))
            .collect()
    }

    fn messages(actual: &[(&str, &[&str])]) -> Vec<String> {
        let rows = parse_table(TABLE).unwrap();
        check_rows(&rows, &graph(actual))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn the_table_is_read_up_to_the_next_heading() {
        let rows = parse_table(TABLE).unwrap();
        let names: Vec<_> = rows
            .iter()
            .map(|row| (row.name.as_str(), row.line, row.may_use_unsafe))
            .collect();
        assert_eq!(names, [("a", 5, false), ("b", 6, true), ("c", 7, false)]);
    }

    #[test]
    fn a_graph_that_follows_the_table_passes() {
        assert!(messages(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]).is_empty());
        // What is reached through listed arrows may be named directly.
        assert!(messages(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]).is_empty());
    }

    #[test]
    fn an_arrow_against_the_table_is_named() {
        let found = messages(&[("a", &["c"]), ("b", &["a"]), ("c", &["b"])]);
        assert_eq!(
            found,
            ["ARCHITECTURE.md:5: error: crate-graph: `a` depends on `c`, which the table does not allow"]
        );
    }

    #[test]
    fn missing_and_surplus_rows_and_arrows_are_named() {
        let found = messages(&[("a", &[]), ("b", &[]), ("new", &[])]).join("\n");
        for expected in [
            "crate `new` is missing",
            "`b` -> `a` is listed and",
            "crate `c` is listed and does not exist",
        ] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
    }

    #[test]
    fn a_document_without_the_table_is_an_error() {
        assert!(parse_table("# nothing").is_err());
        assert!(parse_table("## Crates\n\nno rows").is_err());
    }
}
