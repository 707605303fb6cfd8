//! Digests of circuits written out by hand, byte for byte.

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::RecordedCircuit;

/// `x * (y + 2 ONE) = out + 7 ONE`, then `(x - x) * 3 y = -3 y`. Inputs ONE and out, auxiliaries x and y.
struct Small;

impl Circuit<Scalar> for Small {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x = cs.alloc(|| "x", || Ok(Scalar::ONE))?;
        let out = cs.alloc_input(|| "out", || Ok(Scalar::ONE))?;
        let y = cs.alloc(|| "y", || Ok(Scalar::ONE))?;
        let (two, three, seven) = (Scalar::from(2), Scalar::from(3), Scalar::from(7));
        cs.enforce(
            || "",
            |lc| lc + x,
            |lc| lc + y + (two, CS::one()),
            |lc| lc + out + (seven, CS::one()),
        );
        cs.enforce(|| "", |lc| lc + x - x, |lc| lc + y + y + y, |lc| lc - (three, y));
        Ok(())
    }
}

#[rustfmt::skip]
const SMALL: &[&str] = &[
    "63757a6b2d723163732d3100", // "cuzk-r1cs-1\0"
    "0200000000000000", "0200000000000000", "0400000000000000", // inputs, auxiliaries, rows with those of the inputs
    // Row 0. A: x
    "01000000", "00000080", "0100000000000000000000000000000000000000000000000000000000000000",
    // B: 2 ONE + y
    "02000000", "00000000", "0200000000000000000000000000000000000000000000000000000000000000",
                "01000080", "0100000000000000000000000000000000000000000000000000000000000000",
    // C: 7 ONE + out
    "02000000", "00000000", "0700000000000000000000000000000000000000000000000000000000000000",
                "01000000", "0100000000000000000000000000000000000000000000000000000000000000",
    // Row 1. A: x - x is nothing. B: 3 y. C: -3 y, the modulus less three.
    "00000000",
    "01000000", "01000080", "0300000000000000000000000000000000000000000000000000000000000000",
    "01000000", "01000080", "fefffffffefffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73",
    // Row 2: ONE * nothing = nothing. Row 3: out * nothing = nothing.
    "01000000", "00000000", "0100000000000000000000000000000000000000000000000000000000000000", "00000000", "00000000",
    "01000000", "01000000", "0100000000000000000000000000000000000000000000000000000000000000", "00000000", "00000000",
];

#[test]
fn a_small_circuit_hashes_as_written_by_hand() {
    let expected = Sha256::digest(hex::decode(SMALL.concat()).unwrap());
    let digest = RecordedCircuit::record(Small).unwrap().digest();
    assert_eq!(digest.to_string(), hex::encode(expected));
}

struct Empty;

impl Circuit<Scalar> for Empty {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, _: &mut CS) -> Result<(), SynthesisError> {
        Ok(())
    }
}

#[test]
fn a_circuit_without_constraints_has_the_row_of_one() {
    let one = format!("0100000000000000{}", "00".repeat(24));
    let text = [
        "63757a6b2d723163732d3100",
        "0100000000000000",
        "0000000000000000",
        "0100000000000000",
    ]
    .concat();
    let text = format!("{text}0100000000000000{one}0000000000000000");
    let expected = Sha256::digest(hex::decode(text).unwrap());
    assert_eq!(
        RecordedCircuit::record(Empty).unwrap().digest().as_bytes()[..],
        expected[..]
    );
}

#[test]
fn more_than_a_buffer_hashes_as_one_stream() {
    let mut hash = BufferedHash::new();
    let piece: Vec<u8> = (0..100_u8).collect();
    (0..2_000).for_each(|_| hash.update(&piece));
    assert_eq!(hash.finish().as_bytes()[..], Sha256::digest(piece.repeat(2_000))[..]);
}

#[test]
fn digests_read_back_from_their_text() {
    let digest = CircuitDigest(std::array::from_fn(|at| at as u8 * 7));
    assert_eq!(digest.to_string().parse(), Ok(digest));
}

#[test]
fn other_text_is_no_digest() {
    let good = CircuitDigest([0xab; 32]).to_string();
    let bad = [
        String::new(),
        good[1..].to_owned(),
        format!("{good}0"),
        good.to_uppercase(),
        format!("g{}", &good[1..]),
    ];
    for text in bad {
        let error = text.parse::<CircuitDigest>().unwrap_err();
        assert!(error.to_string().contains("64 lowercase hexadecimal digits"), "{error}");
    }
    let long = "é".repeat(1 << 20).parse::<CircuitDigest>().unwrap_err().to_string();
    assert!(long.len() < 300, "a message has {} bytes", long.len());
}
