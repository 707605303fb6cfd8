//! What a build script does: computes the build token and hands it to the program that cargo is about to compile.
#![allow(
    clippy::disallowed_methods,
    reason = "runs inside the build scripts of the programs, whose input is the environment"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::token::MARKER_PREFIX;
use crate::{
    BuildToken, DebugAssertions, Features, ProfileFacts, ProvenanceError, RustcVersion, SourceTree, TokenInputs,
};

/// Name of the generated file in `OUT_DIR`.
const GENERATED_FILE: &str = "build_token.rs";

/// Computes the token, writes `build_token.rs` into `OUT_DIR`, sets `CUZK_BUILD_TOKEN` for the compilation and tells cargo
/// what to watch. An error fails the build.
pub fn emit() {
    if let Err(error) = run() {
        println!("cargo::error=build token: {}", error.to_string().replace('\n', " "));
    }
}

fn run() -> Result<(), ProvenanceError> {
    // Names and values that are not UTF-8 cannot be among those that cargo sets.
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())));
    let environment = Environment::read(variables)?;
    let tree = SourceTree::scan(&workspace_root(&environment.manifest_dir)?)?;
    let token = environment
        .token_inputs(&tree, rustc_version(&environment.rustc)?)
        .token();
    let path = environment.out_dir.join(GENERATED_FILE);
    fs::write(&path, generated_source(token)).map_err(|source| ProvenanceError::Write { path, source })?;
    println!("cargo::rustc-env=CUZK_BUILD_TOKEN={token}");
    for path in tree.watched() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    Ok(())
}

/// What cargo tells a build script.
#[derive(Debug)]
struct Environment {
    manifest_dir: PathBuf,
    out_dir: PathBuf,
    rustc: PathBuf,
    target: String,
    features: Features,
    profile: ProfileFacts,
}

impl Environment {
    fn read(variables: impl Iterator<Item = (String, String)>) -> Result<Self, ProvenanceError> {
        let variables: std::collections::BTreeMap<_, _> = variables.collect();
        let get = |name: &'static str| variables.get(name).ok_or(ProvenanceError::MissingVariable { name });
        let profile = ProfileFacts {
            opt_level: get("OPT_LEVEL")?.clone(),
            debug_assertions: DebugAssertions::from(variables.contains_key("CARGO_CFG_DEBUG_ASSERTIONS")),
        };
        Ok(Self {
            manifest_dir: get("CARGO_MANIFEST_DIR")?.into(),
            out_dir: get("OUT_DIR")?.into(),
            rustc: get("RUSTC")?.into(),
            target: get("TARGET")?.clone(),
            features: Features::new(variables.keys().filter_map(|name| name.strip_prefix("CARGO_FEATURE_"))),
            profile,
        })
    }

    fn token_inputs(&self, tree: &SourceTree, rustc: RustcVersion) -> TokenInputs {
        TokenInputs {
            sources: tree.digest(),
            features: self.features.clone(),
            profile: self.profile.clone(),
            target: self.target.clone(),
            rustc,
        }
    }
}

/// The nearest directory, from the package up, whose manifest opens a workspace.
fn workspace_root(manifest_dir: &Path) -> Result<PathBuf, ProvenanceError> {
    for dir in manifest_dir.ancestors() {
        let path = dir.join("Cargo.toml");
        if path.is_file() {
            let text = fs::read_to_string(&path).map_err(|source| ProvenanceError::Read { path, source })?;
            if text.lines().any(|line| line.trim_end() == "[workspace]") {
                return Ok(dir.to_path_buf());
            }
        }
    }
    Err(ProvenanceError::NoWorkspace {
        start: manifest_dir.to_path_buf(),
    })
}

fn rustc_version(rustc: &Path) -> Result<RustcVersion, ProvenanceError> {
    let failed = |detail: String| ProvenanceError::Rustc {
        program: rustc.display().to_string(),
        detail,
    };
    let output = Command::new(rustc)
        .arg("-vV")
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let text = String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))?;
    Ok(RustcVersion::new(&text))
}

/// The function points into the static instead of holding a copy, so that the linker keeps the marked bytes.
fn generated_source(token: BuildToken) -> String {
    let marker = format!("{MARKER_PREFIX}{token}\\n");
    let start = MARKER_PREFIX.len();
    let end = start + 64;
    format!(
        "/// The build token between its marker and a newline, where a check of the finished program finds it.\n\
         #[used]\n\
         static BUILD_TOKEN_MARKER: [u8; {total}] = *b\"{marker}\";\n\
         \n\
         /// The build token of this program: 64 hexadecimal digits.\n\
         pub fn build_token() -> &'static str {{\n    \
             std::str::from_utf8(&BUILD_TOKEN_MARKER[{start}..{end}]).unwrap_or_default()\n\
         }}\n",
        total = end + 1,
    )
}

#[cfg(test)]
mod tests;
