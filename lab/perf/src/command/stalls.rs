//! `broadloom-perf stalls`.

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::stalls::{Topic, page};
use broadloom_perf::{StallOptions, run_stalls};
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, name};

/// Measure ciphers that wait for memory: RC4 and KASUMI as two articles at Sun wrote them, beside
/// their numbers
///
/// RC4's loop is written in three ways, and KASUMI is computed with small and with large tables;
/// Broadloom's lanes cipher the same buffers. All take turns in one process, on one thread and on
/// as many as there are cores, and all results are compared first.
#[derive(Args)]
pub struct StallArgs {
    /// RC4's loops (rc4), KASUMI's tables (kasumi), separated by a comma [default: both]
    #[arg(long, value_delimiter = ',', value_parser = name::<Topic>, value_name = "LIST")]
    figure: Vec<Topic>,

    #[command(flatten)]
    files: FileArgs,

    /// Take less time, for figures that are less steady
    #[arg(long)]
    quick: bool,
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_stalls`] and [`leave`].
pub fn run(args: StallArgs, cpu: &Cpu) -> Result<(), Failure> {
    let options = StallOptions {
        topics: args.figure,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &[],
        |tables| run_stalls(&options, cpu, tables),
        |report, out| page::write(report, out),
    )
}
