//! Where everything stands in a file, from its counts and its length alone.

use crate::parameters::Query;

use super::fault::FormatError;
use super::point::{G1_BYTES, G2_BYTES};
use super::read::{ReadError, Source};

/// The single points of the verifying key, before the first count.
pub(super) const KEY_POINTS_BYTES: u64 = 3 * G1_BYTES as u64 + 3 * G2_BYTES as u64;

/// A count of points, in bytes.
pub(super) const COUNT_BYTES: u64 = 4;

/// Bytes per point of a query.
const fn point_bytes(query: Query) -> u64 {
    match query {
        Query::BG2 => G2_BYTES as u64,
        Query::Ic | Query::H | Query::L | Query::A | Query::BG1 => G1_BYTES as u64,
    }
}

/// One list of points in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Section {
    count: u32,
    /// Of the first point, from the beginning of the file.
    offset: u64,
    end: u64,
}

/// The counts of a parameter file. They account for each of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParametersLayout {
    sections: [Section; 6],
}

impl ParametersLayout {
    /// Number of points of a query.
    pub const fn points(&self, query: Query) -> usize {
        self.sections[query as usize].count as usize
    }

    /// Offset of a query's first point, in bytes.
    pub const fn offset(&self, query: Query) -> u64 {
        self.sections[query as usize].offset
    }

    /// Length of the file.
    pub const fn file_bytes(&self) -> u64 {
        self.sections[Query::BG2 as usize].end
    }
}

/// The count of a verifying key's own file. It accounts for each of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLayout {
    ic: Section,
}

impl KeyLayout {
    /// Number of points of `ic`: the inputs, with ONE.
    pub const fn inputs(&self) -> usize {
        self.ic.count as usize
    }

    /// Length of the file.
    pub const fn file_bytes(&self) -> u64 {
        self.ic.end
    }
}

pub(super) fn parameters<S: Source + ?Sized>(source: &S, length: u64) -> Result<ParametersLayout, ReadError> {
    let mut start = KEY_POINTS_BYTES;
    let mut sections = [Section {
        count: 0,
        offset: 0,
        end: 0,
    }; 6];
    for query in Query::ALL {
        let section = section(source, length, query, start)?;
        start = section.end;
        sections[query as usize] = section;
    }
    ends_here(start, length)?;
    Ok(ParametersLayout { sections })
}

pub(super) fn key<S: Source + ?Sized>(source: &S, length: u64) -> Result<KeyLayout, ReadError> {
    let ic = section(source, length, Query::Ic, KEY_POINTS_BYTES)?;
    ends_here(ic.end, length)?;
    Ok(KeyLayout { ic })
}

/// The section whose count stands at `start`. No sum overflows: counts have 32 bits, and `start` is at most `length`.
fn section<S: Source + ?Sized>(source: &S, length: u64, query: Query, start: u64) -> Result<Section, ReadError> {
    let long_enough = |required| {
        let fault = FormatError::TooShort {
            query,
            required,
            actual: length,
        };
        if required <= length { Ok(required) } else { Err(fault) }
    };
    let offset = long_enough(start.saturating_add(COUNT_BYTES))?;
    let mut count = [0; COUNT_BYTES as usize];
    source.read_at(start, &mut count)?;
    let count = u32::from_be_bytes(count);
    let end = long_enough(offset.saturating_add(u64::from(count) * point_bytes(query)))?;
    Ok(Section { count, offset, end })
}

fn ends_here(required: u64, actual: u64) -> Result<(), FormatError> {
    if required == actual {
        Ok(())
    } else {
        Err(FormatError::TooLong { required, actual })
    }
}
