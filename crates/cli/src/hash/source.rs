//! What a command line asks to be hashed.
//!
//! Nothing is collected: directories are walked and lists are read as the workers ask for more.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::vec;

use broadloom_hashing::reader::{self, Opened};
use broadloom_hashing::source::{Input, Item, Request, Serial, Source, Spans};
use broadloom_program::streams::StandardInput;
use walkdir::WalkDir;

use super::report::{Notice, Report};

/// Standard input as a file to be hashed. Asked for again, it is empty.
#[derive(Default)]
pub struct Stdin {
    taken: bool,
}

impl Stdin {
    /// Asks for it.
    pub fn take(&mut self) -> Input {
        let again = std::mem::replace(&mut self.taken, true);
        let input: Box<dyn Read + Send> =
            if again { Box::new(io::empty()) } else { Box::new(StandardInput) };
        Input::Serial(Serial::Open(input))
    }
}

/// The paths of a command line.
pub struct Paths {
    paths: vec::IntoIter<OsString>,
    recursive: bool,
    chunk: Option<NonZeroU64>,
    stdin: Stdin,
    walk: Option<walkdir::IntoIter>,
    spans: Option<Spans>,
}

impl Paths {
    /// The files named, those below the directories named if `recursive`, each cut into spans of
    /// chunks if there is a chunk size.
    pub fn new(paths: Vec<OsString>, recursive: bool, chunk: Option<NonZeroU64>) -> Self {
        Paths {
            paths: paths.into_iter(),
            recursive,
            chunk,
            stdin: Stdin::default(),
            walk: None,
            spans: None,
        }
    }

    /// The next entry of the walk that is a regular file.
    fn next_walked(&mut self) -> Option<Item<Report>> {
        for entry in self.walk.as_mut()? {
            match entry {
                Ok(entry) if entry.file_type().is_file() => {
                    return Some(self.file(entry.into_path().into_os_string()));
                }
                Ok(_) => {}
                Err(error) => {
                    let name: Arc<OsStr> =
                        error.path().map_or(OsStr::new("."), Path::as_os_str).into();
                    let error =
                        error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into());
                    return Some(Item::Notice(Notice::Failed { name, error }));
                }
            }
        }
        self.walk = None;
        None
    }

    fn file(&mut self, name: OsString) -> Item<Report> {
        let name: Arc<OsStr> = name.into();
        let Some(chunk) = self.chunk else {
            return Item::Hash(Request { name, expected: None, input: Input::Path });
        };
        match reader::open(Path::new(&name)) {
            Err(error) => Item::Notice(Notice::Failed { name, error }),
            Ok(Opened::Serial) => {
                Item::Hash(Request { name, expected: None, input: Input::Serial(Serial::Device) })
            }
            Ok(Opened::Regular(file, 0)) => {
                let input = Input::Serial(Serial::File(file));
                Item::Hash(Request { name, expected: None, input })
            }
            Ok(Opened::Regular(file, size)) => {
                let mut spans = Spans::new(file, name, size, chunk);
                let first = spans.request().expect("the file is not empty");
                self.spans = Some(spans);
                Item::Hash(first)
            }
        }
    }
}

impl Source<Report> for Paths {
    fn next(&mut self) -> Option<Item<Report>> {
        if let Some(item) = self.spans.as_mut().and_then(Spans::request) {
            return Some(Item::Hash(item));
        }
        self.spans = None;
        loop {
            if let Some(item) = self.next_walked() {
                return Some(item);
            }
            let path = self.paths.next()?;
            if path == "-" {
                let input = self.stdin.take();
                return Some(Item::Hash(Request { name: path.into(), expected: None, input }));
            }
            if !self.recursive || !fs::metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
                return Some(self.file(path));
            }
            self.walk = Some(WalkDir::new(path).sort_by_file_name().into_iter());
        }
    }
}
