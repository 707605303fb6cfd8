//! ELF files: no panic on any bytes, and damage is never proved.
#![no_main]

use cuzk_artifact::{Expectations, judge};
use cuzk_contract::symbols::Program;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let findings = judge(bytes, &Expectations::of(Program::Daemon, None));
    assert!(!findings.is_empty());
});
