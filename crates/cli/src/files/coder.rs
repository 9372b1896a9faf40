//! What is done with one file, and may be done with others side by side.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use broadloom_program::message::reason;
use broadloom_program::progress::Progress;
use broadloom_program::target::{Existing, Target};

use super::batch::{Beside, FileState, Made, SourceFile};
use super::failure::{Failure, not_written, says};
use super::opened::Opened;
use super::sides::{Counted, Output};
use super::{Coded, Craft, attributes, write_back};

/// Codes files as the command line asks for it.
#[derive(Clone)]
pub struct Coder<C> {
    pub craft: C,
    pub progress: Arc<Mutex<Progress>>,
}

/// A file of which another is to be made.
pub struct Making<A> {
    /// Its name.
    pub source: PathBuf,
    /// The file.
    pub opened: Opened,
    /// Where the new file will be, and what becomes of one that is there.
    pub place: (PathBuf, Existing),
    /// The same of its index.
    pub index: Option<(PathBuf, Existing)>,
    /// When the new file was modified, where that is not when the source was.
    pub modified: Option<SystemTime>,
    /// The disk has to hold the new file before the file gets its place.
    pub is_synced: bool,
    /// What is known of the source.
    pub about: A,
}

impl<C: Craft> Coder<C> {
    /// Codes or decodes what `input` has.
    pub fn code(
        &self,
        input: &File,
        output: Output<'_>,
        about: &C::About,
    ) -> Result<Coded, Failure> {
        self.craft.code(Counted::new(input, Arc::clone(&self.progress)), output, about)
    }

    /// Makes a file of a file. The new file has no name yet.
    pub fn make(&self, making: Making<C::About>) -> Result<Made, Failure> {
        let Making { source, opened, place: (path, existing), index, .. } = making;
        let target = Target::create(&path)
            .map_err(|error| says(&path, &format!("cannot be made: {}", reason(&error))))?;
        let mut code = || self.code(&opened.file, Output::File(target.file()), &making.about);
        let coded = match making.is_synced && opened.metadata.len() >= write_back::LEAST {
            true => write_back::during(target.file(), &path, &mut code)?,
            false => code()?,
        };
        self.refuse_changed(&opened, &coded)?;
        attributes::copy(&opened, making.modified, target.file(), (&path, existing))
            .map_err(|error| not_written(&path, &error))?;
        let index = match (index, &coded.index) {
            (Some((path, existing)), Some(index)) => {
                let target = write_index(index, &opened, (&path, existing))
                    .map_err(|error| not_written(&path, &error))?;
                Some(Beside { target, path, existing })
            }
            _ => None,
        };
        let file = Beside { target, path, existing };
        let state = FileState::of(&opened.metadata);
        let source = SourceFile { path: source, name: opened.name, state };
        Ok(Made { source, file, index, coded })
    }

    /// Refuses a file that changed while it was read: what was made of it is not what it is now.
    fn refuse_changed(&self, opened: &Opened, coded: &Coded) -> Result<(), Failure> {
        let before = FileState::of(&opened.metadata);
        let now = FileState::of(&opened.file.metadata()?);
        // What decodes does not read what belongs to nothing.
        let read = if self.craft.codes() { before.with_len(coded.input) } else { before };
        let difference = before.difference(&now).or_else(|| before.difference(&read));
        difference.map_or(Ok(()), |text| Err(Failure::Error(text)))
    }
}

/// The index of a file that is to be at that place, beside it.
fn write_index(index: &[u8], opened: &Opened, place: (&Path, Existing)) -> io::Result<Target> {
    let target = Target::create(place.0)?;
    target.file().write_all(index)?;
    attributes::copy(opened, None, target.file(), place)?;
    Ok(target)
}
