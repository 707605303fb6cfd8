//! What must be proved is proved with its place; what is missing is named.

use cuzk_artifact::{Elf, ItemKind, ProgramFile, Reason, Verdict, VerifyReport, judge, verify, verify_file};
use cuzk_contract::exit::ExitCode;
use cuzk_contract::phase::{PHASES, Presence};
use cuzk_contract::symbols::Program;

use crate::fixture::*;

fn report(name: &str, bytes: &[u8]) -> VerifyReport {
    let path = dir().join(name);
    std::fs::write(&path, bytes).unwrap();
    verify(&ProgramFile::read(&path).unwrap(), &expectations())
}

#[test]
fn a_whole_program_is_proved_with_section_and_offset() {
    for (name, program) in [
        ("whole", &*PROGRAM),
        ("whole-v0", &*PROGRAM_V0),
        ("whole-debug", &*PROGRAM_WITH_DEBUG),
    ] {
        let report = report(name, program);
        assert_eq!(
            (report.verdict, report.exit(), report.ok),
            (Verdict::Proved, ExitCode::Ok, true),
            "{report:#?}"
        );
        assert_eq!(report.findings.len(), 5);
        for finding in &report.findings {
            assert!(
                finding.section.is_some() && finding.virtual_address.is_some(),
                "{finding:?}"
            );
            assert!(finding.occurrences >= 1, "{finding:?}");
        }
        for finding in of_kind(&report.findings, ItemKind::Marker) {
            let at = finding.file_offset.unwrap() as usize;
            assert!(program[at..].starts_with(finding.item.as_bytes()), "{finding:?}");
            assert!(
                finding.section.as_deref().unwrap().starts_with(".rodata"),
                "{finding:?}"
            );
            assert!(
                finding.context.as_deref().unwrap().contains(&finding.item),
                "{finding:?}"
            );
        }
        for finding in of_kind(&report.findings, ItemKind::Symbol) {
            assert_eq!(finding.section.as_deref(), Some(".text"));
        }
        let facts = report.program.unwrap();
        assert_eq!(facts.build_token.as_deref(), Some(TOKEN));
        assert_eq!(facts.bytes, program.len() as u64);
        assert!(facts.build_id.is_some());
    }
}

#[test]
fn the_code_of_a_symbol_is_where_the_report_says() {
    let findings = judge(&PROGRAM, &expectations());
    let finding = find(&findings, "cuzk_fixture::prover::prove");
    let text = section(&PROGRAM, ".text").1;
    assert!(text.contains(&(finding.file_offset.unwrap() as usize)));
}

#[test]
fn a_blanked_marker_is_named() {
    let report = report("blanked", &blanked(&PROGRAM, SYNTH.as_bytes()));
    assert_eq!((report.exit(), report.ok), (ExitCode::MarkerMissing, false));
    let finding = find(&report.findings, SYNTH);
    assert_eq!(
        (finding.verdict, finding.reason),
        (Verdict::Failed, Some(Reason::Absent))
    );
    assert!(finding.detail.contains("cuzk-fixture"), "{}", finding.detail);
    assert_eq!(find(&report.findings, TOTAL).verdict, Verdict::Proved);
}

#[test]
fn a_function_that_is_not_there_is_named() {
    for path in [
        "cuzk_fixture::prover::verify",
        // Generic functions and methods of traits are there under other names.
        "cuzk_fixture::prover::generic",
        "cuzk_fixture::timing::Timeline::fmt",
        // A part of the path is not the path.
        "prover::prove",
        "prove",
    ] {
        let expected = cuzk_artifact::Expectations {
            symbols: vec![symbol(path)],
            ..expectations()
        };
        for program in [&*PROGRAM, &*PROGRAM_V0] {
            let findings = judge(program, &expected);
            assert_eq!(find(&findings, path).verdict, Verdict::Failed, "{path}");
        }
    }
}

#[test]
fn a_stripped_program_still_proves_its_strings() {
    let report = report("stripped", &STRIPPED);
    assert_eq!(
        (report.verdict, report.exit()),
        (Verdict::Unverifiable, ExitCode::Unverifiable)
    );
    assert_all(&of_kind(&report.findings, ItemKind::Marker), Verdict::Proved);
    assert_all(&of_kind(&report.findings, ItemKind::BuildToken), Verdict::Proved);
    let symbols = of_kind(&report.findings, ItemKind::Symbol);
    assert_all(&symbols, Verdict::Unverifiable);
    assert!(symbols.iter().all(|finding| finding.reason == Some(Reason::Stripped)));
}

#[test]
fn in_a_stripped_program_a_missing_marker_is_still_missing() {
    let report = report("stripped-blanked", &blanked(&STRIPPED, TOTAL.as_bytes()));
    assert_eq!(report.exit(), ExitCode::MarkerMissing);
    assert_eq!(find(&report.findings, TOTAL).verdict, Verdict::Failed);
}

#[test]
fn another_token_is_stale_and_a_missing_one_is_not() {
    let mut other = PROGRAM.clone();
    for at in places(&PROGRAM, TOKEN.as_bytes()) {
        other[at] = b'f';
    }
    let stale = report("stale", &other);
    assert_eq!(stale.exit(), ExitCode::Stale);
    let detail = &find(&stale.findings, "build token").detail;
    assert!(
        detail.contains(TOKEN) && detail.contains(&format!("f{}", &TOKEN[1..])),
        "{detail}"
    );

    let absent = report("no-token", &blanked(&PROGRAM, b"CUZK_BUILD_TOKEN="));
    assert_eq!(absent.exit(), ExitCode::MarkerMissing);
    assert!(find(&absent.findings, "build token").detail.contains("not linked"));
}

#[test]
fn two_tokens_are_ambiguous() {
    let mut two = PROGRAM.clone();
    let marker = format!("CUZK_BUILD_TOKEN={}\n", "f".repeat(64));
    // Over the start of the data section's neighbour: the readers do not care what the bytes mean.
    let rodata = section(&PROGRAM, ".rodata").1;
    let at = rodata.end - marker.len();
    put(&mut two, at, marker.as_bytes());
    let findings = judge(&two, &expectations());
    let token = find(&findings, "build token");
    assert_eq!(
        (token.verdict, token.reason),
        (Verdict::Ambiguous, Some(Reason::Several)),
        "{token:?}"
    );
}

#[test]
fn without_an_expected_token_there_is_no_proof() {
    let expected = cuzk_artifact::Expectations {
        token: None,
        ..expectations()
    };
    let findings = judge(&PROGRAM, &expected);
    let token = find(&findings, "build token");
    assert_eq!(
        (token.verdict, token.reason),
        (Verdict::Unverifiable, Some(Reason::NothingToCompare))
    );
}

#[test]
fn without_section_table_only_presence_is_known() {
    let bytes = without_section_table(&PROGRAM);
    let findings = judge(&bytes, &expectations());
    assert_all(&of_kind(&findings, ItemKind::Marker), Verdict::Proved);
    assert_all(&of_kind(&findings, ItemKind::BuildToken), Verdict::Proved);
    assert_all(&of_kind(&findings, ItemKind::Symbol), Verdict::Unverifiable);
    let findings = judge(&blanked(&bytes, SYNTH.as_bytes()), &expectations());
    let finding = find(&findings, SYNTH);
    assert_eq!(
        (finding.verdict, finding.reason),
        (Verdict::Unverifiable, Some(Reason::NoSections))
    );
}

#[test]
fn the_catalogue_is_what_the_daemon_must_hold() {
    let expected = cuzk_artifact::Expectations::of(Program::Daemon, None);
    let n_printed = PHASES.iter().filter(|phase| phase.presence != Presence::NotYet).count();
    assert_eq!(expected.markers.len(), n_printed);
    assert!(
        expected
            .markers
            .iter()
            .all(|marker| !marker.literal.contains("pin_abc_ms"))
    );
    assert!(!expected.symbols.is_empty());
    assert!(cuzk_artifact::Expectations::of(Program::Bench, None).markers.is_empty());
}

#[test]
fn this_very_program_holds_the_whole_catalogue() {
    let path = std::env::current_exe().unwrap();
    let report = verify_file(&path, &cuzk_artifact::Expectations::of(Program::Daemon, None)).unwrap();
    assert_all(&of_kind(&report.findings, ItemKind::Marker), Verdict::Proved);
    let file = ProgramFile::read(&path).unwrap();
    assert!(Elf::parse(file.bytes()).unwrap().functions().count() > 100);
}

#[test]
fn a_report_survives_json() {
    let report = report("json", &STRIPPED);
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<VerifyReport>(&text).unwrap(), report);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["exit_code"], 4);
    assert_eq!(value["findings"][2]["reason"], "stripped");
}

#[test]
fn a_file_that_is_not_there_is_an_error_and_not_a_verdict() {
    assert!(verify_file(&dir().join("nowhere"), &expectations()).is_err());
    let report = verify_file(&dir(), &expectations()).unwrap();
    assert_eq!(report.exit(), ExitCode::Unverifiable);
    assert_eq!(report.program, None);
}
