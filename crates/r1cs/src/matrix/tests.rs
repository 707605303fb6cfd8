//! The normal form of a row, against a map as the oracle.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn input(index: usize) -> PackedColumn {
    PackedColumn::input(index).unwrap()
}

fn aux(index: usize) -> PackedColumn {
    PackedColumn::aux(index).unwrap()
}

fn normal(terms: &[(PackedColumn, i64)]) -> Vec<(PackedColumn, i64)> {
    let mut row: Vec<Term> = terms.iter().map(|&(column, value)| (column, scalar(value))).collect();
    normalise(&mut row);
    row.iter().map(|(column, value)| (*column, small(value))).collect()
}

fn scalar(value: i64) -> Scalar {
    let magnitude = Scalar::from(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

/// Undoes [`scalar`] for values of up to a thousand.
fn small(value: &Scalar) -> i64 {
    (-1000..=1000)
        .find(|&candidate| scalar(candidate) == *value)
        .expect("a small value")
}

#[test]
fn inputs_come_before_auxiliaries_each_by_index() {
    let row = [(aux(0), 1), (input(9), 2), (aux(300), 3), (input(0), 4), (aux(7), 5)];
    assert_eq!(
        normal(&row),
        [(input(0), 4), (input(9), 2), (aux(0), 1), (aux(7), 5), (aux(300), 3)]
    );
}

#[test]
fn duplicates_are_summed_and_zeros_dropped() {
    let row = [
        (aux(1), 3),
        (aux(0), 0),
        (aux(1), 4),
        (input(2), 5),
        (input(2), -5),
        (aux(1), -1),
    ];
    assert_eq!(normal(&row), [(aux(1), 6)]);
    assert_eq!(normal(&[(aux(4), 0)]), []);
    assert_eq!(normal(&[]), []);
}

#[test]
fn a_sorted_row_still_loses_its_zeros() {
    assert_eq!(
        normal(&[(input(0), 1), (input(1), 0), (aux(0), 2)]),
        [(input(0), 1), (aux(0), 2)]
    );
}

#[test]
fn adjacent_duplicates_in_a_sorted_row_are_found() {
    assert_eq!(normal(&[(input(0), 1), (input(0), 1)]), [(input(0), 2)]);
}

#[test]
fn columns_pack_with_the_top_bit_for_auxiliaries() {
    assert_eq!((input(5).bits(), input(5).unpack()), (5, Column::Input(5)));
    assert_eq!((aux(5).bits(), aux(5).unpack()), (0x8000_0005, Column::Aux(5)));
    let largest = (1 << 31) - 1;
    assert_eq!(aux(largest).unpack(), Column::Aux(largest as u32));
    assert_eq!(PackedColumn::input(1 << 31), None);
    assert_eq!(PackedColumn::aux(1 << 31), None);
    assert_eq!(PackedColumn::aux((1 << 32) + 1), None);
}

fn any_row() -> impl Strategy<Value = Vec<(PackedColumn, i64)>> {
    let column = prop_oneof![(0..6_usize).prop_map(input), (0..6_usize).prop_map(aux)];
    proptest::collection::vec((column, -3..=3_i64), 0..24)
}

proptest! {
    #[test]
    fn any_order_of_terms_gives_the_map_of_sums(row in any_row(), seed in any::<u64>()) {
        let mut sums = BTreeMap::new();
        row.iter().for_each(|(column, value)| *sums.entry(*column).or_insert(0) += value);
        let expected: Vec<_> = sums.into_iter().filter(|(_, value)| *value != 0).collect();
        prop_assert_eq!(normal(&row), expected.clone());
        let mut shuffled = row;
        let len = shuffled.len().max(1) as u64;
        (0..shuffled.len()).for_each(|at| shuffled.swap(at, (seed.rotate_left(at as u32) % len) as usize));
        prop_assert_eq!(normal(&shuffled), expected);
    }
}
