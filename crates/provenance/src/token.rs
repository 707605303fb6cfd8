//! The build token and what enters it.

use sha2::{Digest as _, Sha256};

use crate::{BuildToken, SourceDigest};

/// What stands before the token's 64 hexadecimal digits in a program; a newline follows them.
pub const MARKER_PREFIX: &str = "CUZK_BUILD_TOKEN=";

/// Changes when the meaning of the token does.
const TOKEN_TAG: &[u8] = b"cuzk-build-token-1\0";

/// Everything that decides what a build makes, as far as a build script and an observer of cargo both know it.
///
/// Overflow checks and RUSTFLAGS are missing for that reason: cargo tells a build script neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInputs {
    /// The lock file is one of the sources.
    pub sources: SourceDigest,
    pub features: Features,
    pub profile: ProfileFacts,
    /// Target triple. Without `--target` it is [`RustcVersion::host`].
    pub target: String,
    pub rustc: RustcVersion,
}

impl TokenInputs {
    /// SHA-256 over a version tag and each input as (name, value), both preceded by their length as a 64-bit little-endian
    /// integer.
    pub fn token(&self) -> BuildToken {
        let mut hasher = Sha256::new();
        hasher.update(TOKEN_TAG);
        for (name, value) in self.fields() {
            for text in [name, &value] {
                hasher.update((text.len() as u64).to_le_bytes());
                hasher.update(text);
            }
        }
        BuildToken::from_bytes(hasher.finalize().into())
    }

    fn fields(&self) -> [(&'static str, String); 6] {
        [
            ("sources", self.sources.to_string()),
            ("features", self.features.0.join(",")),
            ("opt_level", self.profile.opt_level.clone()),
            ("debug_assertions", self.profile.debug_assertions.as_str().to_owned()),
            ("target", self.target.clone()),
            ("rustc", self.rustc.0.clone()),
        ]
    }
}

/// Enabled features of the program's package, in one spelling and order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features(Vec<String>);

impl Features {
    /// Takes names as in `Cargo.toml` or as in `CARGO_FEATURE_<NAME>`. The latter has lost case and the difference of `-`
    /// and `_`, so the former has to lose them too.
    pub fn new<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut names: Vec<_> = names
            .into_iter()
            .map(|name| name.as_ref().to_uppercase().replace('-', "_"))
            .collect();
        names.sort();
        names.dedup();
        Self(names)
    }
}

/// The part of a profile that cargo tells to build scripts and in its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileFacts {
    /// As cargo writes it: `0` to `3`, `s`, `z`.
    pub opt_level: String,
    pub debug_assertions: DebugAssertions,
}

/// Whether `debug_assert!` is compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugAssertions {
    On,
    Off,
}

impl DebugAssertions {
    const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl From<bool> for DebugAssertions {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

/// What `rustc -vV` prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustcVersion(String);

impl RustcVersion {
    /// Ends of lines do not count: one side reads them through a shell that trims.
    pub fn new(output: &str) -> Self {
        Self(
            output
                .lines()
                .map(str::trim_end)
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join("\n"),
        )
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The triple of the machine that the compiler runs on, which is what it compiles for unless told otherwise.
    pub fn host(&self) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix("host: "))
    }
}

#[cfg(test)]
mod tests;
