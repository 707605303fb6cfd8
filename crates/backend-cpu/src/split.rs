//! Splitting a witness by value: 0 needs no work, 1 needs an addition, only the rest needs a multiplication.
//!
//! Values are looked at once; each query then picks its variables by its density with bit operations.

use std::mem;

use blstrs::Scalar;
use cuzk_groth16::{Density, ProvingAssignment};
use ff::{Field, PrimeField};
use rayon::prelude::*;

use crate::raw::{ScalarBytes, Term};

/// What each query of a proof sums.
pub(crate) struct Split {
    /// Canonical values of the variables that are neither 0 nor 1.
    pub scalars: Vec<ScalarBytes>,
    pub l: Selection,
    pub a: Selection,
    /// For both groups.
    pub b: Selection,
}

/// The points of one query that take part in its sum.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Points whose scalar is 1.
    pub ones: Vec<u32>,
    /// Points with any other scalar but 0.
    pub rest: Vec<Term>,
}

impl Split {
    pub fn new(assignment: &ProvingAssignment) -> Self {
        let mut input = Classified::new(&assignment.input);
        let mut aux = Classified::new(&assignment.aux);
        let mut scalars = mem::take(&mut input.scalars);
        let aux_scalars = scalars.len();
        scalars.append(&mut aux.scalars);

        let l = || Selector::default().pick(&aux, aux_scalars, Pick::All).selection;
        let a = || {
            let density = Pick::Those(&assignment.a_aux_density);
            Selector::default()
                .pick(&input, 0, Pick::All)
                .pick(&aux, aux_scalars, density)
                .selection
        };
        let b = || {
            let of_input = Pick::Those(&assignment.b_input_density);
            let of_aux = Pick::Those(&assignment.b_aux_density);
            Selector::default()
                .pick(&input, 0, of_input)
                .pick(&aux, aux_scalars, of_aux)
                .selection
        };
        let (l, (a, b)) = rayon::join(l, || rayon::join(a, b));
        Self { scalars, l, a, b }
    }

    pub fn has_ones(&self) -> bool {
        [&self.l, &self.a, &self.b]
            .iter()
            .any(|selection| !selection.ones.is_empty())
    }

    pub fn has_rest(&self) -> bool {
        [&self.l, &self.a, &self.b]
            .iter()
            .any(|selection| !selection.rest.is_empty())
    }
}

/// Variables of one kind by value, a bit per variable in words of 64 as in [`Density`].
struct Classified {
    variables: usize,
    is_one: Vec<u64>,
    is_rest: Vec<u64>,
    /// Canonical values of those in `is_rest`, in order.
    scalars: Vec<ScalarBytes>,
}

/// Words classified by one task.
const WORDS_PER_TASK: usize = 64;

impl Classified {
    fn new(values: &[Scalar]) -> Self {
        let parts: Vec<Self> = values.par_chunks(64 * WORDS_PER_TASK).map(Self::sequential).collect();
        let mut whole = Self::sequential(&[]);
        for mut part in parts {
            whole.variables += part.variables;
            whole.is_one.append(&mut part.is_one);
            whole.is_rest.append(&mut part.is_rest);
            whole.scalars.append(&mut part.scalars);
        }
        whole
    }

    fn sequential(values: &[Scalar]) -> Self {
        let words = values.len().div_ceil(64);
        let mut classified = Self {
            variables: values.len(),
            is_one: vec![0; words],
            is_rest: vec![0; words],
            scalars: Vec::new(),
        };
        for (index, value) in values.iter().enumerate() {
            let bit = 1 << (index % 64);
            if *value == Scalar::ONE {
                classified.is_one[index / 64] |= bit;
            } else if !value.is_zero_vartime() {
                classified.is_rest[index / 64] |= bit;
                classified.scalars.push(value.to_repr());
            }
        }
        classified
    }
}

/// Which variables a query has points for.
#[derive(Clone, Copy)]
enum Pick<'a> {
    All,
    Those(&'a Density),
}

impl Pick<'_> {
    /// The bits of word `index` of `variables` variables.
    fn word(self, index: usize, variables: usize) -> u64 {
        match self {
            Self::Those(density) => density.words()[index],
            Self::All if variables - 64 * index >= 64 => u64::MAX,
            Self::All => (1 << (variables - 64 * index)) - 1,
        }
    }
}

/// Goes through a query's points in their order. Indices fit 32 bits: parameter files count points so.
#[derive(Default)]
struct Selector {
    next_point: u32,
    selection: Selection,
}

impl Selector {
    /// Takes the variables of one kind; their scalars begin at `first_scalar` in the common list.
    fn pick(mut self, classified: &Classified, first_scalar: usize, pick: Pick<'_>) -> Self {
        let mut scalar = first_scalar;
        for (index, (&ones, &rest)) in classified.is_one.iter().zip(&classified.is_rest).enumerate() {
            let present = pick.word(index, classified.variables);
            let point_of = |bit: u64| self.next_point + (present & (bit - 1)).count_ones();
            self.selection.ones.extend(bits(present & ones).map(point_of));
            let term_of = |bit: u64| Term {
                point: point_of(bit),
                scalar: (scalar + (rest & (bit - 1)).count_ones() as usize) as u32,
            };
            self.selection.rest.extend(bits(present & rest).map(term_of));
            self.next_point += present.count_ones();
            scalar += rest.count_ones() as usize;
        }
        self
    }
}

/// The set bits of a word, each alone, lowest first.
fn bits(word: u64) -> impl Iterator<Item = u64> {
    let lowest = |word: u64| (word != 0).then_some(word & word.wrapping_neg());
    std::iter::successors(lowest(word), move |bit| lowest(word & !(bit | (bit - 1))))
}

#[cfg(test)]
mod tests;
