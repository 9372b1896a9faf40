//! The command line of `broadloom chunks`.

use std::ffi::OsString;
use std::num::NonZeroU64;

use broadloom_chunking::{Polynomial, Sizes};
use broadloom_program::number::number;
use broadloom_program::size::parse_size;
use clap::Args;

/// Most worker threads that can be asked for.
const MAX_THREADS: u64 = 256;

/// Most bytes of a chunk: a chunk is in memory while it is hashed.
pub const MAX_CHUNK: u64 = 64 << 20;

/// Cut files into chunks, and tell how much de-duplication saves
///
/// Cuts where restic cuts, by the content, or after every SIZE bytes; prints the SHA-256 of each
/// chunk, its offset, its length and its file, or with --dedup how many chunks differ.
#[derive(Args)]
#[command(
    args_override_self = true,
    after_help = "\
Exit status: 0 if all went well, 1 if a file could not be read, 2 for a wrong command line.\n\
The polynomial of a restic repository is `chunker_polynomial` in what `restic cat config` prints; \
with it, digests are the names of the repository's data blobs.\n\
Directories are walked as `broadloom hash --recursive` walks them. An empty file has no chunk. \
With --dedup, memory grows by about 50 bytes for each chunk that differs from all before.\n\
BROADLOOM_ISA=avx512|avx2|sse4|neon|portable in the environment asks for a lower instruction set."
)]
pub struct ChunksArgs {
    /// Files to cut; `-` or nothing: standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,

    /// Print sums over all files in place of chunks: sizes, chunks that differ, the ratio
    #[arg(short, long)]
    pub dedup: bool,

    /// Cut after every SIZE bytes (such as 4096, 64K, 1M), whatever the content
    #[arg(
        short,
        long,
        value_name = "SIZE",
        value_parser = chunk_size,
        conflicts_with_all = ["polynomial", "min", "average", "max"],
    )]
    pub size: Option<NonZeroU64>,

    /// The irreducible polynomial of degree 53 that decides on cuts, as hexadecimal digits
    #[arg(long, value_name = "HEX", default_value = "3da3358b4dc173")]
    pub polynomial: Polynomial,

    /// The least bytes of a chunk, 64 or more
    #[arg(long, value_name = "SIZE", default_value = "512K", value_parser = chunk_size)]
    pub min: NonZeroU64,

    /// Behind the first MIN bytes, one byte in SIZE ends a chunk of random data: a power of two
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = chunk_size)]
    pub average: NonZeroU64,

    /// The most bytes of a chunk, up to 64M
    #[arg(long, value_name = "SIZE", default_value = "8M", value_parser = chunk_size)]
    pub max: NonZeroU64,

    /// Cut the files in directories, and in the directories below them
    #[arg(short, long)]
    pub recursive: bool,

    /// Print JSON: an object and a newline for each chunk, or with --dedup one object
    #[arg(long)]
    pub json: bool,

    /// End lines with NUL in place of a newline, and do not escape names
    #[arg(short, long, conflicts_with_all = ["dedup", "json"])]
    pub zero: bool,

    /// Hash in N threads beside the one that reads and cuts
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = number::<usize>("a number of threads", 1..=MAX_THREADS),
    )]
    pub threads: usize,
}

impl ChunksArgs {
    /// The sizes of chunks that the content decides on.
    ///
    /// # Errors
    /// What would be right, in words.
    pub fn sizes(&self) -> Result<Sizes, String> {
        let [min, average, max] = [self.min, self.average, self.max].map(bytes);
        Sizes::new(min, average, max).map_err(|error| error.to_string())
    }
}

/// A size that was parsed by [`chunk_size`].
pub fn bytes(size: NonZeroU64) -> usize {
    usize::try_from(size.get()).expect("a chunk fits in memory")
}

fn chunk_size(text: &str) -> Result<NonZeroU64, String> {
    let size = parse_size(text)?;
    if size.get() > MAX_CHUNK {
        return Err(format!("a chunk has at most {MAX_CHUNK} bytes (64M)"));
    }
    Ok(size)
}
