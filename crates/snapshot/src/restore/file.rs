//! A file on its way back: written under a temporary name, and named when it is complete.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use rustix::fs::{AtFlags, Mode, OFlags, ftruncate, openat, renameat, unlinkat};

use super::attributes;
use super::beneath::{Beneath, Temporary};
use crate::node::Node;

/// Bytes of zeros that become a hole.
const HOLE: usize = 4096;

/// A file that is to be restored.
pub struct FileJob {
    /// Its path below the target.
    pub path: PathBuf,
    pub node: Node,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Parts that are not written yet.
    missing: usize,
    /// Its name until it is complete, once it was made.
    temporary: Option<String>,
    failed: bool,
    complete: bool,
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

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
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

    /// Whether the file is in its place.
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
        let (directory, name) = beneath.place(&self.path)?;
        let opened = self.with(|state| {
            if state.failed {
                return Ok(None);
            }
            let new = state.temporary.is_none();
            let temporary = state.temporary.get_or_insert_with(|| names.name());
            let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let flags = if new { flags | OFlags::CREATE | OFlags::EXCL } else { flags };
            let mode = Mode::RUSR | Mode::WUSR;
            let file = openat(&directory, temporary.as_str(), flags, mode)?;
            io::Result::Ok(Some((File::from(file), temporary.clone())))
        })?;
        let Some((file, temporary)) = opened else { return Ok(Written::GivenUp) };
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
        let set = attributes::set(&file, &self.node);
        renameat(&directory, temporary.as_str(), &directory, name)?;
        self.with(|state| {
            state.complete = true;
            state.temporary = None;
        });
        // The content is there, whatever the attributes.
        set.map(|()| Written::Whole)
    }

    /// Gives the file up, and removes what there is of it. Says whether it was the first to say so.
    pub fn give_up(&self, beneath: &mut Beneath) -> bool {
        let (first, temporary) = self.with(|state| {
            let first = !std::mem::replace(&mut state.failed, true);
            (first, state.temporary.take())
        });
        if let (Some(temporary), Ok((directory, _))) = (temporary, beneath.place(&self.path)) {
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
    use std::io::Read;

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
