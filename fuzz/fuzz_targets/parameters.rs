//! Parameter files and verifying keys: no panic, and what is accepted encodes to the same bytes.
#![no_main]

use cuzk_srs::SubgroupCheck;
use cuzk_srs::format::{parse_parameters, parse_verifying_key, write_parameters};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse_verifying_key(bytes);
    if let Ok(parameters) = parse_parameters(bytes, SubgroupCheck::Skip) {
        let mut again = Vec::new();
        write_parameters(&parameters, &mut again).unwrap();
        assert_eq!(again, bytes);
    }
});
