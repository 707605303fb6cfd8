//! All checks of one program, in one report.

use std::path::Path;

use cuzk_contract::phase::{PHASES, Presence};
use cuzk_contract::symbols::{Program, SYMBOLS};
use cuzk_provenance::BuildToken;

use crate::verdict::{Finding, ItemKind, Reason};
use crate::{Elf, ProgramFacts, ProgramFile, ReadError, Unverifiable, VerifyReport, markers, symbols, token};

/// A literal that the program must contain.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedMarker {
    pub literal: &'static str,
    /// Package that prints it.
    pub printed_by: &'static str,
}

/// A function that the program must define.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedSymbol {
    /// Demangled, without hash, for instance `cuzk_groth16::prover::prove`.
    pub path: &'static str,
    /// What the function does, as the end of a sentence.
    pub purpose: &'static str,
}

/// What a program is checked against.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    pub markers: Vec<ExpectedMarker>,
    pub symbols: Vec<ExpectedSymbol>,
    /// The token of the sources and settings as they are now; `None` where the caller does not know the settings, which
    /// makes the token unverifiable.
    pub token: Option<BuildToken>,
}

impl Expectations {
    /// What the catalogue promises for `program`: the daemon prints every phase that some backend prints; the client proves
    /// nothing and prints none.
    pub fn of(program: Program, token: Option<BuildToken>) -> Self {
        let is_printed = |phase: &&cuzk_contract::phase::Phase| match program {
            Program::Daemon => phase.presence != Presence::NotYet,
            Program::Bench => false,
        };
        let markers = PHASES.iter().filter(is_printed).map(|phase| ExpectedMarker {
            literal: phase.marker.literal(),
            printed_by: phase.printed_by,
        });
        let symbols = SYMBOLS
            .iter()
            .filter(|symbol| symbol.programs.contains(&program))
            .map(|symbol| ExpectedSymbol {
                path: symbol.path,
                purpose: symbol.purpose,
            });
        Self {
            markers: markers.collect(),
            symbols: symbols.collect(),
            token,
        }
    }
}

/// Reads the file at `path` and checks it.
///
/// # Errors
///
/// Only where the file cannot be read at all. One that changes meanwhile, is too large or no file gives a report that says
/// so.
pub fn verify_file(path: &Path, expected: &Expectations) -> Result<VerifyReport, ReadError> {
    match ProgramFile::read(path) {
        Ok(file) => Ok(verify(&file, expected)),
        Err(error @ ReadError::Io { .. }) => Err(error),
        Err(error) => Ok(VerifyReport::new(
            None,
            unreadable(&path.display().to_string(), &error.to_string(), expected),
        )),
    }
}

/// Checks a program that was read.
pub fn verify(file: &ProgramFile, expected: &Expectations) -> VerifyReport {
    let parsed = file.elf();
    let facts = ProgramFacts::new(file, parsed.as_ref().ok());
    let findings = findings(&facts.path, &parsed, expected);
    VerifyReport::new(Some(facts), findings)
}

/// Checks bytes that claim to be a program: like [`verify`] without a file, a pure function of its arguments.
pub fn judge(bytes: &[u8], expected: &Expectations) -> Vec<Finding> {
    findings("the program", &Elf::parse(bytes), expected)
}

fn findings(name: &str, parsed: &Result<Elf<'_>, Unverifiable>, expected: &Expectations) -> Vec<Finding> {
    let elf = match parsed {
        Ok(elf) => elf,
        Err(cause) => return unreadable(name, &cause.to_string(), expected),
    };
    let markers = expected.markers.iter().map(|marker| markers::check(elf, marker));
    let symbols = expected.symbols.iter().map(|symbol| symbols::check(elf, symbol));
    markers
        .chain(symbols)
        .chain([token::check(elf, expected.token)])
        .collect()
}

/// Lists every expected item, so that a reader of the report sees what is not known.
fn unreadable(program: &str, cause: &str, expected: &Expectations) -> Vec<Finding> {
    let finding = |kind, item: &str, detail: &str| Finding::unverifiable(kind, item, Reason::Unreadable, detail);
    let markers = expected.markers.iter().map(|marker| (ItemKind::Marker, marker.literal));
    let symbols = expected.symbols.iter().map(|symbol| (ItemKind::Symbol, symbol.path));
    let items = markers.chain(symbols).chain([(ItemKind::BuildToken, "build token")]);
    let items = items.map(|(kind, item)| finding(kind, item, "the program could not be read"));
    [finding(ItemKind::Program, program, cause)]
        .into_iter()
        .chain(items)
        .collect()
}
