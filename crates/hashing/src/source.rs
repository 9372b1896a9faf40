//! What is to be hashed, one thing at a time and in the order asked for.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::task::Task;

/// Bytes read from a file at a time, as long as there are more files: whole blocks of every
/// algorithm.
pub const PIECE: usize = 16 * 1024;

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
    /// An open one, such as standard input.
    Open(Box<dyn Read + Send>),
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

/// A file cut into spans: as many chunks as fit into a piece, or one that does not.
pub struct Spans {
    file: Arc<File>,
    name: Arc<OsStr>,
    offset: u64,
    size: u64,
    span: u64,
}

impl Spans {
    /// The spans of a file of `size` bytes, whose chunks have `chunk` bytes.
    pub fn new(file: File, name: Arc<OsStr>, size: u64, chunk: NonZeroU64) -> Self {
        let span = chunk.get() * (PIECE as u64 / chunk).clamp(1, SPAN_CHUNKS);
        Spans { file: Arc::new(file), name, offset: 0, size, span }
    }

    /// The next one's request.
    pub fn request<T: Task>(&mut self) -> Option<Request<T>> {
        if self.offset == self.size {
            return None;
        }
        let (offset, len) = (self.offset, self.span.min(self.size - self.offset));
        self.offset += len;
        Some(Request {
            name: self.name.clone(),
            expected: T::Expected::default(),
            input: Input::Span { file: self.file.clone(), offset, len },
        })
    }
}
