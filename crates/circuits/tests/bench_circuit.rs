//! The bench circuit, row by row: its digests against the formula it is defined by, its parameters against a peer's.
use bellperson::groth16::generate_parameters;
use blstrs::{Bls12, G1Projective, G2Projective, Scalar};
use cuzk_circuits::{BenchSpec, ProofKind, Seed, blank, record, synthetic};
use cuzk_groth16::r1cs::RecordedCircuit;
use ff::{Field, PrimeField};
use group::Group;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;
use sha2::{Digest, Sha256};

fn kind(id: &str) -> ProofKind {
    id.parse().unwrap()
}

const DIGESTS: [(&str, &str); 4] = [
    (
        "bench:10:0",
        "3eeb6b62dcdf3b88b227078de4da63e48d040629ab8c7ecb7c77e4dac92a7b22",
    ),
    (
        "bench:10:0.9",
        "d13b4e9f97a8d4763041537fec9e8ed9a2a3e28c0958a737a6045d742fd0e420",
    ),
    (
        "bench:16:0",
        "c95b86cdd75eaa2bd59413143d36d4aaa0edd8fdcecb164e7484025dc95c119b",
    ),
    (
        "bench:16:0.9",
        "65d39f04e20c997b094329b0f3b047997cd39b6b094f8426d2e5ec1c39d01c7b",
    ),
];

#[test]
fn digests_are_those_of_the_formula() {
    for (id, expected) in DIGESTS {
        let ProofKind::Bench(spec) = kind(id) else {
            panic!("{id} is a bench kind")
        };
        assert_eq!(formula_digest(spec), expected, "{id} by formula");
        assert_eq!(
            record(&kind(id)).unwrap().digest().to_string(),
            expected,
            "{id} recorded"
        );
    }
}

#[test]
fn witness_does_not_change_the_digest() {
    let kind = kind("bench:10:0.9");
    let task = synthetic::task(&kind, Seed(5)).unwrap();
    let with_witness = RecordedCircuit::record(task.partitions[0].circuit.clone()).unwrap();
    assert_eq!(with_witness.digest(), record(&kind).unwrap().digest());
}

#[test]
fn shapes_fill_the_domain_but_for_one_row() {
    for log_domain in [4, 10, 16] {
        let shape = record(&kind(&format!("bench:{log_domain}:0.5"))).unwrap().shape();
        assert_eq!((shape.inputs, shape.aux), (2, (1 << log_domain) - 4));
        assert_eq!(shape.constraints, (1 << log_domain) - 3);
        assert_eq!(shape.rows(), (1 << log_domain) - 1);
    }
}

/// Digests of the files that `peer-bench --fast-params --params-only` writes, whose secret is public and fixed. A file holds
/// the evaluation of every column at that secret, so equal files mean equal circuits, term for term.
const PEER_FILES: [(&str, &str); 3] = [
    (
        "bench:8:0.5",
        "2eca4844aeec61d295b92f3d5d75e4b05c4757d57268cd6ba515ad6ebe97e618",
    ),
    (
        "bench:10:0",
        "b443d85aba1c2a366f2893a5ed5119a2f78352d247e17f28926acec37577ce16",
    ),
    (
        "bench:10:0.9",
        "57ab4d0c915182cc090c1a966f8b166cf1d0ee27cb8e5fbefc1a65a80a5f0adc",
    ),
];

#[test]
fn parameters_are_the_peers_to_the_byte() {
    for (id, expected) in PEER_FILES {
        assert_eq!(
            hex::encode(Sha256::digest(parameters_with_peer_secret(&kind(id)))),
            expected,
            "{id}"
        );
    }
}

/// bellperson's own generator, with the peer's seeded generators and secret, in the peer's order of drawing.
fn parameters_with_peer_secret(kind: &ProofKind) -> Vec<u8> {
    let mut rng = XorShiftRng::seed_from_u64(0xC0_FFEE);
    let (g1, g2) = (G1Projective::random(&mut rng), G2Projective::random(&mut rng));
    let [alpha, beta, gamma, delta, tau] = std::array::from_fn(|_| Scalar::random(&mut rng));
    let parameters = generate_parameters::<Bls12, _>(blank(kind), g1, g2, alpha, beta, gamma, delta, tau).unwrap();
    let mut bytes = vec![];
    parameters.write(&mut bytes).unwrap();
    bytes
}

// The formula, written down a second time: no circuit, no recorder, no code of this crate but the bounds of a spec.

/// One side of a row: inputs before auxiliaries, each by index.
type Terms = Vec<(u32, Scalar)>;
const AUX: u32 = 1 << 31;
const ONE: u32 = 0;
const OUT: u32 = 1;

fn formula_digest(spec: BenchSpec) -> String {
    let rows = formula_rows(spec.log_domain(), spec.bool_share());
    let mut hash = Sha256::new_with_prefix(b"cuzk-r1cs-1\0");
    let aux = (1_u64 << spec.log_domain()) - 4;
    for count in [2, aux, rows.len() as u64] {
        hash.update(count.to_le_bytes());
    }
    for terms in rows.iter().flatten() {
        hash.update((terms.len() as u32).to_le_bytes());
        for (column, coefficient) in terms {
            hash.update(column.to_le_bytes());
            hash.update(coefficient.to_repr());
        }
    }
    hex::encode(hash.finalize())
}

fn formula_rows(log_domain: u32, share: f64) -> Vec<[Terms; 3]> {
    let one = Scalar::ONE;
    let c = Scalar::from(0x1234_5678_9abc_def1);
    let n = (1_u64 << log_domain) - 3;
    let mut rows = vec![];
    let mut x = AUX;
    for i in 1..n - 1 {
        let v = AUX + i as u32;
        if is_boolean(i, share) {
            rows.push([vec![(ONE, one), (v, -one)], vec![(v, one)], vec![]]);
        } else {
            rows.push([vec![(x, one)], vec![(x, one)], vec![(ONE, -c), (v, one)]]);
            x = v;
        }
    }
    rows.push([vec![(x, one)], vec![(ONE, one)], vec![(OUT, one)]]);
    rows.push([vec![(ONE, one)], vec![(ONE, one)], vec![(ONE, one)]]);
    // One row per input, as the prover appends them.
    rows.extend([ONE, OUT].map(|input| [vec![(input, one)], vec![], vec![]]));
    rows
}

fn is_boolean(i: u64, share: f64) -> bool {
    let mut z = (i ^ 0x5eed).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    ((z >> 11) as f64 / (1_u64 << 53) as f64) < share
}
