//! Chunks of files, one file after the other.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use broadloom_chunking::{Chunker, ReadChunks};
use broadloom_hashing::reader::{self, Opened};
use broadloom_hashing::source::{Input, Item, Request, Serial, Source};

use crate::hash::report::Notice;
use crate::hash::source::Paths;

/// How files are cut.
pub enum Cutter {
    /// After every so many bytes.
    Fixed(usize),
    /// Where the content says so.
    Content(Chunker),
}

/// What is found in files, in their order.
pub enum Event {
    /// A chunk.
    Chunk {
        /// The file.
        name: Arc<OsStr>,
        /// Where the chunk begins.
        offset: u64,
        /// Its bytes.
        data: Vec<u8>,
    },
    /// A file has been read to its end.
    End,
    /// A file or directory could not be read, or not further.
    Failed {
        /// Its name.
        name: Arc<OsStr>,
        /// Why.
        error: io::Error,
    },
}

/// All files of a command line.
pub struct Events {
    paths: Paths,
    cutter: Cutter,
    current: Option<Current>,
}

/// A file that is being cut.
struct Current {
    name: Arc<OsStr>,
    offset: u64,
    chunks: Chunks,
}

enum Chunks {
    Fixed(Box<dyn Read>, usize),
    Content(ReadChunks<Box<dyn Read>>),
}

impl Events {
    pub fn new(paths: Paths, cutter: Cutter) -> Self {
        Events { paths, cutter, current: None }
    }

    fn open(&self, name: &OsStr, input: Input) -> io::Result<Chunks> {
        let reader: Box<dyn Read> = match input {
            Input::Serial(Serial::Open(input)) => input,
            _ => match reader::open(Path::new(name))? {
                Opened::Regular(file, _) => Box::new(file),
                Opened::Serial => Box::new(File::open(name)?),
            },
        };
        Ok(match &self.cutter {
            Cutter::Fixed(size) => Chunks::Fixed(reader, *size),
            Cutter::Content(chunker) => Chunks::Content(chunker.read(reader)),
        })
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if let Some(current) = &mut self.current {
            let name = Arc::clone(&current.name);
            let event = match current.chunks.next() {
                Some(Ok(data)) => {
                    let offset = current.offset;
                    current.offset += data.len() as u64;
                    return Some(Event::Chunk { name, offset, data });
                }
                Some(Err(error)) => Event::Failed { name, error },
                None => Event::End,
            };
            self.current = None;
            return Some(event);
        }
        let Request { name, input, .. } = match self.paths.next()? {
            Item::Hash(request) => request,
            Item::Notice(Notice::Failed { name, error }) => {
                return Some(Event::Failed { name, error });
            }
            Item::Notice(_) => unreachable!("paths are no lists"),
        };
        match self.open(&name, input) {
            Ok(chunks) => {
                self.current = Some(Current { name, offset: 0, chunks });
                self.next()
            }
            Err(error) => Some(Event::Failed { name, error }),
        }
    }
}

impl Iterator for Chunks {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Chunks::Content(chunks) => chunks.next(),
            Chunks::Fixed(reader, size) => {
                let mut chunk = vec![];
                match reader.by_ref().take(*size as u64).read_to_end(&mut chunk) {
                    Ok(0) => None,
                    Ok(_) => Some(Ok(chunk)),
                    Err(error) => Some(Err(error)),
                }
            }
        }
    }
}
