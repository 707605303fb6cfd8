//! Reading and writing against bellperson, then files that are damaged in every way.

use bellperson::groth16::{Parameters as PeerParameters, VerifyingKey as PeerKey};
use blstrs::{Bls12, G1Affine, G2Affine};
use group::prime::PrimeCurveAffine;

use super::*;
use crate::parameters::Query;
use crate::testing::{CUBIC, Noise, file_of};

const BOTH: [SubgroupCheck; 2] = [SubgroupCheck::Skip, SubgroupCheck::EveryPoint];

fn good() -> Vec<u8> {
    file_of(&CUBIC)
}

fn layout_of(bytes: &[u8]) -> ParametersLayout {
    in_memory(layout::parameters(bytes, bytes.len() as u64)).unwrap()
}

fn fault(bytes: &[u8], subgroup: SubgroupCheck) -> FormatError {
    parse_parameters(bytes, subgroup).expect_err("a damaged file is refused")
}

#[test]
fn bellperson_reads_what_we_write_and_writes_it_back() {
    let ours = good();
    let peer = PeerParameters::<Bls12>::read(&ours[..], true).unwrap();
    assert_eq!(*peer.h, CUBIC.h);
    assert_eq!(*peer.l, CUBIC.l);
    assert_eq!(*peer.a, CUBIC.a);
    assert_eq!(*peer.b_g1, CUBIC.b_g1);
    assert_eq!(*peer.b_g2, CUBIC.b_g2);
    assert_eq!(peer.vk.ic, CUBIC.vk.ic);
    let mut back = vec![];
    peer.write(&mut back).unwrap();
    assert_eq!(back, ours);
}

#[test]
fn we_read_what_was_written() {
    for subgroup in BOTH {
        assert_eq!(parse_parameters(&good(), subgroup).unwrap(), *CUBIC);
    }
}

#[test]
fn keys_have_a_file_of_their_own() {
    let mut ours = vec![];
    write_verifying_key(&CUBIC.vk, &mut ours).unwrap();
    assert_eq!(parse_verifying_key(&ours).unwrap(), CUBIC.vk);
    let peer = PeerKey::<Bls12>::read(&ours[..]).unwrap();
    let mut back = vec![];
    peer.write(&mut back).unwrap();
    assert_eq!(back, ours);
    assert_eq!(ours, good()[..ours.len()], "a parameter file begins with its key");
    let error = parse_verifying_key(&good()).unwrap_err();
    assert_eq!(
        error,
        FormatError::TooLong {
            required: ours.len() as u64,
            actual: good().len() as u64
        }
    );
}

#[test]
fn a_layout_says_where_each_query_is() {
    let layout = layout_of(&good());
    let counts = Query::ALL.map(|query| layout.points(query));
    assert_eq!(counts, [2, 7, 3, 4, 4, 4]);
    let g1 = |points: usize| 96 * points as u64;
    assert_eq!(layout.offset(Query::Ic), 864 + 4);
    assert_eq!(layout.offset(Query::H), 864 + 8 + g1(2));
    assert_eq!(layout.offset(Query::BG2), 864 + 24 + g1(2 + 7 + 3 + 4 + 4));
    assert_eq!(layout.file_bytes(), layout.offset(Query::BG2) + 192 * 4);
    assert_eq!(layout.file_bytes(), good().len() as u64);
}

#[test]
fn every_truncation_is_refused() {
    let good = good();
    for length in 0..good.len() {
        let error = fault(&good[..length], SubgroupCheck::Skip);
        assert!(
            matches!(error, FormatError::TooShort { actual, .. } if actual == length as u64),
            "{length}: {error}"
        );
    }
}

#[test]
fn a_longer_file_is_refused() {
    let mut bytes = good();
    bytes.push(0);
    let required = bytes.len() as u64 - 1;
    assert_eq!(
        fault(&bytes, SubgroupCheck::Skip),
        FormatError::TooLong {
            required,
            actual: required + 1
        }
    );
}

#[test]
fn a_count_that_is_too_large_is_refused_before_it_is_allocated() {
    for query in Query::ALL {
        let mut bytes = good();
        let at = layout_of(&bytes).offset(query) as usize - 4;
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_be_bytes());
        let error = fault(&bytes, SubgroupCheck::Skip);
        let size: u64 = if query == Query::BG2 { 192 } else { 96 };
        let required = at as u64 + 4 + size * u64::from(u32::MAX);
        assert_eq!(
            error,
            FormatError::TooShort {
                query,
                required,
                actual: bytes.len() as u64
            }
        );
    }
}

#[test]
fn files_of_other_kinds_are_refused() {
    let text = "not parameters, but a text of some length\n".repeat(100);
    let mut noise = Noise(1);
    let noise: Vec<u8> = (0..100_000).map(|_| noise.next() as u8).collect();
    for foreign in [text.as_bytes(), &noise, &[0; 5000], &[0xff; 5000], b"\x7fELF", b""] {
        assert!(parse_parameters(foreign, SubgroupCheck::Skip).is_err());
        assert!(parse_verifying_key(foreign).is_err());
    }
}

#[test]
fn the_first_bad_point_is_named_with_query_index_and_offset() {
    let good = good();
    let layout = layout_of(&good);
    for query in Query::ALL {
        let size = if query == Query::BG2 { 192 } else { 96 };
        let offset = layout.offset(query) + size;
        let mut bytes = good.clone();
        // Another bit of y in every point but the first: no point has such a y, and the first of them is reported.
        for index in 1..layout.points(query) as u64 {
            bytes[(layout.offset(query) + size * (index + 1)) as usize - 1] ^= 1;
        }
        let error = fault(&bytes, SubgroupCheck::Skip);
        let place = Place::Query(query, 1);
        assert_eq!(
            error,
            FormatError::Point {
                place,
                offset,
                fault: PointFault::NotOnCurve
            }
        );
        let text = format!("point 1 of query {query} at offset {offset} has coordinates of no point on the curve");
        assert!(error.to_string().starts_with(&text), "{error}");
    }
}

#[test]
fn a_bad_point_of_the_key_is_named() {
    let mut bytes = good();
    bytes[96 + 96 + 192 + 191] ^= 1;
    let error = fault(&bytes, SubgroupCheck::Skip);
    assert!(
        error
            .to_string()
            .starts_with("gamma_g2 of the verifying key at offset 384 has coordinates"),
        "{error}"
    );
}

#[test]
fn a_bad_point_is_found_in_any_chunk_and_task() {
    // More points than a chunk, so that indices span chunks.
    let n_points = (1 << 15) + 700;
    let parameters = Parameters {
        h: vec![CUBIC.h[0]; n_points],
        ..CUBIC.clone()
    };
    let good = file_of(&parameters);
    assert_eq!(parse_parameters(&good, SubgroupCheck::Skip).unwrap(), parameters);
    for index in [0, 511, 512, (1 << 15) - 1, 1 << 15, n_points - 1] {
        let mut bytes = good.clone();
        let offset = layout_of(&good).offset(Query::H) + 96 * index as u64;
        bytes[offset as usize + 50] ^= 1;
        let expected = FormatError::Point {
            place: Place::Query(Query::H, index),
            offset,
            fault: PointFault::NotOnCurve,
        };
        assert_eq!(fault(&bytes, SubgroupCheck::Skip), expected);
    }
}

/// Puts `point` in place of the first point of `query`.
fn with_first_point(query: Query, point: &[u8]) -> Vec<u8> {
    let mut bytes = good();
    let offset = layout_of(&bytes).offset(query) as usize;
    bytes[offset..offset + point.len()].copy_from_slice(point);
    bytes
}

fn first_fault(query: Query, point: &[u8], subgroup: SubgroupCheck) -> PointFault {
    match fault(&with_first_point(query, point), subgroup) {
        FormatError::Point { place, fault, .. } if place == Place::Query(query, 0) => fault,
        other => panic!("query {query}: {other}"),
    }
}

#[test]
fn infinity_is_refused_everywhere() {
    for query in Query::ALL {
        let point = match query {
            Query::BG2 => G2Affine::identity().to_uncompressed().to_vec(),
            _ => G1Affine::identity().to_uncompressed().to_vec(),
        };
        assert_eq!(first_fault(query, &point, SubgroupCheck::Skip), PointFault::Infinity);
    }
    let mut bytes = good();
    bytes[..96].copy_from_slice(&G1Affine::identity().to_uncompressed());
    let error = fault(&bytes, SubgroupCheck::Skip);
    assert!(
        error
            .to_string()
            .contains("alpha_g1 of the verifying key at offset 0 is the point at infinity"),
        "{error}"
    );
}

#[test]
fn other_encodings_of_points_are_refused() {
    let point = CUBIC.h[0];
    let mut compressed = [0; 96];
    compressed[..48].copy_from_slice(&point.to_compressed());
    let mut infinity_with_more = G1Affine::identity().to_uncompressed();
    infinity_with_more[95] = 1;
    let mut with_sign = point.to_uncompressed();
    with_sign[0] |= 0x20;
    for encoding in [compressed, infinity_with_more, with_sign] {
        assert_eq!(
            first_fault(Query::H, &encoding, SubgroupCheck::Skip),
            PointFault::Encoding
        );
    }
}

#[test]
fn coordinates_above_the_modulus_are_refused() {
    let mut bytes = CUBIC.h[0].to_uncompressed();
    bytes[0] = 0x1f;
    bytes[1..48].fill(0xff);
    assert_eq!(
        first_fault(Query::H, &bytes, SubgroupCheck::Skip),
        PointFault::NotOnCurve
    );
}

/// Points on the curve, hardly one in 2^125 of which is in the subgroup, by trying x = 4, 5, ..
fn outside_subgroup_g1() -> G1Affine {
    let mut points = (4..).filter_map(|x| {
        let mut compressed = [0; 48];
        (compressed[0], compressed[47]) = (0x80, x);
        Option::<G1Affine>::from(G1Affine::from_compressed_unchecked(&compressed))
    });
    points
        .find(|point| !bool::from(point.is_torsion_free()))
        .expect("half of all x have a point")
}

fn outside_subgroup_g2() -> G2Affine {
    let mut points = (4..).filter_map(|x| {
        let mut compressed = [0; 96];
        (compressed[0], compressed[95]) = (0x80, x);
        Option::<G2Affine>::from(G2Affine::from_compressed_unchecked(&compressed))
    });
    points
        .find(|point| !bool::from(point.is_torsion_free()))
        .expect("half of all x have a point")
}

#[test]
fn points_outside_the_subgroup_are_refused_on_demand() {
    for query in [Query::H, Query::L, Query::A, Query::BG1, Query::BG2] {
        let point = match query {
            Query::BG2 => outside_subgroup_g2().to_uncompressed().to_vec(),
            _ => outside_subgroup_g1().to_uncompressed().to_vec(),
        };
        assert!(parse_parameters(&with_first_point(query, &point), SubgroupCheck::Skip).is_ok());
        assert_eq!(
            first_fault(query, &point, SubgroupCheck::EveryPoint),
            PointFault::NotInSubgroup
        );
    }
}

#[test]
fn points_of_the_key_are_always_checked_for_the_subgroup() {
    let point = outside_subgroup_g1().to_uncompressed();
    assert_eq!(
        first_fault(Query::Ic, &point, SubgroupCheck::Skip),
        PointFault::NotInSubgroup
    );
    let mut bytes = good();
    bytes[..96].copy_from_slice(&point);
    assert!(matches!(
        fault(&bytes, SubgroupCheck::Skip),
        FormatError::Point {
            fault: PointFault::NotInSubgroup,
            ..
        }
    ));
}

/// One of the ways in which a file goes wrong, chosen by `noise`.
fn mutate(mut bytes: Vec<u8>, layout: &ParametersLayout, noise: &mut Noise) -> Vec<u8> {
    let length = bytes.len();
    let at = noise.below(length);
    match noise.below(7) {
        0 => bytes[at] ^= 1 << noise.below(8),
        1 => bytes.truncate(at),
        2 => bytes.extend((0..noise.below(300)).map(|_| noise.next() as u8)),
        3 => drop(bytes.drain(at..(at + noise.below(200)).min(length))),
        4 => bytes[at..].fill(noise.next() as u8),
        5 => bytes.copy_within(at.., 0),
        _ => {
            let query = Query::ALL[noise.below(6)];
            let offset = layout.offset(query) as usize;
            bytes[offset - 4..offset].copy_from_slice(&(noise.next() as u32 >> noise.below(32)).to_be_bytes());
        }
    }
    bytes
}

/// The corpus of a fuzzer, made anew each time: whatever is accepted is what we would write ourselves.
#[test]
fn mutated_files_never_panic_and_what_is_accepted_is_written_the_same() {
    let (good, mut noise) = (good(), Noise(0x5eed));
    let layout = layout_of(&good);
    let mut accepted = 0;
    for _ in 0..3_000 {
        let mut bytes = mutate(good.clone(), &layout, &mut noise);
        for _ in 0..noise.below(3) {
            bytes = if bytes.len() == good.len() {
                mutate(bytes, &layout, &mut noise)
            } else {
                bytes
            };
        }
        let _ = parse_verifying_key(&bytes);
        if let Ok(parameters) = parse_parameters(&bytes, SubgroupCheck::Skip) {
            assert_eq!(file_of(&parameters), bytes);
            accepted += 1;
        }
    }
    assert!(accepted < 100, "{accepted} of 3000 damaged files were accepted");
}

#[test]
fn a_file_is_hashed_as_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = (dir.path().join("p.params"), good());
    std::fs::write(&path, &good).unwrap();
    let loaded = read_parameters(&path, SubgroupCheck::EveryPoint).unwrap();
    assert_eq!((&loaded.parameters, loaded.bytes), (&*CUBIC, good.len() as u64));
    assert_eq!(loaded.digest, digest_of::<Sha256>(&good));
    let published = read_published_parameters(&path, SubgroupCheck::Skip).unwrap();
    assert_eq!(published.digest, digest_of::<blake2b_simd::State>(&good));
    assert_eq!(read_layout(&path).unwrap(), layout_of(&good));
}

#[test]
fn errors_name_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut.params");
    std::fs::write(&path, &good()[..1000]).unwrap();
    let error = read_parameters(&path, SubgroupCheck::Skip).unwrap_err().to_string();
    assert!(error.starts_with(&path.display().to_string()), "{error}");
    assert!(
        error.contains("file has 1000 bytes") && error.contains("(hint: truncated"),
        "{error}"
    );
    let missing = read_parameters(&dir.path().join("none.params"), SubgroupCheck::Skip)
        .unwrap_err()
        .to_string();
    assert!(missing.contains("none.params: could not open"), "{missing}");
    for no_file in [dir.path(), Path::new("/dev/null")] {
        let error = read_parameters(no_file, SubgroupCheck::Skip).unwrap_err();
        assert!(matches!(error, SrsError::NotAFile { .. }), "{error}");
    }
}

#[test]
fn a_full_writer_is_an_error() {
    let mut small = [0_u8; 500];
    let error = write_parameters(&CUBIC, &mut small[..]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WriteZero);
}
