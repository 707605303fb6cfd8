//! Why a file cannot be judged. Each of these is "could not check", never "is not there".

/// What a file is that is not an ELF program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherFormat {
    Text,
    Script,
    LinkerScript,
    Archive,
    ThinArchive,
    Windows,
    MachO,
    WebAssembly,
    Unknown,
}

impl OtherFormat {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "a text file",
            Self::Script => "a script",
            Self::LinkerScript => "a linker script",
            Self::Archive => "a static library (ar archive)",
            Self::ThinArchive => "a thin ar archive",
            Self::Windows => "a DOS or Windows program",
            Self::MachO => "a Mach-O program",
            Self::WebAssembly => "a WebAssembly module",
            Self::Unknown => "in no known format",
        }
    }
}

/// One of the two parsers that are asked for a second and third opinion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parser {
    Goblin,
    Object,
}

impl Parser {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goblin => "goblin",
            Self::Object => "object",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unverifiable {
    #[error("the file is empty (hint: was the disk full when it was linked?)")]
    Empty,
    #[error("the file is {} (hint: expected an ELF program)", .0.name())]
    OtherFormat(OtherFormat),
    #[error("packed by UPX (hint: check the program before packing)")]
    Packed,
    #[error("{field} is {actual}, expected {expected}")]
    Unsupported {
        field: &'static str,
        expected: &'static str,
        actual: u64,
    },
    #[error("the file has {bytes} bytes, but {what} ends at {end} (hint: truncated; build again)")]
    Truncated { what: String, end: u128, bytes: u64 },
    #[error("malformed: {0}")]
    Malformed(String),
    #[error("{} refuses the file: {message}", parser.name())]
    ParserError { parser: Parser, message: String },
    #[error("{} panicked on the file", parser.name())]
    ParserPanicked { parser: Parser },
    #[error(
        "goblin, object and our own reading disagree about {0} (hint: the file was tampered with, or a parser is wrong)"
    )]
    Disagreement(&'static str),
}
