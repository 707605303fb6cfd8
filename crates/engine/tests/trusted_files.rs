//! Parameters from the store, as far as the engine decides: which file, under which policy.

use cuzk_backend_cpu::CpuBackend;
use cuzk_circuits::{ProofKind, record};
use cuzk_engine::{ParameterSource, TrustedFiles};
use cuzk_groth16::srs::generate::Secret;
use cuzk_groth16::srs::store::{Generation, IfBusy, Store};
use cuzk_groth16::srs::trust::{Provenance, TrustPolicy};
use cuzk_groth16::srs::{CancelToken, NoProgress};
use tempfile::TempDir;

fn kind() -> ProofKind {
    "bench:5:0".parse().unwrap()
}

fn files(dir: &TempDir, policy: TrustPolicy) -> TrustedFiles {
    TrustedFiles {
        published: dir.path().join("published"),
        store: Store::new(dir.path().join("development")),
        policy,
    }
}

fn generate(dir: &TempDir, secret: Secret) {
    let store = Store::new(dir.path().join("development"));
    let generation = Generation {
        circuit_id: &kind().to_string(),
        circuit: &record(&kind()).unwrap(),
        secret: &secret,
        arithmetic: &CpuBackend,
        observer: &NoProgress,
        cancel: &CancelToken::new(),
        if_busy: IfBusy::Fail,
    };
    store.generate(&generation).unwrap();
}

#[test]
fn development_parameters_are_used_where_they_are_allowed() {
    let dir = tempfile::tempdir().unwrap();
    generate(&dir, Secret::random(&mut rand_core::OsRng));
    let loaded = files(&dir, TrustPolicy::AllowDevelopment).load(&kind()).unwrap();
    assert_eq!(loaded.provenance, Provenance::Development);
    assert!(loaded.bytes > 864, "a file has more than its key");
}

#[test]
fn development_parameters_are_refused_where_they_are_not() {
    let dir = tempfile::tempdir().unwrap();
    generate(&dir, Secret::random(&mut rand_core::OsRng));
    let error = files(&dir, TrustPolicy::ProductionOnly)
        .load(&kind())
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("bench:5:0") && error.contains("not allowed"), "{error}");
}

#[test]
fn seeded_parameters_are_not_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    generate(&dir, Secret::insecure_from_seed(1));
    let error = files(&dir, TrustPolicy::AllowDevelopment)
        .load(&kind())
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("cuzk-bench params --proof bench:5:0"), "{error}");
}
