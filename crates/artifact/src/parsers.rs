//! The same facts from two independent parsers, in one form, so that they can be compared.
//!
//! Neither parser promises to be safe on hostile input, so both run behind [`catch_unwind`]. Their permissive modes and
//! their support for other formats are not used.

use std::panic::{AssertUnwindSafe, catch_unwind};

use goblin::elf as goblin_elf;
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _, Sym as _};
use object::{LittleEndian, elf as object_elf};

use crate::Unverifiable;
use crate::layout::Section;
use crate::unverifiable::Parser;

/// An entry of the symbol table, as it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    pub name: &'a [u8],
    pub address: u64,
    pub bytes: u64,
    /// Binding and type in one byte.
    pub info: u8,
    /// Index of the defining section; 0 for none.
    pub section: u16,
}

/// What a parser says about a file.
#[derive(Debug, PartialEq, Eq)]
pub struct View<'a> {
    pub sections: Vec<Section>,
    /// One for each section.
    pub names: Vec<&'a [u8]>,
    /// Empty where there is no symbol table.
    pub symbols: Vec<Symbol<'a>>,
    pub build_id: Option<&'a [u8]>,
}

/// Asks goblin, in strict mode.
pub fn goblin_view(bytes: &[u8]) -> Result<View<'_>, Unverifiable> {
    guarded(Parser::Goblin, || read_with_goblin(bytes))
}

/// Asks object, in its low-level form for this one kind of ELF.
pub fn object_view(bytes: &[u8]) -> Result<View<'_>, Unverifiable> {
    guarded(Parser::Object, || read_with_object(bytes))
}

fn guarded<'a, E: std::fmt::Display>(
    parser: Parser,
    read: impl FnOnce() -> Result<View<'a>, E>,
) -> Result<View<'a>, Unverifiable> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(view)) => Ok(view),
        Ok(Err(error)) => Err(Unverifiable::ParserError {
            parser,
            message: error.to_string(),
        }),
        Err(_) => Err(Unverifiable::ParserPanicked { parser }),
    }
}

fn read_with_goblin(bytes: &[u8]) -> goblin::error::Result<View<'_>> {
    let elf = goblin_elf::Elf::parse(bytes)?;
    let sections = elf.section_headers.iter().map(|header| Section {
        kind: header.sh_type,
        flags: header.sh_flags,
        address: header.sh_addr,
        offset: header.sh_offset,
        bytes: header.sh_size,
        link: header.sh_link,
    });
    let name =
        |header: &goblin_elf::SectionHeader| elf.shdr_strtab.get_at(header.sh_name).unwrap_or_default().as_bytes();
    let symbols = elf.syms.iter().map(|symbol| Symbol {
        name: elf.strtab.get_at(symbol.st_name).unwrap_or_default().as_bytes(),
        address: symbol.st_value,
        bytes: symbol.st_size,
        info: symbol.st_info,
        section: u16::try_from(symbol.st_shndx).unwrap_or(u16::MAX),
    });
    let mut build_id = None;
    for note in elf.iter_note_headers(bytes).into_iter().flatten() {
        let note = note?;
        if note.name == "GNU" && note.n_type == goblin_elf::note::NT_GNU_BUILD_ID {
            build_id = build_id.or(Some(note.desc));
        }
    }
    Ok(View {
        sections: sections.collect(),
        names: elf.section_headers.iter().map(name).collect(),
        symbols: symbols.collect(),
        build_id,
    })
}

fn read_with_object(bytes: &[u8]) -> object::read::Result<View<'_>> {
    let header = object_elf::FileHeader64::<LittleEndian>::parse(bytes)?;
    let endian = header.endian()?;
    let table = header.sections(endian, bytes)?;
    let section = |header: &object_elf::SectionHeader64<LittleEndian>| Section {
        kind: header.sh_type(endian).0,
        flags: header.sh_flags(endian).0,
        address: header.sh_addr(endian),
        offset: header.sh_offset(endian),
        bytes: header.sh_size(endian),
        link: header.sh_link(endian),
    };
    let names: object::read::Result<Vec<_>> = table.iter().map(|header| table.section_name(endian, header)).collect();
    let symbol_table = table.symbols(endian, bytes, object_elf::SHT_SYMTAB)?;
    let symbol = |symbol: &object_elf::Sym64<LittleEndian>| {
        Ok(Symbol {
            name: symbol.name(endian, symbol_table.strings())?,
            address: symbol.st_value(endian),
            bytes: symbol.st_size(endian),
            info: symbol.st_info().0,
            section: symbol.st_shndx(endian).0,
        })
    };
    let symbols: object::read::Result<Vec<_>> = symbol_table.iter().map(symbol).collect();
    let mut build_id = None;
    for segment in header.program_headers(endian, bytes)? {
        let Some(mut notes) = segment.notes(endian, bytes)? else {
            continue;
        };
        while let Some(note) = notes.next()? {
            if note.name() == object_elf::ELF_NOTE_GNU && note.n_type(endian) == object_elf::NT_GNU_BUILD_ID {
                build_id = build_id.or(Some(note.desc()));
            }
        }
    }
    Ok(View {
        sections: table.iter().map(section).collect(),
        names: names?,
        symbols: symbols?,
        build_id,
    })
}
