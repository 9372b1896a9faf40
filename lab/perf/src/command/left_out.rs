//! `broadloom-perf storage` in a program that was built without it.

use std::ffi::OsString;

use clap::Args;

use super::failure::Failure;

/// Measure storage; this program was built without it
///
/// `cargo install broadloom-perf --features storage` installs the program with it.
#[derive(Args)]
pub struct StorageArgs {
    /// Arguments of the command, which is not here
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

/// Refuses, and says how to get the command.
///
/// # Errors
/// Always.
pub fn run(_: &StorageArgs) -> Result<(), Failure> {
    Err(Failure::LeftOut { command: "storage" })
}
