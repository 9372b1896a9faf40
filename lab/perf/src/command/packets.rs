//! `broadloom-perf packets`.

use broadloom::workers::Placement;
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::packets::{Call, Frames, PacketPeer, Protocol, Way, page};
use broadloom_perf::{PacketOptions, run_packets};
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, jobs, name, number, placement};

/// Measure packets: ESP, SRTP, QUIC, WireGuard, TLS and DTLS, by frames, flows, bursts and calls
///
/// Every side works on the same packets in turn. What was protected is unprotected and compared
/// before anything is timed. All lists are separated by commas.
#[derive(Args)]
pub struct PacketArgs {
    /// Protocols and suites, such as wireguard, esp-aes-128-gcm [default: those of most users]
    #[arg(long, value_delimiter = ',', value_parser = name::<Protocol>, value_name = "LIST")]
    protocol: Vec<Protocol>,

    /// Directions: protect, unprotect [default: both]
    #[arg(long, value_delimiter = ',', value_parser = name::<Way>, value_name = "LIST")]
    direction: Vec<Way>,

    /// Bytes of a frame before it is protected, or imix [default: 64,512,1420,imix]
    #[arg(long, value_delimiter = ',', value_parser = name::<Frames>, value_name = "LIST")]
    frame: Vec<Frames>,

    /// Numbers of flows that the packets belong to, up to 1048576 [default: 64]
    #[arg(long, value_delimiter = ',', value_parser = count, value_name = "LIST")]
    flows: Vec<usize>,

    /// Packets of a burst [default: 64]
    #[arg(long, value_delimiter = ',', value_parser = jobs, value_name = "LIST")]
    burst: Vec<usize>,

    /// Numbers of workers, for the calls workers, threads, futures and event-fd [default: 1]
    #[arg(long, value_delimiter = ',', value_parser = count, value_name = "LIST")]
    workers: Vec<usize>,

    /// Where workers run: packed, spread, anywhere
    #[arg(long, default_value = "anywhere", value_parser = placement, value_name = "WHERE")]
    placement: Placement,

    /// How packets are handed over: single, burst, queue-pair, workers (a burst is divided),
    /// threads (each has bursts and flows of its own), futures, event-fd [default: burst]
    #[arg(long, value_delimiter = ',', value_parser = name::<Call>, value_name = "LIST")]
    call: Vec<Call>,

    /// Libraries that are measured beside ours: ipsec-mb (AES-GCM and AES-CBC with HMAC-SHA1, in
    /// our packet path), libsrtp2, openssl (records of TLS 1.3), and where this program was built
    /// with the features of these names, rustls (QUIC) and boringtun (WireGuard)
    #[arg(long, value_delimiter = ',', value_parser = name::<PacketPeer>, value_name = "LIST")]
    peer: Vec<PacketPeer>,

    #[command(flatten)]
    files: FileArgs,

    /// Take less time, for figures that are less steady
    #[arg(long)]
    quick: bool,
}

fn count(text: &str) -> Result<usize, String> {
    number(text, "a list of numbers")
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_packets`] and [`leave`].
pub fn run(args: PacketArgs, cpu: &Cpu) -> Result<(), Failure> {
    let options = PacketOptions {
        protocols: args.protocol,
        directions: args.direction,
        frames: args.frame,
        flows: args.flows,
        bursts: args.burst,
        workers: args.workers,
        placement: args.placement,
        calls: args.call,
        peers: args.peer,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    leave(
        &args.files,
        &[],
        |tables| run_packets(&options, cpu, tables),
        |report, out| page::write(report, out),
    )
}
