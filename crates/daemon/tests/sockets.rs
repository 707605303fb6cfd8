//! Who may listen where: paths, other daemons, leftovers; and the configuration that says it.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::{fs, thread};

use common::*;
use cuzk_proto::control::{IdentifyRequest, identity_client::IdentityClient};
use rustix::process::Signal;
use sha2::{Digest, Sha256};

#[test]
fn an_idle_daemon_ends_cleanly_and_takes_its_socket_with_it() {
    let place = Place::new();
    for signal in [Signal::TERM, Signal::INT] {
        let mut daemon = place.serve(&[]);
        assert_eq!(
            fs::metadata(place.socket()).unwrap().permissions().mode() & 0o777,
            0o600
        );
        daemon.signal(signal);
        assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.stderr());
        assert!(!place.socket().exists());
    }
}

#[test]
fn a_second_daemon_is_refused_and_the_first_one_serves_on() {
    let place = Place::new();
    let first = place.serve(&[]);
    let mut second = place.start(&[]);
    assert_eq!(second.wait().code(), Some(1));
    let message = second.stderr();
    assert!(
        message.contains(&format!("process {} answers on it", first.pid())),
        "{message}"
    );
    assert!(message.contains("hint"), "{message}");
    runtime().block_on(async { first.bench_jobs().await });
}

#[test]
fn of_daemons_that_start_together_one_serves() {
    let place = Place::new();
    let mut daemons: Vec<Daemon> = (0..4).map(|_| place.start(&[])).collect();
    wait_until(|| daemons.iter().any(|daemon| daemon.stderr().contains(" serving on ")));
    let refused = |daemon: &&mut Daemon| daemon.stderr().contains("is taken");
    let end = std::time::Instant::now() + WAIT;
    while daemons.iter_mut().filter(refused).count() < 3 {
        assert!(std::time::Instant::now() < end, "not exactly one daemon serves");
        thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(
        daemons
            .iter_mut()
            .filter(|daemon| daemon.stderr().contains(" serving on "))
            .count(),
        1
    );
}

#[test]
fn a_killed_daemon_leaves_a_socket_that_the_next_one_replaces() {
    let place = Place::new();
    let mut first = place.serve(&[]);
    first.signal(Signal::KILL);
    first.wait();
    assert!(place.socket().exists());
    let second = place.serve(&[]);
    runtime().block_on(async { second.bench_jobs().await });
}

#[test]
fn what_is_no_socket_is_left_alone() {
    let place = Place::new();
    fs::write(place.socket(), "precious").unwrap();
    let mut daemon = place.start(&[]);
    assert_eq!(daemon.wait().code(), Some(1));
    assert!(daemon.stderr().contains("is not a socket"), "{}", daemon.stderr());
    assert_eq!(fs::read(place.socket()).unwrap(), b"precious");
}

#[test]
fn a_path_that_is_too_long_is_refused_with_its_length() {
    let place = Place::new();
    let listen = format!("unix:///tmp/{}", "x".repeat(120));
    let (code, message) = place.refused(&["--listen", &listen]);
    assert_eq!(code, 2);
    assert!(message.contains("125 bytes") && message.contains("107"), "{message}");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let place = Place::new();
    // Nobody, not even the superuser, makes a file here.
    let (code, message) = place.refused(&["--listen", "unix:///proc/cuzk/s"]);
    assert_eq!(code, 1);
    assert!(
        message.contains("/proc/cuzk/s.lock") && message.contains("writable"),
        "{message}"
    );
}

#[test]
fn a_wrong_configuration_names_file_and_key() {
    let place = Place::new();
    let file = place.path("cuzk.toml");
    fs::write(&file, "[daemon]\nlisten = 'unix:///tmp/never'\ngrace_periods = 3\n").unwrap();
    let (code, message) = place.refused(&["--config", file.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(
        message.contains("cuzk.toml") && message.contains("grace_periods"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "one line per message: {message}");

    let missing = place.path("missing.toml");
    let (code, message) = place.refused(&["--config", missing.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(message.contains("missing.toml"), "{message}");
}

#[test]
fn the_identity_is_that_of_the_running_program() {
    let place = Place::new();
    let daemon = place.serve(&[]);
    let identity = runtime().block_on(async {
        IdentityClient::new(daemon.channel().await)
            .identify(IdentifyRequest {})
            .await
            .unwrap()
            .into_inner()
    });
    let program = fs::read(env!("CARGO_BIN_EXE_cuzk")).unwrap();
    assert_eq!(identity.pid, daemon.pid());
    assert_eq!(identity.program_sha256, format!("{:x}", Sha256::digest(&program)));
    assert_eq!(identity.build_token.len(), 64);
    let marked = format!("CUZK_BUILD_TOKEN={}\n", identity.build_token);
    assert!(
        program.windows(marked.len()).any(|window| window == marked.as_bytes()),
        "the token is in the file"
    );
    assert_eq!(identity.backend, "cpu");
}
