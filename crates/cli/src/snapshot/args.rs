//! The command line of `broadloom snapshot`: names and options are restic's.

use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use crate::provider::provider;
use broadloom::provider::ProviderSpec;
use broadloom_program::metrics::MetricsArgs;
use broadloom_program::number::number;
use broadloom_program::size::parse_size;
use broadloom_snapshot::backup::Marker;
use broadloom_snapshot::check::Subset;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

/// What follows the help.
const ENVIRONMENT: &str = "\
Environment: RESTIC_REPOSITORY, RESTIC_PASSWORD_FILE, RESTIC_PASSWORD_COMMAND and RESTIC_PASSWORD \
stand for options that are not given; without any, the password is asked for on the terminal. Exit \
status: 0 if all went well; 1 after an error; 2 for a wrong command line; 3 if a backup left out \
files that could not be read or were not there.";

/// Save files in snapshots, in repositories that restic reads
///
/// A repository lies in a directory, in a store of objects (S3, Google Cloud Storage, Azure), or at
/// a REST server. Files are cut where their content says so, and each new piece is
/// compressed, encrypted and kept once. restic reads and adds to the same
/// repositories, and prunes them.
#[derive(Args)]
#[command(after_help = ENVIRONMENT, subcommand_required = true, arg_required_else_help = true)]
pub struct SnapshotArgs {
    #[command(flatten)]
    pub common: CommonArgs,

    #[command(subcommand)]
    pub command: SnapshotCommand,
}

/// What all commands take.
#[derive(Args)]
pub struct CommonArgs {
    /// The repository: a directory, or an address as restic writes it (s3:HOST/BUCKET/PATH,
    /// s3://BUCKET/PATH, gs:BUCKET:/PATH, azure:CONTAINER:/PATH, rest:URL)
    #[arg(short, long, global = true, value_name = "REPOSITORY")]
    pub repo: Option<OsString>,

    /// Read the password from FILE, without white space around it
    #[arg(short, long, global = true, value_name = "FILE", conflicts_with = "password_command")]
    pub password_file: Option<PathBuf>,

    /// Read the password from what COMMAND prints, which a shell runs
    #[arg(long, global = true, value_name = "COMMAND")]
    pub password_command: Option<OsString>,

    /// Print JSON, as restic does
    #[arg(long, global = true)]
    pub json: bool,

    /// Say nothing but errors and what was asked for
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Read without a lock, as a place that cannot be written to needs it
    #[arg(long, global = true)]
    pub no_lock: bool,

    /// Write at most RATE KiB a second to the repository; 0 is no limit
    #[arg(long, global = true, value_name = "RATE", default_value = "0", value_parser = rate())]
    pub limit_upload: u64,

    /// Read at most RATE KiB a second from the repository; 0 is no limit
    #[arg(long, global = true, value_name = "RATE", default_value = "0", value_parser = rate())]
    pub limit_download: u64,

    #[command(flatten)]
    pub metrics: MetricsArgs,
}

/// Reads KiB a second.
fn rate() -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    number("a rate in KiB a second", 0..=1 << 40)
}

/// The commands.
#[derive(Subcommand)]
pub enum SnapshotCommand {
    /// Make a repository
    Init,
    Backup(Box<BackupArgs>),
    Restore(Box<RestoreArgs>),
    #[command(visible_alias = "snapshots")]
    List(ListArgs),
    Ls(LsArgs),
    Check(CheckArgs),
    Forget(Box<ForgetArgs>),
    Diff(DiffArgs),
    Stats(StatsArgs),
    Cat(CatArgs),
    Find(FindArgs),
    Unlock(UnlockArgs),
}

/// Save files in a snapshot
///
/// Files that are as the latest snapshot of the same host and paths has them (by size, times and
/// inode) are not read.
#[derive(Args)]
pub struct BackupArgs {
    /// Files and directories; what is not there is named, and the exit status is 3
    #[arg(
        value_name = "PATH",
        required_unless_present_any = [
            "stdin", "files_from", "files_from_verbatim", "files_from_raw",
        ],
        conflicts_with = "stdin",
    )]
    pub paths: Vec<PathBuf>,

    /// Save also what the lines of FILE name, or of standard input for -
    ///
    /// A line may be a pattern with *, ? and [...]. Empty lines, lines that begin with #, and white
    /// space around a line do not count.
    #[arg(long, value_name = "FILE", conflicts_with = "stdin")]
    pub files_from: Vec<PathBuf>,

    /// Save also what the lines of FILE name, each taken as it stands
    #[arg(long, value_name = "FILE", conflicts_with = "stdin")]
    pub files_from_verbatim: Vec<PathBuf>,

    /// Save also what FILE names, which ends each name with a zero byte, as find -print0 does
    #[arg(long, value_name = "FILE", conflicts_with = "stdin")]
    pub files_from_raw: Vec<PathBuf>,

    /// Leave out paths that match PATTERN
    #[arg(short, long, value_name = "PATTERN")]
    pub exclude: Vec<String>,

    /// Leave out paths that match PATTERN in any case
    #[arg(long, value_name = "PATTERN")]
    pub iexclude: Vec<String>,

    /// Leave out paths that match a pattern in FILE, which has one a line
    ///
    /// $NAME and ${NAME} stand for what the environment has, and $$ for a dollar sign.
    #[arg(long, value_name = "FILE")]
    pub exclude_file: Vec<PathBuf>,

    /// Leave out what is in directories with a CACHEDIR.TAG
    #[arg(long)]
    pub exclude_caches: bool,

    /// Leave out what is in directories with a file NAME, which begins with HEADER
    #[arg(
        long,
        value_name = "NAME[:HEADER]",
        value_parser = OsStringValueParser::new().try_map(marker),
    )]
    pub exclude_if_present: Vec<Marker>,

    /// Leave out files of more than SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub exclude_larger_than: Option<NonZeroU64>,

    /// Stay in the file systems of the paths
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Save standard input as a file
    #[arg(long)]
    pub stdin: bool,

    /// The name of that file, or its path in the snapshot
    #[arg(long, value_name = "NAME", default_value = "stdin")]
    pub stdin_filename: String,

    /// Give the snapshot tags; several with commas, or again
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    pub tag: Vec<String>,

    /// Give the snapshot another host
    #[arg(short = 'H', long, value_name = "NAME")]
    pub host: Option<String>,

    /// Give the snapshot another time: YYYY-MM-DD HH:MM:SS, local
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,

    /// Use SNAPSHOT to tell which files changed
    #[arg(long, value_name = "SNAPSHOT", conflicts_with = "force")]
    pub parent: Option<String>,

    /// Read all files
    #[arg(short, long)]
    pub force: bool,

    /// A file has not changed for its ctime alone
    #[arg(long)]
    pub ignore_ctime: bool,

    /// A file has not changed for its inode and ctime alone
    #[arg(long)]
    pub ignore_inode: bool,

    /// Save the times at which files were read
    #[arg(long)]
    pub with_atime: bool,

    /// Write nothing, and say what would be added
    #[arg(short = 'n', long)]
    pub dry_run: bool,

    /// Make no snapshot if it would have the same files as its parent
    #[arg(long, conflicts_with_all = ["stdin", "force"])]
    pub skip_if_unchanged: bool,

    /// How data are compressed
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto")]
    pub compression: How,

    /// Hash chunks by a provider with its options, such as gpu or gpu:device=cpu:batch=16M
    #[arg(long, value_name = "NAME[:OPTION=VALUE]...", value_parser = provider)]
    pub provider: Option<ProviderSpec>,

    /// Hash by the usual provider where the one asked for cannot, and say so
    #[arg(long, requires = "provider")]
    pub fallback: bool,

    /// Memory, beside the index
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "512M")]
    pub memory: NonZeroU64,

    #[command(flatten)]
    pub threads: ThreadsArgs,
}

/// Reads the name of a file, and what the file begins with.
fn marker(text: OsString) -> Result<Marker, String> {
    let bytes = text.as_encoded_bytes();
    let (name, header) = match bytes.iter().position(|&byte| byte == b':') {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &b""[..]),
    };
    match name.is_empty() || name.contains(&b'/') {
        true => Err("expected the name of a file, perhaps with :HEADER behind it".to_owned()),
        false => Ok(Marker { name: name.to_vec(), header: header.to_vec() }),
    }
}

/// How data are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum How {
    /// As restic does by default
    Auto,
    /// Not at all
    Off,
    /// Slowly
    Max,
}

/// How many threads.
#[derive(Args)]
pub struct ThreadsArgs {
    /// Threads [default: one for each core that may be used]
    #[arg(
        long,
        value_name = "N",
        value_parser = number::<usize>("a number of threads", 1..=256),
    )]
    pub threads: Option<usize>,
}

impl ThreadsArgs {
    /// The number of threads.
    pub fn get(&self) -> NonZeroUsize {
        let given = self.threads.and_then(NonZeroUsize::new);
        let default = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        given.unwrap_or_else(default)
    }

    /// The number of threads that read from a store, which wants some calls at once.
    pub fn reading(&self, connections: usize) -> NonZeroUsize {
        let least = NonZeroUsize::new(connections).filter(|_| self.threads.is_none());
        self.get().max(least.unwrap_or(NonZeroUsize::MIN))
    }
}

/// Which snapshots are meant.
#[derive(Args)]
pub struct SelectionArgs {
    /// Only snapshots of the host; may be given again
    #[arg(short = 'H', long, value_name = "NAME")]
    pub host: Vec<String>,

    /// Only snapshots with all tags of the list; may be given again, and one list is enough
    #[arg(long, value_name = "TAG[,TAG...]")]
    pub tag: Vec<String>,

    /// Only snapshots of the path
    #[arg(long, value_name = "PATH")]
    pub path: Vec<String>,
}

/// Restore a snapshot
///
/// Everything goes below the target, whatever names and links the snapshot has. A file appears
/// under its name when it is complete; files that cannot be restored are named, and the exit
/// status is 1.
#[derive(Args)]
pub struct RestoreArgs {
    /// The beginning of an ID, or "latest"; with :PATH, what is there alone
    #[arg(value_name = "SNAPSHOT[:PATH]")]
    pub snapshot: OsString,

    /// The directory below which everything goes
    #[arg(short, long, value_name = "DIR")]
    pub target: PathBuf,

    /// Restore only paths that match PATTERN
    #[arg(short, long, value_name = "PATTERN")]
    pub include: Vec<String>,

    /// Do not restore paths that match PATTERN
    #[arg(short, long, value_name = "PATTERN")]
    pub exclude: Vec<String>,

    /// Make holes of zeros
    #[arg(long)]
    pub sparse: bool,

    /// Write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub selection: SelectionArgs,

    #[command(flatten)]
    pub threads: ThreadsArgs,
}

/// List snapshots
#[derive(Args)]
pub struct ListArgs {
    /// Only these snapshots
    #[arg(value_name = "SNAPSHOT")]
    pub snapshots: Vec<String>,

    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// List the files of a snapshot
#[derive(Args)]
pub struct LsArgs {
    /// The beginning of an ID, or "latest"; with :PATH, all that is there
    #[arg(value_name = "SNAPSHOT[:PATH]")]
    pub snapshot: OsString,

    /// List these directories, each with what is in it, but not with what lies deeper
    #[arg(value_name = "DIR")]
    pub directories: Vec<OsString>,

    /// List also what lies deeper in the directories
    #[arg(long)]
    pub recursive: bool,

    /// Show modes, owners, sizes and times
    #[arg(short, long)]
    pub long: bool,

    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// Look for what is lost or damaged
#[derive(Args)]
pub struct CheckArgs {
    /// Read every byte: any bit that flipped is found
    #[arg(long, conflicts_with = "read_data_subset")]
    pub read_data: bool,

    /// Read some of the packs: the Nth of T parts (3/10), or as many of them by chance as a
    /// percentage (2.5%) or a size (50M) says
    #[arg(long, value_name = "N/T|P%|SIZE", value_parser = subset)]
    pub read_data_subset: Option<Subset>,

    #[command(flatten)]
    pub threads: ThreadsArgs,
}

/// Reads which packs are meant.
fn subset(text: &str) -> Result<Subset, String> {
    let wrong = || {
        "expected N/T with N from 1 to T, and T up to 256, such as 1/10; a percentage above 0% and \
         up to 100%, such as 2.5%; or a size, such as 50M"
            .to_owned()
    };
    let chosen = match (text.split_once('/'), text.strip_suffix('%')) {
        (Some((part, parts)), _) => {
            let parts: Option<(u64, u64)> = part.parse().ok().zip(parts.parse().ok());
            parts
                .filter(|&(part, parts)| part >= 1 && part <= parts && parts <= 256)
                .map(|(part, parts)| Subset::Part(part, parts))
        }
        (None, Some(percent)) => {
            let percent: Option<f64> = percent.parse().ok();
            let fits = |percent: &f64| *percent > 0.0 && *percent <= 100.0;
            percent.filter(fits).map(Subset::Percent)
        }
        (None, None) => parse_size(text).ok().map(|size| Subset::Bytes(size.get())),
    };
    chosen.ok_or_else(wrong)
}

/// Remove snapshots, given ones or all that a policy does not keep
///
/// What only they need stays in the repository until `restic prune` removes it.
#[derive(Args)]
pub struct ForgetArgs {
    /// Remove these snapshots
    #[arg(value_name = "SNAPSHOT")]
    pub snapshots: Vec<String>,

    /// Keep the last N
    #[arg(short = 'l', long, value_name = "N", default_value_t = 0)]
    pub keep_last: u32,

    /// Keep the last of each of the last N hours that have one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub keep_hourly: u32,

    /// Keep the last of each of N days
    #[arg(short = 'd', long, value_name = "N", default_value_t = 0)]
    pub keep_daily: u32,

    /// Keep the last of each of N weeks
    #[arg(short = 'w', long, value_name = "N", default_value_t = 0)]
    pub keep_weekly: u32,

    /// Keep the last of each of N months
    #[arg(short = 'm', long, value_name = "N", default_value_t = 0)]
    pub keep_monthly: u32,

    /// Keep the last of each of N years
    #[arg(short = 'y', long, value_name = "N", default_value_t = 0)]
    pub keep_yearly: u32,

    /// Keep what is younger than the latest by less than SPAN, such as 1y5m7d2h
    #[arg(long, value_name = "SPAN")]
    pub keep_within: Option<String>,

    /// Keep what has all tags of the list; may be given again, and one list is enough
    #[arg(long, value_name = "TAG[,TAG...]")]
    pub keep_tag: Vec<String>,

    /// Apply the policy to the snapshots with the same of these
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        value_delimiter = ',',
        default_value = "host,paths"
    )]
    pub group_by: Vec<By>,

    /// Remove nothing, and say what would be
    #[arg(short = 'n', long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// What snapshots of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// The host
    Host,
    /// The paths
    Paths,
    /// The tags
    Tags,
}

/// Show what differs between two snapshots
///
/// Each path has a letter: + added, - removed, M content, U attributes, T type.
#[derive(Args)]
pub struct DiffArgs {
    /// The earlier one
    #[arg(value_name = "SNAPSHOT")]
    pub first: String,

    /// The later one
    #[arg(value_name = "SNAPSHOT")]
    pub second: String,

    /// Show also where only attributes differ
    #[arg(long)]
    pub metadata: bool,
}

/// Tell how large snapshots are
#[derive(Args)]
pub struct StatsArgs {
    /// Only these snapshots
    #[arg(value_name = "SNAPSHOT")]
    pub snapshots: Vec<String>,

    /// What is counted
    #[arg(long, value_enum, value_name = "MODE", default_value = "restore-size")]
    pub mode: StatsMode,

    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsMode {
    /// What restoring all would take
    RestoreSize,
    /// Each content of a file once
    FilesByContents,
    /// Each blob once, as it lies in the repository
    RawData,
}

/// Write a file of a snapshot to standard output
///
/// With "config", or one of "index", "snapshot", "key", "lock", "blob" and an ID: that part of the
/// repository.
#[derive(Args)]
pub struct CatArgs {
    /// The beginning of an ID, or "latest"
    #[arg(value_name = "SNAPSHOT")]
    pub snapshot: String,

    /// The file
    #[arg(value_name = "PATH")]
    pub file: Option<OsString>,

    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// Find files in snapshots by their names
///
/// Of a directory that matches, all that is in it is found too.
#[derive(Args)]
pub struct FindArgs {
    /// Patterns of names, or of paths
    #[arg(value_name = "PATTERN", required = true)]
    pub patterns: Vec<String>,

    /// Search only this snapshot; may be given again
    #[arg(short, long, value_name = "SNAPSHOT")]
    pub snapshot: Vec<String>,

    /// Take upper and lower case for the same
    #[arg(short, long)]
    pub ignore_case: bool,

    /// Show modes, owners, sizes and times
    #[arg(short, long)]
    pub long: bool,

    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// Remove locks whose process is gone
#[derive(Args)]
pub struct UnlockArgs {
    /// Remove all locks, also those of processes that live
    #[arg(long)]
    pub remove_all: bool,
}
