//! Where the workspace is, and the shell that commands run other programs with.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cuzk_contract::exit::ExitCode;
use xshell::Shell;

use crate::output::CommandError;

/// What every command starts from.
pub struct Context {
    /// Workspace root; the shell's directory.
    pub root: PathBuf,
    pub shell: Shell,
    /// The cargo that started us, else the one on PATH.
    pub cargo: PathBuf,
    target_dir: OnceCell<PathBuf>,
}

impl Context {
    pub fn new() -> anyhow::Result<Self> {
        let root = workspace_root()?;
        let shell = Shell::new().context("cannot read the current directory")?;
        shell.change_dir(&root);
        let cargo = std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
        Ok(Self {
            root,
            shell,
            cargo,
            target_dir: OnceCell::new(),
        })
    }

    /// The cargo command, without what the outer cargo set for us alone: passed on, those variables would change
    /// fingerprints of the inner build.
    pub fn cargo_command(&self, args: &[&str]) -> xshell::Cmd<'_> {
        let mut command = self.shell.cmd(&self.cargo).args(args);
        for (name, _) in std::env::vars_os() {
            if let Some(name) = name.to_str().filter(|name| is_set_by_outer_cargo(name)) {
                command = command.env_remove(name);
            }
        }
        command
    }

    /// The target directory, as cargo itself sees it; asked once.
    pub fn target_dir(&self) -> anyhow::Result<&Path> {
        if let Some(dir) = self.target_dir.get() {
            return Ok(dir);
        }
        let mut command = cargo_metadata::MetadataCommand::new();
        command.cargo_path(&self.cargo).current_dir(&self.root).no_deps();
        let metadata = command.exec().context("cargo metadata failed")?;
        Ok(self
            .target_dir
            .get_or_init(|| metadata.target_directory.into_std_path_buf()))
    }

    /// What `rustc -vV` prints now.
    pub fn rustc_version(&self) -> anyhow::Result<String> {
        self.shell.cmd("rustc").arg("-vV").quiet().read().map_err(|error| {
            CommandError::new(ExitCode::ToolMissing, format!("rustc -vV: {error}"))
                .with_hint("install Rust with rustup")
                .into()
        })
    }

    /// Directory for what xtask keeps between runs: build records, receipts, runs.
    pub fn records_dir(&self) -> anyhow::Result<PathBuf> {
        Ok(self.target_dir()?.join("cuzk"))
    }
}

fn is_set_by_outer_cargo(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || matches!(name, "CARGO_MANIFEST_DIR" | "CARGO_MANIFEST_PATH" | "CARGO_BIN_NAME")
}

/// The directory above this package's, as cargo tells it; without cargo, the nearest directory up with a workspace.
fn workspace_root() -> anyhow::Result<PathBuf> {
    if let Some(dir) = std::env::var_os("CARGO_MANIFEST_DIR") {
        let parent = Path::new(&dir).parent().map(Path::to_path_buf);
        return parent.context("the xtask package has no parent directory");
    }
    let current = std::env::current_dir().context("cannot read the current directory")?;
    let found = current.ancestors().find(|dir| dir.join("xtask/Cargo.toml").is_file());
    found.map(Path::to_path_buf).ok_or_else(|| {
        CommandError::new(
            ExitCode::Usage,
            format!("{} is not inside a cuzk workspace", current.display()),
        )
        .with_hint("change into the checkout, or run `cargo xtask` there")
        .into()
    })
}
