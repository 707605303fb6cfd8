//! SHA-256 of a file, as a type that is written as 64 lowercase hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// SHA-256 of a whole file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Sha256Hash([u8; 32]);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256: expected 64 lowercase hexadecimal digits, got {text:?}")]
pub struct HashParseError {
    text: String,
}

impl Sha256Hash {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256Hash({self})")
    }
}

impl FromStr for Sha256Hash {
    type Err = HashParseError;

    fn from_str(text: &str) -> Result<Self, HashParseError> {
        let mut bytes = [0; 32];
        let lowercase = text.bytes().all(|byte| !byte.is_ascii_uppercase());
        match hex::decode_to_slice(text, &mut bytes) {
            Ok(()) if lowercase => Ok(Self(bytes)),
            _ => Err(HashParseError {
                text: text.chars().take(80).collect(),
            }),
        }
    }
}

impl From<Sha256Hash> for String {
    fn from(hash: Sha256Hash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for Sha256Hash {
    type Error = HashParseError;

    fn try_from(text: String) -> Result<Self, HashParseError> {
        text.parse()
    }
}

/// Writes a type of another crate as its text, for `#[serde(with = ...)]`.
pub(crate) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
