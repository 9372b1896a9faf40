//! Attributes of what is restored: owners, modes, extended attributes, times.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Stat, Timespec, Timestamps, Uid, XattrFlags, chmod, chownat,
    fchmod, fchown, fsetxattr, fstat, futimens, openat, setxattr, utimensat,
};
use rustix::io::Errno;

use crate::node::{Mode as NodeMode, Node, NodeKind};
use crate::time::Time;

/// Bits that grant the rights of the owner or the group to whoever runs the file.
const GRANTS: u32 = 0o6000;

fn times(node: &Node) -> Timestamps {
    let spec = |time: Time| Timespec { tv_sec: time.seconds(), tv_nsec: time.nanoseconds() };
    Timestamps { last_access: spec(node.atime), last_modification: spec(node.mtime) }
}

/// An owner that only root may set is no error for others, as with `cp -p`. Says whether it is set.
fn owned(set: Result<(), Errno>) -> io::Result<bool> {
    match set {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::INVAL) if !rustix::process::geteuid().is_root() => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn ids(node: &Node) -> (Option<Uid>, Option<Gid>) {
    (Some(Uid::from_raw(node.uid)), Some(Gid::from_raw(node.gid)))
}

/// Sets the attributes of an open file or directory. What fails is said at the end, so that the
/// rest is set all the same.
pub fn set(file: &impl AsFd, node: &Node) -> io::Result<()> {
    let (uid, gid) = ids(node);
    let owner = owned(fchown(file, uid, gid));
    let mut mode = node.mode.permissions();
    if !matches!(owner, Ok(true)) {
        mode &= !GRANTS;
    }
    let moded = fchmod(file, Mode::from_raw_mode(mode));
    let mut attributes = Ok(());
    for attribute in &node.extended_attributes {
        let value = &attribute.value.0;
        let set = fsetxattr(file, attribute.name.as_str(), value, XattrFlags::empty());
        attributes = attributes.and(set.map_err(|error| refused(&attribute.name, error)));
    }
    let timed = futimens(file, &times(node));
    owner.map(drop).and(moded.map_err(Into::into)).and(attributes).and(timed.map_err(Into::into))
}

/// Sets the attributes of a link, a pipe or a device that was just made in a directory. Others may
/// write to the directory: what has the name is held fast and looked at first.
pub fn set_at(directory: &impl AsFd, name: &std::ffi::OsStr, node: &Node) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = openat(directory, name, flags, Mode::empty())?;
    if !is_new(&fstat(&held)?, node) {
        return Err(io::Error::other("something else has taken its place meanwhile"));
    }
    // What is held so takes few calls, but its link in /proc leads to it, and not further.
    let path = format!("/proc/self/fd/{}", held.as_raw_fd());
    let (uid, gid) = ids(node);
    let owner = owned(chownat(&held, c"", uid, gid, AtFlags::EMPTY_PATH));
    let moded = match node.kind {
        // A link has no mode.
        NodeKind::Symlink => Ok(()),
        _ => chmod(&path, Mode::from_raw_mode(node.mode.permissions() & !GRANTS)),
    };
    let mut attributes = Ok(());
    for attribute in &node.extended_attributes {
        let (value, flags) = (&attribute.value.0, XattrFlags::empty());
        let set = setxattr(&path, attribute.name.as_str(), value, flags);
        attributes = attributes.and(set.map_err(|error| refused(&attribute.name, error)));
    }
    let timed = utimensat(CWD, &path, &times(node), AtFlags::empty());
    owner.map(drop).and(moded.map_err(Into::into)).and(attributes).and(timed.map_err(Into::into))
}

/// Returns `true` if a file can be what was made for a node: it has the node's type, and no other
/// name, as a file would that was linked to this one.
fn is_new(stat: &Stat, node: &Node) -> bool {
    let (_, kind) = NodeMode::from_unix(stat.st_mode);
    let is_device = matches!(kind, NodeKind::Dev | NodeKind::Chardev);
    kind == node.kind && stat.st_nlink == 1 && (!is_device || stat.st_rdev == node.device)
}

fn refused(name: &str, error: Errno) -> io::Error {
    io::Error::other(format!("the attribute {name}: {}", io::Error::from(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FileType, mknodat, open};
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    /// What is made is taken away before its attributes are set, and something else is put there.
    #[test]
    fn attributes_are_not_set_of_what_was_put_in_the_place() {
        let place = tempfile::tempdir().expect("there is room");
        let at = |name: &str| place.path().join(name);
        fs::write(at("victim"), "text").expect("it is ours");
        fs::set_permissions(at("victim"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("it is ours");
        symlink(at("victim"), at("link")).expect("it is ours");
        fs::hard_link(at("victim"), at("second")).expect("it is ours");
        let state = || {
            let it = fs::metadata(at("victim")).expect("it is there");
            (it.mode(), it.uid(), it.mtime())
        };
        let before = state();
        let directory = open(place.path(), OFlags::RDONLY, Mode::empty()).expect("it is ours");
        let mut pipe = Node::new(b"pipe".to_vec(), NodeKind::Fifo);
        pipe.mode = NodeMode(1 << 25 | 0o666);
        (pipe.mtime, pipe.atime) = (Time::from_unix(1_000_000_000, 0), Time::now());
        for name in ["link", "second"] {
            let set = set_at(&directory, OsStr::new(name), &pipe);
            let error = set.expect_err("it is no pipe").to_string();
            assert!(error.contains("something else has taken its place"), "{error}");
            assert_eq!(state(), before);
        }
        // The same with a file instead of the link that was made.
        let link = Node::new(b"second".to_vec(), NodeKind::Symlink);
        assert!(set_at(&directory, OsStr::new("second"), &link).is_err());
        assert_eq!(state(), before);
        mknodat(&directory, "pipe", FileType::Fifo, Mode::RUSR, 0).expect("it is ours");
        (pipe.uid, pipe.gid) = (before.1, fs::metadata(at("victim")).expect("it is there").gid());
        set_at(&directory, OsStr::new("pipe"), &pipe).expect("it is a pipe");
        let made = fs::symlink_metadata(at("pipe")).expect("it is there");
        assert_eq!((made.mode() & 0o7777, made.mtime()), (0o666, pipe.mtime.seconds()));
    }
}
