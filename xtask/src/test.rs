//! `test`: all tests of the default members, in the profile that keeps release speed and adds checks.

use cuzk_contract::exit::ExitCode;

use crate::context::Context;
use crate::flags;
use crate::output::{CommandError, progress};

/// Set for tests that take minutes; without it they say how to run them and pass.
pub const SLOW_TESTS_VARIABLE: &str = "CUZK_SLOW_TESTS";

pub fn run(context: &Context, flags: &flags::Test) -> anyhow::Result<ExitCode> {
    let mut command = context
        .cargo_command(&["test", "--profile", "checked"])
        .args(&flags.cargo_args);
    if flags.slow {
        command = command.env(SLOW_TESTS_VARIABLE, "1");
    } else {
        progress("the long tests are left out; `cargo xtask test --slow` runs them too");
    }
    command.run().map_err(|_| {
        CommandError::new(ExitCode::CargoFailed, "cargo test failed")
            .with_hint("the failing test's output is above; one crate alone: cargo xtask test -- -p PACKAGE")
    })?;
    Ok(ExitCode::Ok)
}
