//! Whether the marker of each phase is in the program.
//!
//! A hit shows that the print site was compiled in, not that it was reached: that, a run must show. How often a marker
//! occurs is reported and not judged, for the compiler may copy a literal.

use crate::Elf;
use crate::strings::{self, Found};
use crate::verdict::{Finding, ItemKind};
use crate::verify::ExpectedMarker;

pub fn check(elf: &Elf<'_>, expected: &ExpectedMarker) -> Finding {
    match strings::find(elf, expected.literal.as_bytes()) {
        Found::Loaded(hits) => {
            let finding = Finding::proved(ItemKind::Marker, expected.literal, "in memory that is loaded");
            strings::locate(finding, &hits)
        }
        found => {
            let absent = format!("not in any loaded section; {} should print it", expected.printed_by);
            let fix = format!("restore the print site in {} and build again", expected.printed_by);
            strings::not_found(ItemKind::Marker, expected.literal, &found, &absent).with_default_fix(fix)
        }
    }
}
