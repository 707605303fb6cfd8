//! The precedence of verdicts and exit codes.

use super::*;

fn finding(verdict: Verdict, reason: Option<Reason>) -> Finding {
    Finding::new(ItemKind::Marker, "x".into(), verdict, reason, String::new())
}

#[test]
fn the_heaviest_verdict_decides_in_any_order() {
    let proved = finding(Verdict::Proved, None);
    let unverifiable = finding(Verdict::Unverifiable, Some(Reason::Stripped));
    let ambiguous = finding(Verdict::Ambiguous, Some(Reason::Several));
    let absent = finding(Verdict::Failed, Some(Reason::Absent));
    let stale = finding(Verdict::Failed, Some(Reason::Stale));
    let ranked = [
        (proved, ExitCode::Ok),
        (unverifiable, ExitCode::Unverifiable),
        (ambiguous, ExitCode::Ambiguous),
        (absent, ExitCode::MarkerMissing),
        (stale, ExitCode::Stale),
    ];
    for (idx, (heavy, code)) in ranked.iter().enumerate() {
        for (light, _) in &ranked[..=idx] {
            assert_eq!(exit_code(&[heavy.clone(), light.clone()]), *code);
            assert_eq!(exit_code(&[light.clone(), heavy.clone()]), *code);
            assert_eq!(overall(&[light.clone(), heavy.clone()]), heavy.verdict);
        }
    }
}

#[test]
fn nothing_checked_is_nothing_proved() {
    assert_eq!(overall(&[]), Verdict::Unverifiable);
    assert_eq!(exit_code(&[]), ExitCode::Unverifiable);
}
