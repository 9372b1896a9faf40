//! A file that is open.

use std::fs::{File, Metadata};

use broadloom_program::identity::Identity;

/// A file that may be worked on.
pub struct Opened {
    /// The file.
    pub file: File,
    /// What the system says of it.
    pub metadata: Metadata,
    /// What its name stands for: the file, or a symbolic link that leads to it.
    pub name: Identity,
}

impl Opened {
    /// Returns the identity of the file.
    pub fn identity(&self) -> Identity {
        Identity::of(&self.metadata)
    }
}
