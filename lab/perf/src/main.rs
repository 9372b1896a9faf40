//! `broadloom-perf`: measures Broadloom and its peers on this machine.

mod command;

use std::process::ExitCode;

use broadloom_lanes::Cpu;
use broadloom_program::command_line::parse;
use broadloom_program::completions::{self, CompletionsArgs};
use broadloom_program::cpu::requested_cpu;
#[cfg(not(feature = "storage"))]
use broadloom_program::left_out::LeftOutArgs;
use broadloom_program::man::{self, ManArgs};
use broadloom_program::message::{USAGE, complain, printed_status};
use broadloom_program::{signals, streams};
use clap::{CommandFactory, Parser, Subcommand};

use command::failure::Failure;
#[cfg(feature = "storage")]
use command::storage;
#[cfg(target_os = "linux")]
use command::transmit;
use command::{compress, device, grid, matrix, packets, peers, pk, stalls, workloads};

const PROGRAM: &str = "broadloom-perf";

/// Measures how fast this machine is, with Broadloom and with other libraries
#[derive(Parser)]
#[command(name = PROGRAM, version, propagate_version = true, infer_long_args = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Workloads(Box<workloads::WorkloadArgs>),
    Matrix(Box<matrix::MatrixArgs>),
    Grid(Box<grid::GridArgs>),
    Compress(Box<compress::CompressArgs>),
    Device(Box<device::DeviceArgs>),
    Packets(Box<packets::PacketArgs>),
    Pk(Box<pk::PkArgs>),
    Stalls(Box<stalls::StallArgs>),
    #[cfg(feature = "storage")]
    Storage(Box<storage::StorageArgs>),
    /// Measure storage; this program was built without the command
    #[cfg(not(feature = "storage"))]
    Storage(LeftOutArgs),
    #[cfg(target_os = "linux")]
    Transmit(Box<transmit::TransmitArgs>),
    Peers(peers::PeersArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

fn main() -> ExitCode {
    if let Err(error) = streams::refuse_closed() {
        return printed_status(PROGRAM, Err(error));
    }
    let cli: Cli = match parse(PROGRAM, std::env::args_os()) {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    let cpu = match requested_cpu() {
        Ok(cpu) => cpu,
        Err(error) => {
            complain(PROGRAM, &error);
            return ExitCode::from(USAGE);
        }
    };
    match cli.command {
        Command::Peers(args) => printed_status(PROGRAM, peers::run(&args, &cpu)),
        Command::Completions(args) => {
            printed_status(PROGRAM, completions::run(&args, Cli::command()))
        }
        Command::Man(args) => man::run(&args, Cli::command()),
        #[cfg(not(feature = "storage"))]
        Command::Storage(args) => args.refuse(PROGRAM, "broadloom-perf", "storage"),
        measurement => measure(measurement, &cpu),
    }
}

/// Runs a measurement and turns its failure into a message and an exit status.
fn measure(command: Command, cpu: &Cpu) -> ExitCode {
    let watched = signals::watch_and(clear).map_err(Failure::Signals);
    let done = watched.and_then(|()| match command {
        Command::Workloads(args) => workloads::run(*args, cpu),
        Command::Matrix(args) => matrix::run(*args, cpu),
        Command::Grid(args) => grid::run(*args, cpu),
        Command::Compress(args) => compress::run(*args, cpu),
        Command::Device(args) => device::run(*args, cpu),
        Command::Packets(args) => packets::run(*args, cpu),
        Command::Pk(args) => pk::run(*args, cpu),
        Command::Stalls(args) => stalls::run(*args, cpu),
        #[cfg(feature = "storage")]
        Command::Storage(args) => storage::run(*args, cpu),
        #[cfg(not(feature = "storage"))]
        Command::Storage(_) => unreachable!("it is refused before"),
        #[cfg(target_os = "linux")]
        Command::Transmit(args) => transmit::run(*args, cpu),
        Command::Peers(_) | Command::Completions(_) | Command::Man(_) => {
            unreachable!("these measure nothing")
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_silent() => signals::die_of_broken_pipe(),
        Err(failure) => {
            complain(PROGRAM, &failure.to_string());
            if failure.is_usage() { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
        }
    }
}

/// Removes what a measurement has made, when a signal ends the program.
fn clear() {
    #[cfg(feature = "storage")]
    storage::clear();
}
