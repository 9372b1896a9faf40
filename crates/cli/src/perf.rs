//! `broadloom perf`: measurements.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use broadloom_engine::{Algorithm, Direction};
use broadloom_lanes::{Cpu, Isa};
use broadloom_perf::names::{Cache, Order, Peer};
use broadloom_perf::sizes::Sizes;
use broadloom_perf::workload::Workload;
use broadloom_perf::{PerfError, WorkloadOptions, run_workloads};
use clap::{Args, Subcommand};

/// Measure how fast this machine is
#[derive(Args)]
pub struct PerfArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Workloads(WorkloadArgs),
}

/// Measure the four workloads of Intel's paper on multiple buffers, beside other libraries
///
/// Many buffers are authenticated or encrypted by each implementation in turn, in one process on one
/// core. The tables give cycles per buffer (the minimum of many repeats), what that is in relation to
/// the others, and to the limit that the operation count sets. All lists are separated by commas.
#[derive(Args)]
struct WorkloadArgs {
    /// Algorithms such as hmac-sha1, sha256, aes-128-cbc [default: hmac-sha1,aes-128-cbc]
    #[arg(long, value_delimiter = ',', value_parser = name::<Algorithm>, value_name = "LIST")]
    algorithm: Vec<Algorithm>,

    /// Directions: encrypt, decrypt, generate, digest [default: each algorithm's first]
    #[arg(long, value_delimiter = ',', value_parser = name::<Direction>, value_name = "LIST")]
    direction: Vec<Direction>,

    /// Workloads: 0 (all small), 1 and 2 (mixes), 3 (2048 bytes) [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<Workload>, value_name = "LIST")]
    workload: Vec<Workload>,

    /// Sizes in bytes (64), ranges (64:64:512, 32:x2:8192) and mixes (imix, imix:64x7+1518x1) in place
    /// of the workloads, unless both are asked for
    #[arg(long, value_delimiter = ',', value_parser = name::<Sizes>, value_name = "LIST")]
    size: Vec<Sizes>,

    /// Managers: in-order, out-of-order [default: in order for AES, else out of order]
    #[arg(long, value_delimiter = ',', value_parser = name::<Order>, value_name = "LIST")]
    order: Vec<Order>,

    /// Jobs known at once, 1 to 1024
    #[arg(long, value_delimiter = ',', default_value = "64", value_name = "LIST")]
    burst: Vec<usize>,

    /// Libraries to compare with: openssl, ipsec-mb [default: both]
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = name::<Peer>,
        value_name = "LIST",
        conflicts_with = "alone",
    )]
    against: Vec<Peer>,

    /// Compare with no other library
    #[arg(long)]
    alone: bool,

    /// Instruction sets: avx512, avx2, neon, portable [default: BROADLOOM_ISA, else the best there is]
    #[arg(long, value_delimiter = ',', value_parser = name::<Isa>, value_name = "LIST")]
    isa: Vec<Isa>,

    /// CPU features that the lanes are to do without, such as sha or aes (`broadloom info` has the names)
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    without: Vec<String>,

    /// Caches: warm, cold [default: warm]
    #[arg(long, value_delimiter = ',', value_parser = name::<Cache>, value_name = "LIST")]
    cache: Vec<Cache>,

    /// Write all rows to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Take less than ten seconds, for figures that are less steady
    #[arg(long)]
    quick: bool,
}

/// Reads a name as the library knows it.
fn name<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_workloads`].
pub fn run(args: PerfArgs, cpu: &Cpu) -> Result<(), PerfError> {
    let What::Workloads(args) = args.what;
    let against = match (args.alone, args.against.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => Peer::ALL.to_vec(),
        (false, false) => args.against,
    };
    let options = WorkloadOptions {
        algorithms: args.algorithm,
        directions: args.direction,
        workloads: args.workload,
        sizes: args.size.into_iter().flat_map(|Sizes(sizes)| sizes).collect(),
        orders: args.order,
        bursts: args.burst,
        against,
        isas: if args.isa.is_empty() { vec![cpu.isa()] } else { args.isa },
        without: args.without,
        caches: args.cache,
        json: args.json,
        quick: args.quick,
    };
    run_workloads(&options, &mut io::stdout().lock()).map(drop)
}
