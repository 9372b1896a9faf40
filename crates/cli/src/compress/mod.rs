//! `broadloom compress` and `broadloom decompress`: what gzip and pigz do, with chunks in parallel.

mod args;
mod attributes;
mod codec;
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

use std::ffi::OsString;
use std::process::ExitCode;

use broadloom_cli::message::{USAGE, complain};
use broadloom_cli::signals;
use broadloom_lanes::Cpu;

pub use args::{CompressArgs, DecompressArgs};
use options::Options;
use work::Worker;

/// Compresses what the arguments ask for, or decompresses it where they ask for that.
pub fn compress(args: CompressArgs, cpu: &Cpu) -> ExitCode {
    run("broadloom compress", Options::of_compress(args), cpu)
}

/// Decompresses what the arguments ask for.
pub fn decompress(args: DecompressArgs, cpu: &Cpu) -> ExitCode {
    run("broadloom decompress", Options::of_decompress(args), cpu)
}

fn run(program: &'static str, options: Result<(Options, Vec<OsString>), String>, cpu: &Cpu) -> ExitCode {
    let (options, files) = match options {
        Ok(options) => options,
        Err(error) => return fail(program, &error, USAGE),
    };
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
