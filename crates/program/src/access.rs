//! Who may do what with a file: its owner, group, mode and access control list (ACL).

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{
    XattrFlags, fgetxattr, fgetxattr_query, fremovexattr, fsetxattr, lgetxattr, lgetxattr_query,
};
use rustix::io::Errno;

/// The bits of a mode that say who may read, write and execute. Bits that make a program run as
/// somebody else are never taken over.
pub const PERMISSIONS: u32 = 0o777;

/// The part of [`PERMISSIONS`] that is the owner's.
const OWNER: u32 = 0o700;

/// The extended attribute that holds an ACL.
const ACL: &str = "system.posix_acl_access";

/// What a file grants, and to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    owner: u32,
    group: u32,
    mode: u32,
    /// The ACL as the system stores it, where there is one. The group's bits of the mode are then
    /// the most that the ACL grants to anybody but the owner and others.
    acl: Option<Vec<u8>>,
}

impl Access {
    /// What an open file grants.
    ///
    /// # Errors
    /// If the system does not tell its ACL.
    pub fn of(file: &File, metadata: &Metadata) -> io::Result<Access> {
        let acl = acl(fgetxattr_query(file, ACL), |acl| fgetxattr(file, ACL, acl))?;
        Ok(Access::with(metadata, acl))
    }

    /// What the regular file of that name grants; `None` where there is no regular file.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn at(path: &Path) -> io::Result<Option<Access>> {
        let metadata = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata?,
        };
        if !metadata.is_file() {
            return Ok(None);
        }
        let acl = acl(lgetxattr_query(path, ACL), |acl| lgetxattr(path, ACL, acl))?;
        Ok(Some(Access::with(&metadata, acl)))
    }

    fn with(metadata: &Metadata, acl: Option<Vec<u8>>) -> Access {
        let (owner, group) = (metadata.uid(), metadata.gid());
        Access { owner, group, mode: metadata.mode() & PERMISSIONS, acl }
    }

    /// The same without what the mode of `other` does not grant to the same class. An ACL of
    /// `other` that differs grants its group's class nothing here: its mode does not tell who
    /// belongs to that class.
    #[must_use]
    pub fn limited_to(mut self, other: &Access) -> Access {
        self.mode &= match &other.acl {
            acl if *acl == self.acl => other.mode,
            None => other.mode,
            Some(_) => other.mode & !0o070,
        };
        self
    }

    /// Makes `file` grant the same, as far as the system lets it, and more to nobody. A file that
    /// cannot get the group (only a member may give a file to a group) grants to group and others
    /// what both were granted: members of the group now count among the others.
    ///
    /// # Errors
    /// If the mode cannot be set.
    pub fn give(&self, file: &File) -> io::Result<()> {
        let before = file.metadata()?;
        let has_group = before.gid() == self.group || fchown(file, None, Some(self.group)).is_ok();
        // A directory may have a default ACL, which a new file inherits.
        match fremovexattr(file, ACL) {
            Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS) => {}
            removed => removed?,
        }
        let mode = match &self.acl {
            None if has_group => self.mode,
            None => without_group(self.mode),
            Some(acl) if has_group && fsetxattr(file, ACL, acl, XattrFlags::empty()).is_ok() => {
                self.mode
            }
            // Who the ACL grants what is lost: nobody but the owner is sure to have been granted
            // it.
            Some(_) => self.mode & OWNER,
        };
        file.set_permissions(Permissions::from_mode(mode))?;
        if before.uid() != self.owner {
            // Only an administrator can, and others need not.
            let _ = fchown(file, Some(self.owner), None);
        }
        Ok(())
    }
}

/// An ACL, by the query for its size and the call that reads it. Few file systems lack ACLs, and
/// few files have one.
fn acl(
    len: Result<usize, Errno>,
    read: impl FnOnce(&mut [u8]) -> Result<usize, Errno>,
) -> io::Result<Option<Vec<u8>>> {
    let len = match len {
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(None),
        len => len?,
    };
    let mut acl = vec![0; len];
    let len = read(&mut acl)?;
    acl.truncate(len);
    Ok(Some(acl))
}

/// A mode for a file whose group is another.
fn without_group(mode: u32) -> u32 {
    let both = mode >> 3 & mode & 0o7;
    mode & OWNER | both << 3 | both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_group_grants_what_group_and_others_had() {
        for (mode, expected) in [
            (0o644, 0o644),
            (0o755, 0o755),
            (0o640, 0o600),
            (0o664, 0o644),
            (0o604, 0o600),
            (0o646, 0o644),
            (0o600, 0o600),
            (0o777, 0o777),
        ] {
            assert_eq!(without_group(mode), expected, "{mode:o}");
        }
    }

    #[test]
    fn a_limit_takes_and_never_gives() {
        let access = |mode, acl: Option<&[u8]>| Access {
            owner: 1,
            group: 2,
            mode,
            acl: acl.map(<[u8]>::to_vec),
        };
        for (one, other, mode) in [
            (access(0o644, None), access(0o600, None), 0o600),
            (access(0o600, None), access(0o644, None), 0o600),
            (access(0o664, Some(b"x")), access(0o664, Some(b"x")), 0o664),
            (access(0o664, Some(b"x")), access(0o640, None), 0o640),
            (access(0o664, None), access(0o664, Some(b"x")), 0o604),
            (access(0o664, Some(b"y")), access(0o664, Some(b"x")), 0o604),
        ] {
            let limited = one.clone().limited_to(&other);
            assert_eq!(limited, Access { mode, ..one });
        }
    }
}
