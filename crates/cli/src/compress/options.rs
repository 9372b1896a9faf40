//! What a command line asks for, once its options are weighed against each other.

use std::ffi::OsString;

use broadloom::compression::format::Format;
use broadloom::compression::framed;

use super::args::{CommonArgs, CompressArgs, DecompressArgs};
use super::container::Container;
use super::level::Level;
use super::suffix::Suffixes;
use super::wanted::Wanted;
use crate::files::{Manner, Verbosity};

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

/// What is asked for.
#[derive(Debug)]
pub struct Options {
    pub task: Task,
    pub manner: Manner,
    /// Names and times are stored, or restored.
    pub names: bool,
    pub suffixes: Suffixes,
    /// Texts are to be converted, which no system here needs.
    pub ascii: bool,
    pub coding: Coding,
}

/// How data are coded.
#[derive(Debug)]
pub struct Coding {
    /// What data are wrapped in. To compress there is always one.
    pub container: Option<Container>,
    pub level: Level,
    pub threads: Option<usize>,
    pub jobs: Option<usize>,
    pub chunk: Option<usize>,
    /// The content says where chunks end.
    pub rsyncable: bool,
    pub verify: bool,
    /// An index of a BGZF file is made, to be written beside it.
    pub index: bool,
    /// Each chunk becomes a member of gzip.
    pub members: bool,
    /// Each block of LZ4 has a checksum.
    pub block_checksums: bool,
    /// The window of zstd, as a power of two.
    pub long: Option<u8>,
    /// Most bytes that zstd may need for a window, to decompress.
    pub memory: Option<u64>,
    pub provider: Option<Wanted>,
    pub fallback: bool,
    /// Most bytes that a file may decompress to.
    pub limit: Option<u64>,
    /// Something is done whatever there is against it.
    pub force: bool,
}

impl Options {
    /// Those of `broadloom compress`, and its files.
    ///
    /// # Errors
    /// What does not go together, in words.
    pub fn of_compress(args: CompressArgs) -> Result<(Options, Vec<OsString>), String> {
        let task = task(&args.common, args.common.decompress);
        let mut common = args.common;
        if args.zlib {
            common.format = Some(Container::Format(Format::Zlib));
        } else if args.zip {
            common.format = Some(Container::Zip);
        }
        if task == Task::Compress {
            let container = common.format.unwrap_or(Container::Format(Format::Gzip));
            common.format = Some(container);
            if common.limit.is_some() {
                return Err("--limit is of use to decompress only: with -d, -t or -l".to_owned());
            }
            if args.index && container != Container::Format(Format::Bgzf) {
                return Err(format!("--index is of use for --format bgzf only, not {container}"));
            }
            if args.members && container != Container::Format(Format::Gzip) {
                return Err(format!("--members is of use for --format gzip only, not {container}"));
            }
            if common.memory.is_some() {
                return Err("--memory is of use to decompress only: with -d, -t or -l".to_owned());
            }
            let of = |is_set: bool, option: &str, format| match is_set {
                true if container != Container::Frames(format) => {
                    Err(format!("{option} is of use for --format {format} only, not {container}"))
                }
                _ => Ok(()),
            };
            of(common.long.is_some(), "--long", framed::Format::Zstd)?;
            of(args.block_checksums, "--block-checksums", framed::Format::Lz4)?;
            let files = &common.files;
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
        let names = if task == Task::Compress { !common.no_name } else { common.name };
        let (mut options, files) = Options::of(common, task)?;
        options.names = names;
        options.coding.index = args.index;
        options.coding.members = args.members;
        options.coding.block_checksums = args.block_checksums;
        options.coding.chunk = chunk.transpose()?.or(args.blocksize.map(|kib| kib << 10));
        options.coding.rsyncable = args.rsyncable;
        options.coding.verify = args.verify;
        Ok((options, files))
    }

    /// Those of `broadloom decompress`, and its files.
    ///
    /// # Errors
    /// What does not go together, in words.
    pub fn of_decompress(args: DecompressArgs) -> Result<(Options, Vec<OsString>), String> {
        let task = task(&args.common, true);
        Options::of(args.common, task)
    }

    fn of(args: CommonArgs, task: Task) -> Result<(Options, Vec<OsString>), String> {
        match args.format.and_then(Container::frames) {
            Some(format) => {
                let of_providers =
                    [(args.provider.is_some(), "--provider"), (args.jobs.is_some(), "--jobs")];
                if let Some((_, option)) = of_providers.into_iter().find(|(is_set, _)| *is_set) {
                    return Err(format!(
                        "{option} is of use for DEFLATE only, which providers compress, not for \
                         --format {format}"
                    ));
                }
            }
            None => args.level.check_deflate()?,
        }
        let manner = Manner {
            stdout: args.stdout,
            test: task == Task::Test,
            force: args.force,
            keep: args.keep,
            recursive: args.recursive,
            verbosity: Verbosity::of(args.quiet, args.verbose),
            progress: args.progress,
            synchronous: args.synchronous,
        };
        let options = Options {
            task,
            manner,
            names: args.name,
            suffixes: Suffixes::new(args.suffix)?,
            ascii: args.ascii,
            coding: Coding {
                container: args.format,
                level: args.level,
                threads: args.threads,
                jobs: args.jobs,
                chunk: None,
                rsyncable: false,
                verify: false,
                index: false,
                members: false,
                block_checksums: false,
                long: args.long,
                memory: args.memory.map(|memory| memory.get()),
                provider: args.provider,
                fallback: args.fallback,
                limit: args.limit.map(|limit| limit.get()),
                force: args.force,
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
