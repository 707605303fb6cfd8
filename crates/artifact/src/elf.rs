//! A program's structure as three readers agree on it: sections with names, symbols, build-id, loaded bytes.

use crate::Unverifiable;
use crate::layout::{Layout, Machine, Section};
use crate::parsers::{self, Symbol, View};

/// Type of a symbol that names a function, in the low four bits of its `st_info` (System V ABI).
const STT_FUNC: u8 = 2;

/// A parsed program, borrowed from its bytes.
pub struct Elf<'a> {
    bytes: &'a [u8],
    layout: Layout,
    view: View<'a>,
}

/// Consecutive bytes that are in memory when the program runs.
#[derive(Clone, Copy, Debug)]
pub struct LoadedBytes<'a> {
    /// `None` in a file without section table.
    pub section: Option<&'a str>,
    pub file_offset: u64,
    pub virtual_address: u64,
    pub bytes: &'a [u8],
}

/// A function that the program defines.
#[derive(Clone, Copy, Debug)]
pub struct Function<'a> {
    /// As in the symbol table.
    pub name: &'a str,
    pub section: &'a str,
    pub file_offset: u64,
    pub virtual_address: u64,
}

impl<'a> Elf<'a> {
    /// Parses `bytes`; a pure function, the entry for everything that feeds it hostile input.
    ///
    /// # Errors
    ///
    /// For what is no program, truncated, packed or malformed, and where the readers disagree.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Unverifiable> {
        let layout = Layout::read(bytes)?;
        let view = parsers::goblin_view(bytes)?;
        let other = parsers::object_view(bytes)?;
        let agree = |same, what| {
            if same {
                Ok(())
            } else {
                Err(Unverifiable::Disagreement(what))
            }
        };
        agree(
            layout.sections == view.sections && view.sections == other.sections,
            "the sections",
        )?;
        agree(view.names == other.names, "the names of the sections")?;
        agree(view.symbols == other.symbols, "the symbols")?;
        agree(view.build_id == other.build_id, "the build-id")?;
        Ok(Self { bytes, layout, view })
    }

    pub fn machine(&self) -> Machine {
        self.layout.machine
    }

    /// The linker's id of the program, where it wrote one. Two different programs may have the same.
    pub fn build_id(&self) -> Option<&'a [u8]> {
        self.view.build_id
    }

    /// False for a file whose section table was removed: what is not found in it may still be there.
    pub fn has_sections(&self) -> bool {
        !self.layout.sections.is_empty()
    }

    /// False for a stripped program.
    pub fn has_symbols(&self) -> bool {
        !self.view.symbols.is_empty()
    }

    /// Names and headers of all sections.
    pub fn sections(&self) -> impl Iterator<Item = (&'a str, &Section)> {
        let names = self
            .view
            .names
            .iter()
            .map(|name| std::str::from_utf8(name).unwrap_or_default());
        names.zip(&self.layout.sections)
    }

    /// The program's own bytes that are in memory when it runs: data first, then code. Tables about the program, comments,
    /// notes and debug information are left out.
    ///
    /// Empty without a section table: see [`loaded_segments`](Self::loaded_segments).
    pub fn loaded_sections(&self) -> Vec<LoadedBytes<'a>> {
        let is_wanted = |name: &str, section: &Section| {
            section.is_program_data() && section.is_loaded() && !name.starts_with(".note")
        };
        let mut wanted: Vec<_> = self
            .sections()
            .filter(|(name, section)| is_wanted(name, section))
            .collect();
        wanted.sort_by_key(|(_, section)| section.is_executable());
        let loaded = wanted.into_iter().map(|(name, section)| LoadedBytes {
            section: Some(name),
            file_offset: section.offset,
            virtual_address: section.address,
            bytes: self.range(section.offset, section.bytes),
        });
        loaded.collect()
    }

    /// Everything of the file that is in memory when the program runs, tables included.
    pub fn loaded_segments(&self) -> impl Iterator<Item = LoadedBytes<'a>> {
        let loaded = self.layout.segments.iter().filter(|segment| segment.is_loaded());
        loaded.map(|segment| LoadedBytes {
            section: None,
            file_offset: segment.offset,
            virtual_address: segment.address,
            bytes: self.range(segment.offset, segment.file_bytes),
        })
    }

    /// The layout has checked every range against the file.
    fn range(&self, offset: u64, length: u64) -> &'a [u8] {
        &self.bytes[offset as usize..(offset + length) as usize]
    }

    /// Functions whose code lies in a loaded, executable section.
    pub fn functions(&self) -> impl Iterator<Item = Function<'a>> {
        self.view.symbols.iter().filter_map(|symbol| self.function(symbol))
    }

    fn function(&self, symbol: &Symbol<'a>) -> Option<Function<'a>> {
        if symbol.info & 0xf != STT_FUNC || symbol.section == 0 {
            return None;
        }
        let idx = usize::from(symbol.section);
        let section = self.layout.sections.get(idx)?;
        let into_section = symbol
            .address
            .checked_sub(section.address)
            .filter(|into| *into < section.bytes)?;
        let is_code = section.is_executable() && section.is_loaded();
        is_code.then_some(Function {
            name: std::str::from_utf8(symbol.name).ok()?,
            section: std::str::from_utf8(self.view.names[idx]).unwrap_or_default(),
            file_offset: section.offset + into_section,
            virtual_address: symbol.address,
        })
    }
}
