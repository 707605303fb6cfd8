//! The distinct coefficients of a circuit, each stored once.
//!
//! A circuit has millions of terms and some thousands of coefficients. With each comes its canonical encoding, so that
//! hashing a circuit converts no field element.

use std::collections::HashMap;

use blstrs::Scalar;
use ff::Field;

/// A coefficient's canonical encoding: 32 bytes, little-endian, below the modulus.
pub(crate) type Canonical = [u8; 32];

/// Index of a coefficient in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoefficientId(u32);

pub(crate) struct Coefficients {
    values: Vec<Scalar>,
    encodings: Vec<Canonical>,
    ids: HashMap<Canonical, CoefficientId>,
    minus_one: Scalar,
}

impl Coefficients {
    const ONE: CoefficientId = CoefficientId(0);
    const MINUS_ONE: CoefficientId = CoefficientId(1);

    pub(crate) fn new() -> Self {
        let minus_one = -Scalar::ONE;
        let mut table = Self {
            values: vec![],
            encodings: vec![],
            ids: HashMap::new(),
            minus_one,
        };
        table.look_up(&Scalar::ONE);
        table.look_up(&minus_one);
        table
    }

    /// The id of `value`, new if it was not seen before.
    pub(crate) fn intern(&mut self, value: &Scalar) -> CoefficientId {
        // Nearly every coefficient of a real circuit is one of these two.
        if *value == Scalar::ONE {
            Self::ONE
        } else if *value == self.minus_one {
            Self::MINUS_ONE
        } else {
            self.look_up(value)
        }
    }

    fn look_up(&mut self, value: &Scalar) -> CoefficientId {
        let encoding = value.to_bytes_le();
        *self.ids.entry(encoding).or_insert_with(|| {
            let id = u32::try_from(self.values.len()).expect("2^32 distinct coefficients are more than memory holds");
            self.values.push(*value);
            self.encodings.push(encoding);
            CoefficientId(id)
        })
    }

    pub(crate) fn value(&self, id: CoefficientId) -> &Scalar {
        &self.values[id.0 as usize]
    }

    pub(crate) fn encoding(&self, id: CoefficientId) -> &Canonical {
        &self.encodings[id.0 as usize]
    }
}
