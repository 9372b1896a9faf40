//! `broadloom-perf transmit`.

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::transmit::{By, MAX_CONNECTIONS, MAX_WRITE, page};
use broadloom_perf::{TransmitOptions, run_transmit};
use broadloom_program::size::parse_size;
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, name, number};

/// Measure what it costs to transmit over TCP: plaintext, and TLS 1.3 by several libraries
///
/// The table has cycles for each KiB, CPU time and throughput by the number of connections and the
/// length of a write, next to the figures of an article at Sun. Both ends are threads of this
/// program on different cores, connected by the loopback device. Before it is timed, everything
/// that a side sends is decrypted and compared. Separate the items of lists by commas.
#[derive(Args)]
pub struct TransmitArgs {
    /// Numbers of connections [default: 1,4,8,32,100,400,1000,2000,4000,6000]
    #[arg(long, value_delimiter = ',', value_parser = connections, value_name = "LIST")]
    connections: Vec<usize>,

    /// Bytes of a write, such as 8K [default: 1K,8K,64K]
    #[arg(long, value_delimiter = ',', value_parser = bytes, value_name = "LIST")]
    write: Vec<usize>,

    /// Who makes records of what is written: plain (nobody), records (Broadloom's, of many
    /// connections in a burst), openssl, rustls (where this program was built with that feature),
    /// ktls (the kernel, if it has TLS) [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<By>, value_name = "LIST")]
    by: Vec<By>,

    #[command(flatten)]
    files: FileArgs,

    /// Take less time, for figures that are less steady
    #[arg(long)]
    quick: bool,
}

fn connections(text: &str) -> Result<usize, String> {
    number(text, format_args!("a list of numbers from 1 to {MAX_CONNECTIONS}"))
}

fn bytes(text: &str) -> Result<usize, String> {
    let size = parse_size(text)?.get();
    usize::try_from(size).map_err(|_| format!("expected at most {MAX_WRITE} bytes"))
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_transmit`] and [`leave`].
pub fn run(args: TransmitArgs, cpu: &Cpu) -> Result<(), Failure> {
    let options = TransmitOptions {
        connections: args.connections,
        writes: args.write,
        by: args.by,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &[],
        |tables| run_transmit(&options, cpu, tables),
        |report, out| page::write(report, out),
    )
}
