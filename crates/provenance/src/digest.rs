//! The two digests of this crate as types of their own, printed and read as 64 lowercase hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use crate::ProvenanceError;

macro_rules! digest_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name([u8; 32]);

        impl $name {
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex::encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = ProvenanceError;

            fn from_str(text: &str) -> Result<Self, ProvenanceError> {
                parse(text).map(Self)
            }
        }
    };
}

digest_type! {
    /// SHA-256 over the names and contents of all source files: see [`SourceTree`](crate::SourceTree).
    SourceDigest
}

digest_type! {
    /// SHA-256 over everything that decides what a build makes: see [`TokenInputs`](crate::TokenInputs).
    BuildToken
}

/// Uppercase digits are refused: a digest has one spelling, so texts can be compared.
fn parse(text: &str) -> Result<[u8; 32], ProvenanceError> {
    let mut bytes = [0; 32];
    let lowercase = text.bytes().all(|byte| !byte.is_ascii_uppercase());
    match hex::decode_to_slice(text, &mut bytes) {
        Ok(()) if lowercase => Ok(bytes),
        _ => Err(ProvenanceError::NotADigest {
            text: text.chars().take(80).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_printed_as_it_is_read() {
        let text = "00ff".repeat(16);
        assert_eq!(text.parse::<BuildToken>().unwrap().to_string(), text);
    }

    #[test]
    fn other_spellings_are_refused() {
        for text in [
            "",
            "00",
            &"00FF".repeat(16),
            &"0".repeat(63),
            &"0".repeat(66),
            &"zz".repeat(32),
        ] {
            assert!(text.parse::<BuildToken>().is_err(), "{text:?}");
        }
    }
}
