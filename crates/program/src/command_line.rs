//! Command lines: parsed, and help that cannot be written is an error.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::message::printed_status;
use crate::streams;

/// Reads a command line. Help and version go to standard output, errors to standard error.
///
/// # Errors
/// The exit status: that of help or version, or that of a wrong command line.
pub fn parse<P: Parser>(
    program: &str,
    args: impl IntoIterator<Item = OsString>,
) -> Result<P, ExitCode> {
    P::try_parse_from(args).map_err(|error| match error.use_stderr() {
        true => error.exit(),
        false => printed_status(program, streams::print(&error)),
    })
}
