//! `--list`: a line for each compressed file.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use broadloom::compression::format::Format;
use broadloom_program::message::{is_broken_pipe, reason};
use broadloom_program::quote::shown;
use broadloom_program::signals;

use super::codec::Codec;
use super::craft::{Compression, modified};
use super::list::Table;
use super::options::Options;
use crate::files::inputs::{Found, Input, Rules, Search};
use crate::files::report::{Report, plain};
use crate::files::sides::{self, Counted};
use crate::files::{Craft, Failure, failure, progress, refuse_terminal_input};

/// Lists files.
pub struct Listing {
    compression: Compression,
    pub report: Report,
    table: Table,
}

impl Listing {
    /// One without lines.
    pub fn new(program: &'static str, compression: Compression, files: &[OsString]) -> Listing {
        let manner = compression.options.manner;
        let report = Report::new(program, manner.verbosity, progress(manner, files));
        Listing { compression, report, table: Table::new(manner.verbosity) }
    }

    fn options(&self) -> &Options {
        &self.compression.options
    }

    fn codec(&self) -> &Codec {
        &self.compression.codec
    }

    /// Lists all of them.
    pub fn run(mut self, files: Vec<OsString>) -> ExitCode {
        let files = if files.is_empty() { vec![OsString::from("-")] } else { files };
        let suffix = self.compression.suffix().to_owned();
        let recursive = self.options().manner.recursive;
        for name in files {
            let hints = self.compression.hints();
            let search = Search { recursive, suffix: Some(&suffix), hints };
            for input in search.named(PathBuf::from(name)) {
                let (name, listed) = match input {
                    Ok(Input::Stdin) => ("stdin".to_owned(), self.stdin()),
                    Ok(Input::File(found)) => (shown(&found.path), self.file(&found)),
                    Err((path, skip)) => (shown(&path), Err(skip.into())),
                };
                match listed {
                    Ok(()) => {}
                    Err(Failure::Skip(skip)) => self.report.skip(&name, &skip),
                    Err(Failure::Error(text)) => self.report.error(&name, &text),
                    Err(Failure::Gone) => signals::die_of_broken_pipe(),
                }
            }
        }
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

    fn stdin(&mut self) -> Result<(), Failure> {
        refuse_terminal_input(&self.compression, self.options().manner.force)?;
        self.list(&sides::stdin()?, None, "stdin", Path::new("stdout"))
    }

    fn file(&mut self, found: &Found) -> Result<(), Failure> {
        let rules = Rules {
            replaces: false,
            beside: false,
            force: self.options().manner.force,
            codes: false,
            suffix_of: &|path| self.options().suffixes.find(path).map(|suffix| suffix.suffix),
            hints: self.compression.hints(),
        };
        let opened = rules.open(found)?;
        let suffix = self.options().suffixes.find(&found.path);
        let format = suffix.as_ref().and_then(|suffix| suffix.format);
        let original = suffix.map_or_else(|| found.path.clone(), |suffix| suffix.original);
        self.list(&opened.file, format, &shown(&found.path), &original)
    }

    /// Lists a file under the name of its original; with the name and the time that it stores of
    /// that, where those are asked for.
    fn list(
        &mut self,
        input: &File,
        format: Option<Format>,
        name: &str,
        original: &Path,
    ) -> Result<(), Failure> {
        let modified = modified(&input.metadata()?);
        let counted = Counted::new(input, self.report.progress());
        let listed = self.codec().list(counted, format);
        let (mut entry, warning) = listed.map_err(|error| failure(&error))?;
        let names = self.options().names;
        entry.modified = entry.stored.filter(|_| names).or(modified);
        let stored = entry.name.take().filter(|_| names);
        let original = stored.map_or_else(
            || original.to_owned(),
            |stored| original.with_file_name(OsStr::from_bytes(&stored)),
        );
        let row = self.table.row(&entry, &plain(&original, &io::stdout()));
        warning.iter().for_each(|text| self.report.warn(name, text));
        Ok(self.report.print(&row)?)
    }
}
