//! Which file a name or a descriptor stands for.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A file, whatever its names: hard links have the same identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// An inode on a device.
    Inode {
        /// The device.
        device: u64,
        /// The inode.
        inode: u64,
    },
    /// The contents of a block device, whichever inode it is opened by.
    Block(u64),
}

impl Identity {
    /// The identity of what has this metadata.
    pub fn of(metadata: &Metadata) -> Identity {
        match metadata.file_type().is_block_device() {
            true => Identity::Block(metadata.rdev()),
            false => Identity::Inode { device: metadata.dev(), inode: metadata.ino() },
        }
    }

    /// Returns `true` if a path stands for this file, or for a symbolic link that leads to it.
    pub fn is_at(self, path: &Path) -> bool {
        let is = |metadata: &Metadata| Identity::of(metadata) == self;
        fs::symlink_metadata(path).is_ok_and(|metadata| is(&metadata))
            || fs::metadata(path).is_ok_and(|metadata| is(&metadata))
    }
}

/// Returns `true` if writing to `output` would overwrite what `input` holds. Pipes and terminals
/// may be both.
pub fn is_same(input: &Path, output: &Path) -> bool {
    let holds = |metadata: &Metadata| {
        let kind = metadata.file_type();
        kind.is_file() || kind.is_block_device()
    };
    let input = fs::metadata(input).ok().filter(holds);
    input.is_some_and(|input| Identity::of(&input).is_at(output))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

    use super::*;

    #[test]
    fn links_of_both_kinds_are_the_same_file() {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        for name in ["a", "b"] {
            fs::write(path(name), name).expect("it can be written");
        }
        fs::hard_link(path("a"), path("hard")).expect("it can be made");
        symlink("hard", path("soft")).expect("it can be made");
        for name in ["a", "hard", "soft", "../a", "missing"] {
            let is_a = matches!(name, "a" | "hard" | "soft");
            assert_eq!(is_same(&path("a"), &path(name)), is_a, "{name}");
            assert_eq!(is_same(&path(name), &path("a")), is_a, "{name}");
        }
        assert!(!is_same(&path("a"), &path("b")) && !is_same(&path("missing"), &path("missing")));
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")));
    }

    #[test]
    fn two_nodes_of_a_block_device_are_the_same() {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        let make = |name: &str, minor| {
            mknodat(CWD, path(name), FileType::BlockDevice, Mode::RWXU, makedev(7, minor))
        };
        let test = "two_nodes_of_a_block_device_are_the_same";
        if broadloom_testing::present(test, make("one", 7)).is_none() {
            return;
        }
        make("two", 7).and_then(|()| make("other", 8)).expect("they can be made too");
        assert!(is_same(&path("one"), &path("two")));
        assert!(!is_same(&path("one"), &path("other")));
    }
}
