//! `broadloom-perf compress`.

use std::path::{Path, PathBuf};

use broadloom::provider::ProviderSpec;
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::compress::{MAX_LEVEL, Topic, page};
use broadloom_perf::{CompressOptions, run_compress};
use broadloom_program::size::parse_size;
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, name, number, provider};

/// Measure compression: the figures of Intel's paper on programming QuickAssist, rerun beside its
/// numbers
///
/// An input is compressed by libraries and by a modelled device, on threads and with jobs
/// outstanding, and the questions that the paper left open are answered by measurement. All sides
/// of a figure take turns in one process; elapsed time and CPU time are the minimum of several
/// passes and their median. The device's results are prepared before the clock starts, where it is
/// asked for the same again, and the tables say how many of its responses were late. All lists are
/// separated by commas.
#[derive(Args)]
pub struct CompressArgs {
    /// The paper's figures 3 (ratio against chunk size), 5 (threads), 7 (hardware, synchronous), 9
    /// (the same from threads), 10 (jobs outstanding), 11 (all models), and its open questions:
    /// copy, interrupt, poller, frequency, batch, numa, offload; what the framework costs:
    /// overhead, scaling; and decompress [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<Topic>, value_name = "LIST")]
    figure: Vec<Topic>,

    /// The file to compress [default: a text that is made]
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Bytes to which the input is repeated, or cut, such as 256M [default: 64M; with --quick 4M]
    #[arg(long, value_parser = bytes, value_name = "BYTES")]
    size: Option<usize>,

    /// Bytes of a chunk, where a figure does not say
    #[arg(long, value_parser = bytes, default_value = "64K", value_name = "BYTES")]
    chunk: usize,

    /// The level, 0 to 12; providers that do not have it take no part
    #[arg(long, value_parser = level, default_value_t = 1, value_name = "N")]
    level: u8,

    /// Providers with their options: zlib, libdeflate, isal, and the modelled device, such as
    /// emulated:preset=8955-remote [default: all, and emulated as it comes]
    #[arg(long, value_delimiter = ',', value_parser = provider, value_name = "LIST")]
    provider: Vec<ProviderSpec>,

    #[command(flatten)]
    files: FileArgs,

    /// Take less time, for figures that are less steady
    #[arg(long)]
    quick: bool,
}

fn bytes(text: &str) -> Result<usize, String> {
    let size = parse_size(text)?;
    usize::try_from(size.get()).map_err(|_| "more bytes than memory can have".to_owned())
}

fn level(text: &str) -> Result<u8, String> {
    number(text, format_args!("a number from 0 to {MAX_LEVEL}"))
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_compress`] and [`leave`].
pub fn run(args: CompressArgs, cpu: &Cpu) -> Result<(), Failure> {
    let inputs: Vec<&Path> = args.input.as_deref().into_iter().collect();
    let options = CompressOptions {
        topics: args.figure,
        input: args.input.clone(),
        size: args.size,
        chunk: args.chunk,
        level: args.level,
        providers: args.provider,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &inputs,
        |tables| run_compress(&options, cpu, tables),
        |report, out| page::write(report, out),
    )
}
