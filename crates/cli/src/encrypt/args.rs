//! The command lines of `broadloom encrypt`, `broadloom decrypt` and `broadloom keygen`.

use std::ffi::OsString;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use broadloom_program::metrics::MetricsArgs;
use broadloom_program::number::{level, number};
use clap::{Args, ValueEnum};

use super::range::Wanted;

/// Most threads that can be asked for.
const MAX_THREADS: u64 = 256;

/// What follows the help of both.
const STATUS: &str = "\
Exit status: 0 if all went well; 1 after an error; 2 after a warning (a file was ignored) and for \
a wrong command line. A file that fails stays as it was, nothing half done is left, and the other \
files are worked on all the same. Passphrases come from the terminal, a file or a command, never \
from an argument.";

/// The format of an encrypted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Container {
    /// age-encryption.org/v1, which age and rage read
    Age,
    /// What openssl enc -pbkdf2 reads. It does not authenticate
    Openssl,
}

/// How `openssl enc` encrypts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cipher {
    /// AES in CBC mode: one core encrypts, all decrypt
    #[value(name = "aes-256-cbc")]
    Cbc,
    /// AES in counter mode
    #[value(name = "aes-256-ctr")]
    Ctr,
}

/// Encrypt files, as age does
///
/// Replaces each FILE by FILE.age, or reads standard input and writes standard output, on all
/// cores. Mode and times are kept.
#[derive(Args)]
#[command(after_help = STATUS, args_override_self = true)]
pub struct EncryptArgs {
    /// Encrypt for RECIPIENT, a public key (age1...); may be given again, and each recipient can
    /// decrypt
    #[arg(short, long, value_name = "RECIPIENT")]
    pub recipient: Vec<String>,

    /// Encrypt for the recipients in FILE, one a line
    #[arg(short = 'R', long, value_name = "FILE")]
    pub recipients_file: Vec<PathBuf>,

    /// Write ASCII armour: text in base64
    #[arg(short, long, visible_alias = "armour")]
    pub armor: bool,

    /// Compress before, into gzip: FILE.gz.age. What is encrypted then tells by its length how well
    /// it compressed
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "6",
        value_parser = level,
    )]
    pub compress: Option<u8>,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// Decrypt files, as age does
///
/// Replaces each FILE by one without its suffix (.age, .enc), or reads standard input and writes
/// standard output, on all cores. No byte is written that did not authenticate.
#[derive(Args)]
#[command(after_help = STATUS, args_override_self = true)]
pub struct DecryptArgs {
    /// Decrypt a part alone: FIRST-LAST, FIRST- or -COUNT (the last bytes), of bytes counted from
    /// 0. Needs -c or -o, and a file without armour
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub range: Option<Wanted>,

    /// Test encrypted files: decrypt, and drop the data
    #[arg(short, long, conflicts_with_all = ["output", "stdout", "range"])]
    pub test: bool,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// What both take.
#[derive(Args)]
pub struct CommonArgs {
    /// Files; `-` or nothing: standard input to standard output
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,

    /// Use the secret keys in FILE (AGE-SECRET-KEY-1..., one a line); to encrypt, their recipients
    #[arg(short, long, value_name = "FILE")]
    pub identity: Vec<PathBuf>,

    /// Use a passphrase, which is asked for on the terminal; to decrypt, that is told by the file
    #[arg(short, long)]
    pub passphrase: bool,

    /// Use the passphrase in the first line of FILE
    #[arg(long, value_name = "FILE", conflicts_with = "passphrase_command")]
    pub passphrase_file: Option<PathBuf>,

    /// Use the passphrase in the first line that COMMAND prints, which a shell runs
    #[arg(long, value_name = "COMMAND")]
    pub passphrase_command: Option<OsString>,

    /// Write to OUTPUT, which is replaced if it is there, and keep the file
    #[arg(short, long, value_name = "OUTPUT", conflicts_with_all = ["stdout", "recursive"])]
    pub output: Option<PathBuf>,

    /// Write to standard output, and keep the files
    #[arg(short = 'c', long, visible_alias = "to-stdout")]
    pub stdout: bool,

    /// Replace files that are there, use a terminal for encrypted data, follow symbolic links,
    /// break hard links, drop set-user-ID, set-group-ID and sticky bits, encrypt what has a suffix
    /// already
    #[arg(short, long)]
    pub force: bool,

    /// Keep the files
    #[arg(short, long)]
    pub keep: bool,

    /// Take the files in directories, and in the directories below them; symbolic links met there
    /// are left out
    #[arg(long)]
    pub recursive: bool,

    /// Threads [default: one for each core that may be used]
    #[arg(
        long,
        value_name = "N",
        value_parser = number::<NonZeroThreads>("a number of threads", 1..=MAX_THREADS),
    )]
    pub threads: Option<NonZeroThreads>,

    /// Format
    #[arg(long, value_enum, value_name = "NAME", default_value = "age")]
    pub format: Container,

    /// The cipher, for --format openssl
    #[arg(long, value_enum, value_name = "NAME")]
    pub cipher: Option<Cipher>,

    /// Iterations of PBKDF2, for --format openssl: -iter of openssl enc [default: 10000]
    #[arg(long, value_name = "N")]
    pub iterations: Option<NonZeroU32>,

    /// Wait until the medium holds each output before reporting it; small files share a wait
    #[arg(long)]
    pub synchronous: bool,

    /// Say nothing but errors
    #[arg(short, long, overrides_with = "verbose")]
    pub quiet: bool,

    /// Say what was done with each file
    #[arg(short, long, overrides_with = "quiet")]
    pub verbose: bool,

    /// Show a bar from the start, if standard error is a terminal; else one comes after a second
    #[arg(long, conflicts_with = "quiet")]
    pub progress: bool,

    #[command(flatten)]
    pub metrics: MetricsArgs,
}

/// A number of threads.
#[derive(Debug, Clone, Copy)]
pub struct NonZeroThreads(pub NonZeroUsize);

impl TryFrom<u64> for NonZeroThreads {
    type Error = ();

    fn try_from(number: u64) -> Result<Self, ()> {
        let number = usize::try_from(number).ok().and_then(NonZeroUsize::new);
        number.map(NonZeroThreads).ok_or(())
    }
}

/// Make a key for age, as age-keygen does
///
/// Writes an identity, which is secret, with its recipient in a comment. With -y, reads identities
/// and writes their recipients.
#[derive(Args)]
pub struct KeygenArgs {
    /// The file of identities to read, with -y; nothing: standard input
    #[arg(value_name = "INPUT", requires = "recipients")]
    pub input: Option<PathBuf>,

    /// Write to OUTPUT, which must not be there; only its owner can read it
    #[arg(short, long, value_name = "OUTPUT")]
    pub output: Option<PathBuf>,

    /// Read identities, and write their recipients
    #[arg(short = 'y', long)]
    pub recipients: bool,
}
