//! `broadloom-perf pk`.

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::pk::{Topic, page};
use broadloom_perf::{PkOptions, run_pk};
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, name};

/// Measure public keys: what the papers say of RSA and of binary curves, rerun beside their numbers
///
/// All sides of a figure are compared first, and then timed in turn in one process. The signatures
/// of `openssl speed` are that program's own figures, taken right afterwards.
#[derive(Args)]
pub struct PkArgs {
    /// RSA's reduction and words (montgomery), RSA-2048 at the modelled device (outstanding),
    /// ECDSA on binary curves (curves), separated by commas [default: all]
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
/// As of [`run_pk`] and [`leave`].
pub fn run(args: PkArgs, cpu: &Cpu) -> Result<(), Failure> {
    let options = PkOptions {
        topics: args.figure,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &[],
        |tables| run_pk(&options, cpu, tables),
        |report, out| page::write(report, out),
    )
}
