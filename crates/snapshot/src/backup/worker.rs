//! A worker: reads files, cuts them, saves their chunks, completes files and directories.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::mem;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use broadloom_chunking::{Chunker, Pieces};
use rustix::fs::{Mode, OFlags, fstat, openat};
use rustix::io::Errno;

use super::attributes::Reach;
use super::batch::{Batch, OpenFile};
use super::directory::Directory;
use super::queue::{FileSource, FileTask, Step, Task};
use super::spot::Opener;
use super::work::BackupWork;
use crate::error::SnapshotError;
use crate::node::{Node, NodeKind};
use crate::repository::{BlobKind, Tools};

/// Bytes of one read, at most.
const READ: usize = 4 << 20;

/// One of the threads of a backup.
pub struct Worker<'w> {
    work: &'w BackupWork<'w>,
    tools: Tools,
    batch: Batch,
    pieces: Pieces,
    opener: Opener,
}

impl<'w> Worker<'w> {
    pub fn new(
        work: &'w BackupWork<'w>,
        chunker: &Chunker,
        room: usize,
    ) -> Result<Worker<'w>, SnapshotError> {
        let (tools, batch) = (Tools::new(work.compression)?, Batch::new(room));
        let (pieces, opener) = (chunker.pieces(), Opener::default());
        Ok(Worker { work, tools, batch, pieces, opener })
    }

    /// Works until nothing is left to do. A failure ends the backup.
    pub fn run(mut self) {
        let mut guard = Panics { work: self.work, armed: true };
        loop {
            if self.work.saver.has_failed() {
                self.work.queue.abort();
            }
            let done = match self.work.queue.next(!self.batch.is_empty()) {
                Step::Task(Task::File(task)) => self.file(task),
                Step::Task(Task::Tree(directory, nodes)) => self.tree(directory, nodes),
                Step::Batch(mut batch) => {
                    let saved = self.save(&mut batch);
                    self.work.queue.recycle(batch);
                    saved
                }
                Step::Own => self.save_own(),
                Step::End => break,
            };
            if let Err(error) = done {
                self.work.saver.fail(error);
                self.batch.take();
            }
        }
        guard.armed = false;
    }

    /// Reads a file into batches. A file that cannot be read is reported and left out.
    fn file(&mut self, task: FileTask) -> Result<(), SnapshotError> {
        let (directory, place) = (Arc::clone(&task.directory), task.place);
        let path = match &task.source {
            FileSource::Spot(spot) => spot.path(),
            FileSource::Stream(..) => PathBuf::from("standard input"),
        };
        match self.opened(task) {
            Ok((mut input, file)) => match self.read(&mut *input, &file)? {
                Ok(()) => match file.seal() {
                    Some(node) => self.complete(&file, node),
                    None => Ok(()),
                },
                Err(error) => {
                    file.fail();
                    self.work.report(&path, error);
                    self.put(directory, place, None)
                }
            },
            Err(error) => {
                self.work.report(&path, error);
                self.put(directory, place, None)
            }
        }
    }

    fn opened(&mut self, task: FileTask) -> io::Result<(Box<dyn Read>, Arc<OpenFile>)> {
        let (input, node): (Box<dyn Read>, _) = match task.source {
            FileSource::Stream(stream, node) => (stream, node),
            FileSource::Spot(spot) => {
                let (directory, name) = self.opener.parent(&spot)?;
                let input = open_quietly(&directory, name)?;
                let (stat, reach) = (fstat(&input)?, Reach::Open(input.as_fd()));
                let node = self.work.describer.node(&task.name, &reach, &stat)?;
                if node.kind != NodeKind::File {
                    return Err(io::Error::other("it is no regular file any more"));
                }
                (Box::new(input), Box::new(node))
            }
        };
        Ok((input, OpenFile::new((task.directory, task.place), task.is_new, node)))
    }

    /// Reads a file to its end. The outer error is the repository's, the inner one the file's.
    fn read(
        &mut self,
        input: &mut dyn Read,
        file: &Arc<OpenFile>,
    ) -> Result<io::Result<()>, SnapshotError> {
        self.pieces.restart();
        let mut start = self.batch.filled();
        loop {
            if self.batch.room(READ).is_empty() {
                start = self.hand_over(start)?;
            }
            let mut at = self.batch.filled();
            match input.read(self.batch.room(READ)) {
                Ok(0) => break,
                Ok(bytes) => {
                    self.batch.advance(bytes);
                    self.work.progress.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.batch.truncate(start);
                    return Ok(Err(error));
                }
            }
            let end = self.batch.filled();
            while let Some(len) = self.pieces.next_end(self.batch.bytes(at..end)) {
                at += len;
                self.batch.push(file, start..at);
                start = at;
            }
        }
        let end = self.batch.filled();
        if start < end {
            self.batch.push(file, start..end);
        }
        if self.batch.is_full() {
            self.hand_over(end)?;
        }
        Ok(Ok(()))
    }

    /// Has the batch saved, by whoever is free. What lies behind `from` begins the next one.
    fn hand_over(&mut self, from: usize) -> Result<usize, SnapshotError> {
        if !self.work.queue.has_idle() {
            let tail = from..self.batch.filled();
            self.save_own()?;
            self.batch.keep(tail);
            return Ok(0);
        }
        let mut next = self.work.queue.spare(&self.batch);
        self.batch.carry(from, &mut next);
        let full = mem::replace(&mut self.batch, next);
        match self.work.queue.offer(full) {
            Ok(()) => Ok(0),
            Err(mut full) => {
                let saved = self.save(&mut full);
                self.work.queue.recycle(full);
                saved.map(|()| 0)
            }
        }
    }

    fn save_own(&mut self) -> Result<(), SnapshotError> {
        let mut batch = mem::take(&mut self.batch);
        let saved = self.save(&mut batch);
        self.batch = batch;
        saved
    }

    /// Saves the chunks of a batch, which is empty then.
    fn save(&mut self, batch: &mut Batch) -> Result<(), SnapshotError> {
        let ids = self.work.saver.save(&mut self.tools, BlobKind::Data, &batch.blobs());
        let chunks = batch.take();
        for (chunk, id) in chunks.into_iter().zip(ids?) {
            if let Some(node) = chunk.file.put(chunk.number, id) {
                self.complete(&chunk.file, node)?;
            }
        }
        Ok(())
    }

    fn complete(&mut self, file: &OpenFile, node: Node) -> Result<(), SnapshotError> {
        let counts = &self.work.counts;
        let count = if file.is_new { &counts.files_new } else { &counts.files_changed };
        count.fetch_add(1, Ordering::Relaxed);
        counts.bytes.fetch_add(node.size, Ordering::Relaxed);
        self.work.progress.files.fetch_add(1, Ordering::Relaxed);
        self.work.note_saved();
        self.put(Arc::clone(&file.directory), file.place, Some(node))
    }

    /// Puts a node in its place, and completes the directories that this completes.
    fn put(
        &mut self,
        directory: Arc<Directory>,
        place: usize,
        node: Option<Node>,
    ) -> Result<(), SnapshotError> {
        match directory.put(place, node) {
            Some(nodes) => self.tree(directory, nodes),
            None => Ok(()),
        }
    }

    /// Saves a directory whose nodes are all known, and the directories that this completes.
    fn tree(
        &mut self,
        mut directory: Arc<Directory>,
        mut nodes: Vec<Node>,
    ) -> Result<(), SnapshotError> {
        loop {
            let id = self.work.save_tree(&mut self.tools, &directory, nodes)?;
            let Some((parent, place)) = directory.parent.clone() else {
                self.work.set_root(id);
                return Ok(());
            };
            let mut node = directory.node.clone().expect("only the tree of a snapshot has none");
            node.subtree = Some(id);
            self.work.count_directory(&directory, &node);
            match parent.put(place, Some(node)) {
                Some(all) => (directory, nodes) = (parent, all),
                None => return Ok(()),
            }
        }
    }
}

/// Opens a file without a trace in its times, where the system lets it.
fn open_quietly(directory: &OwnedFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = match openat(directory, name, flags | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => openat(directory, name, flags, Mode::empty()),
        opened => opened,
    };
    opened.map(File::from).map_err(|error| match error {
        Errno::LOOP => io::Error::other("it has become a symbolic link"),
        error => error.into(),
    })
}

/// Ends the backup when a worker panics: nobody waits for what it had in hand.
struct Panics<'w> {
    work: &'w BackupWork<'w>,
    armed: bool,
}

impl Drop for Panics<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.work.saver.fail(SnapshotError::Other("a thread panicked".to_owned()));
            self.work.queue.abandon();
        }
    }
}

/// A path's bytes, joined with a name.
pub fn joined(path: &Path, name: &[u8]) -> PathBuf {
    path.join(std::ffi::OsStr::from_bytes(name))
}
