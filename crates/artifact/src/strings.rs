//! Finding literals in the loaded bytes of a program.
//!
//! Whole byte ranges are searched: Rust literals have no terminator and lie side by side, and linkers merge the tails of
//! equal strings.

use memchr::memmem;

use crate::Elf;
use crate::elf::LoadedBytes;
use crate::verdict::{Finding, ItemKind, Reason};

/// Readable characters that are shown on each side of a hit.
const CONTEXT_BYTES: usize = 48;

/// One occurrence of a literal.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    place: LoadedBytes<'a>,
    /// Position in `place.bytes`.
    at: usize,
    length: usize,
}

impl<'a> Hit<'a> {
    pub fn file_offset(&self) -> u64 {
        self.place.file_offset + self.at as u64
    }

    pub fn virtual_address(&self) -> u64 {
        self.place.virtual_address.wrapping_add(self.at as u64)
    }

    pub fn section(&self) -> Option<&'a str> {
        self.place.section
    }

    /// What follows the literal in the same range.
    pub fn rest(&self) -> &'a [u8] {
        &self.place.bytes[self.at + self.length..]
    }

    /// The readable characters around and including the literal: where they stop, its neighbour is something else.
    pub fn context(&self) -> String {
        let is_readable = |byte: &&u8| (0x20..0x7f).contains(*byte);
        let (before, from_hit) = self.place.bytes.split_at(self.at);
        let n_before = before.iter().rev().take(CONTEXT_BYTES).take_while(is_readable).count();
        let n_after = self.rest().iter().take(CONTEXT_BYTES).take_while(is_readable).count();
        let shown = [&before[self.at - n_before..], &from_hit[..self.length + n_after]].concat();
        String::from_utf8_lossy(&shown).into_owned()
    }
}

/// Where a literal was found.
#[derive(Clone, Debug)]
pub enum Found<'a> {
    /// In loaded sections, or in loaded segments of a file without section table. Data before code, each place once.
    Loaded(Vec<Hit<'a>>),
    /// In a loaded segment, but in no section that holds the program's data: the headers cannot be trusted.
    Unaccounted(Vec<Hit<'a>>),
    /// Nowhere in the loaded bytes, and the sections account for them.
    Absent,
    /// Not found in a file without section table. It may be packed, so this is no absence.
    Unknown,
}

/// Looks for `literal` in everything that is loaded.
pub fn find<'a>(elf: &Elf<'a>, literal: &[u8]) -> Found<'a> {
    let in_sections = search(elf.loaded_sections(), literal);
    if !in_sections.is_empty() {
        return Found::Loaded(in_sections);
    }
    let in_segments = search(elf.loaded_segments(), literal);
    match (in_segments.is_empty(), elf.has_sections()) {
        (false, false) => Found::Loaded(in_segments),
        (false, true) => Found::Unaccounted(in_segments),
        (true, true) => Found::Absent,
        (true, false) => Found::Unknown,
    }
}

fn search<'a>(places: impl IntoIterator<Item = LoadedBytes<'a>>, literal: &[u8]) -> Vec<Hit<'a>> {
    let finder = memmem::Finder::new(literal);
    let mut hits: Vec<Hit<'a>> = Vec::new();
    for place in places {
        for at in finder.find_iter(place.bytes) {
            let hit = Hit {
                place,
                at,
                length: literal.len(),
            };
            // Two headers may describe the same bytes.
            if hits.iter().all(|known| known.file_offset() != hit.file_offset()) {
                hits.push(hit);
            }
        }
    }
    hits
}

/// The verdict for a literal that should be there but is not in loaded sections.
pub(crate) fn not_found(kind: ItemKind, item: &str, found: &Found<'_>, absent: &str) -> Finding {
    let unverifiable = |reason, detail| Finding::unverifiable(kind, item, reason, detail);
    match found {
        Found::Unaccounted(hits) => {
            let detail =
                "in a loaded segment, but in no section that holds program data: the headers contradict each other";
            locate(unverifiable(Reason::Unaccounted, detail), hits)
        }
        Found::Unknown => unverifiable(
            Reason::NoSections,
            "not found, but the file has no section table and may be packed",
        )
        .with_fix("check the program as it was linked"),
        Found::Loaded(_) | Found::Absent => Finding::failed(kind, item, Reason::Absent, absent),
    }
}

/// Writes into `finding` where the literal is.
pub(crate) fn locate(finding: Finding, hits: &[Hit<'_>]) -> Finding {
    let Some(first) = hits.first() else { return finding };
    Finding {
        section: first.section().map(str::to_owned),
        file_offset: Some(first.file_offset()),
        virtual_address: Some(first.virtual_address()),
        occurrences: hits.len() as u64,
        context: Some(first.context()),
        ..finding
    }
}
