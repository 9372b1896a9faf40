//! `broadloom compress` and `broadloom decompress`: what gzip and pigz do, with chunks in parallel.

mod args;
mod attributes;
mod batch;
mod codec;
mod coder;
mod container;
mod crew;
mod header;
mod inputs;
mod level;
mod list;
mod options;
mod providers;
mod replace;
mod report;
mod sides;
mod suffix;
mod work;
mod zip;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use broadloom_cli::message::{USAGE, complain, printed_status};
use broadloom_cli::signals;
use broadloom_cli::streams::StandardOutput;
use broadloom_lanes::Cpu;

pub use args::{CompressArgs, DecompressArgs};
pub use level::numbers_spelled_out;
use options::{Options, Verbosity};
use work::Worker;

/// What `--license` says.
const LICENSE: &str = concat!(
    "broadloom ",
    env!("CARGO_PKG_VERSION"),
    "\n\
Licensed under the Apache License, Version 2.0 <https://www.apache.org/licenses/LICENSE-2.0>\n\
or the MIT license <https://opensource.org/license/mit>, at your choice.\n\
There is no warranty, to the extent permitted by law.\n"
);

/// Compresses what the arguments ask for, or decompresses it where they ask for that.
pub fn compress(args: CompressArgs, cpu: &Cpu) -> ExitCode {
    let program = "broadloom compress";
    if args.common.license {
        return print_license(program);
    }
    run(program, Options::of_compress(args), cpu)
}

/// Decompresses what the arguments ask for.
pub fn decompress(args: DecompressArgs, cpu: &Cpu) -> ExitCode {
    let program = "broadloom decompress";
    if args.common.license {
        return print_license(program);
    }
    run(program, Options::of_decompress(args), cpu)
}

fn print_license(program: &str) -> ExitCode {
    printed_status(program, StandardOutput.write_all(LICENSE.as_bytes()))
}

fn run(
    program: &'static str,
    options: Result<(Options, Vec<OsString>), String>,
    cpu: &Cpu,
) -> ExitCode {
    let (options, files) = match options {
        Ok(options) => options,
        Err(error) => return fail(program, &error, USAGE),
    };
    if options.ascii && options.verbosity > Verbosity::Quiet {
        complain(program, "option --ascii ignored on this system");
    }
    // Without signals nothing is removed that should be: then rather nothing is begun.
    if let Err(error) = signals::watch() {
        return fail(program, &format!("signals cannot be watched: {error}"), 1);
    }
    match Worker::new(program, options, &files, cpu) {
        Ok(worker) => worker.run(files),
        Err(error) => fail(program, &error, USAGE),
    }
}

fn fail(program: &str, error: &str, status: u8) -> ExitCode {
    complain(program, error);
    ExitCode::from(status)
}
