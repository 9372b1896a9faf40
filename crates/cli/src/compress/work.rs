//! File after file: opened, coded, put in its place.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use broadloom::compression::format::Format;
use broadloom_cli::identity::Identity;
use broadloom_cli::message::{is_broken_pipe, reason};
use broadloom_cli::progress::Progress;
use broadloom_cli::quote::shown;
use broadloom_cli::signals;
use broadloom_lanes::Cpu;

use super::batch::{self, Batch, Made};
use super::codec::{Codec, CodecError, Coded, Origin};
use super::coder::Coder;
use super::container::Container;
use super::crew::Crew;
use super::header::Header;
use super::inputs::{Found, Input, Opened, Rules, Search, Skip};
use super::list::{Entry, Table, saved};
use super::options::{Options, Task, Verbosity};
use super::replace::Becomes;
use super::report::{Report, plain};
use super::sides::{self, Counted, Output};

/// Files that are coded side by side, or were and wait for those before them, for each thread.
const AHEAD: usize = 32;

/// Most files that a thread gets at a time, and how many bytes are enough: to wake a thread takes as
/// long as to code a tiny file.
const GROUP: (usize, u64) = (8, 64 << 10);

/// Works on one file after another, and on small ones side by side.
pub struct Worker {
    pub options: Arc<Options>,
    /// Codes a file with all threads.
    pub coder: Coder,
    /// Codes a file with one thread.
    single: Coder,
    crew: Crew<Vec<Outcome>>,
    /// Files for the crew that wait for more, and their bytes.
    group: (Vec<Work>, u64),
    /// The sources of what the crew was given, or is to be given, in order.
    ahead: VecDeque<(PathBuf, Identity)>,
    /// Most of them.
    most_ahead: usize,
    pub report: Report,
    table: Table,
    /// Streams that standard output has got.
    streams: u64,
    /// Files that wait for their places.
    pub batch: Batch,
}

/// What is done with a file that is coded beside others.
type Work = Box<dyn FnOnce(&Coder) -> Outcome + Send>;

/// What came of a file that was coded beside others.
pub enum Outcome {
    /// Another was to be made of it.
    Made(Result<Box<Made>, Failure>),
    /// It was tested.
    Tested(Result<Coded, Failure>),
}

/// Why a file is not done.
pub enum Failure {
    /// It is passed over.
    Skip(Skip),
    /// It, or what it was to become, gave an error.
    Error(String),
    /// Who reads the output has left: nothing more is to be done.
    Gone,
}

impl From<Skip> for Failure {
    fn from(skip: Skip) -> Self {
        Failure::Skip(skip)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match is_broken_pipe(&error) {
            true => Failure::Gone,
            false => Failure::Error(reason(&error)),
        }
    }
}

impl From<CodecError> for Failure {
    fn from(error: CodecError) -> Self {
        match is_broken_pipe(&error) {
            true => Failure::Gone,
            false => Failure::Error(error.to_string()),
        }
    }
}

impl Worker {
    /// One that is ready for its first file.
    ///
    /// # Errors
    /// If no provider can do what is asked for, in words.
    pub fn new(
        program: &'static str,
        options: Options,
        files: &[OsString],
        cpu: &Cpu,
    ) -> Result<Worker, String> {
        let codec = Codec::open(&options.coding, options.task, cpu)?;
        // A bar would get between the lines of what is written to the same terminal.
        let shared = (options.stdout || files.is_empty()) && io::stdout().is_terminal();
        let progress = match options.verbosity {
            Verbosity::Quiet => Progress::none(),
            _ if shared => Progress::none(),
            _ if options.progress => Progress::new(|| total_bytes(files)).at_once(),
            _ => Progress::new(|| total_bytes(files)),
        };
        let report = Report::new(program, options.verbosity, progress);
        if let Some(fallback) = codec.fallback() {
            report.note("provider", &fallback);
        }
        // A listing does not need one.
        if options.task != Task::List {
            report.done(format!("provider:\t{}", codec.description()));
        }
        let table = Table::new(options.verbosity);
        let (options, crew) = (Arc::new(options), Crew::new(codec.threads()));
        let single = Arc::new(codec.with_one_thread());
        let coder =
            |codec| Coder { options: Arc::clone(&options), codec, progress: report.progress() };
        let (coder, single) = (coder(Arc::new(codec)), coder(single));
        let descriptors = batch::descriptors();
        // Each has a descriptor of its source, or of what is made of it, or of both while it is coded.
        let most_ahead = (AHEAD * coder.codec.threads()).min(descriptors / 8);
        let (ahead, batch) = (VecDeque::new(), Batch::new(descriptors));
        Ok(Worker {
            options,
            coder,
            single,
            crew,
            group: (Vec::new(), 0),
            ahead,
            most_ahead,
            report,
            table,
            streams: 0,
            batch,
        })
    }

    /// Works on all of them.
    pub fn run(mut self, files: Vec<OsString>) -> ExitCode {
        let files = if files.is_empty() { vec![OsString::from("-")] } else { files };
        let compresses = self.options.task == Task::Compress;
        let suffix = self.options.suffixes.of(self.container()).to_owned();
        let search = Search {
            recursive: self.options.recursive,
            suffix: (!compresses).then_some(suffix.as_os_str()),
        };
        for name in files {
            // What is to be found may be what waits for its place.
            if !fs::symlink_metadata(&name).is_ok_and(|metadata| metadata.is_file()) {
                self.settle();
            }
            for input in search.named(PathBuf::from(name)) {
                self.input(input);
            }
        }
        self.settle();
        if let Some(totals) = self.table.end()
            && let Err(error) = self.report.print(totals.as_bytes())
        {
            match is_broken_pipe(&error) {
                true => signals::die_of_broken_pipe(),
                false => self.report.error("standard output", &reason(&error)),
            }
        }
        self.report.status()
    }

    /// Works on one of them.
    fn input(&mut self, input: Result<Input, (PathBuf, Skip)>) {
        let (name, done) = match input {
            Ok(Input::Stdin) => ("stdin".to_owned(), self.stdin()),
            Ok(Input::File(found)) => (shown(&found.path), self.file(&found)),
            Err((path, skip)) => (shown(&path), Err(skip.into())),
        };
        match done {
            Ok(()) | Err(Failure::Skip(Skip::Silent)) => {}
            Err(failure) => {
                // What is said comes in the order of the files.
                self.settle();
                self.failed(&name, failure);
            }
        }
    }

    /// Says why a file is not done.
    pub fn failed(&mut self, name: &str, failure: Failure) {
        match failure {
            Failure::Skip(skip) => self.report.skip(name, &skip),
            Failure::Error(text) => self.report.error(name, &text),
            Failure::Gone => signals::die_of_broken_pipe(),
        }
    }

    /// Whether a file is coded by one thread, beside others: where it is not enough work for several.
    pub fn goes_side_by_side(&self, opened: &Opened) -> bool {
        let least = self.coder.codec.divided();
        self.coder.codec.threads() > 1
            && opened.metadata.is_file()
            && opened.metadata.len() <= least
    }

    /// Has a file of so many bytes coded beside others.
    pub fn beside(
        &mut self,
        source: PathBuf,
        opened: (Identity, u64),
        work: impl FnOnce(&Coder) -> Outcome + Send + 'static,
    ) {
        let (identity, len) = opened;
        self.group.0.push(Box::new(work));
        self.group.1 += len;
        self.ahead.push_back((source, identity));
        if self.group.0.len() >= GROUP.0 || self.group.1 >= GROUP.1 {
            self.give_group();
        }
        while self.take(self.ahead.len() > self.most_ahead) {}
    }

    /// Gives the crew the files that wait for more.
    fn give_group(&mut self) {
        let (group, _) = std::mem::take(&mut self.group);
        if group.is_empty() {
            return;
        }
        let coder = self.single.clone();
        let given = self.crew.give(move || group.into_iter().map(|work| work(&coder)).collect());
        if let Err(error) = given {
            // There is not one thread, so nothing but this group is ahead.
            for (source, _) in std::mem::take(&mut self.ahead) {
                self.report.error(&shown(&source), &reason(&error));
            }
        }
    }

    /// Takes one group's results from the crew, if they are there or are to be waited for.
    fn take(&mut self, may_wait: bool) -> bool {
        let Some(outcomes) = self.crew.next(may_wait) else { return false };
        for outcome in outcomes {
            let (source, _) = self.ahead.pop_front().expect("each result is one of a source");
            let done = match outcome {
                Outcome::Made(made) => made.and_then(|made| self.put(*made)),
                Outcome::Tested(tested) => tested.map(|coded| self.tell_tested(&source, &coded)),
            };
            if let Err(failure) = done {
                // What is said comes in the order of the files.
                self.commit();
                self.failed(&shown(&source), failure);
            }
        }
        true
    }

    /// Waits for all files that are coded side by side.
    pub fn catch_up(&mut self) {
        self.give_group();
        while self.take(true) {}
    }

    /// Waits for all files that were begun: each has its place, and all is said.
    pub fn settle(&mut self) {
        self.catch_up();
        self.commit();
    }

    /// Whether a file is the source of one that was begun.
    pub fn holds(&self, identity: Identity) -> bool {
        self.batch.holds(identity) || self.ahead.iter().any(|(_, source)| *source == identity)
    }

    /// What compressed data are wrapped in; the container most likely to be decompressed.
    fn container(&self) -> Container {
        self.options.coding.container.unwrap_or(Container::Format(Format::Gzip))
    }

    /// Standard input, to standard output.
    fn stdin(&mut self) -> Result<(), Failure> {
        self.settle();
        let reads_compressed = self.options.task != Task::Compress;
        if reads_compressed && !self.options.force && io::stdin().is_terminal() {
            let text = "compressed data are not read from a terminal (-f reads them)";
            return Err(Failure::Error(text.to_owned()));
        }
        let input = sides::stdin()?;
        match self.options.task {
            Task::Compress | Task::Decompress => {
                self.write_to_stdout(input, &Origin::default(), None, Path::new("stdin"))
            }
            Task::Test => self.test(&input, None, Path::new("stdin")),
            Task::List => self.list(input, None, None, "stdin", Path::new("stdout")),
        }
    }

    fn rules(&self) -> Rules<'_> {
        let Options { task, stdout, keep, force, .. } = *self.options;
        let makes_file = matches!(task, Task::Compress | Task::Decompress) && !stdout;
        Rules {
            replaces: makes_file && !keep,
            beside: makes_file && keep,
            force,
            compresses: task == Task::Compress,
            suffixes: &self.options.suffixes,
        }
    }

    /// Opens a file that may be worked on, as all files before it left the directory.
    fn open(&mut self, found: &Found) -> Result<Opened, Skip> {
        let opened = self.rules().open(found);
        let waits = match &opened {
            Ok(opened) => self.holds(opened.identity()),
            // These are told by the name alone.
            Err(Skip::Silent | Skip::Note(_)) => false,
            Err(Skip::Error(_) | Skip::Warning(_)) => true,
        };
        if waits && !(self.batch.is_empty() && self.ahead.is_empty()) {
            self.settle();
            return self.rules().open(found);
        }
        opened
    }

    fn file(&mut self, found: &Found) -> Result<(), Failure> {
        let Options { task, stdout, .. } = *self.options;
        let opened = self.open(found)?;
        let suffix = self.options.suffixes.find(&found.path);
        let format = suffix.as_ref().and_then(|suffix| suffix.format);
        match task {
            Task::Test if self.goes_side_by_side(&opened) => {
                let identity = (opened.identity(), opened.metadata.len());
                self.beside(found.path.clone(), identity, move |coder| {
                    let (origin, output) = (Origin::default(), Output::Nowhere);
                    Outcome::Tested(coder.code(&opened.file, output, &origin, format))
                });
                return Ok(());
            }
            Task::Test => {
                self.catch_up();
                return self.test(&opened.file, format, &found.path);
            }
            Task::List => {
                let stored = if self.options.names {
                    Header::read(&opened.file)?
                } else {
                    Header::default()
                };
                let original = suffix.map_or_else(|| found.path.clone(), |suffix| suffix.original);
                let original = stored.beside(&found.path).unwrap_or(original);
                return self.list(
                    opened.file,
                    format,
                    stored.modified,
                    &shown(&found.path),
                    &original,
                );
            }
            Task::Compress | Task::Decompress => {}
        }
        let origin = self.origin(&found.path, &opened);
        if stdout {
            return self.write_to_stdout(opened.file, &origin, format, &found.path);
        }
        let (path, modified) = match suffix {
            Some(suffix) if task == Task::Decompress => {
                let stored = if self.options.names {
                    Header::read(&opened.file)?
                } else {
                    Header::default()
                };
                (stored.beside(&found.path).unwrap_or(suffix.original), stored.modified)
            }
            _ => (self.options.suffixes.add(&found.path, self.container()), None),
        };
        self.replace(found, opened, Becomes { path, modified, origin, format })
    }

    /// What a compressed file says of the one it was made of.
    fn origin(&self, path: &Path, opened: &Opened) -> Origin {
        match self.options.names {
            true => Origin {
                name: path.file_name().map(ToOwned::to_owned),
                modified: opened.metadata.modified().ok(),
                mode: Some(opened.metadata.mode()),
            },
            false => Origin::default(),
        }
    }

    fn write_to_stdout(
        &mut self,
        input: File,
        origin: &Origin,
        format: Option<Format>,
        name: &Path,
    ) -> Result<(), Failure> {
        let compresses = self.options.task == Task::Compress;
        if compresses && !self.options.force && io::stdout().is_terminal() {
            let text = "compressed data are not written to a terminal (-f writes them)";
            return Err(Failure::Error(text.to_owned()));
        }
        if compresses && self.streams > 0 && !follows_itself(self.container()) {
            let text = format!(
                "standard output has a {format} stream already, behind which a second would not be found; \
                 valid: one file, or another format",
                format = self.container()
            );
            return Err(Failure::Error(text));
        }
        self.streams += 1;
        let stdout = sides::stdout()?;
        let (from, to) = (input.metadata()?, stdout.metadata()?);
        if from.is_file() && Identity::of(&from) == Identity::of(&to) {
            let text = "standard output is the same file: it would never end";
            return Err(Failure::Error(text.to_owned()));
        }
        let coded = self.coder.code(&input, Output::Stdout(&stdout), origin, format)?;
        if self.options.synchronous {
            sync(&stdout)?;
        }
        self.tell(name, &coded, b"");
        Ok(())
    }

    fn test(&mut self, input: &File, format: Option<Format>, name: &Path) -> Result<(), Failure> {
        let coded = self.coder.code(input, Output::Nowhere, &Origin::default(), format)?;
        self.tell_tested(name, &coded);
        Ok(())
    }

    fn tell_tested(&mut self, name: &Path, coded: &Coded) {
        self.report.done([&*plain(name, &io::stderr()), b":\tOK"].concat());
        self.warn(name, coded);
    }

    /// Lists a file under the name of its original, as it was modified then or is now.
    fn list(
        &mut self,
        input: File,
        format: Option<Format>,
        modified: Option<SystemTime>,
        name: &str,
        original: &Path,
    ) -> Result<(), Failure> {
        let now = input.metadata().and_then(|metadata| metadata.modified()).ok();
        let counted = Counted::new(&input, self.report.progress());
        let (entry, warning) = self.coder.codec.list(counted, format)?;
        let entry = Entry { modified: modified.or(now), ..entry };
        let row = self.table.row(&entry, &plain(original, &io::stdout()));
        warning.iter().for_each(|text| self.report.warn(name, text));
        Ok(self.report.print(&row)?)
    }

    /// Says what became of a file, where all of that is to be told.
    pub fn tell(&mut self, name: &Path, coded: &Coded, end: &[u8]) {
        let uncompressed =
            if self.options.task == Task::Compress { coded.input } else { coded.output };
        let saved = saved(coded.streams, uncompressed);
        let line = [&*plain(name, &io::stderr()), b":\t", saved.as_bytes(), end].concat();
        self.report.done(line);
        self.warn(name, coded);
    }

    /// Says what else has to be known of a file.
    fn warn(&mut self, name: &Path, coded: &Coded) {
        coded.notes.iter().for_each(|note| self.report.note(&shown(name), note));
        coded.warnings.iter().for_each(|text| self.report.warn(&shown(name), text));
    }
}

/// Whether what follows the end of a file of this kind is read as another.
fn follows_itself(container: Container) -> bool {
    let alone = [Container::Zip, Container::Format(Format::Zlib), Container::Format(Format::Raw)];
    !alone.contains(&container)
}

/// Has the system write standard output to its medium. Pipes and their like have none.
fn sync(stdout: &File) -> io::Result<()> {
    match stdout.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Bytes in all the files, where that can be told beforehand.
fn total_bytes(files: &[OsString]) -> Option<u64> {
    if files.is_empty() {
        return None;
    }
    let size = |path: &OsString| match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Some(metadata.len()),
        Ok(_) => None,
        Err(_) => Some(0),
    };
    files.iter().map(size).sum()
}
