//! `broadloom-perf device`.

use broadloom::Algorithm;
use broadloom::provider::ProviderSpec;
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::device::{Topic, page};
use broadloom_perf::{DeviceOptions, run_device};
use broadloom_program::size::parse_size;
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, name, provider};

/// Measure a GPU: figures of Intel's paper on programming QuickAssist, rerun on a device that is
/// there
///
/// Elapsed time and CPU time against threads and against jobs outstanding, beside one core and all
/// cores; the time of kernels and of copies by the device's own clock, and the limit that measured
/// copies and arithmetic set. All sides take turns in one process, after their results were
/// compared. All lists are separated by commas.
#[derive(Args)]
pub struct DeviceArgs {
    /// The paper's figures 9 (synchronous calls from threads), 10 (jobs outstanding), 11 (all
    /// models), and from which size on the device gains: sizes [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<Topic>, value_name = "LIST")]
    figure: Vec<Topic>,

    /// The device: the provider gpu with its options, such as gpu:device=1:streams=4; on a machine
    /// without a GPU gpu:device=cpu takes an OpenCL driver for CPUs
    #[arg(long, value_parser = provider, default_value = "gpu", value_name = "PROVIDER")]
    provider: ProviderSpec,

    /// Algorithms that the device has [default: sha256, hmac-sha256, aes-128-gcm,
    /// chacha20-poly1305]
    #[arg(long, value_delimiter = ',', value_parser = name::<Algorithm>, value_name = "LIST")]
    algorithm: Vec<Algorithm>,

    /// Bytes of a buffer, such as 64 or 16K [default: those of each figure]
    #[arg(long, value_delimiter = ',', value_parser = bytes, value_name = "LIST")]
    size: Vec<usize>,

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

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_device`] and [`leave`].
pub fn run(args: DeviceArgs, cpu: &Cpu) -> Result<(), Failure> {
    let options = DeviceOptions {
        topics: args.figure,
        provider: args.provider,
        algorithms: args.algorithm,
        sizes: args.size,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &[],
        |tables| run_device(&options, cpu, tables),
        |report, out| page::write(report, out),
    )
}
