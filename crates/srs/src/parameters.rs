//! Parameters in memory.

use std::fmt;

use blstrs::{G1Affine, G2Affine};

/// What a verifier needs. No point is the point at infinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    pub alpha_g1: G1Affine,
    pub beta_g1: G1Affine,
    pub beta_g2: G2Affine,
    pub gamma_g2: G2Affine,
    pub delta_g1: G1Affine,
    pub delta_g2: G2Affine,
    /// `(beta A_i(tau) + alpha B_i(tau) + C_i(tau)) / gamma` for each input `i`, ONE first.
    pub ic: Vec<G1Affine>,
}

/// What a prover needs: points in the order in which the file has them, none of them the point at infinity.
#[derive(Clone, PartialEq, Eq)]
pub struct Parameters {
    pub vk: VerifyingKey,
    /// `tau^i (tau^m - 1) / delta` for `i` in `0..m - 1`, where `m` is the size of the domain.
    pub h: Vec<G1Affine>,
    /// `(beta A_i(tau) + alpha B_i(tau) + C_i(tau)) / delta` for each auxiliary `i`.
    pub l: Vec<G1Affine>,
    /// `A_i(tau)` for each variable where it is not zero, inputs first.
    pub a: Vec<G1Affine>,
    /// `B_i(tau)` for each variable where it is not zero, inputs first.
    pub b_g1: Vec<G1Affine>,
    /// The same as `b_g1`, in G2.
    pub b_g2: Vec<G2Affine>,
}

/// The counts: nobody reads millions of points.
impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            vk,
            h,
            l,
            a,
            b_g1,
            b_g2,
        } = self;
        let counts = [vk.ic.len(), h.len(), l.len(), a.len(), b_g1.len(), b_g2.len()];
        let mut text = f.debug_struct("Parameters");
        for (query, count) in Query::ALL.into_iter().zip(counts) {
            text.field(&query.to_string(), &format_args!("{count} points"));
        }
        text.finish()
    }
}

/// One of the lists of points, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Query {
    Ic,
    H,
    L,
    A,
    BG1,
    BG2,
}

impl Query {
    pub const ALL: [Self; 6] = [Self::Ic, Self::H, Self::L, Self::A, Self::BG1, Self::BG2];
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ic => "ic",
            Self::H => "h",
            Self::L => "l",
            Self::A => "a",
            Self::BG1 => "b_g1",
            Self::BG2 => "b_g2",
        })
    }
}
