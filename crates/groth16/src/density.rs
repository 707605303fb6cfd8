//! Which variables of a kind occur in a query: one bit per variable, in 64-bit words.

/// A growing set of variable indices, kept as bits: bit `i % 64` of word `i / 64` is variable `i`.
///
/// Density is a property of the circuit, not of the witness: a variable is in when a row names it with a coefficient other
/// than zero, whatever its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Density {
    words: Vec<u64>,
    variables: usize,
}

impl Density {
    /// Room for `variables` without reallocation.
    pub fn with_capacity(variables: usize) -> Self {
        Self {
            words: Vec::with_capacity(variables.div_ceil(64)),
            variables: 0,
        }
    }

    /// Number of variables, in or out.
    pub fn len(&self) -> usize {
        self.variables
    }

    pub fn is_empty(&self) -> bool {
        self.variables == 0
    }

    /// Number of variables that are in.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The bits; those past [`Density::len`] are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends a variable that is out.
    pub fn push_absent(&mut self) {
        if self.variables.is_multiple_of(64) {
            self.words.push(0);
        }
        self.variables += 1;
    }

    /// Puts a variable in.
    ///
    /// # Panics
    /// When the variable was never appended.
    pub fn insert(&mut self, variable: usize) {
        assert!(
            variable < self.variables,
            "variable {variable} of {} does not exist",
            self.variables
        );
        self.words[variable / 64] |= 1 << (variable % 64);
    }

    pub fn contains(&self, variable: usize) -> bool {
        variable < self.variables && self.words[variable / 64] >> (variable % 64) & 1 == 1
    }

    /// Appends every variable of `other`.
    pub fn extend(&mut self, other: &Self) {
        let shift = self.variables % 64;
        if shift == 0 {
            self.words.extend_from_slice(&other.words);
        } else {
            for &word in &other.words {
                // `shift` is not zero, so there is a last word with room, and the right shift is below 64.
                *self.words.last_mut().expect("a started word") |= word << shift;
                self.words.push(word >> (64 - shift));
            }
        }
        self.variables += other.variables;
        self.words.truncate(self.variables.div_ceil(64));
    }

    /// Appends the inputs of a part that was synthesised apart: the part's variable 0 is ONE, which is ours already.
    pub fn extend_inputs(&mut self, other: &Self) {
        if other.contains(0) {
            self.insert(0);
        }
        for variable in 1..other.variables {
            self.push_absent();
            if other.contains(variable) {
                self.insert(self.variables - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests;
