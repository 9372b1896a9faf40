//! Attributes of what is restored: owners, modes, extended attributes, times.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::fs::{
    AtFlags, Gid, Mode, Timespec, Timestamps, Uid, XattrFlags, chownat, fchmod, fchown, fsetxattr,
    futimens, lsetxattr, utimensat,
};
use rustix::io::Errno;

use crate::node::{Node, NodeKind};
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

/// Sets the attributes of what is in a directory and is not opened: links, pipes, devices.
pub fn set_at(directory: &impl AsFd, name: &std::ffi::OsStr, node: &Node) -> io::Result<()> {
    let (uid, gid) = ids(node);
    let owner = owned(chownat(directory, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW));
    let moded = match node.kind {
        // A link has no mode.
        NodeKind::Symlink => Ok(()),
        _ => rustix::fs::chmodat(
            directory,
            name,
            Mode::from_raw_mode(node.mode.permissions() & !GRANTS),
            AtFlags::empty(),
        ),
    };
    let mut attributes = Ok(());
    for attribute in &node.extended_attributes {
        // There is no call that takes a directory, but its link in /proc is one.
        let mut path = format!("/proc/self/fd/{}/", directory.as_fd().as_raw_fd()).into_bytes();
        path.extend_from_slice(name.as_encoded_bytes());
        let (value, flags) = (&attribute.value.0, XattrFlags::empty());
        let set = lsetxattr(&path[..], attribute.name.as_str(), value, flags);
        attributes = attributes.and(set.map_err(|error| refused(&attribute.name, error)));
    }
    let timed = utimensat(directory, name, &times(node), AtFlags::SYMLINK_NOFOLLOW);
    owner.map(drop).and(moded.map_err(Into::into)).and(attributes).and(timed.map_err(Into::into))
}

fn refused(name: &str, error: Errno) -> io::Error {
    io::Error::other(format!("the attribute {name}: {}", io::Error::from(error)))
}
