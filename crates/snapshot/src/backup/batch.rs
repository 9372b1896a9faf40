//! Chunks of many files in one buffer, which go through the lanes together.

use std::mem;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::directory::Directory;
use crate::id::Id;
use crate::node::Node;

/// Chunks of one batch, at most.
const CHUNKS: usize = 1024;

/// A file of which chunks are under way.
pub struct OpenFile {
    pub directory: Arc<Directory>,
    /// Its place there.
    pub place: usize,
    /// The parent snapshot has no file in its place.
    pub is_new: bool,
    state: Mutex<SavedState>,
}

struct SavedState {
    node: Option<Box<Node>>,
    ids: Vec<Option<Id>>,
    /// Chunks without an ID, and one more while the file is read.
    missing: usize,
    size: u64,
}

impl OpenFile {
    /// A file whose node is known but for its content.
    pub fn new(
        (directory, place): (Arc<Directory>, usize),
        is_new: bool,
        node: Box<Node>,
    ) -> Arc<OpenFile> {
        let state = SavedState { node: Some(node), ids: Vec::new(), missing: 1, size: 0 };
        Arc::new(OpenFile { directory, place, is_new, state: Mutex::new(state) })
    }

    fn with<T>(&self, change: impl FnOnce(&mut SavedState) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a chunk, and gives its number.
    fn reserve(&self, bytes: usize) -> usize {
        self.with(|state| {
            state.ids.push(None);
            state.missing += 1;
            state.size += bytes as u64;
            state.ids.len() - 1
        })
    }

    /// Gives a chunk its ID; gives the node if nothing is missing any more.
    pub fn put(&self, number: usize, id: Id) -> Option<Node> {
        self.with(|state| {
            state.ids[number] = Some(id);
            state.complete()
        })
    }

    /// Says that the file is read to its end; gives the node if nothing is missing.
    pub fn seal(&self) -> Option<Node> {
        self.with(SavedState::complete)
    }

    /// Drops the node of a file that could not be read to its end: it never completes.
    pub fn fail(&self) {
        self.with(|state| state.node = None);
    }
}

impl SavedState {
    fn complete(&mut self) -> Option<Node> {
        self.missing -= 1;
        if self.missing > 0 {
            return None;
        }
        let mut node = *self.node.take()?;
        node.size = self.size;
        node.content = Some(mem::take(&mut self.ids).into_iter().flatten().collect());
        Some(node)
    }
}

/// A chunk in a batch.
pub struct Chunk {
    pub place: Range<usize>,
    pub file: Arc<OpenFile>,
    pub number: usize,
}

/// Chunks, one after another in a buffer.
#[derive(Default)]
pub struct Batch {
    buffer: Vec<u8>,
    filled: usize,
    chunks: Vec<Chunk>,
}

impl Batch {
    /// An empty batch with room for so many bytes.
    pub fn new(room: usize) -> Batch {
        Batch { buffer: vec![0; room], filled: 0, chunks: Vec::new() }
    }

    /// An empty batch with as much room.
    pub fn another(&self) -> Batch {
        Batch::new(self.buffer.len())
    }

    /// Bytes so far.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Room for up to so many bytes more.
    pub fn room(&mut self, most: usize) -> &mut [u8] {
        let end = self.buffer.len().min(self.filled + most);
        &mut self.buffer[self.filled..end]
    }

    /// Counts bytes that were read into the room.
    pub fn advance(&mut self, bytes: usize) {
        self.filled += bytes;
    }

    /// Bytes of the buffer.
    pub fn bytes(&self, place: Range<usize>) -> &[u8] {
        &self.buffer[place]
    }

    /// Adds a chunk.
    pub fn push(&mut self, file: &Arc<OpenFile>, place: Range<usize>) {
        let number = file.reserve(place.len());
        self.chunks.push(Chunk { place, file: Arc::clone(file), number });
    }

    /// Drops bytes that belong to no chunk.
    pub fn truncate(&mut self, filled: usize) {
        self.filled = filled;
    }

    /// Moves the bytes behind a place to the beginning of an empty batch.
    pub fn carry(&mut self, from: usize, to: &mut Batch) {
        let len = self.filled - from;
        to.buffer[..len].copy_from_slice(&self.buffer[from..self.filled]);
        to.filled = len;
        self.filled = from;
    }

    /// Moves bytes that belong to no chunk to the beginning of the batch, which is empty.
    pub fn keep(&mut self, place: Range<usize>) {
        self.filled = place.len();
        self.buffer.copy_within(place, 0);
    }

    /// Returns `true` if there is no chunk.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Returns `true` if it should be saved before more is added.
    pub fn is_full(&self) -> bool {
        self.chunks.len() >= CHUNKS || self.filled >= self.buffer.len() / 2
    }

    /// The bytes of all chunks.
    pub fn blobs(&self) -> Vec<&[u8]> {
        self.chunks.iter().map(|chunk| &self.buffer[chunk.place.clone()]).collect()
    }

    /// Takes the chunks out. The batch is empty then.
    pub fn take(&mut self) -> Vec<Chunk> {
        self.filled = 0;
        mem::take(&mut self.chunks)
    }
}
