//! Digests of files, as values that print and parse as hexadecimal text.

use std::fmt::{self, Display};
use std::str::FromStr;

use blake2b_simd::Params as Blake2bParams;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A digest of `N` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HexDigest<const N: usize>(pub [u8; N]);

/// SHA-256 of a file.
pub type Sha256Digest = HexDigest<32>;

/// The first 128 bits of BLAKE2b-512 of a file: what the published manifest of Filecoin has for each file.
pub type Blake2b128 = HexDigest<16>;

impl<const N: usize> fmt::Display for HexDigest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl<const N: usize> fmt::Debug for HexDigest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HexDigest({self})")
    }
}

/// Text that is not a digest of the expected length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest of {digits} lowercase hexadecimal digits is expected")]
pub struct ParseHexError {
    digits: usize,
}

impl<const N: usize> FromStr for HexDigest<N> {
    type Err = ParseHexError;

    /// Accepts what `Display` writes, and no second spelling of it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; N];
        let decoded =
            hex::decode_to_slice(text, &mut bytes).is_ok() && !text.bytes().any(|byte| byte.is_ascii_uppercase());
        decoded.then_some(Self(bytes)).ok_or(ParseHexError { digits: 2 * N })
    }
}

impl<const N: usize> Serialize for HexDigest<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        as_text::serialize(self, serializer)
    }
}

impl<'de, const N: usize> Deserialize<'de> for HexDigest<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        as_text::deserialize(deserializer)
    }
}

/// Values that are written as the text of their `Display` and read back through `FromStr`.
pub(crate) mod as_text {
    use super::*;

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// A hash that is fed the bytes of a file in order.
pub(crate) trait FileHash: Send {
    type Digest;
    fn new() -> Self;
    fn update(&mut self, bytes: &[u8]);
    fn finish(self) -> Self::Digest;
}

/// Where no digest is wanted.
pub(crate) struct NoHash;

impl FileHash for NoHash {
    type Digest = ();

    fn new() -> Self {
        Self
    }

    fn update(&mut self, _: &[u8]) {}

    fn finish(self) {}
}

impl FileHash for Sha256 {
    type Digest = Sha256Digest;

    fn new() -> Self {
        Default::default()
    }

    fn update(&mut self, bytes: &[u8]) {
        sha2::Digest::update(self, bytes);
    }

    fn finish(self) -> Sha256Digest {
        HexDigest(self.finalize().into())
    }
}

impl FileHash for blake2b_simd::State {
    type Digest = Blake2b128;

    fn new() -> Self {
        Blake2bParams::new().to_state()
    }

    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    /// The manifest has the first 32 hexadecimal digits of the 64-byte digest, which is not BLAKE2b with 16 bytes of output.
    fn finish(self) -> Blake2b128 {
        let whole = self.finalize();
        let (first, _) = whole.as_bytes().split_first_chunk().expect("BLAKE2b-512 has 64 bytes");
        HexDigest(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of<H: FileHash>(bytes: &[u8]) -> H::Digest {
        let mut hash = H::new();
        bytes.chunks(7).for_each(|piece| hash.update(piece));
        hash.finish()
    }

    #[test]
    fn digests_are_those_of_the_standards() {
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest_of::<Sha256>(b"abc").to_string(), sha256);
        // RFC 7693, appendix A, the first 16 of its 64 bytes.
        assert_eq!(
            digest_of::<blake2b_simd::State>(b"abc").to_string(),
            "ba80a53f981c4d0d6a2797b69f12f6e9"
        );
    }

    #[test]
    fn text_reads_back_and_nothing_else_does() {
        let digest = HexDigest([0xa5; 16]);
        let text = digest.to_string();
        assert_eq!(text.parse(), Ok(digest));
        for bad in [
            "",
            "a5",
            &text.to_uppercase(),
            &format!("{text}a5"),
            &text.replace('a', "x"),
        ] {
            assert_eq!(bad.parse::<Blake2b128>(), Err(ParseHexError { digits: 32 }), "{bad}");
        }
    }
}
