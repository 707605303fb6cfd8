//! Cargo itself is the witness: what a build script sees and what cargo reports give the same token.

use super::*;
use std::process::Output;
use tempfile::TempDir;

/// A build script that leaves its environment behind.
const RECORDER: &str = r#"fn main() {
    let dir = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap());
    let lines: String = std::env::vars().filter(|(_, v)| !v.contains('\n')).map(|(k, v)| format!("{k}={v}\n")).collect();
    std::fs::write(dir.join("environment"), lines).unwrap();
    println!("cargo::rerun-if-changed=build.rs");
}
"#;

const MANIFEST: &str = r#"[package]
name = "app"
version = "0.1.0"
edition = "2024"

[features]
default = ["with-dash"]
with-dash = []
with_underscore = []
unused = []

[workspace]

[profile.checked]
inherits = "release"
debug-assertions = true
"#;

fn fixture() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("crates")).unwrap();
    fs::create_dir_all(dir.path().join("src")).unwrap();
    for (path, text) in [
        ("Cargo.toml", MANIFEST),
        ("build.rs", RECORDER),
        ("src/main.rs", "fn main() {}\n"),
    ] {
        fs::write(dir.path().join(path), text).unwrap();
    }
    dir
}

fn cargo(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(dir)
        .args(args)
        .env("CARGO_TARGET_DIR", dir.join("target"));
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Builds and returns the two views: of the build script, and of an observer of cargo's messages.
fn both_views(dir: &Path, args: &[&str]) -> (TokenInputs, TokenInputs) {
    let args = [&["build", "--offline", "--quiet", "--message-format=json"], args].concat();
    let messages = String::from_utf8(cargo(dir, &args).stdout).unwrap();
    let messages: Vec<serde_json::Value> = messages
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let reason = |reason: &'static str| messages.iter().filter(move |message| message["reason"] == *reason);

    let out_dir = reason("build-script-executed").next().unwrap()["out_dir"]
        .as_str()
        .unwrap();
    let recorded = fs::read_to_string(Path::new(out_dir).join("environment")).unwrap();
    let variables = recorded.lines().filter_map(|line| line.split_once('='));
    let environment = Environment::read(variables.map(|(name, value)| (name.into(), value.into()))).unwrap();
    let root = workspace_root(&environment.manifest_dir).unwrap();
    let tree = SourceTree::scan(&root).unwrap();
    let inside = environment.token_inputs(&tree, rustc_version(&environment.rustc).unwrap());

    let artifact = reason("compiler-artifact")
        .find(|message| message["executable"].is_string())
        .unwrap();
    let rustc = rustc_version(Path::new("rustc")).unwrap();
    let features = artifact["features"].as_array().unwrap();
    let outside = TokenInputs {
        sources: SourceTree::scan(dir).unwrap().digest(),
        features: Features::new(features.iter().map(|name| name.as_str().unwrap())),
        profile: ProfileFacts {
            opt_level: artifact["profile"]["opt_level"].as_str().unwrap().into(),
            debug_assertions: artifact["profile"]["debug_assertions"].as_bool().unwrap().into(),
        },
        target: rustc.host().unwrap().into(),
        rustc,
    };
    (inside, outside)
}

#[test]
fn build_script_and_observer_agree() {
    let dir = fixture();
    let mut tokens = Vec::new();
    for args in [
        &["--profile", "dev"][..],
        &["--profile", "release"],
        &["--profile", "checked"],
        &["--profile", "release", "--features", "with_underscore"],
        &["--profile", "release", "--no-default-features"],
        &["--profile", "release", "--config", "profile.release.opt-level='s'"],
    ] {
        let (inside, outside) = both_views(dir.path(), args);
        assert_eq!(inside, outside, "{args:?}");
        assert!(!tokens.contains(&inside.token()), "{args:?} gave a token seen before");
        tokens.push(inside.token());
    }
}

#[test]
fn the_generated_source_survives_the_linker() {
    let dir = tempfile::tempdir().unwrap();
    let token = BuildToken::from_bytes([0xab; 32]);
    fs::write(dir.path().join(GENERATED_FILE), generated_source(token)).unwrap();
    let main = format!("include!({GENERATED_FILE:?});\nfn main() {{ println!(\"{{}}\", build_token()); }}\n");
    fs::write(dir.path().join("main.rs"), main).unwrap();
    let rustc = [
        "-Copt-level=3",
        "-Clto=fat",
        "-Ccodegen-units=1",
        "--edition=2024",
        "-Dwarnings",
        "main.rs",
    ];
    let compiled = Command::new("rustc")
        .args(rustc)
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );

    let program = dir.path().join("main");
    let output = Command::new(&program).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), token.to_string());
    let bytes = fs::read(program).unwrap();
    let marker = format!("{MARKER_PREFIX}{token}\n");
    assert_eq!(
        bytes
            .windows(marker.len())
            .filter(|window| *window == marker.as_bytes())
            .count(),
        1
    );
}

#[test]
fn a_missing_variable_is_named() {
    let error = Environment::read(std::iter::once(("OPT_LEVEL".into(), "3".into()))).unwrap_err();
    assert!(error.to_string().contains("CARGO_MANIFEST_DIR"), "{error}");
}

#[test]
fn the_workspace_is_found_from_a_package() {
    let dir = fixture();
    let package = dir.path().join("crates/one");
    fs::create_dir_all(&package).unwrap();
    fs::write(package.join("Cargo.toml"), "[package]\n").unwrap();
    assert_eq!(workspace_root(&package).unwrap(), dir.path());
    let lonely = tempfile::tempdir().unwrap();
    assert!(matches!(
        workspace_root(lonely.path()),
        Err(ProvenanceError::NoWorkspace { .. })
    ));
}

#[test]
fn a_compiler_that_does_not_answer_is_an_error() {
    for program in ["/nonexistent/rustc", "/bin/false"] {
        let error = rustc_version(Path::new(program)).unwrap_err();
        assert!(error.to_string().contains(program), "{error}");
    }
}
