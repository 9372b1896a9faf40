//! The command lines of `broadloom compress` and `broadloom decompress`.

use std::ffi::OsString;
use std::num::NonZeroU64;

use broadloom::compression::framed::WINDOWS as WINDOWS_OF_ZSTD;
use broadloom::compression::{CHUNKS, OUTSTANDING};
use broadloom_program::metrics::MetricsArgs;
use broadloom_program::number::number;
use broadloom_program::size::parse_size;
use clap::Args;

use super::container::Container;
use super::level::Level;
use super::wanted::Wanted;

/// Most threads that can be asked for.
const MAX_THREADS: u64 = 256;

/// Most jobs outstanding for each thread that can be asked for.
const MAX_JOBS: u64 = *OUTSTANDING.end() as u64;

/// The shortest and the longest window of zstd, as powers of two.
const WINDOWS: std::ops::RangeInclusive<u64> =
    *WINDOWS_OF_ZSTD.start() as u64..=*WINDOWS_OF_ZSTD.end() as u64;

/// The largest block, in units of 1024 bytes.
const MAX_BLOCK: u64 = (*CHUNKS.end() >> 10) as u64;

/// What follows the help of both.
const STATUS: &str = "\
Exit status: 0 if all went well; 1 after an error; 2 after a warning (a file was ignored, or \
trailing garbage was) and for a wrong command line. A file that fails stays as it was, nothing \
half done is left, and the other files are worked on all the same. A file that has a suffix \
already is not compressed again; that is no error.";

/// Compress files, as gzip and pigz do
///
/// Replaces each FILE by one with a suffix (.gz, .zz, .deflate, .parcomp, .zip, .lz4, .zst by the
/// format), or reads standard input and writes standard output. Mode and times are kept.
#[derive(Args)]
#[command(after_help = STATUS, args_override_self = true)]
pub struct CompressArgs {
    /// Compress in blocks of SIZE times 1024 bytes: --chunk in pigz's unit
    #[arg(
        short = 'b',
        long,
        value_name = "SIZE",
        value_parser = number::<usize>("a block size in KiB", 1..=MAX_BLOCK),
        overrides_with = "chunk",
    )]
    pub blocksize: Option<usize>,

    /// Compress in independent chunks of SIZE bytes (64K, 1M) [default: 64K to level 3 and for
    /// parcomp, 65280 for bgzf, 256K for lz4, 1M to 8M by the level for zstd, else 512K]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub chunk: Option<NonZeroU64>,

    /// Make each chunk a gzip member of its own, with its length in its header. Some readers stop
    /// behind the first member
    #[arg(long)]
    pub members: bool,

    /// Compress blocks independently. They always are: no chunk needs another one to be
    /// decompressed
    #[arg(short, long)]
    pub independent: bool,

    /// End chunks where the content says so, so that rsync finds what did not change in a changed
    /// file
    #[arg(short = 'R', long)]
    pub rsyncable: bool,

    /// Decompress every chunk again, and compare, before it is written
    #[arg(long)]
    pub verify: bool,

    /// Write the index of a BGZF file beside it, as bgzip -i does: FILE.gz.gzi
    #[arg(long, conflicts_with_all = ["stdout", "test", "list", "decompress"])]
    pub index: bool,

    /// Give each block of --format lz4 a checksum of its own
    #[arg(long)]
    pub block_checksums: bool,

    /// Make zlib data (.zz): --format zlib
    #[arg(short, long, conflicts_with = "format")]
    pub zlib: bool,

    /// Make a zip file of one entry (.zip): --format zip
    #[arg(short = 'K', long, conflicts_with_all = ["format", "zlib"])]
    pub zip: bool,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// Decompress files, as gunzip and unpigz do
///
/// Replaces each FILE by one without its suffix, or reads standard input and writes standard
/// output. gzip, BGZF, zlib, zip, LZ4 and zstd data are told by how they begin, raw deflate and
/// parcomp data by their suffix or --format.
#[derive(Args)]
#[command(after_help = STATUS, args_override_self = true)]
pub struct DecompressArgs {
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What both take.
#[derive(Args)]
pub struct CommonArgs {
    /// Files; `-` or nothing: standard input to standard output
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,

    #[command(flatten)]
    pub level: Level,

    /// Decompress, as `broadloom decompress` always does. A level and what else is about
    /// compressing then count for nothing
    #[arg(short, long, visible_alias = "uncompress")]
    pub decompress: bool,

    /// Do nothing but warn: lines end in the same way in every text here
    #[arg(short, long)]
    pub ascii: bool,

    /// Print the license
    #[arg(short = 'L', long)]
    pub license: bool,

    /// Wait until the medium holds each output before reporting it; small files share a wait
    #[arg(short = 'Y', long)]
    pub synchronous: bool,

    /// Write to standard output, and keep the files
    #[arg(short = 'c', long, visible_alias = "to-stdout")]
    pub stdout: bool,

    /// Replace files that are there, use a terminal for compressed data, follow symbolic links,
    /// break hard links, drop set-user-ID, set-group-ID and sticky bits, compress what has a suffix
    /// already; remove a file behind whose data there is garbage, and, to standard output, copy
    /// what is not compressed
    #[arg(short, long)]
    pub force: bool,

    /// Keep the files
    #[arg(short, long)]
    pub keep: bool,

    /// List the sizes before and after, the share saved and the names of compressed files
    #[arg(short, long)]
    pub list: bool,

    /// Neither store nor restore names and times
    #[arg(short, long, overrides_with = "name")]
    pub no_name: bool,

    /// Store (the default) or restore the original name and time (gzip only)
    #[arg(short = 'N', long, overrides_with = "no_name")]
    pub name: bool,

    /// Threads [default: one for each core that may be used]
    #[arg(
        short = 'p',
        long,
        visible_alias = "processes",
        value_name = "N",
        value_parser = number::<usize>("a number of threads", 1..=MAX_THREADS),
    )]
    pub threads: Option<usize>,

    /// Say nothing but errors; list without title and totals
    #[arg(short, long, overrides_with = "verbose")]
    pub quiet: bool,

    /// Say what was done with each file, and by whom
    #[arg(short, long, overrides_with = "quiet")]
    pub verbose: bool,

    /// Take the files in directories, and in the directories below them; symbolic links met there
    /// are left out
    #[arg(short, long)]
    pub recursive: bool,

    /// Use another suffix than the format's
    #[arg(short = 'S', long, value_name = "SUFFIX")]
    pub suffix: Option<OsString>,

    /// Test compressed files
    #[arg(short, long, conflicts_with = "list")]
    pub test: bool,

    /// Format: gzip, bgzf, zlib, raw, parcomp, zip, lz4, zstd [default: gzip; to decompress: told
    /// by the data]
    #[arg(long, value_name = "NAME")]
    pub format: Option<Container>,

    /// Provider with its options: libdeflate, zlib, isal, emulated:preset=8955; or fastest,
    /// measured here [default: by the level, as `broadloom info` lists]
    #[arg(long, value_name = "NAME[:OPTION=VALUE]...")]
    pub provider: Option<Wanted>,

    /// Go on with another provider where the one asked for cannot, and say so
    #[arg(long, requires = "provider")]
    pub fallback: bool,

    /// Jobs outstanding for each thread, as accelerators need them
    #[arg(long, value_name = "N", value_parser = number::<usize>("a number of jobs", 1..=MAX_JOBS))]
    pub jobs: Option<usize>,

    /// Fail where a file decompresses to more than SIZE bytes, or would
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub limit: Option<NonZeroU64>,

    /// Have zstd look for matches in the last 2^N bytes, and make chunks as long; to decompress,
    /// allow so much memory for a file that needs it [default: 27, where N is left out]
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "27",
        value_parser = number::<u8>("the window of --long, as a power of two,", WINDOWS),
    )]
    pub long: Option<u8>,

    /// To decompress, allow zstd files that need SIZE bytes for their window [default: 128M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<NonZeroU64>,

    /// Show a bar from the start, if standard error is a terminal; else one comes after a second
    #[arg(long, conflicts_with = "quiet")]
    pub progress: bool,

    #[command(flatten)]
    pub metrics: MetricsArgs,
}
