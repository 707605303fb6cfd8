//! A store in a temporary directory: making, finding, and everything that can go wrong between.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};

use super::disk::NewFile;
use super::*;
use crate::format::{SubgroupCheck, read_parameters, read_verifying_key};
use crate::generate::Watch;
use crate::progress::{Cancelled, NoProgress, Work};
use crate::testing::{CUBIC, Naive, SEED, cubic, file_of, record};

const ID: &str = "test:cubic";
const KIND: SecretKind = SecretKind::InsecureSeeded { seed: SEED };

struct Fixture {
    _dir: tempfile::TempDir,
    store: Store,
    circuit: RecordedCircuit,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path().join("cuzk/development"));
        Self {
            _dir: dir,
            store,
            circuit: record(&cubic()),
        }
    }

    fn make(&self) -> Result<Entry, SrsError> {
        self.make_with(&Naive, &NoProgress, &CancelToken::new())
    }

    fn make_with(
        &self,
        arithmetic: &dyn FixedBase,
        observer: &dyn Progress,
        cancel: &CancelToken,
    ) -> Result<Entry, SrsError> {
        self.store.generate(&Generation {
            circuit_id: ID,
            circuit: &self.circuit,
            secret: &Secret::insecure_from_seed(SEED),
            arithmetic,
            observer,
            cancel,
            if_busy: IfBusy::Fail,
        })
    }

    fn find(&self) -> Result<Option<Entry>, SrsError> {
        self.store.find(ID, self.circuit.digest(), KIND)
    }

    /// Names of files in the store, without the locks.
    fn names(&self) -> BTreeSet<String> {
        let Ok(entries) = fs::read_dir(self.store.root()) else {
            return BTreeSet::new();
        };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.ends_with(".lock")).collect()
    }

    fn assert_nothing_usable(&self) {
        assert!(self.names().is_empty(), "left: {:?}", self.names());
        assert!(self.find().unwrap().is_none());
    }
}

#[test]
fn what_was_made_is_found_and_described() {
    let fixture = Fixture::new();
    assert!(fixture.find().unwrap().is_none());
    let entry = fixture.make().unwrap();
    let digest = fixture.circuit.digest();
    let stem = format!("insecure-{SEED}-test-cubic-{}", &digest.to_string()[..16]);
    let names = ["json", "params", "vk"].map(|extension| format!("{stem}.{extension}"));
    assert_eq!(fixture.names(), BTreeSet::from(names));

    let params = fs::read(&entry.params).unwrap();
    assert_eq!(params, file_of(&CUBIC));
    let loaded = read_parameters(&entry.params, SubgroupCheck::EveryPoint).unwrap();
    let vk = read_verifying_key(&entry.vk).unwrap();
    assert_eq!(vk.key, CUBIC.vk);
    let expected = Sidecar {
        circuit_id: ID.to_owned(),
        circuit_digest: digest,
        shape: fixture.circuit.shape(),
        params_bytes: params.len() as u64,
        params_sha256: loaded.digest,
        vk_sha256: vk.sha256,
        secret: KIND,
    };
    assert_eq!(entry.sidecar, expected);
    assert_eq!(Sidecar::read(&entry.sidecar_path).unwrap(), expected);
    assert_eq!(fixture.find().unwrap().unwrap().sidecar, expected);
}

#[test]
fn a_random_secret_has_no_prefix_and_is_kept_apart() {
    let fixture = Fixture::new();
    let seeded = fixture.make().unwrap();
    let secret = Secret::random(&mut rand_core::OsRng);
    let cancel = CancelToken::new();
    let generation = Generation {
        circuit_id: ID,
        circuit: &fixture.circuit,
        secret: &secret,
        arithmetic: &Naive,
        observer: &NoProgress,
        cancel: &cancel,
        if_busy: IfBusy::Wait,
    };
    let random = fixture.store.generate(&generation).unwrap();
    assert!(
        random
            .params
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("test-cubic-")
    );
    assert_eq!(random.sidecar.secret, SecretKind::Random);
    assert_ne!(random.sidecar.params_sha256, seeded.sidecar.params_sha256);
    assert_eq!(fixture.names().len(), 6);
}

/// Refuses to work: for showing that no work is done.
struct MustNotWork;

impl FixedBase for MustNotWork {
    fn multiply_g1(&self, _: &G1Projective, _: &[Scalar], _: &dyn Watch) -> Result<Vec<G1Affine>, Cancelled> {
        panic!("parameters are made a second time")
    }

    fn multiply_g2(&self, _: &G2Projective, _: &[Scalar], _: &dyn Watch) -> Result<Vec<G2Affine>, Cancelled> {
        panic!("parameters are made a second time")
    }
}

#[test]
fn a_second_generator_takes_what_the_first_has_made() {
    let fixture = Fixture::new();
    let first = fixture.make().unwrap();
    let second = fixture
        .make_with(&MustNotWork, &NoProgress, &CancelToken::new())
        .unwrap();
    assert_eq!(second.sidecar, first.sidecar);
}

/// Stops in its first multiplication until the test lets it go on.
struct Gate {
    reached: Barrier,
    released: Barrier,
    passed: AtomicBool,
}

impl Gate {
    fn new() -> Self {
        Self {
            reached: Barrier::new(2),
            released: Barrier::new(2),
            passed: AtomicBool::new(false),
        }
    }
}

impl FixedBase for Gate {
    fn multiply_g1(
        &self,
        base: &G1Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G1Affine>, Cancelled> {
        if !self.passed.swap(true, Ordering::Relaxed) {
            self.reached.wait();
            self.released.wait();
        }
        Naive.multiply_g1(base, scalars, watch)
    }

    fn multiply_g2(
        &self,
        base: &G2Projective,
        scalars: &[Scalar],
        watch: &dyn Watch,
    ) -> Result<Vec<G2Affine>, Cancelled> {
        Naive.multiply_g2(base, scalars, watch)
    }
}

#[test]
fn while_one_generator_works_others_are_told_who_or_wait() {
    let (fixture, gate) = (&Fixture::new(), &Gate::new());
    let waiting = |cancel: CancelToken| {
        let secret = Secret::insecure_from_seed(SEED);
        let generation = Generation {
            circuit_id: ID,
            circuit: &fixture.circuit,
            secret: &secret,
            arithmetic: &MustNotWork,
            observer: &NoProgress,
            cancel: &cancel,
            if_busy: IfBusy::Wait,
        };
        fixture.store.generate(&generation)
    };
    let cancel = &CancelToken::new();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| fixture.make_with(gate, &NoProgress, &CancelToken::new()));
        gate.reached.wait();
        let busy = fixture.make().unwrap_err();
        assert!(
            matches!(busy, SrsError::Busy { holder: Some(pid), .. } if pid == std::process::id()),
            "{busy}"
        );
        assert!(
            busy.to_string().contains(&format!("process {}", std::process::id())),
            "{busy}"
        );

        let patient = scope.spawn(|| waiting(CancelToken::new()));
        let impatient = scope.spawn(|| waiting(cancel.clone()));
        cancel.cancel();
        assert!(matches!(impatient.join().unwrap(), Err(SrsError::Cancelled(Cancelled))));
        assert!(!patient.is_finished() && !first.is_finished());

        gate.released.wait();
        let made = first.join().unwrap().unwrap();
        assert_eq!(patient.join().unwrap().unwrap().sidecar, made.sidecar);
    });
}

/// Cancels once so much work is done.
struct CancelAt<'a> {
    work: Option<u64>,
    cancel: &'a CancelToken,
}

impl Progress for CancelAt<'_> {
    fn advanced(&self, done: Work, total: Work) {
        if done.0 >= self.work.unwrap_or(total.0) {
            self.cancel.cancel();
        }
    }
}

#[test]
fn a_cancel_leaves_nothing() {
    // In the first query, in the middle, and after the last multiplication, which is when files are written.
    for work in [Some(1), Some(15), None] {
        let fixture = Fixture::new();
        let cancel = CancelToken::new();
        let result = fixture.make_with(&Naive, &CancelAt { work, cancel: &cancel }, &cancel);
        assert!(matches!(result, Err(SrsError::Cancelled(Cancelled))), "{work:?}");
        fixture.assert_nothing_usable();
        fixture.make().unwrap();
    }
}

/// A file on a disk that has room for some bytes. What is beyond goes to a device that is always full, so that the error is
/// the kernel's own.
struct Cramped {
    file: File,
    full: File,
    room: usize,
}

impl Write for Cramped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 && !bytes.is_empty() {
            return self.full.write(bytes);
        }
        let n_bytes = self.file.write(&bytes[..bytes.len().min(self.room)])?;
        self.room -= n_bytes;
        Ok(n_bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl NewFile for Cramped {
    fn synchronise(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

fn cramped(path: &Path, extension: &str, room: usize) -> io::Result<Box<dyn NewFile>> {
    let is_it = path
        .to_str()
        .is_some_and(|path| path.ends_with(&format!(".{extension}.partial")));
    let room = if is_it { room } else { usize::MAX };
    let full = File::options().write(true).open("/dev/full")?;
    Ok(Box::new(Cramped {
        file: File::create_new(path)?,
        full,
        room,
    }))
}

#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    let disks: [(&str, Create); 4] = [
        ("params", |path| cramped(path, "params", 0)),
        ("params", |path| cramped(path, "params", 1000)),
        ("vk", |path| cramped(path, "vk", 900)),
        ("json", |path| cramped(path, "json", 10)),
    ];
    for (extension, create) in disks {
        let mut fixture = Fixture::new();
        fixture.store.create = create;
        let error = fixture.make().unwrap_err();
        let text = error.to_string();
        let SrsError::Io { source, .. } = error else {
            panic!("{text}")
        };
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
        assert!(
            text.contains(&format!(
                ".{extension}.partial: could not write: No space left on device"
            )),
            "{text}"
        );
        fixture.assert_nothing_usable();
        fixture.store.create = disk::create;
        fixture.make().unwrap();
    }
}

#[test]
fn a_store_that_cannot_be_made_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let in_the_way = dir.path().join("file");
    File::create(&in_the_way).unwrap();
    let fixture = Fixture {
        store: Store::new(in_the_way.join("store")),
        ..Fixture::new()
    };
    let error = fixture.make().unwrap_err().to_string();
    assert!(error.contains("file/store: could not create"), "{error}");
}

/// A file whose contents never become complete.
struct Stuck(File);

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl NewFile for Stuck {
    fn synchronise(&self) -> io::Result<()> {
        loop {
            std::thread::park();
        }
    }
}

const CHILD_STORE: &str = "CUZK_SRS_TEST_CHILD_STORE";

/// Does nothing by itself. The next test starts this one in a process of its own, to kill it.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test that is started as a child gets its directory through the environment"
)]
fn child_that_gets_stuck() {
    let Some(root) = std::env::var_os(CHILD_STORE) else {
        return;
    };
    let store = Store {
        root: root.into(),
        create: |path| Ok(Box::new(Stuck(File::create_new(path)?))),
    };
    let fixture = Fixture {
        store,
        ..Fixture::new()
    };
    drop(fixture.make());
}

#[expect(
    clippy::disallowed_methods,
    reason = "a process that is killed cannot be the test's own"
)]
fn start_child(root: &Path) -> Child {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "store::tests::child_that_gets_stuck"])
        .env(CHILD_STORE, root);
    command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_killed_generator_leaves_nothing_usable_and_is_cleaned_up_after() {
    let fixture = Fixture::new();
    let mut child = start_child(fixture.store.root());
    let deadline = Instant::now() + Duration::from_secs(60);
    let stuck = |names: BTreeSet<String>| names.iter().any(|name| name.ends_with(".params.partial"));
    while !stuck(fixture.names()) {
        assert!(Instant::now() < deadline, "the child wrote nothing");
        std::thread::sleep(Duration::from_millis(5));
    }
    let busy = fixture.make().unwrap_err();
    assert!(
        matches!(busy, SrsError::Busy { holder: Some(pid), .. } if pid == child.id()),
        "{busy}"
    );
    child.kill().unwrap();
    child.wait().unwrap();

    assert!(stuck(fixture.names()), "a killed process removes nothing");
    assert!(fixture.find().unwrap().is_none());
    fixture.make().unwrap();
    assert_eq!(fixture.names().len(), 3, "left: {:?}", fixture.names());
    assert!(fixture.find().unwrap().is_some());
}

#[test]
fn files_without_their_sidecar_are_not_found_and_made_again() {
    let fixture = Fixture::new();
    let entry = fixture.make().unwrap();
    for missing in [&entry.sidecar_path, &entry.params, &entry.vk] {
        fs::remove_file(missing).unwrap();
        assert!(fixture.find().unwrap().is_none());
        fs::write(&entry.params, "half a file").unwrap();
        let _ = fs::remove_file(&entry.sidecar_path);
        fixture.make().unwrap();
        assert_eq!(fs::read(&entry.params).unwrap(), file_of(&CUBIC));
    }
}

#[test]
fn a_sidecar_that_contradicts_its_files_is_an_error() {
    let fixture = Fixture::new();
    let entry = fixture.make().unwrap();
    let text = fs::read_to_string(&entry.sidecar_path).unwrap();
    let cases = [
        (
            text.replace(ID, "test:other"),
            "it describes other parameters than its name does",
        ),
        (
            text.replace("\"insecure_seed\": 7", "\"insecure_seed\": 8"),
            "it describes other parameters",
        ),
        (
            text.replace("\"params_bytes\": ", "\"params_bytes\": 1"),
            "the parameter file has",
        ),
        ("{".to_owned(), "EOF"),
    ];
    for (text, problem) in cases {
        fs::write(&entry.sidecar_path, text).unwrap();
        for error in [fixture.find().unwrap_err(), fixture.make().unwrap_err()] {
            let error = error.to_string();
            assert!(error.contains(problem) && error.contains("(hint: delete it"), "{error}");
        }
    }
    fs::write(&entry.sidecar_path, text).unwrap();
    fs::OpenOptions::new()
        .write(true)
        .open(&entry.params)
        .unwrap()
        .set_len(1000)
        .unwrap();
    let error = fixture.find().unwrap_err().to_string();
    assert!(error.contains("the parameter file has 1000"), "{error}");
}

#[test]
fn only_ids_that_are_safe_as_names_are_taken() {
    let fixture = Fixture::new();
    let find = |id: &str| fixture.store.find(id, fixture.circuit.digest(), SecretKind::Random);
    for good in ["winning-32g", "bench:16:0.9", "a"] {
        assert!(find(good).unwrap().is_none());
    }
    let long = "a".repeat(65);
    for bad in ["", ".", "..", "../x", "a/b", "-a", "A", "a b", "a\0", "é", &long] {
        assert!(matches!(find(bad), Err(SrsError::CircuitId { .. })), "{bad:?}");
    }
}
