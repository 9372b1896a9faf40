//! What a new file takes over from the one it is made of: owner, mode, times.

use std::fs::{File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The bits of a mode that are taken over: who may read, write and execute. What makes a program run as
/// somebody else is not.
const MODE: u32 = 0o777;

/// The mode of a file, and what a new one made of it would have, where that is not the same.
pub fn lost_mode(source: &Metadata) -> Option<(u32, u32)> {
    let mode = source.mode() & 0o7777;
    (mode & !MODE != 0).then_some((mode, mode & MODE))
}

/// Gives `target` the owner, the mode and the times of `source`; another time of modification where there
/// is one. An owner that only the system's administrator may give is not an error.
///
/// # Errors
/// If the system refuses the rest.
pub fn copy(source: &Metadata, modified: Option<SystemTime>, target: &File) -> io::Result<()> {
    let mut mode = source.mode() & MODE;
    // The group first: everyone may give a file to a group of their own.
    if fchown(target, None, Some(source.gid())).is_err() {
        // What the group of the source may do is not what this group may do.
        mode &= !0o070;
    }
    // Only an administrator can, and others need not.
    let _ = fchown(target, Some(source.uid()), None);
    target.set_permissions(Permissions::from_mode(mode))?;
    let modified = modified.map_or_else(|| source.modified(), Ok)?;
    target.set_times(FileTimes::new().set_accessed(source.accessed()?).set_modified(modified))
}

/// A time as gzip stores it: seconds since 1970, or 0 where they do not fit.
pub fn to_seconds(time: SystemTime) -> u32 {
    let since = time.duration_since(UNIX_EPOCH).ok();
    since.and_then(|since| since.as_secs().try_into().ok()).unwrap_or(0)
}

/// The time that gzip stores as `seconds`; `None` for 0, which stands for no time.
pub fn from_seconds(seconds: u32) -> Option<SystemTime> {
    (seconds != 0).then(|| UNIX_EPOCH + Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_gzip_can_store_come_back() {
        for seconds in [1, 1_700_000_000, u32::MAX] {
            let time = from_seconds(seconds).expect("it is a time");
            assert_eq!(to_seconds(time + Duration::from_millis(900)), seconds);
        }
        assert_eq!(from_seconds(0), None);
        assert_eq!(to_seconds(UNIX_EPOCH - Duration::from_secs(1)), 0);
        assert_eq!(to_seconds(UNIX_EPOCH + Duration::from_secs(1 << 32)), 0);
    }
}
