//! `broadloom-perf matrix`.

use std::path::{Path, PathBuf};

use broadloom::provider::ProviderSpec;
use broadloom::workers::Placement;
use broadloom::{Algorithm, Direction};
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::matrix::{self, Driver, Suite};
use broadloom_perf::measure::sizes::Sizes;
use broadloom_perf::names::{Cache, Call, Kind, Peer, Sharing};
use broadloom_perf::report::baseline::Baseline;
use broadloom_perf::{MatrixOptions, run_matrix};
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, cores, jobs, name, placement, provider, sizes};

/// Measure the engine and its providers: algorithms by sizes by cores by bursts, side by side
///
/// Every provider works on the same buffers in turn, in one process. The tables give cycles per
/// buffer (the minimum of many repeats and their median), throughput, how far that is from the
/// limit that the operation count sets, and what native gains over each other. All lists are
/// separated by commas.
#[derive(Args)]
pub struct MatrixArgs {
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

    /// Where the threads of several cores run: packed (hardware threads of one core first), spread
    /// (cores of their own first), anywhere (not pinned)
    #[arg(long, default_value = "spread", value_parser = placement, value_name = "WHERE")]
    placement: Placement,

    /// Providers with their options: native, native:isa=portable, openssl,
    /// openssl:contexts=per-job, ipsec-mb [default: native,openssl]
    #[arg(long, value_delimiter = ',', value_parser = provider, value_name = "LIST")]
    provider: Vec<ProviderSpec>,

    /// Libraries whose own calls are measured beside the providers, without the engine around them:
    /// openssl, ipsec-mb, and where this program was built with their features ring, aws-lc-rs,
    /// secp256k1
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

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_matrix`] and [`leave`].
pub fn run(args: MatrixArgs, cpu: &Cpu) -> Result<(), Failure> {
    let inputs: Vec<&Path> = args.baseline.as_deref().into_iter().collect();
    let options = MatrixOptions {
        suite: args.suite,
        algorithms: args.algorithm,
        directions: args.direction,
        sizes: sizes(args.size),
        cores: args.cores,
        placement: Some(args.placement),
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
