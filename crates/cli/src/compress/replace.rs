//! A file made of a file: beside it, and then in its place.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use broadloom::compression::format::Format;
use broadloom_cli::message::reason;
use broadloom_cli::quote::shown;
use broadloom_cli::target::{Existing, Target};

use super::attributes;
use super::codec::{Coded, Origin};
use super::inputs::{Found, Opened};
use super::options::Task;
use super::report::plain;
use super::sides::Output;
use super::work::{Failure, Worker};

/// What a file becomes.
pub struct Becomes {
    /// Where it will be.
    pub path: PathBuf,
    /// When it was modified, where that is not when its input was.
    pub modified: Option<SystemTime>,
    /// What it says of the one it was made of.
    pub origin: Origin,
    /// The format of what is decompressed, where that is known beforehand.
    pub format: Option<Format>,
}

impl Worker {
    /// Makes a file of a file, which goes unless it is kept.
    pub fn replace(&mut self, found: &Found, opened: &Opened, becomes: &Becomes) -> Result<(), Failure> {
        let Becomes { path, .. } = becomes;
        let there = |text: &str| Failure::Error(format!("{} {text}", shown(path)));
        let mut existing = if self.options.force { Existing::Replace } else { Existing::Keep };
        if existing == Existing::Keep && fs::symlink_metadata(path).is_ok() {
            if !self.may_overwrite(path) {
                return Err(there("is there already: not overwritten (-f does)"));
            }
            existing = Existing::Replace;
        }
        if path.is_dir() {
            return Err(there("is a directory: not overwritten"));
        }
        let target = Target::create(path)
            .map_err(|error| there(&format!("cannot be made: {}", reason(&error))))?;
        let output = Output::File(target.file());
        let coded = self.code(&opened.file, output, &becomes.origin, becomes.format)?;
        self.refuse_changed(opened, &coded)?;
        let written = |error: io::Error| there(&format!("cannot be written: {}", reason(&error)));
        attributes::copy(&opened.metadata, becomes.modified, target.file()).map_err(written)?;
        if let Some(index) = index(path, &coded).map_err(written)? {
            let beside = index_path(path);
            attributes::copy(&opened.metadata, None, index.file()).map_err(written)?;
            index.place(&beside, existing).map_err(|error| {
                Failure::Error(format!("{} cannot be written: {}", shown(&beside), reason(&error)))
            })?;
        }
        target.place(path, existing).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => there("is there already: not overwritten (-f does)"),
            _ => written(error),
        })?;
        if !self.options.keep {
            let stays = |error: io::Error| {
                Failure::Error(format!(
                    "{} is complete, but this file stays: {}",
                    shown(path),
                    reason(&error)
                ))
            };
            fs::remove_file(&found.path).map_err(stays)?;
        }
        let how = if self.options.keep { "created" } else { "replaced with" };
        let end = format!(" -- {how} ");
        self.tell(&found.path, &coded, &[end.as_bytes(), &plain(path, &io::stderr())].concat());
        Ok(())
    }

    /// Refuses a file that became shorter or longer while it was read: what was made of it is not all of it.
    fn refuse_changed(&self, opened: &Opened, coded: &Coded) -> Result<(), Failure> {
        let before = opened.metadata.len();
        let now = opened.file.metadata()?.len();
        // Decompression does not read what belongs to nothing.
        let read = if self.options.task == Task::Compress { coded.input } else { before };
        match [now, read].into_iter().find(|&len| len != before) {
            Some(len) => Err(Failure::Error(format!(
                "file changed while it was read: it had {before} bytes, and then {len}"
            ))),
            None => Ok(()),
        }
    }

    /// Asks whether a file may be overwritten, where there is somebody to ask.
    fn may_overwrite(&self, path: &Path) -> bool {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return false;
        }
        self.report.ask(&format!("{} is there already; overwrite it (y or n)? ", shown(path)));
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        read.is_ok() && answer.trim_start().starts_with(['y', 'Y'])
    }
}

/// Where the index of a BGZF file is.
fn index_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".gzi");
    name.into()
}

/// The index of what was written, beside it, where there is one.
fn index(path: &Path, coded: &Coded) -> io::Result<Option<Target>> {
    let Some(index) = &coded.index else { return Ok(None) };
    let target = Target::create(&index_path(path))?;
    target.file().write_all(&index.to_bytes())?;
    Ok(Some(target))
}
