//! The token is the documented hash, and every input moves it.

use super::*;

const RUSTC: &str = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n";

fn inputs() -> TokenInputs {
    TokenInputs {
        sources: SourceDigest::from_bytes([7; 32]),
        features: Features::new(["default", "cuda"]),
        profile: ProfileFacts {
            opt_level: "3".into(),
            debug_assertions: DebugAssertions::Off,
        },
        target: "x86_64-unknown-linux-gnu".into(),
        rustc: RustcVersion::new(RUSTC),
    }
}

#[test]
fn the_token_is_the_documented_hash() {
    let mut bytes = b"cuzk-build-token-1\0".to_vec();
    for text in [
        "sources",
        &"07".repeat(32),
        "features",
        "CUDA,DEFAULT",
        "opt_level",
        "3",
        "debug_assertions",
        "off",
        "target",
        "x86_64-unknown-linux-gnu",
        "rustc",
        RUSTC.trim_end(),
    ] {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    assert_eq!(inputs().token().as_bytes().as_slice(), Sha256::digest(bytes).as_slice());
}

#[test]
fn every_input_moves_the_token() {
    let profile = |opt_level: &str, debug_assertions| ProfileFacts {
        opt_level: opt_level.into(),
        debug_assertions,
    };
    let variants = [
        inputs(),
        TokenInputs {
            sources: SourceDigest::from_bytes([8; 32]),
            ..inputs()
        },
        TokenInputs {
            features: Features::new(["default"]),
            ..inputs()
        },
        TokenInputs {
            profile: profile("2", DebugAssertions::Off),
            ..inputs()
        },
        TokenInputs {
            profile: profile("3", DebugAssertions::On),
            ..inputs()
        },
        TokenInputs {
            target: "aarch64-unknown-linux-gnu".into(),
            ..inputs()
        },
        TokenInputs {
            rustc: RustcVersion::new("rustc 1.96.0"),
            ..inputs()
        },
    ];
    for (idx, one) in variants.iter().enumerate() {
        for other in &variants[idx + 1..] {
            assert_ne!(one.token(), other.token(), "{one:?} {other:?}");
        }
    }
}

#[test]
fn features_have_one_spelling_and_order() {
    let as_written = Features::new(["default", "a1-smallvec_indexer", "cuda"]);
    let as_variables = Features::new(["CUDA", "A1_SMALLVEC_INDEXER", "DEFAULT", "CUDA"]);
    assert_eq!(as_written, as_variables);
}

#[test]
fn line_ends_of_the_compiler_version_do_not_matter() {
    assert_eq!(
        RustcVersion::new(RUSTC),
        RustcVersion::new(&RUSTC.trim_end().replace('\n', "\r\n"))
    );
    assert_eq!(RustcVersion::new(RUSTC).host(), Some("x86_64-unknown-linux-gnu"));
}
