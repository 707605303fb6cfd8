//! The check finds what is wrong, where it is wrong, and nothing else.
use super::*;
use crate::bench::BenchCircuit;
use crate::kind::BenchSpec;
use crate::synthetic::{Seed, bench_task};
use crate::task::CircuitInstance;

/// `x * x = 9` twice, in namespaces of two levels, for an `x` of choice.
struct Squares {
    first: u64,
    second: u64,
}

impl Circuit<Scalar> for Squares {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for (name, value) in [("first", self.first), ("second", self.second)] {
            let mut outer = cs.namespace(|| "squares");
            let mut inner = outer.namespace(|| name);
            let x = inner.alloc(|| "x", || Ok(Scalar::from(value)))?;
            inner.enforce(
                || "row",
                |lc| lc + x,
                |lc| lc + x,
                |lc| lc + (Scalar::from(9), CS::one()),
            );
        }
        Ok(())
    }
}

fn first_unsatisfied(circuit: Squares) -> Option<Unsatisfied> {
    let mut rows = Rows::new();
    circuit.synthesize(&mut rows).unwrap();
    assert_eq!(rows.path, "", "every namespace was left");
    rows.unsatisfied
}

#[test]
fn first_broken_row_is_named_with_its_values() {
    assert_eq!(first_unsatisfied(Squares { first: 3, second: 3 }), None);
    let broken = first_unsatisfied(Squares { first: 3, second: 4 }).unwrap();
    assert_eq!(broken.constraint, 1);
    assert_eq!(broken.path, "squares/second/row");
    assert_eq!([broken.a, broken.b, broken.c], [4, 4, 9].map(Scalar::from));
    assert!(
        broken
            .to_string()
            .contains("constraint 1 (squares/second/row) does not hold"),
        "{broken}"
    );
    let both = first_unsatisfied(Squares { first: 5, second: 4 }).unwrap();
    assert_eq!((both.constraint, both.path.as_str()), (0, "squares/first/row"));
}

fn task() -> ProofTask {
    bench_task(BenchSpec::new(6, 0.5).unwrap(), Seed(7))
}

#[test]
fn good_task_is_satisfied() {
    let [report] = &check(&task()).unwrap()[..] else {
        panic!("one partition")
    };
    assert!(report.is_satisfied());
    assert_eq!(
        (report.shape.inputs, report.shape.aux, report.shape.constraints),
        (2, 60, 61)
    );
}

#[test]
fn other_public_inputs_are_found() {
    let mut changed = task();
    changed.partitions[0].public_inputs[0] += Scalar::ONE;
    let mut longer = task();
    longer.partitions[0].public_inputs.push(Scalar::ONE);
    for (task, expected) in [
        (changed, PublicInputs::Differ { index: 0 }),
        (longer, PublicInputs::Count { circuit: 1, task: 2 }),
    ] {
        let reports = check(&task).unwrap();
        assert_eq!(reports[0].public_inputs, expected);
        assert!(!reports[0].is_satisfied());
    }
}

#[test]
fn blank_circuit_is_an_error_that_names_the_partition() {
    let mut blank = task();
    let spec = BenchSpec::new(6, 0.5).unwrap();
    blank.partitions[0].circuit = CircuitInstance::Bench(BenchCircuit::blank(spec));
    assert_eq!(check(&blank).unwrap_err().partition, 0);
}
