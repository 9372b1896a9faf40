//! Nodes of what is in a file system.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Stat, lgetxattr, llistxattr, readlink};
use rustix::io::Errno;

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
}

impl Describer {
    pub fn new(with_atime: bool) -> Describer {
        Describer { users: Names::users(), groups: Names::groups(), with_atime }
    }

    /// The node of a file that the system describes by `stat`, without its content.
    pub fn node(&self, name: Vec<u8>, path: &Path, stat: &Stat) -> io::Result<Node> {
        let (mode, kind) = Mode::from_unix(stat.st_mode);
        let mut node = Node::new(name, kind);
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
            NodeKind::Symlink => node.set_target(readlink(path, Vec::new())?.into_bytes()),
            NodeKind::Dev | NodeKind::Chardev => node.device = stat.st_rdev,
            _ => {}
        }
        node.extended_attributes = extended_attributes(path)?;
        Ok(node)
    }
}

/// The extended attributes of what a path names, not of where it leads.
fn extended_attributes(path: &Path) -> io::Result<Vec<ExtendedAttribute>> {
    let names = match grown(|buffer| llistxattr(path, buffer)) {
        Err(Errno::NOTSUP | Errno::PERM | Errno::ACCESS) => return Ok(Vec::new()),
        names => names?,
    };
    let mut attributes = Vec::new();
    for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        // Names are UTF-8 in all file systems of note; one that is not has no place in JSON.
        let Ok(text) = std::str::from_utf8(name) else { continue };
        let value = grown(|buffer| lgetxattr(path, std::ffi::OsStr::from_bytes(name), buffer));
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

/// What a call writes to a buffer, which is made larger until it is enough.
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
