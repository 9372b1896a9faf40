//! The command line of `broadloom hash`.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

use broadloom::{Algorithm, HashAlgorithm};
use broadloom_program::number::number;
use broadloom_program::size::parse_size;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Most bytes of output that can be asked for.
const MAX_LENGTH: u64 = 1 << 20;

/// Most worker threads that can be asked for.
const MAX_THREADS: u64 = 256;

/// Parses the name of a hash function. The help lists all that the engine has, each with its
/// standard.
fn hash_functions() -> impl TypedValueParser<Value = HashAlgorithm> {
    let values = HashAlgorithm::all().map(|hash| {
        let remark = match hash {
            HashAlgorithm::Md5 | HashAlgorithm::Sha1 => {
                "; broken for signatures, still common in old lists".to_owned()
            }
            hash if hash.is_extendable() => format!("; {} bytes of output", hash.digest_len()),
            _ => String::new(),
        };
        let standard = Algorithm::Hash(hash).standard();
        PossibleValue::new(hash.name()).help(standard.to_owned() + &remark)
    });
    PossibleValuesParser::new(values).try_map(|name| {
        let lower = name.to_ascii_lowercase();
        HashAlgorithm::all().find(|hash| hash.name() == lower).ok_or("an unknown hash function")
    })
}

/// Print or check digests of many files at once
///
/// Prints, byte for byte, what sha256sum and its sisters print, and checks their lists; all files
/// share the lanes of the CPU's vectors, so that many files cost little more than one.
#[derive(Args)]
#[command(
    args_override_self = true,
    after_help = "\
Exit status: 0 if all went well, 1 if a file could not be read or did not match, 2 for a wrong \
command line.\n\
With --recursive, directories are walked in order of their names (byte by byte); symbolic links, \
FIFOs, sockets and devices met on the way are left out, while those named on the command line are \
followed or read.\n\
With --chunk, each line is: DIGEST OFFSET LENGTH NAME, offset and length in bytes and in decimal; \
the last chunk of a file may be shorter, and an empty file is one chunk of length 0.\n\
BROADLOOM_ISA=avx512|avx2|sse4|neon|portable asks for a lower instruction set."
)]
pub struct HashArgs {
    /// Files to hash, or lists to check; `-` or nothing: standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,

    /// Hash function, its name in any case
    #[arg(
        short,
        long,
        value_parser = hash_functions(),
        ignore_case = true,
        default_value_t = HashAlgorithm::Sha256,
        value_name = "NAME",
    )]
    pub algorithm: HashAlgorithm,

    /// Read digests from the PATHs and check the files they name
    #[arg(short, long)]
    pub check: bool,

    /// Mark names with `*`, as for files read in binary mode (the bytes read are the same)
    #[arg(short, long, overrides_with = "text", conflicts_with = "check")]
    pub binary: bool,

    /// Mark names with a space: the default
    #[arg(short, long, overrides_with = "binary", conflicts_with_all = ["check", "tag"])]
    pub text: bool,

    /// Print lines as the BSD tools do: `SHA256 (name) = digest`
    #[arg(long, conflicts_with = "check")]
    pub tag: bool,

    /// End lines with NUL in place of a newline, and do not escape names
    #[arg(short, long, conflicts_with = "check")]
    pub zero: bool,

    /// Hash the files in directories, and in the directories below them
    #[arg(short, long, conflicts_with = "check")]
    pub recursive: bool,

    /// Print one digest for each chunk of SIZE bytes (such as 4096, 64K, 1M)
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = parse_size,
        conflicts_with_all = ["check", "tag", "binary", "text"],
    )]
    pub chunk: Option<NonZeroU64>,

    /// Compute HMACs (RFC 2104) with the bytes of FILE as the key, in place of digests
    #[arg(long, value_name = "FILE")]
    pub hmac_key_file: Option<PathBuf>,

    /// With blake3: compute keyed hashes with the 32 bytes on standard input as the key
    #[arg(long, conflicts_with_all = ["derive_key", "hmac_key_file"])]
    pub keyed: bool,

    /// With blake3: derive a key from each PATH in CONTEXT, a constant of your application
    #[arg(long, value_name = "CONTEXT", conflicts_with = "hmac_key_file")]
    pub derive_key: Option<String>,

    /// With blake3: make N bytes of output
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = number::<usize>("a number of bytes", 1..=MAX_LENGTH),
    )]
    pub length: Option<usize>,

    /// Print digests alone, without names
    #[arg(long, conflicts_with_all = ["check", "tag", "binary", "text", "chunk"])]
    pub no_names: bool,

    /// Hash in N threads, each with lanes of its own
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = number::<usize>("a number of threads", 1..=MAX_THREADS),
    )]
    pub threads: usize,

    /// When checking, do not print OK for each file that matches
    #[arg(long, requires = "check", overrides_with_all = ["status", "warn"])]
    pub quiet: bool,

    /// When checking, print nothing; the exit status tells
    #[arg(long, requires = "check", overrides_with_all = ["quiet", "warn"])]
    pub status: bool,

    /// When checking, warn of each line that is no checksum line
    #[arg(short, long, requires = "check", overrides_with_all = ["quiet", "status"])]
    pub warn: bool,

    /// When checking, exit with status 1 if a line is no checksum line
    #[arg(long, requires = "check")]
    pub strict: bool,

    /// When checking, pass over files that do not exist
    #[arg(long, requires = "check")]
    pub ignore_missing: bool,
}
