//! The digest changes with what ships and with nothing else.
#![cfg(unix)]

use super::*;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("Cargo.toml", "[workspace]\n"),
        ("Cargo.lock", "version = 4\n"),
        (".cargo/config.toml", "[alias]\n"),
        ("crates/one/Cargo.toml", "[package]\n"),
        ("crates/one/src/lib.rs", "//! one\n"),
        ("crates/one/src/deep/tests.rs", "//! tests inside src\n"),
    ] {
        put(dir.path(), path, text);
    }
    dir
}

fn scan(dir: &TempDir) -> SourceTree {
    SourceTree::scan(dir.path()).unwrap()
}

fn paths(tree: &SourceTree) -> Vec<&str> {
    tree.files().iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn the_digest_is_the_documented_one() {
    let dir = workspace();
    let tree = scan(&dir);
    let expected_paths = [
        ".cargo/config.toml",
        "Cargo.lock",
        "Cargo.toml",
        "crates/one/Cargo.toml",
        "crates/one/src/deep/tests.rs",
        "crates/one/src/lib.rs",
    ];
    assert_eq!(paths(&tree), expected_paths);
    let mut bytes = b"cuzk-sources-1\0".to_vec();
    bytes.extend(6u64.to_le_bytes());
    for path in expected_paths {
        let content = fs::read(dir.path().join(path)).unwrap();
        bytes.extend((path.len() as u64).to_le_bytes());
        bytes.extend(path.as_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(Sha256::digest(content));
    }
    assert_eq!(tree.digest().as_bytes().as_slice(), Sha256::digest(bytes).as_slice());
}

#[test]
fn place_and_time_do_not_matter() {
    let (one, two) = (workspace(), workspace());
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    let file = File::options().write(true).open(two.path().join("Cargo.toml")).unwrap();
    file.set_modified(old).unwrap();
    assert_eq!(scan(&one).digest(), scan(&two).digest());
}

#[test]
fn every_shipped_file_counts() {
    let dir = workspace();
    let before = scan(&dir).digest();
    let mut seen = vec![before];
    for (path, text) in [
        ("Cargo.toml", "[workspace]\n\n"),
        ("Cargo.lock", "version = 5\n"),
        (".cargo/config.toml", ""),
        ("crates/one/build.rs", "fn main() {}\n"),
        ("crates/one/proto/a.proto", ""),
        ("crates/one/src/tests/data.bin", "\0"),
        ("crates/two/Cargo.toml", ""),
    ] {
        put(dir.path(), path, text);
        let digest = scan(&dir).digest();
        assert!(!seen.contains(&digest), "{path}");
        seen.push(digest);
    }
    fs::rename(
        dir.path().join("crates/one/build.rs"),
        dir.path().join("crates/one/build2.rs"),
    )
    .unwrap();
    assert!(!seen.contains(&scan(&dir).digest()));
}

#[test]
fn what_does_not_ship_does_not_count() {
    let dir = workspace();
    let before = scan(&dir).digest();
    for path in [
        "README.md",
        "xtask/src/main.rs",
        "cuda/field/fp.cuh",
        "crates/note.txt",
        "crates/not-a-package/src/lib.rs",
        "crates/one/tests/a.rs",
        "crates/one/benches/a.rs",
        "crates/one/examples/a.rs",
        "crates/one/fuzz/Cargo.toml",
        "crates/one/target/a",
        "crates/one/src/.lib.rs.swp",
        "crates/one/src/lib.rs~",
    ] {
        put(dir.path(), path, "x");
    }
    symlink("nobody@nowhere:1", dir.path().join("crates/one/src/.#lib.rs")).unwrap();
    assert_eq!(scan(&dir).digest(), before);
}

#[test]
fn cuda_sources_count_once_a_package_compiles_them() {
    let dir = workspace();
    put(dir.path(), "cuda/tests/field.cu", "x");
    assert!(!scan(&dir).watched().contains(&scan(&dir).root().join("cuda")));
    put(dir.path(), "crates/cuda-sys/Cargo.toml", "");
    let tree = scan(&dir);
    assert!(paths(&tree).contains(&"cuda/tests/field.cu"));
    assert!(tree.watched().contains(&tree.root().join("cuda")));
}

#[test]
fn everything_that_is_hashed_is_watched() {
    let dir = workspace();
    put(dir.path(), "crates/cuda-sys/Cargo.toml", "");
    put(dir.path(), "cuda/a.cu", "");
    let tree = scan(&dir);
    let watched = tree.watched();
    for file in tree.files() {
        let path = tree.root().join(&file.path);
        assert!(watched.iter().any(|watched| path.starts_with(watched)), "{}", file.path);
    }
}

#[test]
fn links_inside_the_workspace_are_followed() {
    let dir = workspace();
    put(dir.path(), "shared/text", "shared");
    symlink("../../../shared/text", dir.path().join("crates/one/src/text")).unwrap();
    symlink("../../../shared", dir.path().join("crates/one/src/dir")).unwrap();
    let tree = scan(&dir);
    let shared = Sha256::digest("shared");
    for path in ["crates/one/src/text", "crates/one/src/dir/text"] {
        let file = tree.files().iter().find(|file| file.path == path).unwrap();
        assert_eq!(file.sha256.as_slice(), shared.as_slice());
    }
}

#[test]
fn links_out_of_the_workspace_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    put(outside.path(), "secret", "x");
    for target in [outside.path().join("secret"), outside.path().to_path_buf()] {
        let dir = workspace();
        symlink(target, dir.path().join("crates/one/src/link")).unwrap();
        let error = SourceTree::scan(dir.path()).unwrap_err();
        assert!(matches!(error, ProvenanceError::OutsideRoot { .. }), "{error}");
        assert!(error.to_string().contains("crates/one/src/link"), "{error}");
    }
}

#[test]
fn loops_and_dead_links_are_errors() {
    for target in ["..", "nowhere"] {
        let dir = workspace();
        symlink(target, dir.path().join("crates/one/src/link")).unwrap();
        assert!(SourceTree::scan(dir.path()).is_err(), "{target}");
    }
}

#[test]
fn a_socket_among_the_sources_is_an_error() {
    let dir = workspace();
    let _listener = std::os::unix::net::UnixListener::bind(dir.path().join("crates/one/src/socket")).unwrap();
    let error = SourceTree::scan(dir.path()).unwrap_err();
    assert!(matches!(error, ProvenanceError::NotAFile { .. }), "{error}");
}

#[test]
fn a_workspace_without_lock_file_is_an_error() {
    let dir = workspace();
    fs::remove_file(dir.path().join("Cargo.lock")).unwrap();
    let error = SourceTree::scan(dir.path()).unwrap_err();
    assert!(error.to_string().contains("Cargo.lock"), "{error}");
}

#[test]
fn changes_name_the_files() {
    let dir = workspace();
    let before = scan(&dir).manifest();
    put(dir.path(), "crates/one/src/lib.rs", "edited");
    put(dir.path(), "crates/one/src/new.rs", "");
    fs::remove_file(dir.path().join("crates/one/src/deep/tests.rs")).unwrap();
    let changes = scan(&dir).changes_since(&before);
    let expected = [
        ("crates/one/src/deep/tests.rs".to_owned(), Change::Removed),
        ("crates/one/src/lib.rs".to_owned(), Change::Edited),
        ("crates/one/src/new.rs".to_owned(), Change::Added),
    ];
    assert_eq!(changes, expected);
}
