//! File after file: opened, coded, put in its place.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use broadloom_program::identity::Identity;
use broadloom_program::message::reason;
use broadloom_program::progress::Progress;
use broadloom_program::quote::shown;
use broadloom_program::signals;

use super::batch::{self, Batch, Made};
use super::coder::Coder;
use super::crew::Crew;
use super::failure::Failure;
use super::inputs::{Found, Input, Rules, Search, Skip};
use super::opened::Opened;
use super::report::{Report, plain};
use super::sides::{self, Output};
use super::{Coded, Craft, Manner, Verbosity};

/// Files that are coded side by side, or were and wait for those before them, for each thread.
const AHEAD: usize = 32;

/// Most files that a thread gets at a time, and how many bytes are enough: to wake a thread takes
/// as long as to code a tiny file.
const GROUP: (usize, u64) = (8, 64 << 10);

/// Works on one file after another, and on small ones side by side.
pub struct Worker<C: Craft> {
    pub manner: Manner,
    /// Codes a file with all threads.
    pub coder: Coder<C>,
    /// Codes a file with one thread.
    single: Coder<C>,
    crew: Crew<Vec<Outcome>>,
    /// Files for the crew that wait for more, and their bytes.
    group: (Vec<FileWork<C>>, u64),
    /// The sources of what the crew was given, or is to be given, in order.
    ahead: VecDeque<(PathBuf, Identity)>,
    /// Most of them.
    most_ahead: usize,
    pub report: Report,
    /// Streams that standard output has got.
    streams: u64,
    /// Files that wait for their places.
    pub batch: Batch,
}

/// What is done with a file that is coded beside others.
type FileWork<C> = Box<dyn FnOnce(&Coder<C>) -> Outcome + Send>;

/// What came of a file that was coded beside others.
pub enum Outcome {
    /// Another was to be made of it.
    Made(Result<Box<Made>, Failure>),
    /// It was tested.
    Tested(Result<Coded, Failure>),
}

impl<C: Craft> Worker<C> {
    /// One that is ready for its first file.
    pub fn new(program: &'static str, manner: Manner, craft: C, files: &[OsString]) -> Worker<C> {
        let report = Report::new(program, manner.verbosity, progress(manner, files));
        let crew = Crew::new(craft.threads());
        let single = Coder { craft: craft.with_one_thread(), progress: report.progress() };
        let coder = Coder { craft, progress: report.progress() };
        let descriptors = batch::descriptors();
        // Each has a descriptor of its source, or of what is made of it, or of both while it is
        // coded.
        let most_ahead = (AHEAD * coder.craft.threads()).min(descriptors / 8);
        let (ahead, batch) = (VecDeque::new(), Batch::new(descriptors));
        Worker {
            manner,
            coder,
            single,
            crew,
            group: (Vec::new(), 0),
            ahead,
            most_ahead,
            report,
            streams: 0,
            batch,
        }
    }

    /// Works on all of them.
    pub fn run(mut self, files: Vec<OsString>) -> ExitCode {
        let files = if files.is_empty() { vec![OsString::from("-")] } else { files };
        let suffix = (!self.craft().codes()).then(|| self.craft().suffix().to_owned());
        let (recursive, hints) = (self.manner.recursive, self.craft().hints());
        let search = Search { recursive, suffix: suffix.as_deref(), hints };
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
        self.report.status()
    }

    fn craft(&self) -> &C {
        &self.coder.craft
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

    /// Returns `true` if a file is coded by one thread, beside others: where it is not enough work
    /// for several.
    pub fn goes_side_by_side(&self, opened: &Opened) -> bool {
        let least = self.craft().divided();
        self.craft().threads() > 1 && opened.metadata.is_file() && opened.metadata.len() <= least
    }

    /// Has a file of so many bytes coded beside others.
    pub fn beside(
        &mut self,
        source: PathBuf,
        opened: (Identity, u64),
        work: impl FnOnce(&Coder<C>) -> Outcome + Send + 'static,
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

    /// Returns `true` if a file is the source of one that was begun.
    pub fn holds(&self, identity: Identity) -> bool {
        self.batch.holds(identity) || self.ahead.iter().any(|(_, source)| *source == identity)
    }

    /// Standard input, to standard output.
    fn stdin(&mut self) -> Result<(), Failure> {
        self.settle();
        refuse_terminal_input(self.craft(), self.manner.force)?;
        let input = sides::stdin()?;
        let about = self.craft().about_stdin(&input);
        match self.manner.test {
            true => self.test(&input, &about, Path::new("stdin")),
            false => self.write_to_stdout(input, &about, Path::new("stdin")),
        }
    }

    /// Opens a file that may be worked on.
    fn open_now(&self, found: &Found) -> Result<Opened, Skip> {
        let Manner { test, stdout, keep, force, .. } = self.manner;
        let makes_file = !test && !stdout;
        let rules = Rules {
            replaces: makes_file && !keep,
            beside: makes_file && keep,
            force,
            codes: self.craft().codes(),
            suffix_of: &|path| self.craft().suffix_of(path),
            hints: self.craft().hints(),
        };
        rules.open(found)
    }

    /// Opens a file that may be worked on, as all files before it left the directory.
    fn open(&mut self, found: &Found) -> Result<Opened, Skip> {
        let opened = self.open_now(found);
        let waits = match &opened {
            Ok(opened) => self.holds(opened.identity()),
            // These are told by the name alone.
            Err(Skip::Silent | Skip::Note(_)) => false,
            Err(Skip::Error(_) | Skip::Warning(_)) => true,
        };
        if waits && !(self.batch.is_empty() && self.ahead.is_empty()) {
            self.settle();
            return self.open_now(found);
        }
        opened
    }

    fn file(&mut self, found: &Found) -> Result<(), Failure> {
        let opened = self.open(found)?;
        if self.manner.test {
            let about = self.craft().about(&found.path, &opened);
            if self.goes_side_by_side(&opened) {
                let identity = (opened.identity(), opened.metadata.len());
                self.beside(found.path.clone(), identity, move |coder| {
                    Outcome::Tested(coder.code(&opened.file, Output::Nowhere, &about))
                });
                return Ok(());
            }
            self.catch_up();
            return self.test(&opened.file, &about, &found.path);
        }
        if self.manner.stdout {
            let about = self.craft().about(&found.path, &opened);
            return self.write_to_stdout(opened.file, &about, &found.path);
        }
        let becomes = self.craft().becomes(&found.path, &opened)?;
        self.replace(found, opened, becomes)
    }

    fn write_to_stdout(
        &mut self,
        input: File,
        about: &C::About,
        name: &Path,
    ) -> Result<(), Failure> {
        let (codes, word) = (self.craft().codes(), self.craft().word());
        let shows = self.manner.force || self.craft().is_text() || !io::stdout().is_terminal();
        if codes && !shows {
            let text = format!("{word} data are not written to a terminal (-f writes them)");
            return Err(Failure::Error(text));
        }
        if codes
            && self.streams > 0
            && let Some(text) = self.craft().stands_alone()
        {
            return Err(Failure::Error(text));
        }
        self.streams += 1;
        let stdout = sides::stdout()?;
        let (from, to) = (input.metadata()?, stdout.metadata()?);
        if from.is_file() && Identity::of(&from) == Identity::of(&to) {
            let text = "standard output is the same file: it would never end";
            return Err(Failure::Error(text.to_owned()));
        }
        let coded = self.coder.code(&input, Output::Stdout(&stdout), about)?;
        if self.manner.synchronous {
            sync(&stdout)?;
        }
        self.tell(name, &coded, b"");
        Ok(())
    }

    fn test(&mut self, input: &File, about: &C::About, name: &Path) -> Result<(), Failure> {
        let coded = self.coder.code(input, Output::Nowhere, about)?;
        self.tell_tested(name, &coded);
        Ok(())
    }

    fn tell_tested(&mut self, name: &Path, coded: &Coded) {
        self.report.done([&*plain(name, &io::stderr()), b":\tOK"].concat());
        self.warn(name, coded);
    }

    /// Says what became of a file, where all of that is to be told.
    pub fn tell(&mut self, name: &Path, coded: &Coded, end: &[u8]) {
        let outcome = self.craft().outcome(coded);
        let line = [&*plain(name, &io::stderr()), b":\t", outcome.as_bytes(), end].concat();
        self.report.done(line);
        self.warn(name, coded);
    }

    /// Says what else has to be known of a file.
    fn warn(&mut self, name: &Path, coded: &Coded) {
        coded.notes.iter().for_each(|note| self.report.note(&shown(name), note));
        coded.warnings.iter().for_each(|text| self.report.warn(&shown(name), text));
    }
}

/// Refuses to read coded data from a terminal, unless that is asked for.
///
/// # Errors
/// That it is one.
pub fn refuse_terminal_input<C: Craft>(craft: &C, force: bool) -> Result<(), Failure> {
    if craft.codes() || force || !io::stdin().is_terminal() {
        return Ok(());
    }
    let text = format!("{} data are not read from a terminal (-f reads them)", craft.word());
    Err(Failure::Error(text))
}

/// Has the system write standard output to its medium. Pipes and their like have none.
fn sync(stdout: &File) -> io::Result<()> {
    match stdout.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// The bar for so many files.
pub fn progress(manner: Manner, files: &[OsString]) -> Progress {
    // A bar would get between the lines of what is written to the same terminal.
    let shared = (manner.stdout || files.is_empty()) && io::stdout().is_terminal();
    match manner.verbosity {
        Verbosity::Quiet => Progress::none(),
        _ if shared => Progress::none(),
        _ if manner.progress => Progress::new(|| total_bytes(files)).at_once(),
        _ => Progress::new(|| total_bytes(files)),
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
