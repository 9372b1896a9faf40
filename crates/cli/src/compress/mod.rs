//! `broadloom compress` and `broadloom decompress`: what gzip and pigz do, with chunks in parallel.

mod args;
mod codec;
mod container;
mod craft;
mod gzip;
mod header;
mod level;
mod list;
mod listing;
mod options;
mod origin;
mod providers;
mod seconds;
mod suffix;
mod wanted;
mod zip;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use broadloom_lanes::Cpu;
use broadloom_program::message::{USAGE, complain, printed_status};
use broadloom_program::metrics::MetricsArgs;
use broadloom_program::signals;
use broadloom_program::streams::StandardOutput;

pub use args::{CompressArgs, DecompressArgs};
use codec::Codec;
use craft::Compression;
pub use gzip::Gzip;
pub use level::numbers_spelled_out;
use listing::Listing;
use options::{Options, Task};

use crate::files::{Verbosity, Worker};

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
    let metrics = args.common.metrics.clone();
    run(program, Options::of_compress(args), &metrics, cpu)
}

/// Decompresses what the arguments ask for.
pub fn decompress(args: DecompressArgs, cpu: &Cpu) -> ExitCode {
    let program = "broadloom decompress";
    if args.common.license {
        return print_license(program);
    }
    let metrics = args.common.metrics.clone();
    run(program, Options::of_decompress(args), &metrics, cpu)
}

fn print_license(program: &str) -> ExitCode {
    printed_status(program, StandardOutput.write_all(LICENSE.as_bytes()))
}

fn run(
    program: &'static str,
    options: Result<(Options, Vec<OsString>), String>,
    metrics: &MetricsArgs,
    cpu: &Cpu,
) -> ExitCode {
    let (options, files) = match options {
        Ok(options) => options,
        Err(error) => return fail(program, &error, USAGE),
    };
    if options.ascii && options.manner.verbosity > Verbosity::Quiet {
        complain(program, "option --ascii ignored on this system");
    }
    // Without signals nothing is removed that should be: then rather nothing is begun.
    if let Err(error) = signals::watch() {
        return fail(program, &format!("signals cannot be watched: {error}"), 1);
    }
    let _offered = match metrics.offer(program) {
        Ok(offered) => offered,
        Err(error) => return fail(program, &error, 1),
    };
    let codec = match Codec::open(&options.coding, options.task, cpu) {
        Ok(codec) => Arc::new(codec),
        Err(error) => return fail(program, &error, USAGE),
    };
    let (task, manner, fallback) = (options.task, options.manner, codec.fallback());
    let compression = Compression { codec: Arc::clone(&codec), options: Arc::new(options) };
    let fallback = fallback.as_deref();
    // A listing does not need a provider.
    if task == Task::List {
        let listing = Listing::new(program, compression, &files);
        fallback.into_iter().for_each(|text| listing.report.note("provider", text));
        return listing.run(files);
    }
    let worker = Worker::new(program, manner, compression, &files);
    fallback.into_iter().for_each(|text| worker.report.note("provider", text));
    worker.report.done(format!("provider:\t{}", codec.description()));
    worker.run(files)
}

fn fail(program: &str, error: &str, status: u8) -> ExitCode {
    complain(program, error);
    ExitCode::from(status)
}
