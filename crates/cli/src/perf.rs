//! `broadloom perf`: measurements.

mod compress;
mod device;
mod failure;
mod files;
mod pk;
mod storage;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use broadloom::provider::ProviderSpec;
use broadloom::{Algorithm, Direction};
use broadloom_cli::message::{USAGE, complain};
use broadloom_cli::provider::provider;
use broadloom_cli::signals;
use broadloom_lanes::{Cpu, Isa};
use broadloom_perf::experiments::matrix::{Driver, Suite, available_cores};
use broadloom_perf::experiments::{MAX_BURST, matrix, workloads};
use broadloom_perf::measure::sizes::Sizes;
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::names::{Cache, Call, Kind, Order, Peer, Sharing};
use broadloom_perf::report::baseline::Baseline;
use broadloom_perf::{MatrixOptions, WorkloadOptions, run_matrix, run_workloads};
use clap::{Args, Subcommand};

use failure::Failure;
use files::{FileArgs, leave};

/// Measure how fast this machine is
#[derive(Args)]
pub struct PerfArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Workloads(Box<WorkloadArgs>),
    Matrix(Box<MatrixArgs>),
    Compress(Box<compress::CompressArgs>),
    Device(Box<device::DeviceArgs>),
    Pk(Box<pk::PkArgs>),
    Storage(Box<storage::StorageArgs>),
}

/// Measure the four workloads of Intel's paper on multiple buffers, beside other libraries
///
/// Many buffers are authenticated or encrypted by each implementation in turn, in one process on
/// one core. The tables give cycles per buffer (the minimum of many repeats), what that is in
/// relation to the others, and to the limit that the operation count sets. All lists are separated
/// by commas.
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
    /// features ring, aws-lc-rs [default: openssl,ipsec-mb]
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
}

/// Measure the engine and its providers: algorithms by sizes by cores by bursts, side by side
///
/// Every provider works on the same buffers in turn, in one process. The tables give cycles per
/// buffer (the minimum of many repeats and their median), throughput, how far that is from the
/// limit that the operation count sets, and what native gains over each other. All lists are
/// separated by commas.
#[derive(Args)]
struct MatrixArgs {
    /// An experiment to run: dpdk-openssl, the matrix of DPDK's OpenSSL driver, or
    /// dpdk-openssl-states, the same by the states of its patches. Sizes, cores, algorithms and
    /// directions then narrow it
    #[arg(long, value_parser = name::<Suite>, value_name = "NAME")]
    suite: Option<Suite>,

    /// Algorithms such as hmac-sha1, aes-128-gcm, aes-128-cbc+hmac-sha1 [default:
    /// hmac-sha1,aes-128-cbc]
    #[arg(long, value_delimiter = ',', value_parser = name::<Algorithm>, value_name = "LIST")]
    algorithm: Vec<Algorithm>,

    /// Directions: digest, generate, verify, encrypt, decrypt, seal, open [default: each
    /// algorithm's first]
    #[arg(long, value_delimiter = ',', value_parser = name::<Direction>, value_name = "LIST")]
    direction: Vec<Direction>,

    /// Sizes in bytes (64), ranges (64:64:512, 32:x2:8192) and mixes (imix, imix:64x7+1518x1)
    /// [default: 64,256,1024,4096]
    #[arg(long, value_delimiter = ',', value_parser = name::<Sizes>, value_name = "LIST")]
    size: Vec<Sizes>,

    /// Numbers of cores at work, each with a queue pair of its own [default: 1]
    #[arg(long, value_delimiter = ',', value_parser = cores, value_name = "LIST")]
    cores: Vec<usize>,

    /// Providers with their options: native, native:isa=portable, openssl,
    /// openssl:contexts=per-job, ipsec-mb [default: native,openssl]
    #[arg(long, value_delimiter = ',', value_parser = provider, value_name = "LIST")]
    provider: Vec<ProviderSpec>,

    /// Libraries whose own calls are measured beside the providers, without the engine around them:
    /// openssl, ipsec-mb, and where this program was built with their features ring, aws-lc-rs
    #[arg(long, value_delimiter = ',', value_parser = name::<Peer>, value_name = "LIST")]
    peer: Vec<Peer>,

    /// Crypto drivers of DPDK, measured by dpdk-test-crypto-perf (as root) beside the providers:
    /// crypto_openssl, crypto_aesni_mb, or one with its file, crypto_broadloom=FILE.so. Without a
    /// list: crypto_openssl
    #[arg(long, value_delimiter = ',', value_parser = name::<Driver>, value_name = "LIST",
        num_args = 0..=1, default_missing_value = "crypto_openssl", require_equals = true)]
    dpdk: Vec<Driver>,

    /// Jobs handed over in one call, 1 to 1024 [default: 32]
    #[arg(long, value_delimiter = ',', value_parser = jobs, value_name = "LIST")]
    burst: Vec<usize>,

    /// What is measured: throughput, latency, verify, memory (of a session) [default: throughput]
    #[arg(long, value_delimiter = ',', value_parser = name::<Kind>, value_name = "LIST")]
    kind: Vec<Kind>,

    /// Whether cores have a session together or each its own: shared, per-core [default: shared]
    #[arg(long, value_delimiter = ',', value_parser = name::<Sharing>, value_name = "LIST")]
    session: Vec<Sharing>,

    /// Caches: warm, cold [default: warm]
    #[arg(long, value_delimiter = ',', value_parser = name::<Cache>, value_name = "LIST")]
    cache: Vec<Cache>,

    /// Interfaces that bursts go through: queue-pair, process-many [default: queue-pair]
    #[arg(long, value_delimiter = ',', value_parser = name::<Call>, value_name = "LIST")]
    call: Vec<Call>,

    /// Set asynchronous calls with so many operations outstanding against synchronous ones, in
    /// place of bursts unless --burst or --call is there too
    #[arg(long, value_delimiter = ',', value_parser = jobs, value_name = "LIST")]
    outstanding: Vec<usize>,

    #[command(flatten)]
    files: FileArgs,

    /// Mark what got slower since FILE, which --json wrote
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Take some seconds for the whole, for figures that are less steady
    #[arg(long)]
    quick: bool,
}

/// Reads a name as the library knows it.
fn name<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// Reads a number. Whether it is in its range the library knows.
fn number<T: FromStr>(text: &str, expected: impl Display) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected {expected}"))
}

/// Reads a number of jobs in a list.
fn jobs(text: &str) -> Result<usize, String> {
    number(text, format_args!("a list of numbers from 1 to {MAX_BURST}"))
}

/// Reads a number of cores in a list.
fn cores(text: &str) -> Result<usize, String> {
    number(text, format_args!("a list of numbers from 1 to {}", available_cores()))
}

/// All the workloads that a list of sizes stands for.
fn sizes(list: Vec<Sizes>) -> Vec<Workload> {
    list.into_iter().flat_map(|Sizes(sizes)| sizes).collect()
}

/// Measures what the arguments ask for.
pub fn run(args: PerfArgs, cpu: &Cpu) -> ExitCode {
    let watched = signals::watch_and(storage::clear).map_err(Failure::Signals);
    let done = watched.and_then(|()| match args.what {
        What::Workloads(args) => workloads(*args, cpu),
        What::Matrix(args) => matrix(*args, cpu),
        What::Compress(args) => compress::run(*args, cpu),
        What::Device(args) => device::run(*args, cpu),
        What::Pk(args) => pk::run(*args, cpu),
        What::Storage(args) => storage::run(*args, cpu),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_silent() => signals::die_of_broken_pipe(),
        Err(failure) => {
            complain("broadloom perf", &failure.to_string());
            if failure.is_usage() { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
        }
    }
}

fn workloads(args: WorkloadArgs, cpu: &Cpu) -> Result<(), Failure> {
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
        command: Some(command_line(std::env::args_os().skip(1))),
    };
    leave(
        &args.files,
        &[],
        |tables| run_workloads(&options, tables),
        |report, out| workloads::page::write(report, out),
    )
}

fn matrix(args: MatrixArgs, cpu: &Cpu) -> Result<(), Failure> {
    let inputs: Vec<&Path> = args.baseline.as_deref().into_iter().collect();
    let options = MatrixOptions {
        suite: args.suite,
        algorithms: args.algorithm,
        directions: args.direction,
        sizes: sizes(args.size),
        cores: args.cores,
        providers: args.provider,
        peers: args.peer,
        dpdk: args.dpdk,
        bursts: args.burst,
        kinds: args.kind,
        sharings: args.session,
        caches: args.cache,
        calls: args.call,
        outstanding: args.outstanding,
        baseline: args.baseline.as_deref().map(Baseline::read).transpose()?,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &inputs,
        |tables| run_matrix(&options, cpu, tables),
        |report, out| matrix::page::write(report, options.baseline.as_ref(), out),
    )
}

/// The command line as a shell would take it.
fn command_line(arguments: impl Iterator<Item = OsString>) -> String {
    let quoted = arguments.map(|argument| {
        let text = argument.to_string_lossy();
        let plain = |c: char| c.is_alphanumeric() || "-_=+:,./".contains(c);
        if !text.is_empty() && text.chars().all(plain) {
            return text.into_owned();
        }
        format!("'{}'", text.replace('\'', r"'\''"))
    });
    ["broadloom".to_owned()].into_iter().chain(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_can_be_typed_again() {
        let line = |arguments: &[&str]| command_line(arguments.iter().map(OsString::from));
        assert_eq!(line(&["perf", "matrix", "--size=32,64"]), "broadloom perf matrix --size=32,64");
        assert_eq!(line(&["--json", "it's a file", ""]), r"broadloom --json 'it'\''s a file' ''");
    }
}
