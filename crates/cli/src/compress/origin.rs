//! What a compressed file says of its source.

use std::ffi::OsString;
use std::time::SystemTime;

/// What a compressed file says of the one it was made of.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// Its name, without directories.
    pub name: Option<OsString>,
    /// When it was modified.
    pub modified: Option<SystemTime>,
    /// Its mode.
    pub mode: Option<u32>,
}
