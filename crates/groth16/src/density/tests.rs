//! Densities against a plain list of booleans.

use super::Density;
use proptest::prelude::*;

fn from_bools(bits: &[bool]) -> Density {
    let mut density = Density::default();
    for (variable, &bit) in bits.iter().enumerate() {
        density.push_absent();
        if bit {
            density.insert(variable);
        }
    }
    density
}

fn to_bools(density: &Density) -> Vec<bool> {
    (0..density.len()).map(|variable| density.contains(variable)).collect()
}

#[test]
fn words_hold_the_lowest_variable_in_the_lowest_bit() {
    let mut bits = vec![false; 66];
    bits[0] = true;
    bits[63] = true;
    bits[65] = true;
    assert_eq!(from_bools(&bits).words(), [1 | 1 << 63, 2]);
}

#[test]
#[should_panic(expected = "variable 3 of 2 does not exist")]
fn a_variable_that_was_never_appended_is_refused() {
    from_bools(&[false, false]).insert(3);
}

proptest! {
    #[test]
    fn extension_is_concatenation(left in prop::collection::vec(any::<bool>(), 0..200), right in prop::collection::vec(any::<bool>(), 0..200)) {
        let mut joined = from_bools(&left);
        joined.extend(&from_bools(&right));
        let expected: Vec<bool> = left.iter().chain(&right).copied().collect();
        prop_assert_eq!(to_bools(&joined), expected.clone());
        prop_assert_eq!(joined.count(), expected.iter().filter(|&&bit| bit).count());
        prop_assert_eq!(joined, from_bools(&expected));
    }

    #[test]
    fn extended_inputs_share_their_one(left in prop::collection::vec(any::<bool>(), 1..100), right in prop::collection::vec(any::<bool>(), 1..100)) {
        let mut joined = from_bools(&left);
        joined.extend_inputs(&from_bools(&right));
        let mut expected: Vec<bool> = left.iter().chain(&right[1..]).copied().collect();
        expected[0] |= right[0];
        prop_assert_eq!(joined, from_bools(&expected));
    }
}
