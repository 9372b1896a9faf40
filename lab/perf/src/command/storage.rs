//! `broadloom-perf storage`.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::storage::{MAX_CLIENTS, Over, Topic, page};
use broadloom_perf::{StorageOptions, run_storage};
use broadloom_program::size::parse_size;
use clap::Args;

use super::failure::Failure;
use super::files::{FileArgs, leave};
use super::{command_line, name, number};

/// Measure storage: the workloads of a file server that an article at Sun measured, over plain
/// files, encrypted files and snapshots
///
/// Clients with a set each start together. Tables give throughput, operations a second, how long
/// operations take, and CPU time, beside the article's numbers and beside fio where it is
/// installed. Every read is compared with what was written. All lists are separated by commas.
#[derive(Args)]
pub struct StorageArgs {
    /// Workloads: streaming-read-cold, streaming-read, streaming-write, random-read, random-write,
    /// synchronous-write, create, delete, stat [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<Topic>, value_name = "LIST")]
    figure: Vec<Topic>,

    /// Kinds of storage: directory (plain files), encrypted (files of age), repository (snapshots)
    /// [default: all]
    #[arg(long, value_delimiter = ',', value_parser = name::<Over>, value_name = "LIST")]
    over: Vec<Over>,

    /// Numbers of clients that start together, 1 to 64 [default: 1, and one for each core]
    #[arg(long, value_delimiter = ',', value_parser = clients, value_name = "LIST")]
    clients: Vec<usize>,

    /// The directory to measure in; what is made there is removed at the end
    #[arg(long, default_value = ".", value_name = "DIR")]
    directory: PathBuf,

    /// Bytes of each client's set, in whole MiB, such as 1G [default: 64M; with --quick 4M]
    #[arg(long, value_parser = bytes, value_name = "BYTES")]
    size: Option<u64>,

    #[command(flatten)]
    files: FileArgs,

    /// Take less time, for figures that are less steady
    #[arg(long)]
    quick: bool,
}

fn bytes(text: &str) -> Result<u64, String> {
    Ok(parse_size(text)?.get())
}

fn clients(text: &str) -> Result<usize, String> {
    number(text, format_args!("a list of numbers from 1 to {MAX_CLIENTS}"))
}

/// The directory that a signal removes before it ends the program.
static MADE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Times that a removal is tried while clients still write.
const TRIES: usize = 20;

/// Removes what a measurement has made.
pub fn clear() {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = &*made {
        let _ = (0..TRIES).find(|_| fs::remove_dir_all(path).is_ok());
    }
}

/// Measures what the arguments ask for.
///
/// # Errors
/// As of [`run_storage`] and [`leave`].
pub fn run(args: StorageArgs, cpu: &Cpu) -> Result<(), Failure> {
    let mut options = StorageOptions {
        directory: PathBuf::new(),
        topics: args.figure,
        over: args.over,
        clients: args.clients,
        size: args.size,
        command: Some(command_line(std::env::args_os().skip(1))),
        quick: args.quick,
    };
    options.check()?;
    let failed = |error| Failure::Write { path: args.directory.clone(), error };
    let made = {
        let mut noted = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = args.directory.canonicalize().map_err(failed)?;
        let made = tempfile::Builder::new().prefix(".broadloom-perf-").tempdir_in(directory);
        let made = made.map_err(failed)?;
        *noted = Some(made.path().to_owned());
        made
    };
    options.directory = made.path().to_owned();
    let done = leave(
        &args.files,
        &[],
        |tables| run_storage(&options, cpu, tables),
        |report, out| page::write(report, out),
    );
    *MADE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    done.and(made.close().map_err(failed))
}
