//! Programs that others built: three readers agree on them, or say why nothing can be concluded.

use cuzk_artifact::{Elf, ProgramFile, Unverifiable};

const MAX_PROGRAMS: usize = 50;
const MAX_BYTES: u64 = 4 << 20;

#[test]
fn the_readers_agree_on_the_programs_of_this_system() {
    let mut paths: Vec<_> = std::fs::read_dir("/usr/bin")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut n_agreed = 0;
    for path in paths
        .iter()
        .filter(|path| path.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES))
    {
        let Ok(file) = ProgramFile::read(path) else { continue };
        match Elf::parse(file.bytes()) {
            Ok(elf) => {
                assert!(
                    elf.has_sections() && !elf.loaded_sections().is_empty(),
                    "{}",
                    path.display()
                );
                n_agreed += 1;
            }
            Err(Unverifiable::OtherFormat(_)) => {}
            Err(error @ (Unverifiable::Disagreement(_) | Unverifiable::ParserPanicked { .. })) => {
                panic!("{}: {error}", path.display())
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if n_agreed == MAX_PROGRAMS {
            break;
        }
    }
    assert!(n_agreed > 0, "no program in /usr/bin could be read");
}
