//! Where files are, as the environment says. The daemon has the same defaults.

use std::env;
use std::path::{Path, PathBuf};

use cuzk_groth16::contract::exit::ExitCode;
use cuzk_groth16::srs::store::Store;

use crate::output::Failure;

const DEFAULT_PARAM_CACHE: &str = "/var/tmp/filecoin-proof-parameters";

/// The store of generated parameters, below the given directory or the user's cache.
pub fn store(cache: Option<&Path>) -> Result<Store, Failure> {
    let cache = match cache {
        Some(cache) => cache.to_owned(),
        None => default_cache().ok_or_else(|| {
            let message = "no cache directory: neither XDG_CACHE_HOME nor HOME is set (hint: give --cache DIR)";
            Failure::new(ExitCode::Usage, anyhow::anyhow!(message))
        })?,
    };
    Ok(Store::new(cache.join("development")))
}

/// Filecoin's published files.
pub fn param_cache() -> PathBuf {
    env::var_os("FIL_PROOFS_PARAMETER_CACHE").map_or_else(|| DEFAULT_PARAM_CACHE.into(), PathBuf::from)
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
