//! The `broadloom` command: hash, verify, cut, compress, encrypt and save many files, and tell what
//! the machine can do.

#![forbid(unsafe_code)]

mod chunks;
mod compress;
mod encrypt;
mod files;
mod hash;
mod info;
mod perf;
mod prompt;
mod provider;
#[cfg(feature = "snapshot")]
mod snapshot;
mod top;
mod verify;

use std::process::ExitCode;

use broadloom_program::command_line::parse;
use broadloom_program::completions::{self, CompletionsArgs};
use broadloom_program::cpu::requested_cpu;
#[cfg(not(feature = "snapshot"))]
use broadloom_program::left_out::LeftOutArgs;
use broadloom_program::man::{self, ManArgs};
use broadloom_program::message::{USAGE, complain, printed_status};
use broadloom_program::streams;
use clap::{CommandFactory, Parser, Subcommand};

/// Hashes, verifies, cuts, compresses, encrypts and saves many files at once, and tells what the
/// machine can do
#[derive(Parser)]
#[command(name = "broadloom", version, propagate_version = true, infer_long_args = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Compress(Box<compress::CompressArgs>),
    Decompress(Box<compress::DecompressArgs>),
    Encrypt(Box<encrypt::EncryptArgs>),
    Decrypt(Box<encrypt::DecryptArgs>),
    Keygen(encrypt::KeygenArgs),
    Hash(hash::HashArgs),
    Chunks(Box<chunks::ChunksArgs>),
    VerifySignatures(Box<verify::VerifyArgs>),
    #[cfg(feature = "snapshot")]
    Snapshot(Box<snapshot::SnapshotArgs>),
    /// Save files in a repository of restic's format; this program was built without the command
    #[cfg(not(feature = "snapshot"))]
    Snapshot(LeftOutArgs),
    Info(info::InfoArgs),
    Top(top::TopArgs),
    Perf(perf::PerfArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

fn main() -> ExitCode {
    if let Err(error) = streams::refuse_closed() {
        return printed_status("broadloom", Err(error));
    }
    let args = compress::numbers_spelled_out(std::env::args_os().collect(), &Cli::command());
    let cli: Cli = match parse("broadloom", args) {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    let cpu = match requested_cpu() {
        Ok(cpu) => cpu,
        Err(error) => {
            complain("broadloom", &error);
            return ExitCode::from(USAGE);
        }
    };
    match cli.command {
        Command::Compress(args) => compress::compress(*args, &cpu),
        Command::Decompress(args) => compress::decompress(*args, &cpu),
        Command::Encrypt(args) => encrypt::encrypt(*args, &cpu),
        Command::Decrypt(args) => encrypt::decrypt(*args, &cpu),
        Command::Keygen(args) => encrypt::keygen(args),
        Command::Hash(args) => hash::run(args, &cpu),
        Command::Chunks(args) => chunks::run(*args, &cpu),
        Command::VerifySignatures(args) => verify::run(*args, &cpu),
        #[cfg(feature = "snapshot")]
        Command::Snapshot(args) => snapshot::run(*args, &cpu),
        #[cfg(not(feature = "snapshot"))]
        Command::Snapshot(args) => args.refuse("broadloom", "broadloom-cli", "snapshot"),
        Command::Info(args) => printed_status("broadloom info", info::run(&args, &cpu)),
        Command::Top(args) => top::run(args),
        Command::Perf(args) => perf::run(&args),
        Command::Completions(args) => {
            printed_status("broadloom completions", completions::run(&args, Cli::command()))
        }
        Command::Man(args) => man::run(&args, Cli::command()),
    }
}
