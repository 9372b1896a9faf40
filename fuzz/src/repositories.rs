//! Whole repositories of snapshots: files of all kinds that belong to each other, some of them
//! wrong.

use broadloom_snapshot::snapshot::Snapshots;
use broadloom_snapshot::store::{File, Kind};
use broadloom_snapshot::{BlobKind, Id};

use crate::snapshot_files::{KEYS, Memory, errors, is_quick, name, restore_all};

/// Most files of a repository.
const MOST_FILES: usize = 24;

/// Most trees and blobs that a snapshot stands for, each counted as often as it is there. A few
/// bytes can stand for millions, which is right and takes long.
const MOST_PARTS: u64 = 2000;

/// A repository in the making.
struct Making {
    memory: Memory,
    /// The names of blobs, in their order, and what each stands for.
    blobs: Vec<(Id, u64)>,
}

/// Makes a repository of entries: a byte that says what the entry is, two with a length, and so
/// many bytes of content. Opens it, checks it, and restores what it has into nothing. What a check
/// finds right must be there to be restored.
pub fn check(mut bytes: &[u8]) {
    let mut making = Making { memory: Memory::new(), blobs: Vec::new() };
    for _ in 0..MOST_FILES {
        let Some(([kind, low, high], rest)) = bytes.split_first_chunk() else { break };
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (content, rest) = rest.split_at(len);
        making.add(*kind, content);
        bytes = rest;
    }
    if making.blobs.iter().map(|(_, parts)| *parts).max() > Some(MOST_PARTS) {
        return;
    }
    let Some(repository) = making.memory.open() else { return };
    let found = errors(&repository);
    if found.is_empty() {
        repository.index().expect("a check found it right");
        Snapshots::all(&repository, &mut |_| {}).expect("a check found them right");
    }
    restore_all(&repository);
}

impl Making {
    fn add(&mut self, kind: u8, content: &[u8]) {
        let (text, parts) = self.with_names(content);
        let memory = &self.memory;
        match kind % 12 {
            0 => memory.add(File::Config, KEYS.1.seal(&text)),
            1 if is_quick(&text) => drop(memory.named(Kind::Key, text)),
            1 => {}
            2 => drop(memory.named(Kind::Index, KEYS.1.seal(&text))),
            3 => drop(memory.named(Kind::Snapshot, KEYS.1.seal(&text))),
            4 | 5 => {
                let kind = if kind % 12 == 4 { BlobKind::Tree } else { BlobKind::Data };
                memory.pack(kind, &text, None);
                self.blobs.push((name(&text), parts + 1));
            }
            6 => drop(memory.named(Kind::Pack, text)),
            7 => drop(memory.named(Kind::Lock, KEYS.1.seal(&text))),
            // Under the name of another.
            8 => memory.add(File::Named(Kind::Snapshot, name(b"")), KEYS.1.seal(&text)),
            9 => memory.add(File::Named(Kind::Pack, name(b"")), text),
            // What is claimed of a frame need not be so.
            number => {
                let kind = if number == 10 { BlobKind::Tree } else { BlobKind::Data };
                let Some((len, frame)) = content.split_first_chunk() else { return };
                let len = u32::from(u16::from_le_bytes(*len));
                memory.compressed(kind, frame, (len, name(frame)));
                self.blobs.push((name(frame), 1));
            }
        }
    }

    /// A content in which `@` and a digit became the name of the blob with this number, and what
    /// all these stand for.
    fn with_names(&self, content: &[u8]) -> (Vec<u8>, u64) {
        let (mut text, mut parts, mut rest) = (Vec::new(), 0_u64, content);
        while let Some((first, behind)) = rest.split_first() {
            let digit = behind.first().filter(|digit| *first == b'@' && digit.is_ascii_digit());
            match digit.and_then(|digit| self.blobs.get(usize::from(digit - b'0'))) {
                Some((id, stands_for)) => {
                    text.extend_from_slice(id.to_string().as_bytes());
                    parts = parts.saturating_add(*stands_for);
                    rest = &behind[1..];
                }
                None => {
                    text.push(*first);
                    rest = behind;
                }
            }
        }
        (text, parts)
    }
}
