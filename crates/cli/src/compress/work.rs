//! File after file: opened, coded, put in its place.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use broadloom::compression::format::Format;
use broadloom_cli::message::{is_broken_pipe, reason};
use broadloom_cli::progress::Progress;
use broadloom_cli::quote::shown;
use broadloom_lanes::Cpu;

use super::codec::{Codec, CodecError, Coded, Origin};
use super::header::Header;
use super::inputs::{Found, Input, Opened, Rules, Search, Skip};
use super::list::{Entry, Table, saved};
use super::options::{Options, Task, Verbosity};
use super::replace::Becomes;
use super::report::{Report, plain};
use super::sides::{self, Counted, Output};

/// Works on one file after another.
pub struct Worker {
    pub options: Options,
    codec: Codec,
    pub report: Report,
    table: Table,
    /// Streams that standard output has got.
    streams: u64,
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
        let codec = Codec::open(&options.coding, options.task, total_bytes(files), cpu)?;
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
        Ok(Worker { options, codec, report, table, streams: 0 })
    }

    /// Works on all of them.
    pub fn run(mut self, files: Vec<OsString>) -> ExitCode {
        let compresses = self.options.task == Task::Compress;
        let suffix = self.options.suffixes.of(self.format()).to_owned();
        let search = Search {
            recursive: self.options.recursive,
            suffix: (!compresses).then_some(suffix.as_os_str()),
        };
        for input in search.inputs(files) {
            let (name, done) = match input {
                Ok(Input::Stdin) => ("stdin".to_owned(), self.stdin()),
                Ok(Input::File(found)) => (shown(&found.path), self.file(&found)),
                Err((path, skip)) => (shown(&path), Err(skip.into())),
            };
            match done {
                Ok(()) => {}
                Err(Failure::Skip(skip)) => self.report.skip(&name, &skip),
                Err(Failure::Error(text)) => self.report.error(&name, &text),
                Err(Failure::Gone) => {
                    self.report.silent_error();
                    return self.report.status();
                }
            }
        }
        if let Some(totals) = self.table.end()
            && let Err(error) = self.report.print(totals.as_bytes())
        {
            match is_broken_pipe(&error) {
                true => self.report.silent_error(),
                false => self.report.error("standard output", &reason(&error)),
            }
        }
        self.report.status()
    }

    /// The format of what is compressed; the one most likely to be decompressed.
    fn format(&self) -> Format {
        self.options.coding.format.unwrap_or(Format::Gzip)
    }

    /// Standard input, to standard output.
    fn stdin(&mut self) -> Result<(), Failure> {
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
            Task::Test => self.test(input, None, Path::new("stdin")),
            Task::List => self.list(input, None, None, "stdin", Path::new("stdout")),
        }
    }

    fn file(&mut self, found: &Found) -> Result<(), Failure> {
        let Options { task, stdout, keep, force, .. } = self.options;
        let makes_file = matches!(task, Task::Compress | Task::Decompress) && !stdout;
        let rules = Rules {
            replaces: makes_file && !keep,
            beside: makes_file && keep,
            force,
            compresses: task == Task::Compress,
            suffixes: &self.options.suffixes,
        };
        let opened = rules.open(found)?;
        let suffix = self.options.suffixes.find(&found.path);
        let format = suffix.as_ref().and_then(|suffix| suffix.format);
        match task {
            Task::Test => return self.test(opened.file, format, &found.path),
            Task::List => {
                let stored =
                    if self.options.names { Header::read(&opened.file)? } else { Header::default() };
                let original = suffix.map_or_else(|| found.path.clone(), |suffix| suffix.original);
                let original = stored.beside(&found.path).unwrap_or(original);
                return self.list(opened.file, format, stored.modified, &shown(&found.path), &original);
            }
            Task::Compress | Task::Decompress => {}
        }
        let origin = self.origin(&found.path, &opened);
        if stdout {
            return self.write_to_stdout(opened.file, &origin, format, &found.path);
        }
        let (path, modified) = match suffix {
            Some(suffix) if task == Task::Decompress => {
                let stored =
                    if self.options.names { Header::read(&opened.file)? } else { Header::default() };
                (stored.beside(&found.path).unwrap_or(suffix.original), stored.modified)
            }
            _ => (self.options.suffixes.add(&found.path, self.format()), None),
        };
        self.replace(found, &opened, &Becomes { path, modified, origin, format })
    }

    /// What a compressed file says of the one it was made of.
    fn origin(&self, path: &Path, opened: &Opened) -> Origin {
        match self.options.names {
            true => Origin {
                name: path.file_name().map(ToOwned::to_owned),
                modified: opened.metadata.modified().ok(),
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
        if compresses && self.streams > 0 && !follows_itself(self.format()) {
            let text = format!(
                "standard output has a {format} stream already, behind which a second would not be found; \
                 valid: one file, or another format",
                format = self.format()
            );
            return Err(Failure::Error(text));
        }
        self.streams += 1;
        let stdout = sides::stdout()?;
        let coded = self.code(&input, Output::File(&stdout), origin, format)?;
        self.tell(name, &coded, b"");
        Ok(())
    }

    fn test(&mut self, input: File, format: Option<Format>, name: &Path) -> Result<(), Failure> {
        self.code(&input, Output::Nowhere, &Origin::default(), format)?;
        self.report.done([&*plain(name, &io::stderr()), b":\tOK"].concat());
        Ok(())
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
        let format = self.options.coding.format.or(format);
        let now = input.metadata().and_then(|metadata| metadata.modified()).ok();
        let (entry, note) = self.codec.list(Counted::new(input, self.report.progress()), format)?;
        let entry = Entry { modified: modified.or(now), ..entry };
        let row = self.table.row(&entry, &plain(original, &io::stdout()));
        note.iter().for_each(|note| self.report.note(name, note));
        Ok(self.report.print(&row)?)
    }

    /// Compresses or decompresses what `input` has, and says what else there is to be said of it.
    pub fn code(
        &mut self,
        input: &File,
        output: Output<'_>,
        origin: &Origin,
        format: Option<Format>,
    ) -> Result<Coded, Failure> {
        let input = Counted::new(input, self.report.progress());
        if self.options.task == Task::Compress {
            return Ok(self.codec.compress(input, output, origin)?);
        }
        Ok(self.codec.decompress(input, output, self.options.coding.format.or(format))?)
    }

    /// Says what became of a file, where all of that is to be told.
    pub fn tell(&self, name: &Path, coded: &Coded, end: &[u8]) {
        let uncompressed = if self.options.task == Task::Compress { coded.input } else { coded.output };
        let saved = saved(coded.streams, uncompressed);
        let line = [&*plain(name, &io::stderr()), b":\t", saved.as_bytes(), end].concat();
        self.report.done(line);
        coded.notes.iter().for_each(|note| self.report.note(&shown(name), note));
    }
}

/// Whether what follows the end of a file of this format is read as another.
fn follows_itself(format: Format) -> bool {
    !matches!(format, Format::Zlib | Format::Raw)
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
