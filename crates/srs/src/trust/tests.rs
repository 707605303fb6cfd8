//! What is let in and what is refused, on real files of a small circuit.

use std::fs;
use std::path::PathBuf;

use cuzk_r1cs::RecordedCircuit;

use super::*;
use crate::format::{FormatError, write_verifying_key};
use crate::generate::{Secret, SecretKind};
use crate::progress::{CancelToken, NoProgress};
use crate::store::{Entry, Generation, IfBusy, Store};
use crate::testing::{CUBIC, Naive, Noise, Rows, SEED, cubic, generate_seeded, record};

const ID: &str = "test:cubic";
const ALLOW: TrustPolicy = TrustPolicy::AllowInsecure;
const SKIP: SubgroupCheck = SubgroupCheck::Skip;

struct Fixture {
    dir: tempfile::TempDir,
    circuit: RecordedCircuit,
    entry: Entry,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let circuit = record(&cubic());
        let generation = Generation {
            circuit_id: ID,
            circuit: &circuit,
            secret: &Secret::insecure_from_seed(SEED),
            arithmetic: &Naive,
            observer: &NoProgress,
            cancel: &CancelToken::new(),
            if_busy: IfBusy::Fail,
        };
        let entry = Store::new(dir.path().to_owned()).generate(&generation).unwrap();
        Self { dir, circuit, entry }
    }

    fn expected(&self) -> Expected<'static> {
        Expected {
            circuit_id: ID,
            digest: self.circuit.digest(),
            shape: self.circuit.shape(),
        }
    }

    fn open(&self, policy: TrustPolicy) -> Result<Opened, SrsError> {
        open_checked(&self.entry.params, &self.expected(), policy, SubgroupCheck::EveryPoint)
    }

    fn refusal(&self) -> Refusal {
        refusal(self.open(ALLOW))
    }

    /// Parameters and key under a name that a published file could have, without a sidecar.
    fn unmarked(&self) -> PathBuf {
        let path = self.dir.path().join("v28-some-circuit.params");
        fs::copy(&self.entry.params, &path).unwrap();
        fs::copy(&self.entry.vk, path.with_extension("vk")).unwrap();
        path
    }

    fn rewrite_sidecar(&self, from: &str, to: &str) {
        let text = fs::read_to_string(&self.entry.sidecar_path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&self.entry.sidecar_path, text.replace(from, to)).unwrap();
    }
}

fn refusal(result: Result<Opened, SrsError>) -> Refusal {
    match result.expect_err("parameters are refused") {
        SrsError::Refused(refusal) => refusal,
        other => panic!("{other}"),
    }
}

#[test]
fn development_parameters_open_where_they_are_allowed() {
    let fixture = Fixture::new();
    let opened = fixture.open(ALLOW).unwrap();
    assert_eq!(opened.provenance, Provenance::Development);
    assert_eq!(opened.parameters, *CUBIC);
    assert_eq!(opened.verifying_key, CUBIC.vk);
    assert_eq!(opened.vk_sha256, fixture.entry.sidecar.vk_sha256);
    assert_eq!(fixture.entry.sidecar.secret, SecretKind::InsecureSeeded { seed: SEED });
}

#[test]
fn development_parameters_are_refused_elsewhere() {
    let fixture = Fixture::new();
    let refusal = refusal(fixture.open(TrustPolicy::ProductionOnly));
    assert_eq!(
        refusal,
        Refusal::DevelopmentNotAllowed {
            path: fixture.entry.params.clone()
        }
    );
    assert!(
        refusal
            .to_string()
            .contains("(hint: allow_development_parameters = true"),
        "{refusal}"
    );
}

#[test]
fn parameters_without_a_sidecar_must_be_published() {
    let fixture = Fixture::new();
    let path = fixture.unmarked();
    for policy in [ALLOW, TrustPolicy::ProductionOnly] {
        let unknown = refusal(open_checked(&path, &fixture.expected(), policy, SKIP));
        assert_eq!(
            unknown,
            Refusal::Unpublished {
                path: path.clone(),
                circuit_id: ID.to_owned()
            }
        );
        // Under the name of a published circuit it is the digest that tells: first that of the key.
        let expected = Expected {
            circuit_id: "winning-32g",
            ..fixture.expected()
        };
        let foreign = refusal(open_checked(&path, &expected, policy, SKIP));
        assert!(
            matches!(&foreign, Refusal::Digest { path: at, algorithm: "BLAKE2b-128", .. } if *at == path.with_extension("vk")),
            "{foreign}"
        );
    }
}

/// A manifest entry that the fixture's files match.
fn entry_for(path: &Path) -> Published {
    Published {
        circuit_id: ID,
        params_name: "v28-some-circuit.params",
        params_digest: format::read_published_parameters(path, SKIP).unwrap().digest,
        vk_digest: format::read_verifying_key(&path.with_extension("vk"))
            .unwrap()
            .blake2b128,
    }
}

#[test]
fn published_parameters_open_as_production() {
    let fixture = Fixture::new();
    let path = fixture.unmarked();
    let opened = open_published(&path, &entry_for(&path), &fixture.expected(), SKIP).unwrap();
    assert_eq!(opened.provenance, Provenance::Production);
    assert_eq!(
        (opened.parameters, opened.verifying_key),
        (CUBIC.clone(), CUBIC.vk.clone())
    );
}

#[test]
fn files_that_are_not_the_published_ones_are_refused() {
    let fixture = Fixture::new();
    let path = fixture.unmarked();
    let entry = entry_for(&path);
    let open = |entry: &Published| refusal(open_published(&path, entry, &fixture.expected(), SKIP));
    let other_params = open(&Published {
        params_digest: HexDigest([1; 16]),
        ..entry
    });
    assert!(
        matches!(&other_params, Refusal::Digest { path: at, .. } if *at == path),
        "{other_params}"
    );
    assert!(
        other_params
            .to_string()
            .contains(&format!("expected {}", "01".repeat(16))),
        "{other_params}"
    );
    let other_vk = open(&Published {
        vk_digest: HexDigest([1; 16]),
        ..entry
    });
    assert!(
        matches!(&other_vk, Refusal::Digest { path: at, .. } if *at == path.with_extension("vk")),
        "{other_vk}"
    );
    let expected = Expected {
        shape: Shape {
            aux: 4,
            ..fixture.circuit.shape()
        },
        ..fixture.expected()
    };
    let other_shape = refusal(open_published(&path, &entry, &expected, SKIP));
    assert!(
        matches!(
            &other_shape,
            Refusal::OtherCircuit {
                what: "number of points in query l",
                ..
            }
        ),
        "{other_shape}"
    );
}

#[test]
fn any_flipped_bit_is_refused() {
    let fixture = Fixture::new();
    let mut noise = Noise(99);
    for (path, n_flips) in [(&fixture.entry.params, 400), (&fixture.entry.vk, 100)] {
        let good = fs::read(path).unwrap();
        for _ in 0..n_flips {
            let (mut bad, at, bit) = (good.clone(), noise.below(good.len()), noise.below(8));
            bad[at] ^= 1 << bit;
            fs::write(path, bad).unwrap();
            assert!(
                fixture.open(ALLOW).is_err(),
                "bit {bit} of byte {at} of {}",
                path.display()
            );
        }
        fs::write(path, good).unwrap();
    }
    fixture.open(ALLOW).unwrap();
}

/// Each point is good and each count right: only the digest tells.
#[test]
fn exchanged_points_are_caught_by_the_digest() {
    let fixture = Fixture::new();
    let path = &fixture.entry.params;
    let at = format::read_layout(path).unwrap().offset(Query::H) as usize;
    let mut bytes = fs::read(path).unwrap();
    let (first, second) = bytes[at..at + 192].split_at_mut(96);
    first.swap_with_slice(second);
    fs::write(path, bytes).unwrap();
    assert!(format::read_parameters(path, SubgroupCheck::EveryPoint).is_ok());
    let refusal = fixture.refusal();
    assert!(
        matches!(&refusal, Refusal::Digest { path: at, algorithm: "SHA-256", .. } if at == path),
        "{refusal}"
    );
    assert!(
        refusal.to_string().contains("(hint: damaged, or another file; delete"),
        "{refusal}"
    );
}

#[test]
fn truncated_longer_and_foreign_files_are_refused() {
    let fixture = Fixture::new();
    let good = fs::read(&fixture.entry.params).unwrap();
    let longer = [&good[..], &[0]].concat();
    for bad in [&good[..good.len() - 1], &good[..10], &[], &longer, &[7; 100_000]] {
        fs::write(&fixture.entry.params, bad).unwrap();
        let error = fixture.open(ALLOW).unwrap_err();
        let is_format = |error: &SrsError| {
            matches!(
                error,
                SrsError::Format {
                    source: FormatError::TooShort { .. } | FormatError::TooLong { .. },
                    ..
                }
            )
        };
        assert!(is_format(&error), "{error}");
        assert!(
            error
                .to_string()
                .starts_with(&fixture.entry.params.display().to_string()),
            "{error}"
        );
    }
}

#[test]
fn a_well_formed_file_of_another_length_is_refused() {
    let fixture = Fixture::new();
    let other = generate_seeded(
        &record(&Rows {
            rows: [cubic().rows, cubic().rows, cubic().rows].concat(),
            ..cubic()
        }),
        SEED,
    );
    let bytes = crate::testing::file_of(&other);
    let (expected, actual) = (fixture.entry.sidecar.params_bytes, bytes.len() as u64);
    fs::write(&fixture.entry.params, bytes).unwrap();
    assert_eq!(
        fixture.refusal(),
        Refusal::Length {
            path: fixture.entry.params.clone(),
            expected,
            actual
        }
    );
}

#[test]
fn parameters_of_another_circuit_are_refused() {
    let fixture = Fixture::new();
    let open = |expected: &Expected<'_>| match refusal(open_checked(&fixture.entry.params, expected, ALLOW, SKIP)) {
        Refusal::OtherCircuit { what, .. } => what,
        other => panic!("{other}"),
    };
    let expected = fixture.expected();
    assert_eq!(
        open(&Expected {
            circuit_id: "test:other",
            ..expected
        }),
        "circuit id"
    );
    // The same shape, one coefficient another.
    let mut rows = cubic();
    rows.rows[0][0][0].0 = 2;
    assert_eq!(
        open(&Expected {
            digest: record(&rows).digest(),
            ..expected
        }),
        "circuit digest"
    );
    let shape = Shape {
        constraints: 4,
        ..expected.shape
    };
    assert_eq!(open(&Expected { shape, ..expected }), "shape");
}

#[test]
fn counts_are_compared_with_the_shape_even_where_the_sidecar_agrees() {
    let fixture = Fixture::new();
    fixture.rewrite_sidecar("\"constraints\": 3", "\"constraints\": 7");
    let expected = Expected {
        shape: Shape {
            constraints: 7,
            ..fixture.circuit.shape()
        },
        ..fixture.expected()
    };
    let refusal = refusal(open_checked(&fixture.entry.params, &expected, ALLOW, SKIP));
    let text = "number of points in query h is 7, expected 15";
    assert!(refusal.to_string().contains(text), "{refusal}");
}

#[test]
fn a_key_that_is_missing_or_another_is_refused() {
    let fixture = Fixture::new();
    fs::remove_file(&fixture.entry.vk).unwrap();
    let error = fixture.open(ALLOW).unwrap_err();
    assert!(
        matches!(&error, SrsError::Io { path, .. } if *path == fixture.entry.vk),
        "{error}"
    );

    let mut other = vec![];
    write_verifying_key(&generate_seeded(&fixture.circuit, SEED + 1).vk, &mut other).unwrap();
    fs::write(&fixture.entry.vk, &other).unwrap();
    assert!(matches!(fixture.refusal(), Refusal::Digest { path, .. } if path == fixture.entry.vk));

    // Even when the sidecar is made to agree with it.
    let other_digest = format::read_verifying_key(&fixture.entry.vk).unwrap().sha256;
    fixture.rewrite_sidecar(&fixture.entry.sidecar.vk_sha256.to_string(), &other_digest.to_string());
    let (params, vk) = (fixture.entry.params.clone(), fixture.entry.vk.clone());
    assert_eq!(fixture.refusal(), Refusal::KeysDiffer { params, vk });
}

#[test]
fn parameters_from_a_seed_are_refused_where_development_is_allowed() {
    let fixture = Fixture::new();
    let refusal = refusal(fixture.open(TrustPolicy::AllowDevelopment));
    let path = fixture.entry.params.clone();
    assert_eq!(refusal, Refusal::InsecureSeed { path });
}
