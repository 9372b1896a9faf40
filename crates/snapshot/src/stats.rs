//! How large snapshots are: restored, by different contents, or as they lie in the repository.

use std::collections::HashSet;

use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::NodeKind;
use crate::repository::{BlobKind, Index};
use crate::tree::Trees;
use crate::walk::walk;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// What a restore of all snapshots would take.
    RestoreSize,
    /// Each content of a file once.
    FilesByContents,
    /// Each blob once, compressed and sealed.
    RawData,
}

/// Sizes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes.
    pub bytes: u64,
    /// Bytes before they were compressed; for [`Count::RawData`] alone.
    pub uncompressed: u64,
    /// Files.
    pub files: u64,
    /// Blobs; for [`Count::RawData`] alone.
    pub blobs: u64,
}

/// Counts what the trees of snapshots hold.
///
/// # Errors
/// What the store says, and damage.
pub fn stats(
    trees: &mut Trees<'_>,
    index: &Index,
    roots: &[Id],
    count: Count,
) -> Result<Sizes, SnapshotError> {
    let mut sizes = Sizes::default();
    let (mut contents, mut blobs) = (HashSet::new(), HashSet::new());
    for &root in roots {
        if !blobs.insert((BlobKind::Tree, root)) && count != Count::RestoreSize {
            continue;
        }
        let mut inodes = HashSet::new();
        walk(trees, root, b"", &mut |_, node| {
            let is_file = node.kind == NodeKind::File;
            match count {
                Count::RestoreSize => {
                    sizes.files += 1;
                    let linked = node.links > 1 && node.inode != 0;
                    if is_file && (!linked || inodes.insert((node.device_id, node.inode))) {
                        sizes.bytes += node.size;
                    }
                }
                Count::FilesByContents => {
                    if is_file && contents.insert(node.blobs().to_vec()) {
                        sizes.files += 1;
                        sizes.bytes += node.size;
                    }
                }
                Count::RawData => {
                    blobs.extend(node.blobs().iter().map(|id| (BlobKind::Data, *id)));
                }
            }
            let new = node.subtree.is_none_or(|tree| blobs.insert((BlobKind::Tree, tree)));
            Ok(new || count == Count::RestoreSize)
        })?;
    }
    if count == Count::RawData {
        for (kind, id) in blobs {
            let location = index.find(kind, &id);
            let location =
                location.ok_or(SnapshotError::Missing { blob: id, kind: kind.name() })?;
            sizes.bytes += u64::from(location.length);
            sizes.uncompressed += location.size();
            sizes.blobs += 1;
        }
    }
    Ok(sizes)
}
