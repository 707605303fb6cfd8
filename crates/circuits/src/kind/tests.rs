//! What is a circuit id, what is not, and that each has one printed form.
use super::*;

fn parse(text: &str) -> Result<ProofKind, KindError> {
    text.parse()
}

#[test]
fn ids_print_as_they_were_read() {
    for id in [
        "winning-32g",
        "porep-2k",
        "porep-32g",
        "porep-32g:1",
        "bench:4:0",
        "bench:10:0.9",
        "bench:16:0.125",
        "bench:27:1",
    ] {
        assert_eq!(parse(id).map(|kind| kind.to_string()), Ok(id.to_owned()));
    }
}

#[test]
fn other_spellings_of_a_share_print_canonically() {
    for (id, canonical) in [
        ("bench:16:0.90", "bench:16:0.9"),
        ("bench:16:00.9", "bench:16:0.9"),
        ("bench:16:0.0", "bench:16:0"),
        ("bench:16:1.000", "bench:16:1"),
    ] {
        let kind = parse(id).unwrap();
        assert_eq!(kind.to_string(), canonical);
        assert_eq!(parse(canonical), Ok(kind), "equal kinds from equal circuits");
    }
}

#[test]
fn unknown_kinds_are_refused_with_the_known_ones() {
    for id in [
        "",
        "winning",
        "winning-32G",
        " winning-32g",
        "winning-32g\n",
        "porep-64g",
        "porep-32g:2",
        "porep-32g:",
        "bench",
        "Bench:16:0.9",
    ] {
        let error = parse(id).unwrap_err();
        assert_eq!(error, KindError::Unknown { actual: id.to_owned() });
        let message = error.to_string();
        assert!(
            message.contains("winning-32g") && message.contains("bench:K:F"),
            "{message}"
        );
    }
}

#[test]
fn endless_ids_are_refused_without_being_repeated() {
    let error = parse(&"x".repeat(1 << 20)).unwrap_err();
    assert_eq!(error, KindError::TooLong { actual: 1 << 20 });
    assert!(error.to_string().len() < 200);
}

#[test]
fn bench_sizes_are_4_to_27_in_plain_digits() {
    for size in [
        "3",
        "28",
        "0",
        "-4",
        "+16",
        "016",
        "1e1",
        "16.0",
        " 16",
        "",
        "4294967312",
        "99999999999999999999",
    ] {
        assert_eq!(
            parse(&format!("bench:{size}:0.9")),
            Err(KindError::BenchSize {
                actual: size.to_owned()
            })
        );
    }
}

#[test]
fn bench_shares_are_0_to_1_in_plain_decimals() {
    for share in [
        "1.1", "2", "-0", "-0.1", "+0.5", "9e-1", "NaN", "inf", ".5", "1.", "", "0,9", "0.9 ", "0.9:1",
    ] {
        assert_eq!(
            parse(&format!("bench:16:{share}")),
            Err(KindError::BenchShare {
                actual: share.to_owned()
            })
        );
    }
    assert_eq!(
        parse("bench:16"),
        Err(KindError::BenchForm {
            actual: "bench:16".to_owned()
        })
    );
}

#[test]
fn specs_are_checked_however_they_are_made() {
    assert!(BenchSpec::new(3, 0.5).is_err());
    assert!(BenchSpec::new(28, 0.5).is_err());
    assert!(BenchSpec::new(16, f64::NAN).is_err());
    assert!(BenchSpec::new(16, 1.0 + f64::EPSILON).is_err());
    let spec = BenchSpec::new(16, -0.0).unwrap();
    assert_eq!(spec, BenchSpec::new(16, 0.0).unwrap());
    assert_eq!(ProofKind::Bench(spec).to_string(), "bench:16:0");
}
