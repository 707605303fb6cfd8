//! Decoding: chunk by chunk, each hashed and decoded at the same time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use blstrs::G1Affine;
use rayon::prelude::*;

use crate::digest::FileHash;
use crate::parameters::{Parameters, Query, VerifyingKey};

use super::SubgroupCheck;
use super::fault::{FormatError, KeyPoint, Place};
use super::layout::{self, COUNT_BYTES};
use super::point::FilePoint;

/// Points that are read, hashed and decoded together: 3 MiB of G1, enough work for many threads and little memory.
const CHUNK_POINTS: usize = 1 << 15;

/// Points that one task decodes.
const TASK_POINTS: usize = 1 << 9;

#[derive(Debug)]
pub(super) enum ReadError {
    Format(FormatError),
    Io(io::Error),
}

impl From<FormatError> for ReadError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Bytes that can be read at any offset.
pub(super) trait Source {
    /// Fills `buffer` or fails.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl Source for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }
}

impl Source for [u8] {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.get(offset..))
            .unwrap_or_default();
        let bytes = rest.get(..buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

/// Reads a whole parameter file of `length` bytes, and its hash.
pub(super) fn parameters<H: FileHash, S: Source + ?Sized>(
    source: &S,
    length: u64,
    subgroup: SubgroupCheck,
) -> Result<(Parameters, H), ReadError> {
    let layout = layout::parameters(source, length)?;
    let mut reader = Reader {
        source,
        hash: H::new(),
        offset: 0,
        buffer: vec![],
    };
    let vk = reader.key(layout.points(Query::Ic))?;
    let mut g1 = |query| reader.query::<G1Affine>(query, layout.points(query), subgroup);
    let (h, l, a, b_g1) = (g1(Query::H)?, g1(Query::L)?, g1(Query::A)?, g1(Query::BG1)?);
    let b_g2 = reader.query(Query::BG2, layout.points(Query::BG2), subgroup)?;
    Ok((
        Parameters {
            vk,
            h,
            l,
            a,
            b_g1,
            b_g2,
        },
        reader.hash,
    ))
}

/// Reads a verifying key's own file of `length` bytes, and its contents.
pub(super) fn key_file<S: Source + ?Sized>(source: &S, length: u64) -> Result<(VerifyingKey, Vec<u8>), ReadError> {
    let layout = layout::key(source, length)?;
    let mut reader = Reader {
        source,
        hash: Contents(vec![]),
        offset: 0,
        buffer: vec![],
    };
    let key = reader.key(layout.inputs())?;
    Ok((key, reader.hash.0))
}

/// Keeps what others hash: the files of keys are small.
struct Contents(Vec<u8>);

impl FileHash for Contents {
    type Digest = Vec<u8>;

    fn new() -> Self {
        Self(vec![])
    }

    fn update(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Goes through a source from its beginning, hashing all that it reads.
struct Reader<'a, S: Source + ?Sized, H> {
    source: &'a S,
    hash: H,
    offset: u64,
    buffer: Vec<u8>,
}

impl<S: Source + ?Sized, H: FileHash> Reader<'_, S, H> {
    fn key(&mut self, n_inputs: usize) -> Result<VerifyingKey, ReadError> {
        Ok(VerifyingKey {
            alpha_g1: self.key_point(KeyPoint::AlphaG1)?,
            beta_g1: self.key_point(KeyPoint::BetaG1)?,
            beta_g2: self.key_point(KeyPoint::BetaG2)?,
            gamma_g2: self.key_point(KeyPoint::GammaG2)?,
            delta_g1: self.key_point(KeyPoint::DeltaG1)?,
            delta_g2: self.key_point(KeyPoint::DeltaG2)?,
            ic: self.query(Query::Ic, n_inputs, SubgroupCheck::EveryPoint)?,
        })
    }

    fn key_point<P: FilePoint>(&mut self, which: KeyPoint) -> Result<P, ReadError> {
        let offset = self.offset;
        self.fill(P::BYTES)?;
        self.hash.update(&self.buffer);
        let point = P::decode(&self.buffer, SubgroupCheck::EveryPoint);
        Ok(point.map_err(|fault| FormatError::Point {
            place: Place::Key(which),
            offset,
            fault,
        })?)
    }

    fn query<P: FilePoint>(
        &mut self,
        query: Query,
        count: usize,
        subgroup: SubgroupCheck,
    ) -> Result<Vec<P>, ReadError> {
        self.expect_count(count)?;
        let mut points = Vec::with_capacity(count);
        while points.len() < count {
            let (first, offset) = (points.len(), self.offset);
            let n_points = CHUNK_POINTS.min(count - first);
            self.fill(n_points * P::BYTES)?;
            points.resize(first + n_points, P::identity());
            let (buffer, hash) = (&self.buffer, &mut self.hash);
            let ((), decoded) = rayon::join(
                || hash.update(buffer),
                || decode_all(buffer, &mut points[first..], subgroup),
            );
            decoded.map_err(|(index, fault)| {
                let offset = offset + (index * P::BYTES) as u64;
                FormatError::Point {
                    place: Place::Query(query, first + index),
                    offset,
                    fault,
                }
            })?;
        }
        Ok(points)
    }

    /// The layout was made from counts that were read before: they are read again where they are hashed.
    fn expect_count(&mut self, expected: usize) -> Result<(), ReadError> {
        self.fill(COUNT_BYTES as usize)?;
        self.hash.update(&self.buffer);
        let same = u32::try_from(expected).is_ok_and(|expected| self.buffer == expected.to_be_bytes());
        if same { Ok(()) } else { Err(FormatError::Changed.into()) }
    }

    fn fill(&mut self, n_bytes: usize) -> Result<(), ReadError> {
        self.buffer.resize(n_bytes, 0);
        self.source.read_at(self.offset, &mut self.buffer)?;
        self.offset += n_bytes as u64;
        Ok(())
    }
}

/// Decodes all of `bytes`. Of several faults, always reports the first.
fn decode_all<P: FilePoint>(
    bytes: &[u8],
    points: &mut [P],
    subgroup: SubgroupCheck,
) -> Result<(), (usize, super::PointFault)> {
    let tasks = points
        .par_chunks_mut(TASK_POINTS)
        .zip(bytes.par_chunks(TASK_POINTS * P::BYTES))
        .enumerate();
    let fault = tasks.find_map_first(|(task, (points, bytes))| {
        let mut pairs = points.iter_mut().zip(bytes.chunks_exact(P::BYTES)).enumerate();
        pairs.find_map(|(index, (point, bytes))| match P::decode(bytes, subgroup) {
            Ok(decoded) => {
                *point = decoded;
                None
            }
            Err(fault) => Some((task * TASK_POINTS + index, fault)),
        })
    });
    fault.map_or(Ok(()), Err)
}
