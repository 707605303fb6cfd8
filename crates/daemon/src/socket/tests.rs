//! Whose socket file is taken, whose is not.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_socket_file_goes_when_its_daemon_goes() {
    let dir = directory();
    let path = dir.path().join("s");
    let socket = Socket::bind(&path).unwrap();
    assert!(UnixStream::connect(&path).is_ok());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    drop(socket);
    assert!(!path.exists());
}

#[test]
fn a_second_daemon_is_told_who_answers() {
    let dir = directory();
    let path = dir.path().join("s");
    let _first = Socket::bind(&path).unwrap();
    let Err(SocketError::Taken { holder, .. }) = Socket::bind(&path) else {
        panic!("the socket was taken over")
    };
    assert_eq!(
        holder,
        Holder::Answers {
            pid: std::process::id() as i32
        }
    );
    assert!(UnixStream::connect(&path).is_ok(), "the first one still serves");
}

#[test]
fn a_daemon_that_holds_the_lock_but_does_not_listen_yet_is_respected() {
    let dir = directory();
    let path = dir.path().join("s");
    let _lock = lock(&path).unwrap();
    let refused = Socket::bind(&path);
    assert!(matches!(
        refused,
        Err(SocketError::Taken {
            holder: Holder::Starting,
            ..
        })
    ));
}

#[test]
fn a_server_without_our_lock_is_respected_too() {
    let dir = directory();
    let path = dir.path().join("s");
    let _foreign = UnixListener::bind(&path).unwrap();
    assert!(matches!(
        Socket::bind(&path),
        Err(SocketError::Taken {
            holder: Holder::Answers { .. },
            ..
        })
    ));
}

#[test]
fn the_socket_of_a_dead_daemon_is_replaced() {
    let dir = directory();
    let path = dir.path().join("s");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "a dead listener leaves its file");
    let _socket = Socket::bind(&path).unwrap();
    assert!(UnixStream::connect(&path).is_ok());
}

#[test]
fn a_file_that_is_no_socket_is_left_alone() {
    let dir = directory();
    let path = dir.path().join("s");
    fs::write(&path, "precious").unwrap();
    assert!(matches!(Socket::bind(&path), Err(SocketError::NotASocket { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_socket_file_that_was_replaced_is_not_removed() {
    let dir = directory();
    let path = dir.path().join("s");
    let socket = Socket::bind(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "of somebody else").unwrap();
    drop(socket);
    assert!(path.exists());
}

#[test]
fn a_directory_that_is_missing_is_named() {
    let dir = directory();
    let error = Socket::bind(&dir.path().join("missing/s")).err().unwrap().to_string();
    assert!(error.contains("missing/s.lock") && error.contains("hint"), "{error}");
}
