//! A file on its way back: written under a temporary name, and named when it is complete.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, Mode, OFlags, ftruncate, openat, renameat, unlinkat};

use super::attributes;
use crate::beneath::{Beneath, Temporary};
use crate::node::Node;

/// Bytes of zeros that become a hole.
const HOLE: usize = 4096;

/// A file that is to be restored.
pub struct FileJob {
    /// Its path below the target.
    pub path: PathBuf,
    pub node: Node,
    state: Mutex<RestoredState>,
}

#[derive(Default)]
struct RestoredState {
    /// Parts that are not written yet.
    missing: usize,
    /// The file until it is complete, once it was made.
    made: Option<Made>,
    failed: bool,
    complete: bool,
}

/// A file under a temporary name. It stays open: where others may write to its directory, the name
/// may soon be another file's.
#[derive(Clone)]
struct Made {
    file: Arc<File>,
    directory: Arc<OwnedFd>,
    temporary: String,
}

/// How a part went.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    /// Other parts are missing.
    Part,
    /// The file is complete.
    Whole,
    /// Another part failed: the file is given up.
    GivenUp,
}

impl FileJob {
    pub fn new(path: PathBuf, node: Node) -> FileJob {
        FileJob { path, node, state: Mutex::default() }
    }

    fn with<T>(&self, change: impl FnOnce(&mut RestoredState) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says how many parts there are.
    pub fn expect(&self, parts: usize) {
        self.with(|state| state.missing = parts);
    }

    /// Gives the file up, before it was made.
    pub fn fail(&self) {
        self.with(|state| state.failed = true);
    }

    /// Returns `true` if the file is in its place.
    pub fn is_complete(&self) -> bool {
        self.with(|state| state.complete)
    }

    /// Writes a part; with the last one, sets the attributes and gives the file its name.
    pub fn write(
        &self,
        beneath: &mut Beneath,
        names: &Temporary,
        sparse: bool,
        offset: u64,
        pieces: &[&[u8]],
    ) -> io::Result<Written> {
        let made = self.with(|state| {
            if !state.failed && state.made.is_none() {
                state.made = Some(self.make(beneath, names)?);
            }
            io::Result::Ok(state.made.clone())
        })?;
        let Some(Made { file, directory, temporary }) = made else { return Ok(Written::GivenUp) };
        let mut at = offset;
        for piece in pieces {
            match sparse {
                true => write_sparse(&file, piece, at)?,
                false => file.write_all_at(piece, at)?,
            }
            at += piece.len() as u64;
        }
        let last = self.with(|state| {
            state.missing -= 1;
            state.missing == 0 && !state.failed
        });
        if !last {
            return Ok(Written::Part);
        }
        if sparse {
            // A hole at the end.
            ftruncate(&file, self.node.size)?;
        }
        let set = attributes::set(&*file, &self.node);
        let name = self.path.file_name().expect("it was made there");
        renameat(&directory, temporary.as_str(), &directory, name)?;
        self.with(|state| {
            state.complete = true;
            state.made = None;
        });
        // The content is there, whatever the attributes.
        set.map(|()| Written::Whole)
    }

    fn make(&self, beneath: &mut Beneath, names: &Temporary) -> io::Result<Made> {
        let (directory, _) = beneath.place(&self.path)?;
        let temporary = names.name();
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let flags = flags | OFlags::CREATE | OFlags::EXCL;
        let file = openat(&directory, temporary.as_str(), flags, Mode::RUSR | Mode::WUSR)?;
        Ok(Made { file: Arc::new(file.into()), directory, temporary })
    }

    /// Gives the file up, and removes what there is of it. Says whether it was the first to say so.
    pub fn give_up(&self) -> bool {
        let (first, made) = self.with(|state| {
            let first = !std::mem::replace(&mut state.failed, true);
            (first, state.made.take())
        });
        if let Some(Made { directory, temporary, .. }) = made {
            // It may be gone; the error to tell is the one before.
            let _ = unlinkat(&directory, temporary.as_str(), AtFlags::empty());
        }
        first
    }
}

/// Writes what is not zero, in whole pages of the file.
fn write_sparse(file: &File, piece: &[u8], offset: u64) -> io::Result<()> {
    let lead = (HOLE - offset as usize % HOLE) % HOLE;
    let (head, rest) = piece.split_at(lead.min(piece.len()));
    let (mut at, mut pending) = (offset, 0);
    let mut begin = 0;
    let blocks = std::iter::once(head).chain(rest.chunks(HOLE)).filter(|block| !block.is_empty());
    for block in blocks {
        if block.iter().all(|&byte| byte == 0) {
            file.write_all_at(&piece[begin..begin + pending], at)?;
            begin += pending + block.len();
            at = offset + begin as u64;
            pending = 0;
        } else {
            pending += block.len();
        }
    }
    file.write_all_at(&piece[begin..begin + pending], at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodeKind;
    use std::io::Read;
    use std::{fs, path::Path};

    /// Between two parts of a file, somebody puts another one under its temporary name.
    #[test]
    fn parts_go_to_the_file_that_was_made() {
        let place = tempfile::tempdir().expect("there is room");
        let at = |name: &str| place.path().join(name);
        fs::write(at("victim"), "victim").expect("it is ours");
        fs::create_dir(at("target")).expect("it is ours");
        let mut beneath = Beneath::new(&at("target")).expect("it is there");
        let names = Temporary::new().expect("there are random bytes");
        let mut node = Node::new(b"f".to_vec(), NodeKind::File);
        let owner = fs::metadata(at("victim")).expect("it is there");
        node.mode = crate::node::Mode(0o600);
        (node.uid, node.gid) = {
            use std::os::unix::fs::MetadataExt;
            (owner.uid(), owner.gid())
        };
        node.size = 4;
        let job = FileJob::new("f".into(), node);
        job.expect(2);
        let first = job.write(&mut beneath, &names, false, 0, &[b"ab"]);
        assert_eq!(first.expect("there is room"), Written::Part);
        let entries = fs::read_dir(at("target")).expect("it is there");
        let made = entries.map(|entry| entry.expect("it is there").path()).next();
        let made = made.expect("it was made");
        fs::rename(&made, at("away")).expect("it is ours");
        fs::hard_link(at("victim"), &made).expect("it is ours");
        let second = job.write(&mut beneath, &names, false, 2, &[b"cd"]);
        second.expect("there is room");
        let read = |path: &Path| fs::read(path).expect("it is there");
        assert_eq!(read(&at("victim")), b"victim");
        assert_eq!(read(&at("away")), b"abcd");
    }

    #[test]
    fn holes_read_as_zeros() {
        let mut file = tempfile::tempfile().expect("there is room");
        let mut data = vec![0; 30_000];
        data[3] = 1;
        data[9_000..9_100].fill(7);
        data[20_000] = 2;
        for (from, to) in [(0, 5000), (5000, 5001), (5001, 29_000), (29_000, 30_000)] {
            write_sparse(&file, &data[from..to], from as u64).expect("there is room");
        }
        ftruncate(&file, 30_000).expect("it is ours");
        let mut back = Vec::new();
        file.read_to_end(&mut back).expect("it is ours");
        assert!(back == data);
    }
}
