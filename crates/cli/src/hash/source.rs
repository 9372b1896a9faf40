//! What is to be hashed, one thing at a time and in the order asked for.
//!
//! Nothing is collected: directories are walked and lists are read as the workers ask for more.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::vec;

use walkdir::WalkDir;

use super::reader::{self, Opened};
use super::report::{Notice, Report};
use super::round::PIECE;
use super::task::Task;

/// Chunks in a span at most: bounds the results of one.
const SPAN_CHUNKS: u64 = 64;

/// The next thing in the order of results.
pub enum Item<T: Task> {
    /// A file, or part of one, to be hashed.
    Hash(Request<T>),
    /// Something to be reported in its turn.
    Notice(T::Notice),
}

/// A file, or part of one, to be hashed.
pub struct Request<T: Task> {
    /// The name as results show it.
    pub name: Arc<OsStr>,
    /// What is known of it before it is read.
    pub expected: T::Expected,
    /// Where its bytes come from.
    pub input: Input,
}

/// Where bytes come from.
pub enum Input {
    /// The file of that name, to its end.
    Path,
    /// Neighbouring chunks of a regular file that others read too.
    Span {
        /// The file.
        file: Arc<File>,
        /// Where they begin.
        offset: u64,
        /// Bytes in all of them; the last may be shorter than the others.
        len: u64,
    },
    /// Something that can only be read from its start to its end.
    Serial(Serial),
    /// The file of that name, which the task reads itself.
    Apart,
}

/// Something that can only be read from its start to its end.
pub enum Serial {
    /// Standard input.
    Stdin,
    /// Standard input that was asked for before, and is at its end.
    Ended,
    /// A FIFO, a socket, a terminal or another device, to be opened by its name.
    Device,
    /// A file that does not tell its size.
    File(File),
}

/// Gives one item after another.
pub trait Source<T: Task>: Send {
    /// The next item; `None` at the end.
    fn next(&mut self) -> Option<Item<T>>;
}

/// Standard input as a file to be hashed. Asked for again, it is empty.
#[derive(Default)]
pub struct Stdin {
    taken: bool,
}

impl Stdin {
    /// Asks for it.
    pub fn take(&mut self) -> Input {
        let again = std::mem::replace(&mut self.taken, true);
        Input::Serial(if again { Serial::Ended } else { Serial::Stdin })
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

/// A file cut into spans: as many chunks as fit into a piece, or one that does not.
struct Spans {
    file: Arc<File>,
    name: Arc<OsStr>,
    offset: u64,
    size: u64,
    span: u64,
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
                let span = chunk.get() * (PIECE as u64 / chunk).clamp(1, SPAN_CHUNKS);
                let mut spans = Spans { file: Arc::new(file), name, offset: 0, size, span };
                let first = spans.next().expect("the file is not empty");
                self.spans = Some(spans);
                first
            }
        }
    }
}

impl Source<Report> for Paths {
    fn next(&mut self) -> Option<Item<Report>> {
        if let Some(item) = self.spans.as_mut().and_then(Spans::next) {
            return Some(item);
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

impl Spans {
    fn next(&mut self) -> Option<Item<Report>> {
        if self.offset == self.size {
            return None;
        }
        let (offset, len) = (self.offset, self.span.min(self.size - self.offset));
        self.offset += len;
        Some(Item::Hash(Request {
            name: self.name.clone(),
            expected: None,
            input: Input::Span { file: self.file.clone(), offset, len },
        }))
    }
}
