//! What a command line asks for, once its options are weighed against each other.

use std::ffi::OsString;

use broadloom::ProviderSpec;
use broadloom::compression::decompress::Garbage;
use broadloom::compression::format::Format;

use super::args::{CommonArgs, CompressArgs, DecompressArgs};
use super::level::Level;
use super::suffix::Suffixes;

/// What is done with each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// It is compressed.
    Compress,
    /// It is decompressed.
    Decompress,
    /// It is decompressed, and the data dropped.
    Test,
    /// The same, and its sizes told.
    List,
}

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors.
    Quiet,
    /// What has to be known.
    Normal,
    /// What was done with each file.
    Verbose,
}

/// What is asked for.
#[derive(Debug)]
pub struct Options {
    pub task: Task,
    pub stdout: bool,
    pub force: bool,
    pub keep: bool,
    /// Names and times are stored, or restored.
    pub names: bool,
    pub recursive: bool,
    pub verbosity: Verbosity,
    pub suffixes: Suffixes,
    /// The progress bar is shown from the start.
    pub progress: bool,
    pub coding: Coding,
}

/// How data are coded.
#[derive(Debug)]
pub struct Coding {
    /// The format. To compress there is always one.
    pub format: Option<Format>,
    pub level: Level,
    pub threads: Option<usize>,
    pub jobs: Option<usize>,
    pub chunk: Option<usize>,
    pub verify: bool,
    /// An index of a BGZF file is made, to be written beside it.
    pub index: bool,
    pub provider: Option<ProviderSpec>,
    pub fallback: bool,
    /// Most bytes that a file may decompress to.
    pub limit: Option<u64>,
    /// What to do about what is not compressed.
    pub garbage: Garbage,
}

impl Options {
    /// Those of `broadloom compress`, and its files.
    ///
    /// # Errors
    /// What does not go together, in words.
    pub fn of_compress(args: CompressArgs) -> Result<(Options, Vec<OsString>), String> {
        let task = task(&args.common, args.decompress);
        let format = args.common.format.unwrap_or(Format::Gzip);
        if task == Task::Compress {
            if args.common.limit.is_some() {
                return Err("--limit is of use to decompress only: with -d, -t or -l".to_owned());
            }
            if args.index && format != Format::Bgzf {
                return Err(format!("--index is of use for --format bgzf only, not {format}"));
            }
            let files = &args.common.files;
            if args.index && (files.is_empty() || files.iter().any(|file| file == "-")) {
                return Err(
                    "--index is written beside a file: standard input has no such place".to_owned()
                );
            }
        }
        let chunk = args.chunk.map(|chunk| {
            usize::try_from(chunk.get())
                .map_err(|_| format!("a chunk of {chunk} bytes fits into no memory"))
        });
        let mut common = args.common;
        if task == Task::Compress {
            common.format = Some(format);
        }
        let names = if task == Task::Compress { !common.no_name } else { common.name };
        let (mut options, files) = Options::of(common, task, args.level)?;
        options.names = names;
        options.coding.index = args.index;
        options.coding.chunk = chunk.transpose()?;
        options.coding.verify = args.verify;
        Ok((options, files))
    }

    /// Those of `broadloom decompress`, and its files.
    ///
    /// # Errors
    /// What does not go together, in words.
    pub fn of_decompress(args: DecompressArgs) -> Result<(Options, Vec<OsString>), String> {
        let task = task(&args.common, true);
        Options::of(args.common, task, Level { number: 1 })
    }

    fn of(args: CommonArgs, task: Task, level: Level) -> Result<(Options, Vec<OsString>), String> {
        let verbosity = match (args.quiet, args.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let options = Options {
            task,
            stdout: args.stdout,
            force: args.force,
            keep: args.keep,
            names: args.name,
            recursive: args.recursive,
            verbosity,
            suffixes: Suffixes::new(args.suffix)?,
            progress: args.progress,
            coding: Coding {
                format: args.format,
                level,
                threads: args.threads,
                jobs: args.jobs,
                chunk: None,
                verify: false,
                index: false,
                provider: args.provider,
                fallback: args.fallback,
                limit: args.limit.map(|limit| limit.get()),
                garbage: match args.force {
                    true if args.stdout && task != Task::List => Garbage::Copy,
                    true => Garbage::Report,
                    false => Garbage::Refuse,
                },
            },
        };
        Ok((options, args.files))
    }
}

fn task(args: &CommonArgs, decompress: bool) -> Task {
    match args {
        CommonArgs { list: true, .. } => Task::List,
        CommonArgs { test: true, .. } => Task::Test,
        _ if decompress => Task::Decompress,
        _ => Task::Compress,
    }
}
