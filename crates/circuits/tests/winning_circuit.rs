//! The WinningPoSt circuit: published counts, a witness that satisfies it, and the same assignment however it is synthesised.
use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use cuzk_circuits::satisfaction::{self, PublicInputs};
use cuzk_circuits::winning::WIRE_BYTES;
use cuzk_circuits::{ProofKind, ProofTask, Seed, record, synthetic};
use cuzk_groth16::ProvingAssignment;
use cuzk_groth16::r1cs::RecordedCircuit;
use ff::{Field, PrimeField};
use sha2::{Digest, Sha256};

const DIGEST: &str = "88940f5447a1c5ec086b21a4492b0cced14fee61459bd231c3ac7977b42e7673";
const CONSTRAINTS: usize = 370_590;
const INPUTS: usize = 133;
const AUX: usize = 375_210;

fn task(seed: u64) -> ProofTask {
    synthetic::task(&ProofKind::Winning32G, Seed(seed)).unwrap()
}

#[test]
fn counts_and_digest_are_the_published_circuits() {
    let recorded = record(&ProofKind::Winning32G).unwrap();
    let shape = recorded.shape();
    assert_eq!((shape.constraints, shape.inputs, shape.aux), (CONSTRAINTS, INPUTS, AUX));
    assert_eq!(shape.log_domain().get(), 19);
    assert_eq!(recorded.digest().to_string(), DIGEST);
}

#[test]
fn synthetic_sector_satisfies_the_circuit() {
    let task = task(1);
    assert_eq!(task.kind, ProofKind::Winning32G);
    let [report] = &satisfaction::check(&task).unwrap()[..] else {
        panic!("one partition")
    };
    assert_eq!(report.unsatisfied, None);
    assert_eq!(report.public_inputs, PublicInputs::Equal);
    assert_eq!(
        (report.shape.constraints, report.shape.inputs, report.shape.aux),
        (CONSTRAINTS, INPUTS, AUX)
    );
    assert_eq!(task.partitions[0].public_inputs.len(), 132);
}

#[test]
fn witness_does_not_change_the_digest() {
    let circuit = task(2).partitions[0].circuit.clone();
    assert_eq!(RecordedCircuit::record(circuit).unwrap().digest().to_string(), DIGEST);
}

#[test]
fn vanilla_proof_has_its_fixed_length() {
    let request = synthetic::winning_request(Seed(3)).unwrap();
    assert_eq!(request.vanilla_proof.len(), 164_064);
    assert_eq!(WIRE_BYTES, 164_064);
}

#[test]
fn seeds_give_different_public_inputs() {
    let (one, two) = (task(1), task(2));
    let pairs = one.partitions[0]
        .public_inputs
        .iter()
        .zip(&two.partitions[0].public_inputs);
    assert!(pairs.into_iter().all(|(one, two)| one != two));
}

#[test]
fn parallel_synthesis_gives_the_sequential_assignment() {
    let circuit = task(4).partitions[0].circuit.clone();
    let mut parallel = ProvingAssignment::new();
    parallel.alloc_input(|| "one", || Ok(Scalar::ONE)).unwrap();
    circuit.clone().synthesize(&mut parallel).unwrap();
    let mut sequential = Sequential::new();
    sequential.alloc_input(|| "one", || Ok(Scalar::ONE)).unwrap();
    circuit.synthesize(&mut sequential).unwrap();
    assert!(<ProvingAssignment as ConstraintSystem<Scalar>>::is_extensible());
    assert!(!Sequential::is_extensible());
    // Not `assert_eq`: a difference would print millions of digits.
    assert!(parallel.input == sequential.input);
    assert!(parallel.aux == sequential.aux);
    assert!(parallel.a == sequential.rows[0]);
    assert!(parallel.b == sequential.rows[1]);
    assert!(parallel.c == sequential.rows[2]);
    assert!(
        sequential.rows[0]
            .iter()
            .zip(&sequential.rows[1])
            .zip(&sequential.rows[2])
            .all(|((a, b), c)| a * b == *c)
    );
    assert_eq!(sequential.digest(), DIGEST);
}

/// A constraint system that cannot be extended, so that the published circuit takes its sequential path. It also hashes the
/// rows as they come, by the definition of the circuit digest and independently of the recorder.
struct Sequential {
    input: Vec<Scalar>,
    aux: Vec<Scalar>,
    rows: [Vec<Scalar>; 3],
    hash: Sha256,
}

impl Sequential {
    fn new() -> Self {
        let mut hash = Sha256::new_with_prefix(b"cuzk-r1cs-1\0");
        for count in [INPUTS, AUX, CONSTRAINTS + INPUTS] {
            hash.update((count as u64).to_le_bytes());
        }
        Self {
            input: vec![],
            aux: vec![],
            rows: Default::default(),
            hash,
        }
    }

    /// Combinations iterate in the order of the digest and without duplicates; zeros they may hold.
    fn hash_terms(&mut self, side: &LinearCombination<Scalar>) {
        let terms: Vec<(u32, Scalar)> = side
            .iter()
            .filter(|(_, coefficient)| !bool::from(coefficient.is_zero()))
            .map(|(variable, coefficient)| match variable.get_unchecked() {
                Index::Input(index) => (index as u32, *coefficient),
                Index::Aux(index) => (index as u32 | 1 << 31, *coefficient),
            })
            .collect();
        self.hash.update((terms.len() as u32).to_le_bytes());
        for (column, coefficient) in terms {
            self.hash.update(column.to_le_bytes());
            self.hash.update(coefficient.to_repr());
        }
    }

    fn digest(mut self) -> String {
        for index in 0..self.input.len() {
            let input = Variable::new_unchecked(Index::Input(index));
            for side in [
                LinearCombination::zero() + input,
                LinearCombination::zero(),
                LinearCombination::zero(),
            ] {
                self.hash_terms(&side);
            }
        }
        hex::encode(self.hash.finalize())
    }
}

impl ConstraintSystem<Scalar> for Sequential {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.input.push(value()?);
        Ok(Variable::new_unchecked(Index::Input(self.input.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let sides = [
            a(LinearCombination::zero()),
            b(LinearCombination::zero()),
            c(LinearCombination::zero()),
        ];
        for (matrix, side) in sides.iter().enumerate() {
            self.rows[matrix].push(side.eval(&self.input, &self.aux));
            self.hash_terms(side);
        }
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
