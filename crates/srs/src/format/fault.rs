//! What can be wrong inside a parameter file, and where.

use std::fmt;

use crate::parameters::Query;

/// Why bytes are not a parameter file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    #[error(
        "file has {actual} bytes, its verifying key and counts up to query {query} require at least {required} \
         (hint: truncated, or not a parameter file)"
    )]
    TooShort { query: Query, required: u64, actual: u64 },
    #[error(
        "file has {actual} bytes, its counts require {required} (hint: not a parameter file, or something was appended)"
    )]
    TooLong { required: u64, actual: u64 },
    #[error("{place} at offset {offset} {fault} (hint: damaged, or not a parameter file)")]
    Point {
        place: Place,
        offset: u64,
        fault: PointFault,
    },
    #[error("file changed while it was read (hint: something else writes to it)")]
    Changed,
}

/// What is wrong with the encoding of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointFault {
    #[error("is not encoded as an uncompressed point")]
    Encoding,
    #[error("has coordinates of no point on the curve")]
    NotOnCurve,
    #[error("is the point at infinity")]
    Infinity,
    #[error("is not in the subgroup of prime order")]
    NotInSubgroup,
}

/// Where in a file a point stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Key(KeyPoint),
    /// The index counts from zero within the query.
    Query(Query, usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(point) => write!(f, "{} of the verifying key", point.name()),
            Self::Query(query, index) => write!(f, "point {index} of query {query}"),
        }
    }
}

/// One of the single points at the beginning of a file, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPoint {
    AlphaG1,
    BetaG1,
    BetaG2,
    GammaG2,
    DeltaG1,
    DeltaG2,
}

impl KeyPoint {
    const fn name(self) -> &'static str {
        match self {
            Self::AlphaG1 => "alpha_g1",
            Self::BetaG1 => "beta_g1",
            Self::BetaG2 => "beta_g2",
            Self::GammaG2 => "gamma_g2",
            Self::DeltaG1 => "delta_g1",
            Self::DeltaG2 => "delta_g2",
        }
    }
}
