//! Configuration: a TOML file in which unknown keys are errors, under the command line.
//!
//! Left out: reloading. The daemon is restarted for a new configuration.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use std::{env, fs, io, thread};

use cuzk_groth16::srs::trust::TrustPolicy;
use serde::Deserialize;

use crate::cli::ServeArguments;

/// Where Curio looks for the daemon.
const DEFAULT_LISTEN: &str = "unix:///run/curio/cuzk.sock";
/// Where every Filecoin program looks for the published parameter files, unless the variable names another directory.
const DEFAULT_PARAM_CACHE: &str = "/var/tmp/filecoin-proof-parameters";
const PARAM_CACHE_VARIABLE: &str = "FIL_PROOFS_PARAMETER_CACHE";
const DEFAULT_GRACE_PERIOD: Duration = Duration::from_secs(300);
const DEFAULT_ACCEPTED_JOBS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Everything that can be chosen, resolved.
#[derive(Debug)]
pub struct Config {
    pub listen: ListenAddress,
    pub grace_period: Duration,
    /// Of what this project makes for itself.
    pub cache: PathBuf,
    /// Of Filecoin's published parameter files.
    pub param_cache: PathBuf,
    pub policy: TrustPolicy,
    pub accepted_jobs: NonZeroUsize,
    pub synthesis_threads: NonZeroUsize,
}

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read configuration {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("configuration {} is wrong: {source}", path.display())]
    Parse {
        path: PathBuf,
        source: Box<toml::de::Error>,
    },
    #[error("no cache directory: neither XDG_CACHE_HOME nor HOME is set (hint: give --cache DIR or srs.cache)")]
    NoCache,
}

/// The path of the unix socket to listen on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ListenAddress(PathBuf);

/// Not an address that the daemon can listen on.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error(
        "address {actual:?} does not begin with unix:/// (hint: for instance unix:///run/user/1000/cuzk.sock; TCP is not served)"
    )]
    Scheme { actual: String },
    #[error("address {actual:?} names no file")]
    NoFile { actual: String },
    #[error(
        "socket path {path:?} has {actual} bytes, the system allows {limit} (hint: choose a directory with a shorter path)"
    )]
    TooLong { path: String, actual: usize, limit: usize },
}

impl ListenAddress {
    /// `sun_path` of `struct sockaddr_un` on Linux, without the final NUL.
    const MAX_PATH_BYTES: usize = 107;

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl FromStr for ListenAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let Some(path) = text.strip_prefix("unix://").filter(|path| path.starts_with('/')) else {
            return Err(AddressError::Scheme {
                actual: text.to_owned(),
            });
        };
        if path.ends_with('/') {
            return Err(AddressError::NoFile {
                actual: text.to_owned(),
            });
        }
        if path.len() > Self::MAX_PATH_BYTES {
            let (actual, limit) = (path.len(), Self::MAX_PATH_BYTES);
            return Err(AddressError::TooLong {
                path: path.to_owned(),
                actual,
                limit,
            });
        }
        Ok(Self(path.into()))
    }
}

impl TryFrom<String> for ListenAddress {
    type Error = AddressError;

    fn try_from(text: String) -> Result<Self, AddressError> {
        text.parse()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    daemon: Daemon,
    #[serde(default)]
    srs: Srs,
    #[serde(default)]
    scheduler: Scheduler,
    #[serde(default)]
    synthesis: Synthesis,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Daemon {
    listen: Option<ListenAddress>,
    grace_period_s: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Srs {
    cache: Option<PathBuf>,
    param_cache: Option<PathBuf>,
    #[serde(default)]
    allow_development_parameters: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scheduler {
    accepted_jobs: Option<NonZeroUsize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Synthesis {
    /// 0 means as many as the machine has.
    #[serde(default)]
    threads: usize,
}

impl Config {
    /// Reads the file, if one is given, and lays the command line over it.
    pub fn load(arguments: &ServeArguments) -> Result<Self, ConfigError> {
        let file = arguments.config.as_deref().map(read).transpose()?.unwrap_or_default();
        Self::resolve(file, arguments, &Surroundings::read())
    }

    fn resolve(file: File, arguments: &ServeArguments, surroundings: &Surroundings) -> Result<Self, ConfigError> {
        let development = arguments.allow_development_parameters || file.srs.allow_development_parameters;
        let grace_period_s = arguments.grace_period_s.or(file.daemon.grace_period_s);
        let cache = arguments
            .cache
            .clone()
            .or(file.srs.cache)
            .or_else(|| surroundings.cache.clone());
        let listen = arguments.listen.clone().or(file.daemon.listen);
        Ok(Self {
            listen: listen.unwrap_or_else(|| ListenAddress(DEFAULT_LISTEN["unix://".len()..].into())),
            grace_period: grace_period_s.map_or(DEFAULT_GRACE_PERIOD, Duration::from_secs),
            cache: cache.ok_or(ConfigError::NoCache)?,
            param_cache: file.srs.param_cache.unwrap_or_else(|| surroundings.param_cache.clone()),
            policy: if development {
                TrustPolicy::AllowDevelopment
            } else {
                TrustPolicy::ProductionOnly
            },
            accepted_jobs: file.scheduler.accepted_jobs.unwrap_or(DEFAULT_ACCEPTED_JOBS),
            synthesis_threads: NonZeroUsize::new(file.synthesis.threads).unwrap_or_else(all_threads),
        })
    }
}

fn read(path: &Path) -> Result<File, ConfigError> {
    let text = fs::read_to_string(path).map_err(|source| ConfigError::Read {
        path: path.into(),
        source,
    })?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<File, ConfigError> {
    toml::from_str(text).map_err(|source| ConfigError::Parse {
        path: path.into(),
        source: source.into(),
    })
}

/// Directories that the environment decides.
struct Surroundings {
    cache: Option<PathBuf>,
    param_cache: PathBuf,
}

impl Surroundings {
    fn read() -> Self {
        let param_cache = env::var_os(PARAM_CACHE_VARIABLE).map(PathBuf::from);
        Self {
            cache: default_cache(),
            param_cache: param_cache.unwrap_or_else(|| DEFAULT_PARAM_CACHE.into()),
        }
    }
}

/// `$XDG_CACHE_HOME/cuzk`, or `~/.cache/cuzk`. A relative `XDG_CACHE_HOME` is to be ignored, says its specification.
fn default_cache() -> Option<PathBuf> {
    let xdg = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = || {
        env::var_os("HOME")
            .filter(|home| !home.is_empty())
            .map(|home| PathBuf::from(home).join(".cache"))
    };
    xdg.or_else(home).map(|cache| cache.join("cuzk"))
}

fn all_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests;
