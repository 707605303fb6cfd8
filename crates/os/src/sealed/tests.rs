//! Real programs, copied from the system's shell, changed in every way between the check and the start.
#![allow(clippy::disallowed_methods, reason = "these tests start the programs that they hold")]

use std::io::Seek as _;
use std::process::Command;
use std::time::Duration;

use super::*;
use crate::group::{Ending, ProcessGroup};

/// A directory with a copy of the shell under the name `program`.
fn fixture() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    fs::copy("/bin/sh", &program).unwrap();
    (dir, program)
}

fn sha256(bytes: &[u8]) -> ProgramSha256 {
    ProgramSha256(Sha256::digest(bytes).into())
}

fn start(program: &SealedProgram, script: &str) -> ProcessGroup {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new(program.exec_path());
    command.arg0("sh").args(["-c", script]);
    ProcessGroup::spawn(command).unwrap()
}

fn output(program: &SealedProgram, script: &str) -> String {
    let mut group = start(program, script);
    let mut text = String::new();
    group.take_stdout().unwrap().read_to_string(&mut text).unwrap();
    let stopped = group.terminate(Duration::from_secs(20)).unwrap();
    assert!(stopped.leader.success(), "{stopped:?}");
    text
}

#[test]
fn the_hash_is_that_of_the_file_and_prints_as_hexadecimal() {
    let (dir, program) = fixture();
    fs::write(&program, b"abc").unwrap();
    for holding in [Holding::MemoryFile, Holding::PrivateCopy] {
        let held = SealedProgram::load_as(&program, dir.path(), holding).unwrap();
        assert_eq!(held.holding(), holding);
        // FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(held.sha256().to_string(), expected);
    }
}

#[test]
fn a_program_overwritten_in_place_before_the_start_runs_as_it_was_checked() {
    let (dir, program) = fixture();
    let old = fs::read(&program).unwrap();
    for holding in [Holding::MemoryFile, Holding::PrivateCopy] {
        fs::write(&program, &old).unwrap();
        let held = SealedProgram::load_as(&program, dir.path(), holding).unwrap();
        fs::write(&program, b"#!/bin/false\n").unwrap();
        assert_eq!(held.sha256(), sha256(&old));
        assert_eq!(output(&held, "echo old bytes run"), "old bytes run\n");
    }
}

#[test]
fn a_program_replaced_and_overwritten_while_it_runs_goes_on() {
    let (dir, program) = fixture();
    let old = fs::read(&program).unwrap();
    let held = SealedProgram::load(&program, dir.path()).unwrap();
    let go = dir.path().join("go");
    let mut group = start(
        &held,
        &format!("while [ ! -e {} ]; do sleep 0.02; done; echo done", go.display()),
    );
    // In place: same inode, other bytes.
    OpenOptions::new()
        .write(true)
        .open(&program)
        .unwrap()
        .write_all(&[0; 4096])
        .unwrap();
    fs::rename(&program, dir.path().join("elsewhere")).unwrap();
    fs::write(&program, b"another program").unwrap();
    assert_eq!(group.program_sha256().unwrap(), held.sha256());
    assert_eq!(held.sha256(), sha256(&old));
    fs::write(go, "").unwrap();
    let mut text = String::new();
    group.take_stdout().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "done\n");
}

#[test]
fn the_running_program_is_hashed_through_its_process() {
    let (dir, program) = fixture();
    for holding in [Holding::MemoryFile, Holding::PrivateCopy] {
        let held = SealedProgram::load_as(&program, dir.path(), holding).unwrap();
        let mut group = start(&held, "while :; do sleep 1; done");
        assert_eq!(group.program_sha256().unwrap(), held.sha256());
        assert_eq!(running_program_sha256(group.leader()).unwrap(), held.sha256());
        assert_ne!(
            group.terminate(Duration::from_secs(20)).unwrap().ending,
            Ending::ByItself
        );
    }
}

#[test]
fn a_private_copy_that_its_owner_changed_is_found_by_the_running_hash() {
    let (dir, program) = fixture();
    let held = SealedProgram::load_as(&program, dir.path(), Holding::PrivateCopy).unwrap();
    let path = held.exec_path();
    let mut changed = fs::read(&path).unwrap();
    // Beyond the end of what is loaded: the program runs as before and is another file.
    changed.push(0);
    fs::remove_file(&path).unwrap();
    fs::write(&path, changed).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o500)).unwrap();
    let group = start(&held, "while :; do sleep 1; done");
    assert_ne!(group.program_sha256().unwrap(), held.sha256());
}

#[test]
fn a_sealed_memory_file_refuses_every_change() {
    let (dir, program) = fixture();
    let held = SealedProgram::load_as(&program, dir.path(), Holding::MemoryFile).unwrap();
    let before = held.sha256();
    let Body::Memory(file) = &held.body else { unreachable!() };
    assert!((&*file).write_all(b"x").is_err(), "the descriptor itself can write");
    // Through /proc anybody of the same user can open it for writing; the seals are what refuses.
    if let Ok(mut writable) = OpenOptions::new().write(true).open(held.exec_path()) {
        writable.rewind().unwrap();
        assert_eq!(
            writable.write(b"x").unwrap_err().raw_os_error(),
            Some(Errno::PERM.raw_os_error())
        );
        assert_eq!(
            writable.set_len(0).unwrap_err().raw_os_error(),
            Some(Errno::PERM.raw_os_error())
        );
        assert_eq!(
            writable.set_len(1 << 30).unwrap_err().raw_os_error(),
            Some(Errno::PERM.raw_os_error())
        );
        assert_eq!(
            rustix::fs::fcntl_add_seals(&writable, SealFlags::FUTURE_WRITE),
            Err(Errno::PERM)
        );
    }
    let seals = rustix::fs::fcntl_get_seals(file).unwrap();
    assert!(seals.contains(SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL));
    assert_eq!(
        ProgramSha256::of(File::open(held.exec_path()).unwrap()).unwrap(),
        before
    );
}

#[test]
fn a_private_copy_is_readable_by_its_owner_only_and_goes_with_the_value() {
    let (dir, program) = fixture();
    let held = SealedProgram::load_as(&program, dir.path(), Holding::PrivateCopy).unwrap();
    let path = held.exec_path();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o500));
    drop(held);
    assert!(!path.parent().unwrap().exists());
}

#[test]
fn what_is_no_program_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let load = |path: &Path| SealedProgram::load(path, dir.path()).unwrap_err();
    assert!(matches!(load(&dir.path().join("missing")), SealError::Read { .. }));
    assert!(matches!(load(dir.path()), SealError::NotAFile { .. }));
    assert!(matches!(load(Path::new("/dev/zero")), SealError::NotAFile { .. }));
    // A pipe that nobody writes to must not make us wait.
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(matches!(load(&pipe), SealError::NotAFile { .. }));
}

#[test]
fn a_file_that_changes_its_length_while_it_is_copied_is_refused() {
    for (announced, actual) in [(3_u64, 5_u64), (5, 3)] {
        let (dir, program) = fixture();
        fs::write(&program, vec![7; usize::try_from(announced).unwrap()]).unwrap();
        let source = Source::open(&program).unwrap();
        OpenOptions::new()
            .write(true)
            .open(&program)
            .unwrap()
            .set_len(actual)
            .unwrap();
        let error = private_copy(source, dir.path()).unwrap_err();
        assert!(
            matches!(error, SealError::ChangedWhileCopied { expected, .. } if expected == announced),
            "{error}"
        );
    }
}

#[test]
fn a_process_that_is_gone_cannot_be_hashed() {
    assert!(matches!(
        running_program_sha256(ProcessId(u32::MAX)),
        Err(SealError::Running { .. })
    ));
}
