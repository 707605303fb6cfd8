//! The command line.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand};

use crate::config::ListenAddress;
use crate::identity::build_token;

/// With the build token, which names what the program was built from.
static VERSION: LazyLock<String> = LazyLock::new(|| format!("{} (build {})", env!("CARGO_PKG_VERSION"), build_token()));

#[derive(Parser)]
#[command(name = "cuzk", version = VERSION.as_str(), about = "Groth16 proving daemon for Filecoin circuits")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve proofs over a unix socket until SIGTERM or SIGINT
    Serve(ServeArguments),
}

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct ServeArguments {
    /// Where to listen, unix:///PATH; overrides daemon.listen of the configuration
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<ListenAddress>,

    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Directory of what this project makes for itself; overrides srs.cache [default: $XDG_CACHE_HOME/cuzk or ~/.cache/cuzk]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Prove with parameters that this project generated; every result made with them says so
    #[arg(long)]
    pub allow_development_parameters: bool,

    /// Seconds that jobs in flight are given to finish after the first signal; overrides daemon.grace_period_s
    #[arg(long, value_name = "SECONDS")]
    pub grace_period_s: Option<u64>,
}

const AFTER_HELP: &str = "\
Examples:
  cuzk serve --listen unix:///run/user/1000/cuzk.sock
  cuzk serve --config /etc/cuzk.toml
  cuzk serve --listen unix:///tmp/cuzk/s --allow-development-parameters

Configuration keys and their defaults:
  [daemon]     listen = \"unix:///run/curio/cuzk.sock\", grace_period_s = 300
  [srs]        param_cache = (FIL_PROOFS_PARAMETER_CACHE, or /var/tmp/filecoin-proof-parameters),
               cache = (see --cache), allow_development_parameters = false
  [scheduler]  accepted_jobs = 64
  [synthesis]  threads = 0 (as many as the machine has)

Clients built on gRPC core (Python, C++) set the channel option grpc.default_authority to localhost for unix sockets.
The first SIGTERM or SIGINT drains: no new jobs, those in flight finish. The second one ends the daemon at once.
Exit codes: 0 ended cleanly, 1 cannot serve, 2 usage or configuration, 124 the grace period ran out, 130 and 143 second signal.";

pub fn parse() -> Command {
    Cli::parse().command
}
