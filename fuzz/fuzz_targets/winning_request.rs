//! Vanilla proofs of a WinningPoSt request, with the length that the wire form has: no panic on any bytes.
#![no_main]

use cuzk_circuits::winning::{MinerId, WIRE_BYTES, WinningRequest};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut vanilla_proof = bytes.to_vec();
    vanilla_proof.resize(WIRE_BYTES, 0);
    let _ = WinningRequest { miner_id: MinerId(1000), randomness: [7; 32], vanilla_proof }.decode();
});
