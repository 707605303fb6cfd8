//! A hundred MiB of noise is refused at once and costs no memory. A process of its own, so that its memory is this test's.
use std::time::{Duration, Instant};

use cuzk_circuits::winning::{MinerId, WinningRequest};

const MIB: usize = 1 << 20;

/// `start` and then `length` bytes of noise, in one allocation: nothing larger has been freed before that could hide a copy.
fn noise(start: &[u8], length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let words = std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    let mut bytes = Vec::with_capacity(start.len() + length);
    bytes.extend_from_slice(start);
    bytes.extend(words.flatten().take(length));
    bytes
}

/// Most memory this process has ever held, in KiB, where the kernel says so.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[test]
fn noise_of_any_size_is_refused_fast_and_in_bounded_memory() {
    for length in [0, 1, 1000, MIB, 100 * MIB] {
        for start in [&[][..], &plausible_start()] {
            let vanilla_proof = noise(start, length);
            let request = WinningRequest {
                miner_id: MinerId(1000),
                randomness: [0; 32],
                vanilla_proof,
            };
            let (before, start) = (peak_kib(), Instant::now());
            let error = request.decode().err().expect("refused");
            assert!(
                start.elapsed() < Duration::from_secs(1),
                "{length} bytes took {:?}",
                start.elapsed()
            );
            assert!(error.to_string().len() < 400, "{error}");
            if let (Some(before), Some(after)) = (before, peak_kib()) {
                assert!(after - before < 1024, "{length} bytes cost {} KiB", after - before);
            }
        }
    }
}

/// The start of a good proof up to its first path, so that the noise stands where hashes are expected.
fn plausible_start() -> Vec<u8> {
    [
        &[0; 40][..],
        &1_u64.to_le_bytes(),
        &66_u64.to_le_bytes(),
        &1_u32.to_le_bytes(),
        &9_u64.to_le_bytes(),
    ]
    .concat()
}
