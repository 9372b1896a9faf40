//! A repository of snapshots in a directory.

use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom::Registry;
use broadloom_snapshot::backup::{
    BackupOptions, Parent, Progress, Report, Source, Summary, backup,
};
use broadloom_snapshot::store::Directory;
use broadloom_snapshot::tree::{Place, Trees};
use broadloom_snapshot::{
    BlobKind, Compression, Id, Index, Lock, Repository, SnapshotError, Tools,
};
use fastrand::Rng;

use super::files::{Small, drop_pages};
use super::{Client, Trouble};
use crate::experiments::storage::data::Data;
use crate::experiments::storage::meter::{Giver, Meter};
use crate::experiments::storage::topic::{BLOCK, FILE, Topic};

/// A repository that all clients use.
pub struct Shared {
    root: PathBuf,
    repository: Arc<Repository>,
    lock: Lock,
}

/// Keeps the first problem.
#[derive(Default)]
struct First(Mutex<Option<String>>);

impl Report for First {
    fn error(&self, path: &Path, error: &dyn std::error::Error) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| format!("{}: {error}", path.display()));
    }

    fn warning(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text.to_owned());
    }
}

impl Shared {
    pub fn new(root: &Path, registry: &Registry) -> Result<Arc<Shared>, Trouble> {
        let store = Box::new(Directory::new(root.join("repository")));
        let repository = Arc::new(Repository::init(store, registry, b"measured")?);
        let lock = Lock::new(&repository, false)?;
        Ok(Arc::new(Shared { root: root.to_owned(), repository, lock }))
    }

    /// Saves something as one thread does, and fails where a file cannot be saved.
    fn save(&self, source: Source) -> Result<Summary, Trouble> {
        let mut options = BackupOptions::new(source);
        (options.parent, options.threads) = (Parent::None, NonZeroUsize::MIN);
        let first = First::default();
        let lock = Some(&self.lock);
        let saved = backup(&self.repository, lock, options, &Progress::default(), &first)?;
        match first.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(problem) => Err(problem.into()),
            None => Ok(saved),
        }
    }

    /// Saves a stream under a name.
    fn stream(&self, name: &str, content: Box<dyn Read + Send>) -> Result<Summary, Trouble> {
        self.save(Source::Stream { name: name.to_owned(), content })
    }
}

struct Snapshots {
    shared: Arc<Shared>,
    data: Data,
    number: usize,
    /// The chunks of the set, each with its offset.
    chunks: Vec<(u64, Id)>,
    len: u64,
    index: Index,
    tools: Tools,
    small: Small,
    /// The tree above the small files.
    tree: Option<Id>,
    random: Rng,
    /// Sets and files that were written: each is new.
    written: u64,
}

pub fn client(
    shared: &Arc<Shared>,
    number: usize,
    data: Data,
    len: u64,
) -> Result<Box<dyn Client>, Trouble> {
    let giver = Giver::new(Arc::new(Mutex::new(Meter::new())), data.clone(), len);
    let saved = shared.stream(&format!("set{number}"), Box::new(giver))?;
    let mut client = Snapshots {
        shared: Arc::clone(shared),
        data,
        number,
        chunks: Vec::new(),
        len,
        index: shared.repository.index()?,
        tools: Tools::new(Compression::Auto)?,
        small: Small::new(shared.root.join(format!("small{number}"))),
        tree: None,
        random: Rng::with_seed(number as u64),
        written: 0,
    };
    let mut trees = Trees::new(&shared.repository, &client.index)?;
    let tree = trees.load(saved.tree.expect("it was saved"))?;
    let ids = tree.nodes.into_iter().next().and_then(|node| node.content).unwrap_or_default();
    let mut offset = 0;
    for id in ids {
        client.chunks.push((offset, id));
        offset += client.chunk(id)?.len() as u64;
    }
    if offset != len {
        return Err(format!("the chunks of a set of {len} bytes have {offset}").into());
    }
    Ok(Box::new(client))
}

impl Snapshots {
    /// Reads a chunk.
    fn chunk(&mut self, id: Id) -> Result<Vec<u8>, SnapshotError> {
        let (repository, index, mut content) = (&self.shared.repository, &self.index, Vec::new());
        repository.blobs(index, BlobKind::Data, &[id], &mut self.tools, |piece| {
            content = piece.content;
            Ok(())
        })?;
        Ok(content)
    }

    fn read(&mut self, meter: &mut Meter) -> Result<(), Trouble> {
        for at in 0..self.chunks.len() {
            let (offset, id) = self.chunks[at];
            let content = self.chunk(id)?;
            meter.check(&self.data, offset, &content)?;
            meter.done(content.len());
        }
        Ok(())
    }

    /// Reads a block out of the chunks that have it.
    fn block(&mut self, offset: u64) -> Result<Vec<u8>, Trouble> {
        let mut block = Vec::with_capacity(BLOCK);
        let mut at = self.chunks.partition_point(|(start, _)| *start <= offset) - 1;
        while block.len() < BLOCK {
            let (start, id) = self.chunks[at];
            let content = self.chunk(id)?;
            let from = (offset + block.len() as u64 - start) as usize;
            let len = (content.len() - from).min(BLOCK - block.len());
            block.extend_from_slice(&content[from..from + len]);
            at += 1;
        }
        Ok(block)
    }

    /// Other content than any that is saved.
    fn fresh(&mut self) -> Data {
        self.written += 1;
        self.data.other(1_000_000 + self.written * 1000 + self.number as u64)
    }

    /// Makes new small files to be saved.
    fn make_small(&mut self, count: usize) -> Result<(), Trouble> {
        let data = self.fresh();
        self.small.clear()?;
        (0..count).try_for_each(|number| self.small.write(&data, number))?;
        Ok(())
    }

    fn save_small(&self, count: usize) -> Result<Id, Trouble> {
        let saved = self.shared.save(Source::Paths(vec![self.small.directory().to_owned()]))?;
        match saved.files_new == count as u64 {
            true => Ok(saved.tree.expect("it was saved")),
            false => Err(format!("{} files of {count} were saved", saved.files_new).into()),
        }
    }

    fn stat(&mut self, count: usize, meter: &mut Meter) -> Result<(), Trouble> {
        let tree = self.tree.expect("it was saved before");
        let mut trees = Trees::new(&self.shared.repository, &self.index)?;
        for number in 0..count {
            let path = self.small.path(number);
            match trees.at(tree, path.as_os_str().as_encoded_bytes())? {
                Place::Node(node) if node.size == FILE as u64 => meter.done(0),
                _ => return Err(format!("{} is no file of {FILE} bytes", path.display()).into()),
            }
        }
        Ok(())
    }
}

/// Drops the pages of all packs from the cache.
fn drop_packs(directory: &Path) -> Result<(), Trouble> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        match path.is_dir() {
            true => drop_packs(&path)?,
            false => drop_pages(&File::open(path)?)?,
        }
    }
    Ok(())
}

impl Client for Snapshots {
    fn prepare(&mut self, topic: Topic, operations: usize) -> Result<(), Trouble> {
        match topic {
            Topic::StreamingReadCold => drop_packs(&self.shared.root.join("repository/data"))?,
            Topic::StreamingReadWarm | Topic::RandomRead => self.read(&mut Meter::new())?,
            Topic::Create => self.make_small(operations)?,
            Topic::Stat => {
                self.make_small(operations)?;
                self.tree = Some(self.save_small(operations)?);
                self.index = self.shared.repository.index()?;
            }
            Topic::StreamingWrite
            | Topic::RandomWrite
            | Topic::SynchronousWrite
            | Topic::Delete => {}
        }
        Ok(())
    }

    fn run(&mut self, topic: Topic, operations: usize, meter: Meter) -> Result<Meter, Trouble> {
        let mut meter = meter;
        match topic {
            Topic::StreamingReadCold | Topic::StreamingReadWarm => self.read(&mut meter)?,
            Topic::StreamingWrite => {
                let shared = Arc::new(Mutex::new(meter));
                let giver = Giver::new(Arc::clone(&shared), self.fresh(), self.len);
                self.shared.stream(&format!("written{}", self.number), Box::new(giver))?;
                let meter = Arc::into_inner(shared).expect("the backup is over");
                return Ok(meter.into_inner().unwrap_or_else(PoisonError::into_inner));
            }
            Topic::RandomRead => {
                for _ in 0..operations {
                    let offset = self.random.u64(0..self.len / BLOCK as u64) * BLOCK as u64;
                    let block = self.block(offset)?;
                    meter.check(&self.data, offset, &block)?;
                    meter.done(BLOCK);
                }
            }
            Topic::SynchronousWrite => {
                for _ in 0..operations {
                    let mut block = vec![0; BLOCK];
                    self.fresh().fill(0, &mut block);
                    let name = format!("synchronous{}", self.number);
                    self.shared.stream(&name, Box::new(Cursor::new(block)))?;
                    meter.done(BLOCK);
                }
            }
            Topic::Create => {
                self.save_small(operations)?;
                meter.count(operations, FILE);
            }
            Topic::Stat => self.stat(operations, &mut meter)?,
            Topic::RandomWrite | Topic::Delete => unreachable!("{topic} has no meaning here"),
        }
        Ok(meter)
    }
}
