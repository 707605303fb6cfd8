//! Verdicts of single checks, and what they add up to.

use cuzk_contract::exit::ExitCode;
use serde::{Deserialize, Serialize};

/// The outcome of a check. The four are never blurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Checked, and so.
    Proved,
    /// Checked, and not so.
    Failed,
    /// Could not be checked.
    Unverifiable,
    /// More than one answer fits.
    Ambiguous,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// The file as a whole.
    Program,
    /// The beginning of a timing line.
    Marker,
    /// A function by its demangled name.
    Symbol,
    BuildToken,
}

/// Why a verdict is not `proved`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Failed: it is not there.
    Absent,
    /// Failed: the program was built from something else.
    Stale,
    /// Unverifiable: the file cannot be read as a program.
    Unreadable,
    /// Unverifiable: no symbol table.
    Stripped,
    /// Unverifiable: no section table, so what is not found may still be there.
    NoSections,
    /// Unverifiable: in a loaded segment, but in no section that holds program data, so headers and bytes do not fit.
    Unaccounted,
    /// Unverifiable: the caller has nothing to compare with.
    NothingToCompare,
    /// Ambiguous: found with different values or at different places.
    Several,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    pub kind: ItemKind,
    /// The marker, the function's path, or what else was looked for.
    pub item: String,
    pub verdict: Verdict,
    pub reason: Option<Reason>,
    /// Where the first occurrence lies.
    pub section: Option<String>,
    pub file_offset: Option<u64>,
    pub virtual_address: Option<u64>,
    /// How often it was found.
    pub occurrences: u64,
    /// Readable characters around the first occurrence, or the name as the file spells it.
    pub context: Option<String>,
    /// One sentence for a person.
    pub detail: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl Finding {
    pub(crate) fn proved(kind: ItemKind, item: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(kind, item.into(), Verdict::Proved, None, detail.into())
    }

    pub(crate) fn failed(kind: ItemKind, item: impl Into<String>, reason: Reason, detail: impl Into<String>) -> Self {
        Self::new(kind, item.into(), Verdict::Failed, Some(reason), detail.into())
    }

    pub(crate) fn unverifiable(
        kind: ItemKind,
        item: impl Into<String>,
        reason: Reason,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(kind, item.into(), Verdict::Unverifiable, Some(reason), detail.into())
    }

    pub(crate) fn ambiguous(kind: ItemKind, item: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(
            kind,
            item.into(),
            Verdict::Ambiguous,
            Some(Reason::Several),
            detail.into(),
        )
    }

    fn new(kind: ItemKind, item: String, verdict: Verdict, reason: Option<Reason>, detail: String) -> Self {
        Self {
            kind,
            item,
            verdict,
            reason,
            section: None,
            file_offset: None,
            virtual_address: None,
            occurrences: 0,
            context: None,
            detail,
            fix: None,
        }
    }

    /// For a finding that has no better advice yet.
    pub(crate) fn with_default_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix.get_or_insert_with(|| fix.into());
        self
    }

    pub(crate) fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

/// The verdict over all findings: a failure outweighs an ambiguity, which outweighs what could not be checked. No findings
/// are no proof.
pub fn overall(findings: &[Finding]) -> Verdict {
    let has = |verdict| findings.iter().any(|finding| finding.verdict == verdict);
    let by_weight = [
        Verdict::Failed,
        Verdict::Ambiguous,
        Verdict::Unverifiable,
        Verdict::Proved,
    ];
    by_weight
        .into_iter()
        .find(|verdict| has(*verdict))
        .unwrap_or(Verdict::Unverifiable)
}

/// The exit code over all findings, by [`overall`] verdict. Among failures, stale (10) comes before missing (11): a program
/// built from other sources explains every other difference.
pub fn exit_code(findings: &[Finding]) -> ExitCode {
    let failed = |reason| {
        let is_it = |finding: &Finding| finding.verdict == Verdict::Failed && finding.reason == Some(reason);
        findings.iter().any(is_it)
    };
    match overall(findings) {
        Verdict::Proved => ExitCode::Ok,
        Verdict::Failed if failed(Reason::Stale) => ExitCode::Stale,
        Verdict::Failed if failed(Reason::Absent) => ExitCode::MarkerMissing,
        Verdict::Failed => ExitCode::CheckFailed,
        Verdict::Ambiguous => ExitCode::Ambiguous,
        Verdict::Unverifiable => ExitCode::Unverifiable,
    }
}

#[cfg(test)]
mod tests;
