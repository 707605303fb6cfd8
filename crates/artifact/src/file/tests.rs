//! Files that change, are no files, or are too large.

use super::*;
use std::io::Write as _;

fn file_with(text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("program");
    fs::write(&path, text).unwrap();
    (dir, path)
}

const LIMIT: ByteLimit = ByteLimit(1000);

#[test]
fn a_quiet_file_is_read_whole() {
    let (_dir, path) = file_with(b"abc");
    let file = ProgramFile::read(&path).unwrap();
    assert_eq!(file.bytes(), b"abc");
    // The known answer of FIPS 180-2.
    assert_eq!(
        file.sha256().to_string(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn a_change_meanwhile_is_noticed() {
    let append = |path: &Path| {
        File::options()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(b"x")
            .unwrap()
    };
    let overwrite = |path: &Path| {
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .write_all(b"xyz")
            .unwrap()
    };
    let replace = |path: &Path| {
        let other = path.with_extension("new");
        fs::write(&other, b"abc").unwrap();
        fs::rename(other, path).unwrap();
    };
    let truncate = |path: &Path| fs::write(path, b"").unwrap();
    type Change<'a> = &'a dyn Fn(&Path);
    let changes: [(&str, Change<'_>); 4] = [
        ("append", &append),
        ("overwrite", &overwrite),
        ("replace", &replace),
        ("truncate", &truncate),
    ];
    for (name, change) in changes {
        let (_dir, path) = file_with(b"abc");
        let later = || {
            // Longer than the granularity of file times.
            std::thread::sleep(std::time::Duration::from_millis(20));
            change(&path);
        };
        let error = read_unchanged(&path, LIMIT, later).unwrap_err();
        assert!(matches!(error, ReadError::Changed { .. }), "{name}: {error}");
    }
}

#[test]
fn what_is_not_a_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [dir.path(), &socket, Path::new("/dev/zero")] {
        let error = ProgramFile::read(path).err().unwrap();
        assert!(matches!(error, ReadError::NotAFile { .. }), "{error}");
    }
    let error = ProgramFile::read(&dir.path().join("absent")).err().unwrap();
    assert!(matches!(error, ReadError::Io { .. }), "{error}");
}

#[test]
fn the_limit_holds_without_reading() {
    let (_dir, path) = file_with(b"");
    // Sparse: 5 GiB that take no space.
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(5 << 30)
        .unwrap();
    let error = ProgramFile::read(&path).err().unwrap();
    assert!(
        matches!(
            error,
            ReadError::TooLarge {
                actual: 5_368_709_120,
                ..
            }
        ),
        "{error}"
    );
}
