//! `broadloom-perf grid`.

use broadloom::provider::ProviderSpec;
use broadloom::{Algorithm, Direction};
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::grid;
use broadloom_perf::measure::sizes::Sizes;
use broadloom_perf::names::{Call, Peer};
use broadloom_perf::{GridOptions, run_grid};
use broadloom_program::progress::Steps;
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, jobs, name, provider, sizes};

/// Compare every size, burst and call with every peer's fastest call, and show who leads where
///
/// A cell is one combination of algorithm, direction, call, size and burst. It compares our cycles
/// for a buffer with those of the best peer: intel-ipsec-mb by its direct, burst or job calls,
/// OpenSSL by EVP, crates by their calls. The whole grid takes about half an hour. All lists are
/// separated by commas.
#[derive(Args)]
pub struct GridArgs {
    /// Algorithms such as sha256, aes-128-gcm [default: those that most users call]
    #[arg(long, value_delimiter = ',', value_parser = name::<Algorithm>, value_name = "LIST")]
    algorithm: Vec<Algorithm>,

    /// Directions: digest, generate, encrypt, decrypt, seal, open [default: both of each algorithm]
    #[arg(long, value_delimiter = ',', value_parser = name::<Direction>, value_name = "LIST")]
    direction: Vec<Direction>,

    /// Sizes in bytes (64), ranges (64:64:512, 32:x2:8192) and mixes (imix, imix:64x7+1518x1)
    /// [default: 16 bytes to 64 KiB]
    #[arg(long, value_delimiter = ',', value_parser = name::<Sizes>, value_name = "LIST")]
    size: Vec<Sizes>,

    /// Jobs of a burst, 1 to 1024 [default: 1,2,4,8,16,64,256]
    #[arg(long, value_delimiter = ',', value_parser = jobs, value_name = "LIST")]
    burst: Vec<usize>,

    /// The engine's calls: process-many, queue-pair, stream (jobs one by one, flushed after each
    /// burst) [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<Call>, value_name = "LIST")]
    call: Vec<Call>,

    /// The provider that is compared with the peers, with its options [default: native]
    #[arg(long, value_parser = provider, value_name = "NAME")]
    provider: Option<ProviderSpec>,

    /// Libraries to compare with: openssl, ipsec-mb, and where this program was built with their
    /// features ring, aws-lc-rs, secp256k1 [default: all that there are]
    #[arg(long, value_delimiter = ',', value_parser = name::<Peer>, value_name = "LIST")]
    peer: Vec<Peer>,

    #[command(flatten)]
    files: FileArgs,

    /// Measure fewer cells, within two minutes
    #[arg(long)]
    quick: bool,
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_grid`] and [`leave`].
pub fn run(args: GridArgs, cpu: &Cpu) -> Result<(), Failure> {
    let options = GridOptions {
        algorithms: args.algorithm,
        directions: args.direction,
        sizes: sizes(args.size),
        bursts: args.burst,
        calls: args.call,
        provider: args.provider,
        peers: args.peer,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &[],
        |tables| {
            let mut steps = Steps::new();
            run_grid(&options, cpu, &mut steps.above(tables), &mut |step| {
                steps.show(step.done, step.total, &step.what);
            })
        },
        |report, out| grid::page::write(report, out),
    )
}
