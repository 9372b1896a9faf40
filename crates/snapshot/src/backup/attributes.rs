//! Nodes of what is in a file system.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Stat, fgetxattr, flistxattr, lgetxattr, llistxattr, readlink, readlinkat};
use rustix::io::Errno;

use super::spot::Spot;
use super::users::Names;
use crate::json::Base64Bytes;
use crate::node::{ExtendedAttribute, Mode, Node, NodeKind};
use crate::time::Time;

/// What is asked once for all nodes.
pub struct Describer {
    users: Names,
    groups: Names,
    /// Times of reading are kept.
    with_atime: bool,
    /// Open files have links in /proc.
    has_links: bool,
}

impl Describer {
    pub fn new(with_atime: bool) -> Describer {
        let has_links = Path::new("/proc/self/fd").is_dir();
        Describer { users: Names::users(), groups: Names::groups(), with_atime, has_links }
    }

    /// The node of what has a name in an open directory.
    pub fn named(
        &self,
        directory: BorrowedFd<'_>,
        spot: &Spot,
        name: &[u8],
        stat: &Stat,
    ) -> io::Result<Node> {
        match self.has_links {
            true => {
                let reach = Reach::Named(directory, OsStr::from_bytes(name));
                self.node(name, &reach, stat)
            }
            false => self.node(name, &Reach::Path(&spot.path()), stat),
        }
    }

    /// The node of a file that the system describes by `stat`, without its content.
    pub fn node(&self, name: &[u8], reach: &Reach<'_>, stat: &Stat) -> io::Result<Node> {
        let (mode, kind) = Mode::from_unix(stat.st_mode);
        let mut node = Node::new(name.to_vec(), kind);
        node.mode = mode;
        node.mtime = Time::from_unix(stat.st_mtime, stat.st_mtime_nsec as i64);
        node.ctime = Time::from_unix(stat.st_ctime, stat.st_ctime_nsec as i64);
        node.atime = match self.with_atime {
            true => Time::from_unix(stat.st_atime, stat.st_atime_nsec as i64),
            false => node.mtime,
        };
        (node.uid, node.gid) = (stat.st_uid, stat.st_gid);
        node.user = self.users.name(stat.st_uid).unwrap_or_default();
        node.group = self.groups.name(stat.st_gid).unwrap_or_default();
        (node.inode, node.device_id) = (stat.st_ino, stat.st_dev);
        if !matches!(kind, NodeKind::Dir | NodeKind::Fifo | NodeKind::Socket) {
            node.links = stat.st_nlink;
        }
        match kind {
            NodeKind::File => node.size = stat.st_size as u64,
            NodeKind::Symlink => node.set_target(reach.target()?),
            NodeKind::Dev | NodeKind::Chardev => node.device = stat.st_rdev,
            _ => {}
        }
        node.extended_attributes = reach.extended_attributes()?;
        Ok(node)
    }
}

/// How to come to a file for what `stat` does not say of it.
pub enum Reach<'a> {
    /// It is open.
    Open(BorrowedFd<'a>),
    /// Its directory is open, and it has a name there.
    Named(BorrowedFd<'a>, &'a OsStr),
    /// It has a path. Links on the way are followed, but it is not, if it is one.
    Path(&'a Path),
}

impl Reach<'_> {
    /// Reads the target of a link.
    fn target(&self) -> io::Result<Vec<u8>> {
        let target = match self {
            Reach::Open(_) => return Err(io::Error::other("it is no link any more")),
            Reach::Named(directory, name) => readlinkat(directory, *name, Vec::new()),
            Reach::Path(path) => readlink(*path, Vec::new()),
        };
        Ok(target?.into_bytes())
    }

    fn extended_attributes(&self) -> io::Result<Vec<ExtendedAttribute>> {
        let path: Cow<'_, Path> = match self {
            Reach::Open(file) => {
                return extended_attributes(
                    |buffer| flistxattr(file, buffer),
                    |name, buffer| fgetxattr(file, name, buffer),
                );
            }
            // There is no call that takes a directory, but its link in /proc is one.
            Reach::Named(directory, name) => {
                let link = format!("/proc/self/fd/{}", directory.as_raw_fd());
                Cow::Owned(Path::new(&link).join(name))
            }
            Reach::Path(path) => Cow::Borrowed(path),
        };
        extended_attributes(
            |buffer| llistxattr(&*path, buffer),
            |name, buffer| lgetxattr(&*path, name, buffer),
        )
    }
}

/// The extended attributes that calls list and get.
fn extended_attributes(
    list: impl Fn(&mut [u8]) -> Result<usize, Errno>,
    get: impl Fn(&OsStr, &mut [u8]) -> Result<usize, Errno>,
) -> io::Result<Vec<ExtendedAttribute>> {
    let names = match grown(list) {
        Err(Errno::NOTSUP | Errno::PERM | Errno::ACCESS) => return Ok(Vec::new()),
        names => names?,
    };
    let mut attributes = Vec::new();
    for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        // Names are UTF-8 in all file systems of note; one that is not has no place in JSON.
        let Ok(text) = std::str::from_utf8(name) else { continue };
        let value = grown(|buffer| get(OsStr::from_bytes(name), buffer));
        match value {
            Ok(value) => {
                let value = Base64Bytes(value);
                attributes.push(ExtendedAttribute { name: text.to_owned(), value });
            }
            // It was removed since, or is for the kernel alone.
            Err(Errno::NODATA | Errno::PERM | Errno::ACCESS | Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(attributes)
}

/// Returns what a call writes to a buffer, which is made larger until it is large enough.
fn grown(call: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut small = [0; 256];
    match call(&mut small) {
        Err(Errno::RANGE) => {}
        len => return len.map(|len| small[..len].to_vec()),
    }
    // The kernel has no more than 64 KiB of either.
    let mut large = vec![0; 64 << 10];
    let len = call(&mut large)?;
    large.truncate(len);
    Ok(large)
}
