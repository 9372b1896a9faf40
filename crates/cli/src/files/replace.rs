//! A file made of a file: beside it, and then in its place.

use std::fs::{self, File};
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use broadloom_program::identity::Identity;
use broadloom_program::message::reason;
use broadloom_program::patient;
use broadloom_program::quote::shown;
use broadloom_program::target::{Existing, Target};
use rustix::event::PollFlags;
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;

use super::batch::{Beside, Made, SourceFile, sync_names};
use super::coder::Making;
use super::failure::{Failure, not_written, says};
use super::inputs::{Found, Skip};
use super::opened::Opened;
use super::report::plain;
use super::work::{Outcome, Worker};
use super::{Becomes, Coded, Craft};

impl<C: Craft> Worker<C> {
    /// Makes a file of a file, which goes unless it is kept. The new file may wait for its place
    /// until a [commit](Worker::commit), and may be made beside others before that.
    pub fn replace(
        &mut self,
        found: &Found,
        opened: Opened,
        becomes: Becomes<C::About>,
    ) -> Result<(), Failure> {
        let Becomes { path, index, modified, about } = becomes;
        let existing = self.may_be_at(&path, &opened)?;
        let index = match index {
            Some(path) => {
                let existing = self.may_be_at(&path, &opened)?;
                Some((path, existing))
            }
            None => None,
        };
        let replaces = existing == Existing::Replace && is_there(&path);
        let is_synced = replaces || self.manner.is_synced();
        let (source, place) = (found.path.clone(), (path, existing));
        let making = Making { source, opened, place, index, modified, is_synced, about };
        if self.goes_side_by_side(&making.opened) {
            let opened = (making.opened.identity(), making.opened.metadata.len());
            self.beside(found.path.clone(), opened, move |coder| {
                Outcome::Made(coder.make(making).map(Box::new))
            });
            return Ok(());
        }
        self.catch_up();
        let made = self.coder.make(making)?;
        self.put(made)
    }

    /// Gives a file that was made its place, or has it wait for that.
    pub fn put(&mut self, made: Made) -> Result<(), Failure> {
        let replaces = made.file.replaces() || made.index.as_ref().is_some_and(Beside::replaces);
        // Where nothing goes, nothing has to be on disk first.
        if !replaces && !self.manner.is_synced() {
            let placed = place(made)?;
            self.tell_placed(&placed);
            return Ok(());
        }
        self.batch.push(made);
        if self.batch.is_full() {
            self.commit();
        }
        Ok(())
    }

    /// Gives all files that wait their places, and then removes the files they were made of, unless
    /// those are kept. Nothing is removed or replaced before the disk holds what takes its place.
    pub fn commit(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let (all, synced) = self.batch.take();
        let names: Vec<PathBuf> = all.iter().map(|made| made.source.path.clone()).collect();
        let all: Vec<Result<Placed, Failure>> = all
            .into_iter()
            .map(|made| match &synced {
                Ok(()) => place(made),
                Err(error) => Err(not_written(&made.file.path, error)),
            })
            .collect();
        let placed = all.iter().flatten().flat_map(Placed::names).collect::<Vec<_>>();
        let lasts = self.manner.keep && !self.manner.synchronous;
        let synced = if lasts { Ok(()) } else { sync_names(&placed) };
        for (name, placed) in names.iter().zip(all) {
            let done = placed.and_then(|placed| {
                if self.removes(&placed) {
                    let stays = |error: &io::Error| {
                        let text = format!("is complete, but this file stays: {}", reason(error));
                        says(&placed.path, &text)
                    };
                    synced.as_ref().map_err(stays)?;
                    placed.source.refuse_changed().map_err(|error| stays(&error))?;
                    fs::remove_file(&placed.source.path).map_err(|error| stays(&error))?;
                }
                Ok(placed)
            });
            match done {
                Ok(placed) => self.tell_placed(&placed),
                Err(failure) => self.failed(&shown(name), failure),
            }
        }
    }

    /// Returns `true` if a source goes. What was not decompressed is nowhere else.
    fn removes(&self, placed: &Placed) -> bool {
        !self.manner.keep && (self.manner.force || !placed.coded.left)
    }

    fn tell_placed(&mut self, placed: &Placed) {
        let how = if self.removes(placed) { "replaced with" } else { "created" };
        let end = format!(" -- {how} ");
        let end = [end.as_bytes(), &plain(&placed.path, &io::stderr())].concat();
        self.tell(&placed.source.path, &placed.coded, &end);
    }

    /// Decides what becomes of a file at `path`, where a new file may have to go.
    fn may_be_at(&mut self, path: &Path, opened: &Opened) -> Result<Existing, Failure> {
        let wanted = if self.manner.force { Existing::Replace } else { Existing::Keep };
        let Ok(there) = fs::symlink_metadata(path) else { return Ok(wanted) };
        if opened.identity().is_at(path) {
            return Err(says(path, "is the same file: not replaced (-c writes elsewhere)"));
        }
        if !self.manner.force || self.holds(Identity::of(&there)) {
            // It may be one that is about to go, and what is asked is asked in the order of the
            // files.
            self.settle();
        }
        let mut existing = wanted;
        if existing == Existing::Keep && is_there(path) {
            if !self.may_overwrite(path) {
                return Err(kept(path));
            }
            existing = Existing::Replace;
        }
        if path.is_dir() {
            return Err(says(path, "is a directory: not overwritten"));
        }
        Ok(existing)
    }

    /// Asks whether a file may be overwritten, where there is somebody to ask.
    fn may_overwrite(&self, path: &Path) -> bool {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() || !in_foreground() {
            return false;
        }
        self.report.ask(&format!("{} is there already; overwrite it (y or n)? ", shown(path)));
        // A job that reads its terminal from the background is stopped, each time it goes on: it
        // would not come to see a signal that ends it. So it reads when there is a line for it.
        let mut answer = String::new();
        let waited = patient::wait(io::stdin(), PollFlags::IN).is_ok() && in_foreground();
        let read = waited && io::stdin().lock().read_line(&mut answer).is_ok();
        read && answer.trim_start().starts_with(['y', 'Y'])
    }
}

/// A file that has its place.
struct Placed {
    source: SourceFile,
    path: PathBuf,
    file: File,
    /// Its index, in its place too.
    index: Option<(PathBuf, File)>,
    coded: Coded,
}

impl Placed {
    fn names(&self) -> impl Iterator<Item = (&Path, &File)> {
        let index = self.index.as_ref().map(|(path, file)| (path.as_path(), file));
        std::iter::once((self.path.as_path(), &self.file)).chain(index)
    }
}

/// Gives a file and its index their places: both, or neither.
fn place(made: Made) -> Result<Placed, Failure> {
    let Made { source, file, index, coded } = made;
    source.refuse_changed().map_err(|error| Failure::Error(reason(&error)))?;
    let replaces = file.replaces();
    let Beside { target, path, existing } = file;
    if replaces && source.state.is_at(&path) {
        return Err(says(&path, "is the same file: not replaced (-c writes elsewhere)"));
    }
    let file = put(target, &path, existing)?;
    let index = match index {
        None => None,
        Some(beside) => match put(beside.target, &beside.path, beside.existing) {
            Ok(file) => Some((beside.path, file)),
            Err(failure) => {
                // What was there before cannot come back; what is there now is complete.
                if !replaces {
                    withdraw(&path, &file).map_err(|error| not_written(&path, &error))?;
                }
                return Err(failure);
            }
        },
    };
    Ok(Placed { source, path, file, index, coded })
}

fn put(target: Target, path: &Path, existing: Existing) -> Result<File, Failure> {
    target.place(path, existing).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => kept(path),
        _ => not_written(path, &error),
    })
}

/// Removes a file from the place that it was given.
fn withdraw(path: &Path, file: &File) -> io::Result<()> {
    if Identity::of(&fs::symlink_metadata(path)?) == Identity::of(&file.metadata()?) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Returns `true` if something has a name.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Returns `true` if this job is the one that its terminal listens to.
fn in_foreground() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

/// A file is left as it is, because another is where what is made of it would go.
fn kept(path: &Path) -> Failure {
    let text = format!("{} is there already: not overwritten (-f does)", shown(path));
    Skip::Warning(text).into()
}
