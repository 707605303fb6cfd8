//! The bench circuit against bellpepper's own constraint checker and against parameters made by a peer.
use bellpepper_core::test_cs::TestConstraintSystem;

use super::*;

fn spec(log_domain: u32, bool_share: f64) -> BenchSpec {
    BenchSpec::new(log_domain, bool_share).unwrap()
}

#[test]
fn split_mix_gives_its_published_values() {
    // The generator seeded with 1234567 adds its increment once per step.
    let state = |step: u64| 1_234_567_u64.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let expected = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
    ];
    assert_eq!([0, 1, 2].map(|step| split_mix(state(step))), expected);
}

#[test]
fn sizes_fill_the_domain_but_for_one_row() {
    for (log_domain, bool_share) in [(4, 0.5), (8, 0.0), (10, 0.9), (10, 1.0)] {
        let spec = spec(log_domain, bool_share);
        let mut cs = TestConstraintSystem::<Scalar>::new();
        BenchCircuit::with_seed(spec, Seed(1)).synthesize(&mut cs).unwrap();
        assert_eq!(cs.num_constraints(), (1 << log_domain) - 3);
        assert_eq!(cs.num_inputs(), 2);
    }
}

#[test]
fn witnesses_satisfy_the_circuit_for_their_output_only() {
    for (bool_share, seed) in [(0.0, 0), (0.5, 1), (0.9, 2), (1.0, u64::MAX)] {
        let (spec, seed) = (spec(8, bool_share), Seed(seed));
        let mut cs = TestConstraintSystem::<Scalar>::new();
        BenchCircuit::with_seed(spec, seed).synthesize(&mut cs).unwrap();
        assert_eq!(cs.which_is_unsatisfied(), None);
        assert!(cs.verify(&[public_output(spec, seed)]));
        assert!(!cs.verify(&[public_output(spec, seed) + Scalar::ONE]));
    }
}

#[test]
fn seeds_give_different_witnesses_of_one_circuit() {
    let spec = spec(8, 0.5);
    assert_ne!(public_output(spec, Seed(1)), public_output(spec, Seed(2)));
    assert_eq!(public_output(spec, Seed(1)), public_output(spec, Seed(1)));
}

#[test]
fn share_of_booleans_is_what_was_asked_for() {
    for share in [0.0, 0.25, 0.9, 1.0] {
        let circuit = BenchCircuit::blank(spec(16, share));
        let booleans = circuit.steps().filter(|step| matches!(step, Step::Boolean(_))).count();
        let actual = booleans as f64 / circuit.steps().count() as f64;
        assert!((actual - share).abs() < 0.01, "asked {share}, got {actual}");
    }
}
