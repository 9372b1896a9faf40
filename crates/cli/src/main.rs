//! The `broadloom` command: hash many files at once, measure, and tell what the machine can do.

mod hash;

use std::process::ExitCode;

use broadloom_lanes::Cpu;
use clap::{Parser, Subcommand};

/// Hashes many files at once, measures, and tells what the machine can do
#[derive(Parser)]
#[command(name = "broadloom", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Hash(hash::HashArgs),
}

/// The exit status of a command line, or an environment, that is wrong.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let cpu = match requested_cpu() {
        Ok(cpu) => cpu,
        Err(error) => {
            eprintln!("broadloom: {error}");
            return ExitCode::from(USAGE);
        }
    };
    match cli.command {
        Command::Hash(args) => hash::run(args, &cpu),
    }
}

/// The CPU, with the instruction set that `BROADLOOM_ISA` asks for.
fn requested_cpu() -> Result<Cpu, String> {
    let request = std::env::var_os("BROADLOOM_ISA").map(|name| name.to_string_lossy().into_owned());
    Cpu::from_request(request.as_deref()).map_err(|error| format!("BROADLOOM_ISA: {error}"))
}
