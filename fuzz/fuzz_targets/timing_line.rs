//! Lines of a daemon's standard error: no panic on any bytes.
#![no_main]

use cuzk_experiment::timing::parse_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let _ = parse_line(line);
});
