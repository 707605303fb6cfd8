//! A receipt is issued for proved programs only, and none that was changed is taken.

use super::*;
use crate::verdict::{ItemKind, Reason};

fn build() -> BuildFacts {
    let mut facts = BuildFacts {
        source_digest: SourceDigest::from_bytes([1; 32]),
        sources: BTreeMap::from([("Cargo.toml".to_owned(), "ab".repeat(32))]),
        git: GitState {
            revision: Some("c0ffee".into()),
            work_tree: WorkTree::Dirty,
        },
        rustc: "rustc 1.95.0\nhost: x86_64-unknown-linux-gnu".into(),
        features: vec!["default".into()],
        profile: ProfileRecord {
            name: "release".into(),
            opt_level: "3".into(),
            debug_assertions: false,
            overflow_checks: false,
        },
        target: "x86_64-unknown-linux-gnu".into(),
        build_token: BuildToken::from_bytes([0; 32]),
    };
    facts.build_token = facts.token_inputs().token();
    facts
}

fn report(token: BuildToken, findings: Vec<Finding>) -> VerifyReport {
    let program = ProgramFacts {
        path: "/somewhere/cuzk".into(),
        bytes: 5,
        sha256: Sha256Hash::of(b"bytes"),
        machine: Some("x86_64".into()),
        build_id: Some("00ff".into()),
        build_token: Some(token.to_string()),
    };
    VerifyReport::new(Some(program), findings)
}

fn proved() -> Vec<Finding> {
    vec![Finding::proved(ItemKind::Marker, "CUZK_TIMING: synth_ms=", "there")]
}

fn receipt() -> Receipt {
    Receipt::issue(build(), report(build().build_token, proved())).unwrap()
}

#[test]
fn a_receipt_is_read_as_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("receipt.json");
    receipt().save(&path).unwrap();
    let loaded = Receipt::load(&path).unwrap();
    assert_eq!(loaded, receipt());
    assert_eq!(loaded.digest().unwrap(), Sha256Hash::of(&std::fs::read(&path).unwrap()));
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        1,
        "a temporary file was left behind"
    );
}

#[test]
fn it_is_for_one_program() {
    receipt().check_program(Sha256Hash::of(b"bytes")).unwrap();
    let error = receipt().check_program(Sha256Hash::of(b"Bytes")).unwrap_err();
    assert!(matches!(error, ReceiptError::OtherProgram { .. }), "{error}");
}

#[test]
fn what_is_not_proved_gets_none() {
    let failed = Finding::failed(ItemKind::Marker, "x", Reason::Absent, "not there");
    let unverifiable = Finding::unverifiable(ItemKind::Symbol, "x", Reason::Stripped, "stripped");
    for findings in [vec![], vec![failed], [proved(), vec![unverifiable]].concat()] {
        let error = Receipt::issue(build(), report(build().build_token, findings)).unwrap_err();
        assert!(matches!(error, ReceiptError::NotProved(_)), "{error}");
    }
    let unread = VerifyReport::new(None, proved());
    assert!(matches!(
        Receipt::issue(build(), unread),
        Err(ReceiptError::NotProved(Verdict::Unverifiable))
    ));
}

#[test]
fn tokens_must_fit() {
    let other = BuildToken::from_bytes([9; 32]);
    let error = Receipt::issue(build(), report(other, proved())).unwrap_err();
    assert!(matches!(error, ReceiptError::Contradiction { .. }), "{error}");
    let facts = BuildFacts {
        build_token: other,
        ..build()
    };
    let error = Receipt::issue(facts, report(other, proved())).unwrap_err();
    assert!(matches!(error, ReceiptError::Contradiction { .. }), "{error}");
}

#[test]
fn changed_texts_are_refused() {
    let text = receipt().to_json().unwrap();
    Receipt::from_json(&text).unwrap();
    let change = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Receipt::from_json(&text.replacen(from, to, 1)).unwrap_err()
    };
    for (from, to) in [
        ("\"3\"", "\"2\""),
        ("\"default\"", "\"cuda\""),
        ("rustc 1.95.0", "rustc 1.96.0"),
        ("\"proved\"", "\"failed\""),
        ("\"build\":", "\"more\": 1, \"build\":"),
        (&"01".repeat(32), &"02".repeat(32)),
        (&"01".repeat(32), "01"),
        ("\"bytes\": 5", "\"bytes\": -5"),
    ] {
        change(from, to);
    }
    let error = change("\"schema_version\": 1", "\"schema_version\": 2");
    assert!(matches!(error, ReceiptError::UnknownVersion { actual: 2 }), "{error}");
    for n_bytes in 0..text.len() - 2 {
        assert!(Receipt::from_json(&text[..n_bytes]).is_err(), "{n_bytes}");
    }
    for other in ["", "null", "[]", "{}", "{\"schema_version\": \"1\"}"] {
        assert!(
            matches!(Receipt::from_json(other), Err(ReceiptError::Malformed(_))),
            "{other}"
        );
    }
}

#[test]
fn a_huge_file_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(MAX_BYTES + 1).unwrap();
    assert!(matches!(Receipt::load(file.path()), Err(ReceiptError::Malformed(_))));
}
