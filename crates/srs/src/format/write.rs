//! Encoding: points to bytes in parallel, bytes to a writer in order.

use std::io::{self, Write};

use rayon::prelude::*;

use crate::parameters::{Parameters, VerifyingKey};

use super::point::FilePoint;

/// Points that are encoded together before they are written.
const CHUNK_POINTS: usize = 1 << 14;

/// Writes a parameter file, byte for byte as bellperson does. Writes in large pieces: a buffered writer gains nothing.
///
/// # Errors
/// What the writer returns, and `InvalidInput` where a query has more points than 32 bits count.
pub fn write_parameters(parameters: &Parameters, mut out: impl Write) -> io::Result<()> {
    let Parameters {
        vk,
        h,
        l,
        a,
        b_g1,
        b_g2,
    } = parameters;
    write_verifying_key(vk, &mut out)?;
    for query in [h, l, a, b_g1] {
        write_query(query, &mut out)?;
    }
    write_query(b_g2, &mut out)
}

/// Writes a verifying key, as it stands in its own file and at the beginning of a parameter file.
///
/// # Errors
/// As [`write_parameters`].
pub fn write_verifying_key(key: &VerifyingKey, mut out: impl Write) -> io::Result<()> {
    let VerifyingKey {
        alpha_g1,
        beta_g1,
        beta_g2,
        gamma_g2,
        delta_g1,
        delta_g2,
        ic,
    } = key;
    let mut points = vec![];
    append([alpha_g1, beta_g1], &mut points);
    append([beta_g2, gamma_g2], &mut points);
    append([delta_g1], &mut points);
    append([delta_g2], &mut points);
    out.write_all(&points)?;
    write_query(ic, &mut out)
}

fn append<'a, P: FilePoint + 'a>(points: impl IntoIterator<Item = &'a P>, bytes: &mut Vec<u8>) {
    for point in points {
        let start = bytes.len();
        bytes.resize(start + P::BYTES, 0);
        point.encode(&mut bytes[start..]);
    }
}

fn write_query<P: FilePoint>(points: &[P], out: &mut impl Write) -> io::Result<()> {
    let too_many = |_| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "a query of the file holds less than 2^32 points",
        )
    };
    let count = u32::try_from(points.len()).map_err(too_many)?;
    out.write_all(&count.to_be_bytes())?;
    let mut buffer = vec![];
    for points in points.chunks(CHUNK_POINTS) {
        buffer.resize(points.len() * P::BYTES, 0);
        buffer
            .par_chunks_exact_mut(P::BYTES)
            .zip(points)
            .for_each(|(bytes, point)| point.encode(bytes));
        out.write_all(&buffer)?;
    }
    Ok(())
}
