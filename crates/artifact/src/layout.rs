//! Our own reading of an ELF header and its two tables: every bound is checked here before a parser sees the bytes.
//!
//! Accepted are 64-bit little-endian programs for x86-64 and AArch64. Field offsets are those of the System V ABI, "ELF-64
//! Object File Format". Names, symbols and notes are left to the parsers.

use crate::Unverifiable;
use crate::unverifiable::OtherFormat;

const HEADER_BYTES: usize = 64;
const SEGMENT_BYTES: u64 = 56;
const SECTION_BYTES: u64 = 64;

/// Linkers make about a dozen. The limit bounds the comparison of every section with every segment.
const MAX_SEGMENTS: u16 = 1024;

const ET_EXEC: u16 = 2;
const ET_DYN: u16 = 3;
const EM_X86_64: u16 = 62;
const EM_AARCH64: u16 = 183;
const PT_LOAD: u32 = 1;
const SHT_NULL: u32 = 0;
const SHT_PROGBITS: u32 = 1;
const SHT_STRTAB: u32 = 3;
const SHT_NOBITS: u32 = 8;
const SHF_ALLOC: u64 = 2;
const SHF_EXECINSTR: u64 = 4;

/// The processor that a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    X86_64,
    Aarch64,
}

impl Machine {
    pub const fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }
}

/// A program header: bytes of the file that are mapped when the program starts, if it is loadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub kind: u32,
    pub offset: u64,
    pub address: u64,
    pub file_bytes: u64,
    pub memory_bytes: u64,
}

impl Segment {
    pub const fn is_loaded(&self) -> bool {
        self.kind == PT_LOAD
    }

    /// Whether the section's bytes are mapped by this segment at the address that the section claims. Both have been
    /// checked to lie inside the file.
    fn maps(&self, section: &Section) -> bool {
        self.is_loaded()
            && section.offset >= self.offset
            && section.offset + section.bytes <= self.offset + self.file_bytes
            && section.address.wrapping_sub(self.address) == section.offset - self.offset
    }
}

/// A section header, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub kind: u32,
    pub flags: u64,
    pub address: u64,
    pub offset: u64,
    pub bytes: u64,
    pub link: u32,
}

impl Section {
    /// Bytes of the program itself, as opposed to tables about it.
    pub const fn is_program_data(&self) -> bool {
        self.kind == SHT_PROGBITS
    }

    /// Whether its bytes are in memory when the program runs.
    pub const fn is_loaded(&self) -> bool {
        self.flags & SHF_ALLOC != 0 && self.has_file_bytes()
    }

    pub const fn is_executable(&self) -> bool {
        self.flags & SHF_EXECINSTR != 0
    }

    pub const fn has_file_bytes(&self) -> bool {
        self.kind != SHT_NULL && self.kind != SHT_NOBITS
    }
}

/// Where the parts of a program lie in its file. All ranges are inside the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub machine: Machine,
    pub segments: Vec<Segment>,
    /// Empty when the file has no section table; a table of zero sections is refused instead.
    pub sections: Vec<Section>,
    /// Index of the section that holds the sections' names.
    pub names: usize,
}

impl Layout {
    /// Reads header and tables of `bytes`. The tables hold at most [`MAX_SEGMENTS`] and 65,535 entries.
    pub fn read(bytes: &[u8]) -> Result<Self, Unverifiable> {
        recognise(bytes)?;
        check_identity(bytes)?;
        let machine = machine(bytes)?;
        let segments = read_segments(bytes)?;
        let (sections, names) = read_sections(bytes)?;
        check_mapped(&segments, &sections)?;
        Ok(Self {
            machine,
            segments,
            sections,
            names,
        })
    }
}

/// A section's flag is only a claim: what it says of memory must be what the segments do.
fn check_mapped(segments: &[Segment], sections: &[Section]) -> Result<(), Unverifiable> {
    for (idx, section) in sections.iter().enumerate() {
        if section.is_loaded() && section.bytes > 0 && !segments.iter().any(|segment| segment.maps(section)) {
            return Err(malformed(format!(
                "section {idx} says that it is loaded, but no segment maps it"
            )));
        }
    }
    Ok(())
}

/// Names what is not an ELF program, so that a wrong path is understood at once.
fn recognise(bytes: &[u8]) -> Result<(), Unverifiable> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    let mach_o = [0xfeed_face_u32, 0xfeed_facf, 0xcafe_babe, 0xcefa_edfe, 0xcffa_edfe];
    let format = match () {
        () if bytes.is_empty() => return Err(Unverifiable::Empty),
        () if starts(b"\x7fELF") => return refuse_packed(bytes),
        () if starts(b"!<arch>\n") => OtherFormat::Archive,
        () if starts(b"!<thin>\n") => OtherFormat::ThinArchive,
        () if starts(b"MZ") => OtherFormat::Windows,
        () if mach_o.iter().any(|magic| starts(&magic.to_be_bytes())) => OtherFormat::MachO,
        () if starts(b"\0asm") => OtherFormat::WebAssembly,
        () if starts(b"#!") => OtherFormat::Script,
        () => text_or_unknown(bytes),
    };
    Err(Unverifiable::OtherFormat(format))
}

fn text_or_unknown(bytes: &[u8]) -> OtherFormat {
    let head = &bytes[..bytes.len().min(4096)];
    if head
        .iter()
        .any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
    {
        return OtherFormat::Unknown;
    }
    let head = String::from_utf8_lossy(head);
    let commands = [
        "GNU ld script",
        "GROUP (",
        "GROUP(",
        "INPUT (",
        "INPUT(",
        "OUTPUT_FORMAT(",
    ];
    let is_linker_script = commands.iter().any(|command| head.contains(command));
    if is_linker_script {
        OtherFormat::LinkerScript
    } else {
        OtherFormat::Text
    }
}

/// UPX leaves its mark behind the program headers and at the end of the file.
fn refuse_packed(bytes: &[u8]) -> Result<(), Unverifiable> {
    let head = &bytes[..bytes.len().min(4096)];
    let tail = &bytes[bytes.len().saturating_sub(36)..];
    if [head, tail]
        .iter()
        .any(|part| memchr::memmem::find(part, b"UPX!").is_some())
    {
        return Err(Unverifiable::Packed);
    }
    Ok(())
}

fn check_identity(bytes: &[u8]) -> Result<(), Unverifiable> {
    if bytes.len() < HEADER_BYTES {
        return Err(truncated("the ELF header", HEADER_BYTES as u128, bytes));
    }
    let check = |field, expected, actual: u64, ok| {
        if ok {
            Ok(())
        } else {
            Err(Unverifiable::Unsupported {
                field,
                expected,
                actual,
            })
        }
    };
    check("ELF class", "2 (64-bit)", bytes[4].into(), bytes[4] == 2)?;
    check("ELF data encoding", "1 (little-endian)", bytes[5].into(), bytes[5] == 1)?;
    check("ELF version", "1", bytes[6].into(), bytes[6] == 1)?;
    let kind = u16_at(bytes, 16);
    check(
        "ELF type",
        "2 or 3 (a program)",
        kind.into(),
        kind == ET_EXEC || kind == ET_DYN,
    )
}

fn machine(bytes: &[u8]) -> Result<Machine, Unverifiable> {
    match u16_at(bytes, 18) {
        EM_X86_64 => Ok(Machine::X86_64),
        EM_AARCH64 => Ok(Machine::Aarch64),
        other => {
            let expected = "62 (x86-64) or 183 (AArch64)";
            Err(Unverifiable::Unsupported {
                field: "ELF machine",
                expected,
                actual: other.into(),
            })
        }
    }
}

fn read_segments(bytes: &[u8]) -> Result<Vec<Segment>, Unverifiable> {
    let (offset, entry_bytes, count) = (u64_at(bytes, 32), u16_at(bytes, 54), u16_at(bytes, 56));
    if offset == 0 || count == 0 {
        return Err(malformed("no program headers: nothing of the file would be loaded"));
    }
    if count > MAX_SEGMENTS {
        let expected = "at most 1024";
        return Err(Unverifiable::Unsupported {
            field: "number of program headers",
            expected,
            actual: count.into(),
        });
    }
    check_entry_bytes("program header size", "56", entry_bytes, SEGMENT_BYTES)?;
    let table = table_at(
        "the program header table",
        bytes,
        offset,
        u64::from(count) * SEGMENT_BYTES,
    )?;
    let segments: Vec<_> = table.chunks_exact(SEGMENT_BYTES as usize).map(read_segment).collect();
    for (idx, segment) in segments.iter().enumerate().filter(|(_, segment)| segment.is_loaded()) {
        check_inside(
            || format!("program header {idx}"),
            bytes,
            segment.offset,
            segment.file_bytes,
        )?;
        if segment.file_bytes > segment.memory_bytes {
            return Err(malformed(format!(
                "program header {idx} maps more bytes than it has memory for"
            )));
        }
    }
    if !segments.iter().any(Segment::is_loaded) {
        return Err(malformed(
            "no loadable program header: nothing of the file would be loaded",
        ));
    }
    Ok(segments)
}

fn read_segment(entry: &[u8]) -> Segment {
    Segment {
        kind: u32_at(entry, 0),
        offset: u64_at(entry, 8),
        address: u64_at(entry, 16),
        file_bytes: u64_at(entry, 32),
        memory_bytes: u64_at(entry, 40),
    }
}

/// The sections and the index of their name table; nothing when the file was made without a section table.
fn read_sections(bytes: &[u8]) -> Result<(Vec<Section>, usize), Unverifiable> {
    let (offset, entry_bytes) = (u64_at(bytes, 40), u16_at(bytes, 58));
    let (count, names) = (u16_at(bytes, 60), u16_at(bytes, 62));
    if (offset, count, names) == (0, 0, 0) {
        return Ok((Vec::new(), 0));
    }
    // A count of zero could also mean "too many for the field": no program of ours has 65,280 sections.
    if offset == 0 || count == 0 {
        return Err(malformed(format!(
            "section table at {offset} with {count} entries and name table {names}"
        )));
    }
    check_entry_bytes("section header size", "64", entry_bytes, SECTION_BYTES)?;
    let table = table_at(
        "the section header table",
        bytes,
        offset,
        u64::from(count) * SECTION_BYTES,
    )?;
    let sections: Vec<_> = table.chunks_exact(SECTION_BYTES as usize).map(read_section).collect();
    for (idx, section) in sections
        .iter()
        .enumerate()
        .filter(|(_, section)| section.has_file_bytes())
    {
        check_inside(|| format!("section {idx}"), bytes, section.offset, section.bytes)?;
    }
    let names = usize::from(names);
    match sections.get(names) {
        Some(section) if section.kind == SHT_STRTAB => Ok((sections, names)),
        _ => Err(malformed(format!(
            "section {names} of {count} is not the sections' name table"
        ))),
    }
}

fn read_section(entry: &[u8]) -> Section {
    Section {
        kind: u32_at(entry, 4),
        flags: u64_at(entry, 8),
        address: u64_at(entry, 16),
        offset: u64_at(entry, 24),
        bytes: u64_at(entry, 32),
        link: u32_at(entry, 40),
    }
}

fn check_entry_bytes(
    field: &'static str,
    expected: &'static str,
    actual: u16,
    wanted: u64,
) -> Result<(), Unverifiable> {
    if u64::from(actual) == wanted {
        return Ok(());
    }
    Err(Unverifiable::Unsupported {
        field,
        expected,
        actual: actual.into(),
    })
}

fn table_at<'a>(what: &str, bytes: &'a [u8], offset: u64, length: u64) -> Result<&'a [u8], Unverifiable> {
    check_inside(|| what.to_owned(), bytes, offset, length)?;
    // Both fit: they are inside the file, which is in memory.
    Ok(&bytes[offset as usize..(offset + length) as usize])
}

fn check_inside(what: impl Fn() -> String, bytes: &[u8], offset: u64, length: u64) -> Result<(), Unverifiable> {
    // In 128 bits the sum cannot overflow.
    let end = u128::from(offset) + u128::from(length);
    if end > bytes.len() as u128 {
        return Err(truncated(&what(), end, bytes));
    }
    Ok(())
}

fn truncated(what: &str, end: u128, bytes: &[u8]) -> Unverifiable {
    Unverifiable::Truncated {
        what: what.to_owned(),
        end,
        bytes: bytes.len() as u64,
    }
}

fn malformed(detail: impl Into<String>) -> Unverifiable {
    Unverifiable::Malformed(detail.into())
}

// The callers have checked the length: a header of 64 bytes, table entries of 56 and 64.

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
