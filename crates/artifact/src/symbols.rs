//! Whether the program defines each checked function.
//!
//! Names are compared demangled and without hash. A method `m` of a type `T` is `path::T::m` in the older mangling and
//! `<path::T>::m` in the newer one; both are taken as the former. Methods of traits and generic functions do not match.

use memchr::memmem;

use crate::Elf;
use crate::elf::Function;
use crate::verdict::{Finding, ItemKind, Reason};
use crate::verify::ExpectedSymbol;

pub fn check(elf: &Elf<'_>, expected: &ExpectedSymbol) -> Finding {
    if !elf.has_symbols() {
        return unverifiable(elf, expected);
    }
    let definitions = definitions(elf, expected.path);
    let Some(first) = definitions.first() else {
        let detail = format!("not defined; it {}", expected.purpose);
        return Finding::failed(ItemKind::Symbol, expected.path, Reason::Absent, detail)
            .with_fix("keep the function non-generic and #[inline(never)], and build again");
    };
    let finding = if definitions.len() == 1 {
        Finding::proved(ItemKind::Symbol, expected.path, "defined in loaded code")
    } else {
        let detail = format!(
            "defined {} times: two versions of its crate are linked",
            definitions.len()
        );
        Finding::ambiguous(ItemKind::Symbol, expected.path, detail).with_fix("see cargo tree --duplicates")
    };
    Finding {
        section: Some(first.section.to_owned()),
        file_offset: Some(first.file_offset),
        virtual_address: Some(first.virtual_address),
        occurrences: definitions.len() as u64,
        context: Some(first.name.to_owned()),
        ..finding
    }
}

fn unverifiable(elf: &Elf<'_>, expected: &ExpectedSymbol) -> Finding {
    let (reason, detail) = if elf.has_sections() {
        (Reason::Stripped, "the program is stripped: it has no symbol table")
    } else {
        (
            Reason::NoSections,
            "the file has no section table and therefore no symbol table",
        )
    };
    Finding::unverifiable(ItemKind::Symbol, expected.path, reason, detail)
        .with_fix("check the program before stripping it, or build with strip = \"none\"")
}

/// Definitions of `path` at different addresses.
fn definitions<'a>(elf: &Elf<'a>, path: &str) -> Vec<Function<'a>> {
    // Both manglings keep identifiers as they are, which spares demangling the thousands of other names.
    let last = path.rsplit("::").next().unwrap_or(path);
    let finder = memmem::Finder::new(last);
    let mut found: Vec<Function<'a>> = Vec::new();
    for function in elf.functions() {
        let may_match = finder.find(function.name.as_bytes()).is_some();
        if may_match && demangled_path(function.name).as_deref() == Some(path) {
            let is_known = found
                .iter()
                .any(|known| known.virtual_address == function.virtual_address);
            if !is_known {
                found.push(function);
            }
        }
    }
    found
}

/// `None` for a name that no Rust compiler makes.
fn demangled_path(name: &str) -> Option<String> {
    let demangled = format!("{:#}", rustc_demangle::try_demangle(name).ok()?);
    let method = demangled.strip_prefix('<').and_then(|rest| rest.split_once(">::"));
    match method {
        Some((owner, method)) if !owner.contains([' ', '<', '&', '[', '(']) => Some(format!("{owner}::{method}")),
        _ => Some(demangled),
    }
}

#[cfg(test)]
mod tests {
    use super::demangled_path;

    #[test]
    fn both_manglings_give_the_same_path() {
        for (mangled, path) in [
            (
                "_ZN12cuzk_groth166prover5prove17h8711a44a470fbc3eE",
                "cuzk_groth16::prover::prove",
            ),
            (
                "_ZN13cuzk_contract6timing8Timeline5print17hb6d0eb15b4f620e1E",
                "cuzk_contract::timing::Timeline::print",
            ),
            ("_RNvNtCs5cyVJo6PO8y_8cuzk_fix1m5prove", "cuzk_fix::m::prove"),
            ("_RNvMNtCs5cyVJo6PO8y_8cuzk_fix1mNtB2_1T5print", "cuzk_fix::m::T::print"),
        ] {
            assert_eq!(demangled_path(mangled).as_deref(), Some(path));
        }
    }

    #[test]
    fn methods_of_traits_keep_their_own_form() {
        for mangled in [
            "_ZN53_$LT$cuzk_fix..m..T$u20$as$u20$core..fmt..Display$GT$3fmt17hc47df8cd902a7aebE",
            "_RNvXs_NtCs5cyVJo6PO8y_8cuzk_fix1mNtB4_1TNtNtCsgEmfK2I1SDS_4core3fmt7Display3fmt",
        ] {
            assert_eq!(
                demangled_path(mangled).as_deref(),
                Some("<cuzk_fix::m::T as core::fmt::Display>::fmt")
            );
        }
    }

    #[test]
    fn other_languages_have_no_rust_path() {
        for name in ["", "main", "_Z4funci", "cuzk_groth16::prover::prove"] {
            assert_eq!(demangled_path(name), None, "{name}");
        }
    }
}
