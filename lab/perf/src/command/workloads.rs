//! `broadloom-perf workloads`.

use broadloom::Algorithm;
use broadloom_lanes::{Cpu, Isa};
use broadloom_perf::experiments::workloads;
use broadloom_perf::measure::course::Course;
use broadloom_perf::measure::sizes::Sizes;
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::names::{Cache, Order, Peer};
use broadloom_perf::{WorkloadOptions, watch_workloads};
use broadloom_program::progress::Steps;
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, jobs, name, sizes};

/// Measure the four workloads of Intel's paper on multiple buffers, beside other libraries
///
/// Many buffers are authenticated or encrypted by each implementation in turn, in one process on
/// one core. The tables give cycles per buffer (the minimum of many repeats), what that is in
/// relation to the others, and to the limit that the operation count sets. All lists are separated
/// by commas.
#[derive(Args)]
pub struct WorkloadArgs {
    /// Algorithms such as hmac-sha1, sha256, aes-128-cbc [default: hmac-sha1,aes-128-cbc]
    #[arg(long, value_delimiter = ',', value_parser = name::<Algorithm>, value_name = "LIST")]
    algorithm: Vec<Algorithm>,

    /// Directions: encrypt, decrypt, mixed (half of the buffers are encrypted, half decrypted),
    /// generate, digest [default: each algorithm's first]
    #[arg(long, value_delimiter = ',', value_parser = name::<Course>, value_name = "LIST")]
    direction: Vec<Course>,

    /// Workloads: 0 (all small), 1 and 2 (mixes), 3 (2048 bytes) [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<Workload>, value_name = "LIST")]
    workload: Vec<Workload>,

    /// Sizes in bytes (64), ranges (64:64:512, 32:x2:8192) and mixes (imix, imix:64x7+1518x1) in
    /// place of the workloads, unless both are asked for
    #[arg(long, value_delimiter = ',', value_parser = name::<Sizes>, value_name = "LIST")]
    size: Vec<Sizes>,

    /// Managers: in-order, out-of-order [default: in order for AES, else out of order]
    #[arg(long, value_delimiter = ',', value_parser = name::<Order>, value_name = "LIST")]
    order: Vec<Order>,

    /// Jobs known at once, 1 to 1024
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = jobs,
        default_value = "64",
        value_name = "LIST"
    )]
    burst: Vec<usize>,

    /// Libraries to compare with: openssl, ipsec-mb, and where this program was built with their
    /// features ring, aws-lc-rs, secp256k1 [default: openssl,ipsec-mb]
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

    /// Instruction sets, such as avx2 or portable [default: BROADLOOM_ISA, else the best there is]
    #[arg(long, value_delimiter = ',', value_parser = name::<Isa>, value_name = "LIST")]
    isa: Vec<Isa>,

    /// CPU features that the lanes are to do without, such as sha or aes (`broadloom info` has the
    /// names)
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    without: Vec<String>,

    /// Caches: warm, cold [default: warm]
    #[arg(long, value_delimiter = ',', value_parser = name::<Cache>, value_name = "LIST")]
    cache: Vec<Cache>,

    #[command(flatten)]
    files: FileArgs,

    /// Take less than ten seconds, for figures that are less steady
    #[arg(long)]
    quick: bool,

    /// Measure bursts alone, and tell what is gained in one table and one sentence
    #[arg(long)]
    summary: bool,
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`watch_workloads`] and [`leave`].
pub fn run(args: WorkloadArgs, cpu: &Cpu) -> Result<(), Failure> {
    let against = match (args.alone, args.against.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => Peer::LIBRARIES.to_vec(),
        (false, false) => args.against,
    };
    let options = WorkloadOptions {
        algorithms: args.algorithm,
        directions: args.direction,
        workloads: args.workload,
        sizes: sizes(args.size),
        orders: args.order,
        bursts: args.burst,
        against,
        isas: if args.isa.is_empty() { vec![cpu.isa()] } else { args.isa },
        without: args.without,
        caches: args.cache,
        quick: args.quick,
        summary: args.summary,
        command: Some(command_line(std::env::args_os().skip(1))),
    };
    leave(
        &args.files,
        &[],
        |tables| {
            let mut steps = Steps::new();
            watch_workloads(&options, &mut steps.above(tables), &mut |step| {
                steps.show(step.done, step.total, &step.what);
            })
        },
        |report, out| workloads::page::write(report, out),
    )
}
