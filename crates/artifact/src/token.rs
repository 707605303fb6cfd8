//! Which build token the program carries, and whether it is the one of the present sources and settings.

use cuzk_provenance::{BuildToken, MARKER_PREFIX};

use crate::Elf;
use crate::strings::{self, Found, Hit};
use crate::verdict::{Finding, ItemKind, Reason};

const ITEM: &str = "build token";

/// Hexadecimal digits of a token.
const DIGITS: usize = 64;

/// The different tokens among `hits` of the prefix, each with its places.
fn tokens<'a>(hits: &[Hit<'a>]) -> Vec<(BuildToken, Vec<Hit<'a>>)> {
    let mut tokens: Vec<(BuildToken, Vec<Hit<'a>>)> = Vec::new();
    for hit in hits {
        // The bare prefix occurs in a program that looks for tokens: it is none.
        let Some(token) = token_after(hit.rest()) else { continue };
        match tokens.iter_mut().find(|(known, _)| *known == token) {
            Some((_, places)) => places.push(*hit),
            None => tokens.push((token, vec![*hit])),
        }
    }
    tokens
}

fn token_after(rest: &[u8]) -> Option<BuildToken> {
    let digits = rest.get(..DIGITS)?;
    let is_closed = rest.get(DIGITS) == Some(&b'\n');
    if is_closed {
        std::str::from_utf8(digits).ok()?.parse().ok()
    } else {
        None
    }
}

/// The token, where there is exactly one.
pub fn only_token(elf: &Elf<'_>) -> Option<BuildToken> {
    let Found::Loaded(hits) = strings::find(elf, MARKER_PREFIX.as_bytes()) else {
        return None;
    };
    match tokens(&hits).as_slice() {
        [(token, _)] => Some(*token),
        _ => None,
    }
}

/// Compares with `expected`, the token of the sources and settings as they are now.
pub fn check(elf: &Elf<'_>, expected: Option<BuildToken>) -> Finding {
    let found = strings::find(elf, MARKER_PREFIX.as_bytes());
    let tokens = match &found {
        Found::Loaded(hits) => tokens(hits),
        _ => Vec::new(),
    };
    let Some((first, places)) = tokens.first() else {
        return strings::not_found(
            ItemKind::BuildToken,
            ITEM,
            &found,
            "not linked: no loaded section holds a token",
        )
        .with_default_fix("emit the token in the program's build script and use build_token()");
    };
    let finding = match expected {
        _ if tokens.len() > 1 => {
            let detail = format!("the program carries {} different tokens", tokens.len());
            Finding::ambiguous(ItemKind::BuildToken, ITEM, detail)
        }
        Some(expected) if *first == expected => Finding::proved(
            ItemKind::BuildToken,
            ITEM,
            "sources, settings and compiler are those of the program",
        ),
        Some(expected) => stale(*first, expected),
        None => nothing_to_compare(*first),
    };
    strings::locate(finding, places)
}

fn nothing_to_compare(found: BuildToken) -> Finding {
    let detail = format!("the program carries {found}, and there is nothing to compare it with");
    Finding::unverifiable(ItemKind::BuildToken, ITEM, Reason::NothingToCompare, detail)
        .with_fix("run cargo xtask build, which records the settings")
}

fn stale(found: BuildToken, expected: BuildToken) -> Finding {
    let detail = format!(
        "the program carries {found}, the sources, settings and compiler as they are now give {expected}: the program was \
         built from others"
    );
    Finding::failed(ItemKind::BuildToken, ITEM, Reason::Stale, detail)
        .with_fix("run cargo xtask build; where cargo calls the program fresh, touch a file under crates/ first")
}
