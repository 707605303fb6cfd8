//! Sidecars on disk: their text, and texts that are not sidecars.

use super::*;

fn sidecar(secret: SecretKind) -> Sidecar {
    Sidecar {
        circuit_id: "bench:4:0.5".to_owned(),
        circuit_digest: "ab".repeat(32).parse().unwrap(),
        shape: Shape {
            inputs: 2,
            aux: 12,
            constraints: 13,
        },
        params_bytes: 4242,
        params_sha256: "cd".repeat(32).parse().unwrap(),
        vk_sha256: "ef".repeat(32).parse().unwrap(),
        secret,
    }
}

#[test]
fn the_text_is_fixed() {
    let expected = format!(
        r#"{{
  "schema_version": 1,
  "circuit_id": "bench:4:0.5",
  "circuit_digest": "{}",
  "inputs": 2,
  "aux": 12,
  "constraints": 13,
  "params_bytes": 4242,
  "params_sha256": "{}",
  "vk_sha256": "{}",
  "secret": "random"
}}
"#,
        "ab".repeat(32),
        "cd".repeat(32),
        "ef".repeat(32)
    );
    assert_eq!(sidecar(SecretKind::Random).to_json(), expected);
}

#[test]
fn what_is_written_reads_back() {
    for secret in [SecretKind::Random, SecretKind::InsecureSeeded { seed: u64::MAX }] {
        let sidecar = sidecar(secret);
        assert_eq!(Sidecar::parse(sidecar.to_json().as_bytes()), Ok(sidecar));
    }
    let seeded = sidecar(SecretKind::InsecureSeeded { seed: 7 }).to_json();
    assert!(
        seeded.contains("\"secret\": \"insecure-seeded\",\n  \"insecure_seed\": 7"),
        "{seeded}"
    );
}

#[test]
fn other_texts_are_refused_with_a_reason() {
    let good = sidecar(SecretKind::Random).to_json();
    let cases = [
        (String::new(), "EOF"),
        (good[..good.len() / 2].to_owned(), "EOF"),
        (
            good.replace("\"schema_version\": 1", "\"schema_version\": 2"),
            "schema_version is 2, expected 1",
        ),
        (
            good.replace("\"schema_version\": 1,", ""),
            "missing field `schema_version`",
        ),
        (good.replace("\"inputs\": 2", "\"inputs\": -2"), "invalid value"),
        (good.replace("\"inputs\"", "\"outputs\""), "unknown field `outputs`"),
        (good.replace("\"random\"", "\"mine\""), "unknown variant `mine`"),
        (
            good.replace("\"random\"", "\"insecure-seeded\""),
            "insecure_seed is missing",
        ),
        (
            good.replace("\"random\"", "\"random\", \"insecure_seed\": 1"),
            "a random secret has no insecure_seed",
        ),
        (good.replace(&"ab".repeat(32), "ab"), "64 lowercase hexadecimal digits"),
        (
            good.replace(&"cd".repeat(32), &"CD".repeat(32)),
            "64 lowercase hexadecimal digits",
        ),
    ];
    for (text, reason) in cases {
        let error = Sidecar::parse(text.as_bytes()).unwrap_err();
        assert!(error.contains(reason), "{error}\n{text}");
    }
}

#[test]
fn a_file_that_is_too_long_is_not_read_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.json");
    // Sparse: a terabyte that takes no space, and would take long to read.
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let error = Sidecar::read(&path).unwrap_err().to_string();
    assert!(
        error.contains("long.json: could not read: longer than 65536 bytes"),
        "{error}"
    );
}
