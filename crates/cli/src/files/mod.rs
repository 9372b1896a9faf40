//! Commands that make a file of each file, as gzip does: what `compress` and `encrypt` share.
//!
//! A [`Craft`] says what is done with the bytes of a file, and what the new file is called. Finding
//! files, replacing them, working on small ones side by side, messages and the exit status are
//! here.

mod attributes;
mod batch;
mod coder;
mod crew;
mod failure;
pub mod inputs;
pub mod opened;
mod replace;
pub mod report;
pub mod sides;
mod work;
pub mod write_back;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use opened::Opened;
use sides::{Counted, Output};

pub use batch::sync_names;
pub use failure::{Failure, failure};
pub use work::{Worker, progress, refuse_terminal_input};

/// What is done with the bytes of files.
pub trait Craft: Clone + Send + Sync + 'static {
    /// What is known of a file beforehand.
    type About: Default + Send + 'static;

    /// Codes or decodes what `input` has.
    ///
    /// # Errors
    /// Why it cannot.
    fn code(
        &self,
        input: Counted<'_>,
        output: Output<'_>,
        about: &Self::About,
    ) -> Result<Coded, Failure>;

    /// Returns `true` if files are coded; else they are decoded.
    fn codes(&self) -> bool;

    /// Returns a word for coded data.
    fn word(&self) -> &'static str;

    /// Returns `true` if coded data are text, which a terminal may show.
    fn is_text(&self) -> bool {
        false
    }

    /// Why standard output takes no second coded file behind a first, if that is so.
    fn stands_alone(&self) -> Option<String>;

    /// The suffix of coded files.
    fn suffix(&self) -> &OsStr;

    /// The suffix that the name of a coded file has.
    fn suffix_of(&self, path: &Path) -> Option<OsString>;

    /// Returns what is known about a file.
    fn about(&self, path: &Path, opened: &Opened) -> Self::About;

    /// Returns what is known about standard input.
    fn about_stdin(&self, _input: &File) -> Self::About {
        Self::About::default()
    }

    /// Returns hints at the options of the command that help with ignored files.
    fn hints(&self) -> Hints;

    /// Decides what is to be made of a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn becomes(&self, path: &Path, opened: &Opened) -> Result<Becomes<Self::About>, Failure>;

    /// Describes in words what became of a file.
    fn outcome(&self, coded: &Coded) -> String;

    /// Threads for one file.
    fn threads(&self) -> usize;

    /// The same with one thread.
    fn with_one_thread(&self) -> Self;

    /// Most bytes of a file that is hardly coded sooner by several threads than by one.
    fn divided(&self) -> u64;
}

/// What the options of a command can do about files that are ignored, in words.
#[derive(Debug, Clone, Copy)]
pub struct Hints {
    /// The option that takes the files in a directory.
    pub recursive: &'static str,
    /// The option that says what becomes of a file without the suffix of coded ones.
    pub unknown_suffix: &'static str,
}

/// What a file becomes.
pub struct Becomes<A> {
    /// Where it will be.
    pub path: PathBuf,
    /// Where an index of it will be, where one is made.
    pub index: Option<PathBuf>,
    /// When it was modified, where that is not when its input was.
    pub modified: Option<SystemTime>,
    /// What is known of its input.
    pub about: A,
}

/// What came of coding a file.
#[derive(Debug, Default)]
pub struct Coded {
    /// Bytes read.
    pub input: u64,
    /// Bytes written.
    pub output: u64,
    /// Bytes of the coded side without headers and trailers.
    pub streams: u64,
    /// An index of the new file, to be written beside it.
    pub index: Option<Vec<u8>>,
    /// Something follows the coded data that was not decoded.
    pub left: bool,
    /// What else has to be known.
    pub notes: Vec<String>,
    /// The same, where the exit status is to tell of it as well.
    pub warnings: Vec<String>,
}

/// How files are dealt with, whatever the craft.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// Everything goes to standard output.
    pub stdout: bool,
    /// Files are decoded, and the data dropped.
    pub test: bool,
    /// What is asked for is done whatever there is against it.
    pub force: bool,
    /// The sources stay.
    pub keep: bool,
    /// Directories are walked.
    pub recursive: bool,
    /// How much is said.
    pub verbosity: Verbosity,
    /// The progress bar is shown from the start.
    pub progress: bool,
    /// Every output is on its medium before the next file begins.
    pub synchronous: bool,
}

impl Manner {
    /// Returns `true` if the disk has to hold each new file: its source goes, or that is asked for.
    pub fn is_synced(&self) -> bool {
        !self.keep || self.synchronous
    }
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

impl Verbosity {
    /// That of the options `--quiet` and `--verbose`.
    pub fn of(quiet: bool, verbose: bool) -> Verbosity {
        match (quiet, verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}
