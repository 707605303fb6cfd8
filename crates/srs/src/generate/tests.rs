//! The generator against bellperson's, byte for byte, and how it stops.

use std::sync::Mutex;

use bellpepper_core::Index::{self, Aux, Input};
use bellperson::groth16::generate_random_parameters;
use blstrs::Bls12;
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::progress::NoProgress;
use crate::testing::{Naive, Rows, cubic, file_of, record};

/// bellperson's file for the same circuit and secret; `None` where it refuses.
fn peer_file(rows: &Rows, seed: u64) -> Option<Vec<u8>> {
    // The seeded secret is drawn from this source in bellperson's order.
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let parameters = generate_random_parameters::<Bls12, _, _>(rows.clone(), &mut rng).ok()?;
    let mut bytes = vec![];
    parameters.write(&mut bytes).unwrap();
    Some(bytes)
}

fn our_file(rows: &Rows, seed: u64) -> Result<Vec<u8>, SrsError> {
    let secret = Secret::insecure_from_seed(seed);
    generate(&record(rows), &secret, &Naive, &NoProgress, &CancelToken::new()).map(|parameters| file_of(&parameters))
}

#[test]
fn equal_secrets_give_equal_files() {
    for seed in [0, 1, u64::MAX] {
        assert_eq!(our_file(&cubic(), seed).ok(), peer_file(&cubic(), seed), "seed {seed}");
    }
    assert_ne!(our_file(&cubic(), 0).ok(), our_file(&cubic(), 1).ok());
}

#[test]
fn variables_that_are_missing_from_a_or_b_have_no_point_there() {
    // Aux 0 only in A, aux 1 only in B, aux 2 only in C, aux 3 in A but with cancelling coefficients, and in C.
    let rows = vec![
        [
            vec![(1, Aux(0)), (2, Aux(3)), (-2, Aux(3))],
            vec![(1, Aux(1))],
            vec![(3, Aux(2)), (1, Aux(3))],
        ],
        [vec![(4, Aux(0))], vec![], vec![(-1, Input(1))]],
    ];
    let rows = Rows {
        inputs: 1,
        aux: 4,
        rows,
    };
    let ours = generate(
        &record(&rows),
        &Secret::insecure_from_seed(3),
        &Naive,
        &NoProgress,
        &CancelToken::new(),
    )
    .unwrap();
    // Both inputs through the rows that are appended for them, and aux 0.
    assert_eq!(
        (ours.a.len(), ours.b_g1.len(), ours.b_g2.len(), ours.l.len()),
        (3, 1, 1, 4)
    );
    assert_eq!(Some(file_of(&ours)), peer_file(&rows, 3));
}

#[test]
fn sizes_around_powers_of_two_agree() {
    for n_rows in [1, 2, 3, 5, 6, 7] {
        let row = [vec![(1, Aux(0))], vec![(1, Aux(0))], vec![(1, Aux(0))]];
        let rows = Rows {
            inputs: 0,
            aux: 1,
            rows: vec![row; n_rows],
        };
        assert_eq!(our_file(&rows, 5).ok(), peer_file(&rows, 5), "{n_rows} rows");
    }
}

#[test]
fn an_unconstrained_variable_is_named() {
    let rows = Rows { aux: 5, ..cubic() };
    assert_eq!(peer_file(&rows, 1), None);
    let error = our_file(&rows, 1).unwrap_err();
    assert!(
        matches!(error, SrsError::Unconstrained { column: Column::Aux(3) }),
        "{error}"
    );
}

fn any_term(inputs: usize, aux: usize) -> impl Strategy<Value = (i64, Index)> {
    let variable = prop_oneof![(0..=inputs).prop_map(Input), (0..aux).prop_map(Aux)];
    (-2..=2_i64, variable)
}

fn any_rows() -> impl Strategy<Value = Rows> {
    (0..3_usize, 1..6_usize, 1..9_usize).prop_flat_map(|(inputs, aux, n_rows)| {
        let side = || proptest::collection::vec(any_term(inputs, aux), 0..4);
        proptest::collection::vec([side(), side(), side()], n_rows).prop_map(move |rows| Rows { inputs, aux, rows })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any circuit, with zeros, duplicates and unconstrained variables: the same file, or both refuse.
    #[test]
    fn any_circuit_gives_the_peers_file(rows in any_rows(), seed in any::<u64>()) {
        prop_assert_eq!(our_file(&rows, seed).ok(), peer_file(&rows, seed));
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<(Work, Work)>>);

impl Progress for Heard {
    fn advanced(&self, done: Work, total: Work) {
        self.0.lock().unwrap().push((done, total));
    }
}

#[test]
fn progress_reaches_the_announced_total() {
    let heard = Heard::default();
    let secret = Secret::insecure_from_seed(1);
    let made = generate(&record(&cubic()), &secret, &Naive, &heard, &CancelToken::new()).unwrap();
    let g1 = made.h.len() + made.vk.ic.len() + made.l.len() + made.a.len() + made.b_g1.len();
    let expected = Work((g1 + 3 * made.b_g2.len()) as u64);
    let heard = heard.0.into_inner().unwrap();
    assert!(heard.iter().all(|(_, total)| *total == expected));
    assert!(heard.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert_eq!(heard.last().unwrap().0, expected);
}

/// Cancels when so much work is done.
struct CancelAt<'a> {
    work: Work,
    cancel: &'a CancelToken,
}

impl Progress for CancelAt<'_> {
    fn advanced(&self, done: Work, _: Work) {
        assert!(done <= self.work, "work went on after the cancel");
        if done == self.work {
            self.cancel.cancel();
        }
    }
}

#[test]
fn a_cancel_stops_before_the_next_multiplication() {
    for work in [1, 8, 20] {
        let cancel = CancelToken::new();
        let observer = CancelAt {
            work: Work(work),
            cancel: &cancel,
        };
        let secret = Secret::insecure_from_seed(1);
        let result = generate(&record(&cubic()), &secret, &Naive, &observer, &cancel);
        assert!(matches!(result, Err(SrsError::Cancelled(Cancelled))), "after {work}");
    }
}

#[test]
fn a_cancel_before_the_start_does_no_work() {
    let cancel = CancelToken::new();
    cancel.cancel();
    let secret = Secret::insecure_from_seed(1);
    let result = generate(&record(&cubic()), &secret, &Naive, &NoProgress, &cancel);
    assert!(matches!(result, Err(SrsError::Cancelled(Cancelled))));
}

#[test]
fn a_secret_knows_where_it_is_from() {
    let mut rng = ChaCha20Rng::seed_from_u64(9);
    assert_eq!(Secret::random(&mut rng).kind(), SecretKind::Random);
    assert_eq!(
        Secret::insecure_from_seed(9).kind(),
        SecretKind::InsecureSeeded { seed: 9 }
    );
}
