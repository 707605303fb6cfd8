//! Damaged and disguised files: never a panic, never a proof, and never an absence that was not seen.

use std::process::Command;

use cuzk_artifact::unverifiable::OtherFormat;
use cuzk_artifact::{Elf, ItemKind, Reason, Unverifiable, Verdict, judge};

use crate::fixture::*;

fn parse_error(bytes: &[u8]) -> Unverifiable {
    match Elf::parse(bytes) {
        Ok(_) => panic!("{} bytes were accepted", bytes.len()),
        Err(error) => error,
    }
}

fn assert_unreadable(bytes: &[u8]) {
    let findings = judge(bytes, &expectations());
    assert_eq!(findings.len(), 6);
    for finding in findings {
        assert_eq!(
            (finding.verdict, finding.reason),
            (Verdict::Unverifiable, Some(Reason::Unreadable))
        );
    }
}

#[test]
fn a_marker_in_debug_information_does_not_count() {
    let program = blanked(&PROGRAM_WITH_DEBUG, SYNTH.as_bytes());
    for name in [".debug_str", ".debug_info", ".strtab", ".symtab", ".comment"] {
        let mut bytes = program.clone();
        let (header, range) = section(&program, name);
        assert!(range.len() > SYNTH.len(), "{name}");
        put(&mut bytes, range.start + 1, SYNTH.as_bytes());
        if let Ok(elf) = Elf::parse(&bytes) {
            drop(elf);
            assert_eq!(
                find(&judge(&bytes, &expectations()), SYNTH).verdict,
                Verdict::Failed,
                "{name}"
            );
        }
        // Saying that the section is loaded does not load it.
        let flags = u64_at(&bytes, header + 8) | 2;
        put(&mut bytes, header + 8, &flags.to_le_bytes());
        assert_ne!(
            find(&judge(&bytes, &expectations()), SYNTH).verdict,
            Verdict::Proved,
            "{name}"
        );
    }
}

#[test]
fn a_marker_in_unclaimed_loaded_bytes_is_neither_there_nor_absent() {
    let mut bytes = blanked(&PROGRAM, SYNTH.as_bytes());
    let (header, range) = section(&PROGRAM, ".rodata");
    put(&mut bytes, range.start, SYNTH.as_bytes());
    assert_eq!(find(&judge(&bytes, &expectations()), SYNTH).verdict, Verdict::Proved);
    put(&mut bytes, header + 8, &0u64.to_le_bytes());
    let findings = judge(&bytes, &expectations());
    let finding = find(&findings, SYNTH);
    assert_eq!(
        (finding.verdict, finding.reason),
        (Verdict::Unverifiable, Some(Reason::Unaccounted))
    );
}

#[test]
fn a_truncated_program_is_never_judged() {
    for i in 0..200 {
        assert_unreadable(&PROGRAM[..PROGRAM.len() * i / 200]);
    }
    assert_unreadable(&PROGRAM[..PROGRAM.len() - 1]);
    let bare = without_section_table(&PROGRAM);
    for i in 0..200 {
        assert_unreadable(&bare[..bare.len() * i / 200]);
    }
    assert!(matches!(
        parse_error(&bare[..bare.len() - 1]),
        Unverifiable::Truncated { .. }
    ));
}

#[test]
fn other_formats_are_named() {
    let header: Vec<u8> = [&b"MZ"[..], &[0; 100]].concat();
    for (bytes, format) in [
        (&b"hello, world\n"[..], OtherFormat::Text),
        (b"x", OtherFormat::Text),
        (b"#!/bin/sh\nexec cuzk\n", OtherFormat::Script),
        (
            b"/* GNU ld script */\nGROUP ( /lib/libc.so.6 )\n",
            OtherFormat::LinkerScript,
        ),
        (b"!<arch>\n", OtherFormat::Archive),
        (b"!<thin>\n", OtherFormat::ThinArchive),
        (&header, OtherFormat::Windows),
        (b"\xcf\xfa\xed\xfe\x07\0\0\x01", OtherFormat::MachO),
        (b"\0asm\x01\0\0\0", OtherFormat::WebAssembly),
        (b"\x01\x02\x03", OtherFormat::Unknown),
        (b"\x7fEL", OtherFormat::Unknown),
    ] {
        assert_eq!(parse_error(bytes), Unverifiable::OtherFormat(format));
        assert_unreadable(bytes);
    }
    assert_eq!(parse_error(b""), Unverifiable::Empty);
    assert!(matches!(parse_error(b"\x7fELF"), Unverifiable::Truncated { .. }));
}

#[test]
fn object_files_and_archives_of_the_system_compiler_are_no_programs() {
    let dir = dir();
    std::fs::write(dir.join("empty.c"), "int answer(void) { return 42; }\n").unwrap();
    run(Command::new("cc")
        .args(["-c", "empty.c", "-o", "empty.o"])
        .current_dir(&dir));
    run(Command::new("ar")
        .args(["rcs", "libempty.a", "empty.o"])
        .current_dir(&dir));
    let object = std::fs::read(dir.join("empty.o")).unwrap();
    assert!(matches!(
        parse_error(&object),
        Unverifiable::Unsupported {
            field: "ELF type",
            actual: 1,
            ..
        }
    ));
    let archive = std::fs::read(dir.join("libempty.a")).unwrap();
    assert_eq!(parse_error(&archive), Unverifiable::OtherFormat(OtherFormat::Archive));
}

#[test]
fn packed_programs_are_not_searched() {
    for at in [4000, PROGRAM.len() - 36] {
        let mut bytes = PROGRAM.clone();
        put(&mut bytes, at, b"UPX!");
        assert_eq!(parse_error(&bytes), Unverifiable::Packed);
    }
}

#[test]
fn foreign_identities_are_refused() {
    for (at, value, field) in [
        (4, &[1][..], "ELF class"),
        (5, &[2], "ELF data encoding"),
        (6, &[0], "ELF version"),
        (E_TYPE, &[4, 0], "ELF type"),
        (E_MACHINE, &[3, 0], "ELF machine"),
        (E_PHENTSIZE, &[32, 0], "program header size"),
        (E_SHENTSIZE, &[40, 0], "section header size"),
    ] {
        let mut bytes = PROGRAM.clone();
        put(&mut bytes, at, value);
        match parse_error(&bytes) {
            Unverifiable::Unsupported { field: named, .. } => assert_eq!(named, field),
            other => panic!("{field}: {other}"),
        }
    }
}

#[test]
fn damaged_tables_are_refused() {
    let n_sections = u16::from_le_bytes([PROGRAM[E_SHNUM], PROGRAM[E_SHNUM + 1]]);
    let max = [0xff; 8];
    for (at, value) in [
        (E_SHNUM, &[0, 0][..]),
        (E_SHNUM, &[1, 0]),
        (E_SHNUM, &max[..2]),
        (E_SHNUM, &(n_sections - 1).to_le_bytes()),
        (E_SHNUM, &(n_sections + 1).to_le_bytes()),
        (E_SHSTRNDX, &[0, 0]),
        (E_SHSTRNDX, &max[..2]),
        (E_SHSTRNDX, &n_sections.to_le_bytes()),
        (E_SHOFF, &[0; 8]),
        (E_SHOFF, &max),
        (E_SHOFF, &u64::MAX.wrapping_sub(63).to_le_bytes()),
        (E_PHOFF, &[0; 8]),
        (E_PHOFF, &max),
        (E_PHNUM, &[0, 0]),
        (E_PHNUM, &max[..2]),
    ] {
        let mut bytes = PROGRAM.clone();
        put(&mut bytes, at, value);
        assert_unreadable(&bytes);
    }
}

#[test]
fn a_section_that_overflows_is_refused() {
    for name in [".rodata", ".symtab", ".strtab", ".shstrtab", ".text"] {
        let header = section(&PROGRAM, name).0;
        for field in [24, 32] {
            for value in [u64::MAX, u64::MAX - 8, PROGRAM.len() as u64 + 1] {
                let mut bytes = PROGRAM.clone();
                put(&mut bytes, header + field, &value.to_le_bytes());
                assert!(
                    matches!(parse_error(&bytes), Unverifiable::Truncated { .. }),
                    "{name} {field} {value}"
                );
            }
        }
    }
}

#[test]
fn a_second_symbol_table_is_a_disagreement() {
    let mut bytes = PROGRAM_WITH_DEBUG.clone();
    // Turn a section that follows .symtab or precedes it into a symbol table of another length.
    let (header, range) = section(&bytes, ".debug_str");
    assert!(range.len() > 48);
    put(&mut bytes, header + 4, &2u32.to_le_bytes());
    put(&mut bytes, header + 32, &48u64.to_le_bytes());
    put(&mut bytes, header + 56, &24u64.to_le_bytes());
    assert_unreadable(&bytes);
}

/// A linear congruential generator (Knuth, MMIX): the same damage in every run.
struct Damage(u64);

impl Damage {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// What a flipped bit may do to the verdict on a marker.
fn check_flip(whole: &[u8], at: usize, bit: u8) {
    let mut bytes = whole.to_vec();
    bytes[at] ^= 1 << bit;
    let findings = judge(&bytes, &expectations());
    for finding in of_kind(&findings, ItemKind::Marker) {
        let is_gone = places(&bytes, finding.item.as_bytes()).is_empty();
        match finding.verdict {
            Verdict::Proved => assert!(!is_gone, "proved at {at} bit {bit}: {finding:?}"),
            // Only a flip in the marker makes it absent; one in a header makes it unknown.
            Verdict::Failed => assert!(is_gone, "failed at {at} bit {bit}: {finding:?}"),
            Verdict::Unverifiable => {}
            Verdict::Ambiguous => panic!("{finding:?}"),
        }
    }
    let token_hit = places(&bytes, TOKEN.as_bytes()).is_empty();
    let token = find(&findings, "build token");
    assert!(!(token_hit && token.verdict == Verdict::Proved), "at {at} bit {bit}");
}

#[test]
fn flipped_bits_never_give_a_wrong_verdict() {
    let mut damage = Damage(1);
    let bytes = PROGRAM.as_slice();
    let section_table = u64_at(bytes, E_SHOFF) as usize..bytes.len();
    let (_, symbols) = section(bytes, ".symtab");
    let marker_at = places(bytes, SYNTH.as_bytes())[0];
    let token_at = places(bytes, TOKEN.as_bytes())[0];
    // Random damage is spent where it can matter, and a part of it everywhere.
    for (range, n_flips) in [
        (0..1024, 600),
        (section_table, 600),
        (symbols, 300),
        (marker_at..marker_at + SYNTH.len(), 100),
        (token_at - 17..token_at + TOKEN.len() + 1, 100),
        (0..bytes.len(), 600),
    ] {
        for _ in 0..n_flips {
            let at = range.start + damage.below(range.len());
            check_flip(bytes, at, damage.below(8) as u8);
        }
    }
}

#[test]
fn noise_behind_an_honest_header_is_survived() {
    let mut damage = Damage(2);
    for _ in 0..500 {
        let mut bytes = PROGRAM[..64 * 1024].to_vec();
        put(&mut bytes, E_SHOFF, &4096u64.to_le_bytes());
        for _ in 0..64 {
            let at = 64 + damage.below(12 * 1024);
            bytes[at] = damage.below(256) as u8;
        }
        for finding in judge(&bytes, &expectations()) {
            assert_ne!(finding.verdict, Verdict::Failed, "{finding:?}");
        }
    }
}
